import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

@Suite struct TextIndexTests {
    private func model(isIndexed: Bool = true) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Note",
                attributes: [
                    AttributeDefinition("text", .string, isOptional: true, isTextIndexed: isIndexed),
                    AttributeDefinition("number", .integer16, isOptional: true),
                ],
                relationships: [
                    RelationshipDefinition("before", to: "Note", inverse: "after"),
                    RelationshipDefinition("after", to: "Note", inverse: "before", isToMany: true),
                ]),
            EntityDefinition(
                "Mail", superentity: "Note",
                attributes: [
                    AttributeDefinition("subject", .string, isOptional: true, isTextIndexed: isIndexed)
                ]),
        ])
    }

    private func open(_ path: String, isIndexed: Bool = true) throws -> Bench {
        try Bench(
            StoreFile.open(
                in: Folder(at: path), fileName: "T", model: StoreModel(model(isIndexed: isIndexed))))
    }

    private func keys(
        _ bench: Bench, _ format: String, _ text: String, entity: String = "Note"
    ) throws -> [Int64] {
        let reader = try StoreReader(connection: bench.file.makeReader(), schema: bench.file.schema)
        var fetch = FetchDescription(
            entityName: entity, predicate: try QueryPredicate(format: format, arguments: [text]))
        fetch.resultType = .objectIDs
        let reply = try reader.fetch(FetchRequestMessage(store: 1, fetch: fetch))
        return reply.rows?.makePrimaryKeys().sorted() ?? []
    }

    private func plan(_ bench: Bench, _ format: String, _ text: String) throws -> String {
        let reader = try StoreReader(connection: bench.file.makeReader(), schema: bench.file.schema)
        let fetch = FetchDescription(
            entityName: "Note", predicate: try QueryPredicate(format: format, arguments: [text]))
        let explanation = try reader.explain(fetch)
        return explanation.sql + "\n" + explanation.plan.joined(separator: "\n")
    }

    private static let letters = [
        "a", "A", "b", "é", "e\u{301}", "É", "ß", "\"", " ", "\0", "😀", "Σ", "ς", "*", "x",
    ]

    private func randomText(_ random: inout SeededGenerator, upTo count: Int) -> String {
        (0..<Int.random(in: 0...count, using: &random)).map { _ in
            Self.letters[Int.random(in: 0..<Self.letters.count, using: &random)]
        }.joined()
    }

    @Test(arguments: Seed.several(3))
    func `with an index and without, answers are equal`(_ seed: Seed) throws {
        print("seed \(seed)")
        try withTemporaryFolder { path in
            let bench = try open(path)
            var random = seed.generator()
            var texts: [Int64: (text: String?, version: UInt32)] = [:]
            for _ in 0..<30 {
                let made: [String?] = (0..<5).map { _ in
                    Int.random(in: 0..<6, using: &random) == 0 ? nil : randomText(&random, upTo: 9)
                }
                let saved = try bench.save(inserts: [
                    bench.insert("Note", [bench.text("Note", "text", made)], count: made.count)
                ])
                for (row, text) in made.enumerated() {
                    texts[saved.saved.firstKeys[0] + Int64(row)] = (text, 1)
                }
                if let key = texts.keys.sorted().randomElement(using: &random), let old = texts[key] {
                    let text = randomText(&random, upTo: 9)
                    try bench.save(updates: [
                        bench.update("Note", key, version: old.version, [bench.text("Note", "text", [text])])
                    ])
                    texts[key] = (text, old.version + 1)
                }
                if let key = texts.keys.sorted().randomElement(using: &random), let old = texts[key] {
                    try bench.save(deletes: [bench.delete("Note", [key], version: old.version)])
                    texts[key] = nil
                }
                if Int.random(in: 0..<3, using: &random) == 0,
                    let key = texts.keys.sorted().randomElement(using: &random), let old = texts[key]
                {
                    let text = randomText(&random, upTo: 9)
                    let foreign = try SQLiteConnection(path: "\(path)/T")
                    let statement = try foreign.prepare("UPDATE ZNOTE SET ZTEXT = ?1 WHERE Z_PK = ?2")
                    try statement.bind(text, at: 1)
                    try statement.bind(key, at: 2)
                    try statement.run()
                    texts[key] = (text, old.version)
                }
                for _ in 0..<6 {
                    let needle = randomText(&random, upTo: 5)
                    let wanted = texts.filter { _, value in
                        value.text.flatMap {
                            TextFolding.holds(
                                $0, .contains, needle, options: [.caseInsensitive, .diacriticInsensitive])
                        } ?? false
                    }.keys.sorted()
                    #expect(
                        try keys(bench, "text CONTAINS[cd] %@", needle) == wanted,
                        "\(seed): \(needle.debugDescription)")
                    let rest = texts.keys.filter { !wanted.contains($0) }.sorted()
                    #expect(try keys(bench, "NOT text CONTAINS[cd] %@", needle) == rest, "\(seed)")
                }
            }
            #expect(try bench.writer.integrityCheck() == [])
        }
    }

    @Test func `what the index knows is looked up, by key path too`() throws {
        try withTemporaryFolder { path in
            let bench = try open(path)
            try bench.save(inserts: [
                bench.insert(
                    "Mail",
                    [bench.text("Mail", "text", ["Grand Café"]), bench.text("Mail", "subject", ["Über uns"])])
            ])
            try bench.save(inserts: [
                bench.insert("Note", [bench.reference("Note", "before", [("Mail", 1)])])
            ])
            #expect(try keys(bench, "text CONTAINS[cd] %@", "D CAFE") == [1])
            #expect(try keys(bench, "subject CONTAINS[cd] %@", "uber", entity: "Mail") == [1])
            #expect(try keys(bench, "before.text CONTAINS[cd] %@", "cafe") == [2])
            #expect(try keys(bench, "ANY after.text CONTAINS[cd] %@", "cafe") == [])
            #expect(try keys(bench, "ANY before.after.text CONTAINS[cd] %@", "cafe") == [])
            for format in ["text CONTAINS[cd] %@", "before.text CONTAINS[cd] %@"] {
                #expect(try plan(bench, format, "cafe").contains("COFFER_TEXT_ZNOTE MATCH"))
            }
            #expect(try plan(bench, "text CONTAINS[cd] %@", "cafe").contains("USING INTEGER PRIMARY KEY"))
            for format in ["text CONTAINS[c] %@", "text CONTAINS %@", "text BEGINSWITH[cd] %@"] {
                #expect(try !plan(bench, format, "cafe").contains("COFFER_TEXT"), "\(format)")
            }
        }
    }

    @Test func `a save that is taken back leaves nothing in the index`() throws {
        try withTemporaryFolder { path in
            let bench = try open(path)
            try bench.writer.begin()
            _ = try bench.writer.execute(
                bench.request(inserts: [bench.insert("Note", [bench.text("Note", "text", ["hello"])])]),
                by: SaveOrigin(application: "a", process: "p", timestamp: 1))
            try bench.writer.rollback()
            #expect(try bench.query("SELECT count(*) FROM COFFER_TEXT_ZNOTE") == ["0"])
            try bench.save(inserts: [bench.insert("Note", [bench.text("Note", "text", ["hello"])])])
            #expect(try bench.query("SELECT ZTEXT FROM COFFER_TEXT_ZNOTE") == ["hello"])
            #expect(try bench.query("SELECT key FROM COFFER_TEXTQUEUE_ZNOTE") == [])
        }
    }

    @Test func `a store gets its index when the model marks an attribute, and loses it when it does not`()
        throws
    {
        try withTemporaryFolder { path in
            let names = "SELECT name FROM sqlite_master WHERE name GLOB 'COFFER_TEXT*' AND type != 'index'"
            do {
                let bench = try open(path, isIndexed: false)
                try bench.save(inserts: [bench.insert("Note", [bench.text("Note", "text", ["Hello"])])])
                #expect(try bench.query(names) == [])
            }
            do {
                let bench = try open(path)
                #expect(try keys(bench, "text CONTAINS[cd] %@", "ELL") == [1])
                #expect(try bench.query("SELECT ZTEXT FROM COFFER_TEXT_ZNOTE") == ["hello"])
                #expect(!bench.file.hasForeignTriggers)
            }
            let bench = try open(path, isIndexed: false)
            #expect(try bench.query(names) == [])
            #expect(try keys(bench, "text CONTAINS[cd] %@", "ELL") == [1])
        }
    }
}
