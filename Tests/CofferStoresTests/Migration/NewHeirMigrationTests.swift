import CofferModel
import CofferStores
import TestSupport
import Testing

/// A relationship whose destination becomes a new entity that inherits from the one before.
@Suite struct NewHeirMigrationTests {
    private static let source = [
        EntityDefinition("Folder", relationships: [many("notes", "Note", "folder")]),
        EntityDefinition(
            "Note", attributes: [AttributeDefinition("title", .string, isOptional: true)],
            relationships: [
                RelationshipDefinition("folder", to: "Folder", inverse: "notes"),
                RelationshipDefinition("first", to: "Folder"),
                many("seen", "Folder", "seenBy"),
            ]),
    ].map { definition in
        var definition = definition
        if definition.name == "Folder" { definition.relationships.append(many("seenBy", "Note", "seen")) }
        return definition
    }

    private static func many(_ name: String, _ end: String, _ inverse: String) -> RelationshipDefinition {
        RelationshipDefinition(name, to: end, inverse: inverse, isToMany: true)
    }

    /// The same, in which notes are in shelves, which are folders; the relationships of folders go along.
    private static var destination: [EntityDefinition] {
        var (folder, note) = (source[0], source[1])
        let shelf = EntityDefinition("Shelf", superentity: "Folder", relationships: folder.relationships)
        folder.relationships = []
        for place in note.relationships.indices { note.relationships[place].destination = "Shelf" }
        return [folder, note, shelf]
    }

    @Test func `all references become empty, and are counted, and a copy is kept`() throws {
        try withMigration(from: Self.source, to: Self.destination) { harness in
            try harness.fill { bench in
                try bench.save(inserts: [bench.insert("Folder")])
                try bench.save(inserts: [
                    bench.insert(
                        "Note",
                        [
                            bench.text("Note", "title", ["a", "b"]),
                            bench.reference("Note", "folder", [("Folder", 1), nil]),
                            bench.reference("Note", "first", [("Folder", 1), ("Folder", 1)]),
                        ], count: 2)
                ])
            }
            let plan = try harness.migration().plan()
            #expect(plan.obstacles.isEmpty && plan.dropsData, "\(plan)")
            let note = try #require(plan.entities.first { $0.name == "Note" })
            #expect(note.properties.first { $0.name == "folder" }?.droppedCount == 1)
            #expect(note.properties.first { $0.name == "first" }?.droppedCount == 2)
            let bench = try harness.migrate()
            #expect(
                try bench.query("SELECT ZTITLE, ZFOLDER, ZFIRST FROM ZNOTE ORDER BY 1") == [
                    "a|NULL|NULL", "b|NULL|NULL",
                ])
            #expect(try bench.query("SELECT count(*) FROM ZFOLDER") == ["1"])
            try bench.save(inserts: [bench.insert("Shelf")])
            try bench.save(updates: [
                bench.update(
                    "Note", 1, version: 1, [bench.reference("Note", "folder", [("Shelf", 2)])])
            ])
            #expect(try bench.writer.integrityCheck() == [])
        }
    }
}
