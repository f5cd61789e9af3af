package import CofferModel

/// The versions of a model of entries, and what leads from one to the next.
package enum LogRoute {
    /// Version 1 has bodies, 2 ranks in their place, and 3 an object for each title besides.
    package static func model(_ version: Int) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Entry") {
                Field("writer", .integer64).default(0)
                Field("sequence", .integer64).default(0)
                Field("title", .string).optional()
                if version == 1 {
                    Field("body", .string).optional()
                } else {
                    Field("rank", .integer64).default(7)
                }
                if version == 3 { Many("words", "Word", inverse: "entry", deleteRule: .cascade) }
                Unique("writer", "sequence")
            }
            Entity("Picture") { Field("data", .binary).externalStorage() }
            if version == 3 {
                Entity("Word") {
                    Field("text", .string)
                    One("entry", "Entry", inverse: "words")
                }
            }
        }
    }

    /// Makes a word of each title, be it of version 1 or 2.
    package static var mapping: MappingModel {
        var words = MappingModel.Entity(
            "EntryToWord", kind: .transform, source: "Entry", destination: "Word")
        words.predicate = "title != nil"
        words.attributes = [.init("text", .expression("uppercase:($source.title)"))]
        words.relationships = [.init("entry", .mapped(by: "EntryToEntry", objects: "$source"))]
        return MappingModel(entities: [
            .init("EntryToEntry", kind: .copy, source: "Entry", destination: "Entry"), words,
            .init("PictureToPicture", kind: .copy, source: "Picture", destination: "Picture"),
        ])
    }

    /// All versions.
    package static func stages() throws -> [MigrationRoute.Stage] {
        [
            .init(name: "1", model: try model(1)), .init(name: "2", model: try model(2)),
            .init(name: "3", model: try model(3), mapping: mapping),
        ]
    }
}

extension LogRoute {
    /// What a policy has to do: it makes the objects that `mapping` leaves to the class `WordPolicy`.
    package static var custom: MappingModel {
        var mapping = mapping
        mapping.entities[1].kind = .custom
        mapping.entities[1].policyClassName = "WordPolicy"
        mapping.entities[1].attributes = []
        return mapping
    }
}
