import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import Testing

/// What a migrated store tells of before, and what follows its rows.
@Suite struct MigratedHistoryTests {
    private static let old = [
        EntityDefinition("Gone", attributes: [AttributeDefinition("n", .integer16, isOptional: true)]),
        EntityDefinition(
            "Note",
            attributes: [
                AttributeDefinition("title", .string, isOptional: true, preservesValueOnDeletion: true),
                AttributeDefinition("zone", .string, isOptional: true, preservesValueOnDeletion: true),
                AttributeDefinition("rank", .integer64, isOptional: true),
            ]),
    ]

    /// Another number for the entity, other places for bits and for what is kept of deleted objects.
    private static let new = [
        EntityDefinition("First"),
        EntityDefinition(
            "Note",
            attributes: [
                AttributeDefinition("aaa", .string, isOptional: true, preservesValueOnDeletion: true),
                AttributeDefinition(
                    "heading", .string, isOptional: true, preservesValueOnDeletion: true,
                    renamingIdentifier: "zone"),
                AttributeDefinition("place", .integer64, isOptional: true, renamingIdentifier: "rank"),
                AttributeDefinition("title", .string, isOptional: true, preservesValueOnDeletion: true),
            ]),
    ]

    private func history(_ bench: Bench) throws -> [TransactionMessage] {
        let reader = try HistoryReader(connection: bench.file.makeReader(), file: bench.file)
        guard
            case .transactions(let transactions, _, _) = try reader.reply(
                to: HistoryRequestMessage(store: 1, storeUUID: nil, after: 0))
        else { return [] }
        return transactions
    }

    @Test func `history tells of before by the properties of now, and of the migration`() throws {
        try withMigration(from: Self.old, to: Self.new) { harness in
            try harness.fill { bench in
                try bench.save(inserts: [
                    bench.insert("Gone"),
                    bench.insert(
                        "Note",
                        [bench.text("Note", "title", ["a", "b"]), bench.text("Note", "zone", ["x", "y"])],
                        count: 2),
                ])
                try bench.save(updates: [
                    bench.update("Note", 1, version: 1, [bench.integers("Note", "rank", [5])])
                ])
                try bench.save(deletes: [bench.delete("Note", [2]), bench.delete("Gone", [1])])
            }
            let bench = try harness.migrate()
            let history = try history(bench)
            #expect(history.map(\.number) == [1, 2, 3, 4])
            #expect(history.map(\.origin) == [.save, .save, .save, .migration])
            let note = try bench.entity("Note")
            #expect(history[0].changes.map(\.entity) == [note.index])
            #expect(history[1].changes.map(\.properties) == [[try bench.property("Note", "place")]])
            let deleted = try #require(history[2].changes.first)
            #expect(deleted.primaryKeys == [2] && history[2].changes.count == 1)
            let kept = deleted.columns.map { "\(note.properties[$0.property].name) \($0.text(at: 0) ?? "-")" }
            #expect(kept == ["aaa -", "heading y", "title b"])
            #expect(
                history[3].author.hasPrefix("com.apple.coredata.schemamigrator: lightweight migration from"))
            // And it goes on.
            let saved = try bench.save(inserts: [bench.insert("Note"), bench.insert("First")]).saved
            #expect(saved.number == 5 && saved.firstKeys == [3, 1])
        }
    }

    @Test func `keys that were given out stay so, under the numbers of now`() throws {
        try withMigration(from: Self.old, to: Self.new) { harness in
            var first: Int64 = 0
            try harness.fill { bench in
                let note = try bench.entity("Note").index
                first = try bench.writer.reserveKeys([KeyReservation(entity: note, count: 4)])[0]
            }
            let bench = try harness.migrate()
            var group = try bench.insert("Note", count: 2)
            group.firstKey = first
            #expect(try bench.save(inserts: [group]).saved.firstKeys == [first])
            #expect(try bench.save(inserts: [bench.insert("Note")]).saved.firstKeys == [first + 4])
        }
    }

    @Test func `what is computed from values, and found by them, follows`() throws {
        let tag = { (attributes: [AttributeDefinition]) in
            EntityDefinition(
                "Tag", attributes: attributes,
                relationships: [RelationshipDefinition("notes", to: "Note", inverse: "tag", isToMany: true)])
        }
        let count = AttributeDefinition(
            "noteCount", .integer64, isOptional: true, derivationExpression: "count:(notes)")
        let note = { (name: String, isIndexed: Bool) in
            EntityDefinition(
                "Note",
                attributes: [
                    AttributeDefinition(
                        name, .string, isOptional: true, isTextIndexed: isIndexed,
                        renamingIdentifier: name == "text" ? nil : "text")
                ], relationships: [RelationshipDefinition("tag", to: "Tag", inverse: "notes")])
        }
        let old = [tag([]), note("text", true), EntityDefinition("Extra")]
        let new = [tag([count]), note("body", true), EntityDefinition("Added")]
        try withMigration(from: old, to: new) { harness in
            try harness.fill { bench in
                try bench.save(inserts: [bench.insert("Tag")])
                try bench.save(inserts: [
                    bench.insert(
                        "Note",
                        [
                            bench.text("Note", "text", ["milk and honey", "bread"]),
                            bench.reference("Note", "tag", [("Tag", 1), ("Tag", 1)]),
                        ], count: 2)
                ])
            }
            let bench = try harness.migrate()
            #expect(try bench.query("SELECT ZNOTECOUNT FROM ZTAG") == ["2"])
            try bench.save(inserts: [bench.insert("Note", [bench.reference("Note", "tag", [("Tag", 1)])])])
            #expect(try bench.query("SELECT ZNOTECOUNT FROM ZTAG") == ["3"])
            let found = try StoreReader(connection: bench.file.makeReader(), schema: bench.file.schema).fetch(
                FetchRequestMessage(
                    store: 1,
                    fetch: FetchDescription(
                        entityName: "Note", predicate: QueryPredicate(format: "body CONTAINS[cd] 'HONEY'"))))
            #expect(found.rows?.rowCount == 1)
        }
    }

    @Test func `what somebody else has put into the schema is refused by its name`() throws {
        let shorter = [EntityDefinition("Note", attributes: [Self.old[1].attributes[0]]), Self.old[0]]
        for (sql, item) in [
            ("CREATE INDEX mine ON ZNOTE (ZTITLE)", "index 'mine'"),
            (
                "CREATE TRIGGER theirs AFTER INSERT ON ZNOTE BEGIN UPDATE ZGONE SET ZN = 1; END",
                "trigger 'theirs'"
            ),
        ] {
            try withMigration(from: Self.old, to: shorter) { harness in
                try harness.fill { bench in
                    try bench.save(inserts: [bench.insert("Note")])
                    try bench.writer.connection.execute(sql)
                }
                #expect(try harness.migration().plan().obstacles == [.foreign(item: item)])
                #expect(throws: StoreError.self) { try harness.migration().run() }
            }
        }
    }

    /// Indexes of others whose names are like those of a model's, by whether their tables are copied or get
    /// another name.
    @Test(arguments: [true, false])
    func `indexes of others with names like a model's are kept, as far as there is something to find`(
        isCopied: Bool
    ) throws {
        let attributes = Self.old[1].attributes
        let destination =
            isCopied
            ? EntityDefinition("Note", attributes: [attributes[0], attributes[2]])
            : EntityDefinition("Notice", attributes: attributes, renamingIdentifier: "Note")
        try withMigration(from: Self.old, to: [Self.old[0], destination]) { harness in
            try harness.fill { bench in
                try bench.save(inserts: [bench.insert("Note", [bench.text("Note", "title", ["a"])])])
                for sql in [
                    "CREATE INDEX ZMINE ON ZNOTE (ZTITLE, ZRANK)", "CREATE INDEX ZOF_ZONE ON ZNOTE (ZZONE)",
                    "CREATE INDEX \"Z odd \"\" name\" ON ZGONE (ZN)",
                ] { try bench.writer.connection.execute(sql) }
            }
            _ = try harness.migration().run()
            let bench = try Bench(harness.open(harness.destination))
            let kept = try bench.query(
                "SELECT name || ' on ' || tbl_name FROM sqlite_master WHERE type = 'index' AND "
                    + "(name IN ('ZMINE', 'ZOF_ZONE') OR name GLOB 'Z odd*') ORDER BY name")
            #expect(
                kept
                    == (isCopied
                        ? ["Z odd \" name on ZGONE", "ZMINE on ZNOTE"]
                        : ["Z odd \" name on ZGONE", "ZMINE on ZNOTICE", "ZOF_ZONE on ZNOTICE"]))
            #expect(try bench.writer.integrityCheck() == [])
        }
    }
}
