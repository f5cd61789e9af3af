import CofferModel

/// The model of entries; the same as in Tests/ProcessClient.
enum LogModel {
    /// Version 2 has ranks in the place of bodies.
    static func make(version: Int = 1) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Entry") {
                Field("writer", .integer64).default(0)
                Field("sequence", .integer64).default(0)
                Field("title", .string).optional()
                if version == 2 {
                    Field("rank", .integer64).default(7)
                } else {
                    Field("body", .string).optional()
                }
                Unique("writer", "sequence")
            }
            Entity("Picture") { Field("data", .binary).externalStorage() }
        }
    }
}
