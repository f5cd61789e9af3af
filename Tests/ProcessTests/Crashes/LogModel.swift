import CofferModel

/// The model of entries; the same as in Tests/ProcessClient.
enum LogModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Entry") {
                Field("writer", .integer64).default(0)
                Field("sequence", .integer64).default(0)
                Field("title", .string).optional()
                Field("body", .string).optional()
                Unique("writer", "sequence")
            }
            Entity("Picture") { Field("data", .binary).externalStorage() }
        }
    }
}
