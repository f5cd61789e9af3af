import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Sort keys that a file keeps: made when they are asked for, right whoever writes.
@Suite(.enabled(if: Collation.version != nil, "the system has no ICU"))
struct SortKeyTests {
    private static let rowCount = 1_200

    private func model(isIndexed: Bool = true) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Note",
                attributes: [
                    AttributeDefinition("title", .string, isOptional: true, isIndexed: isIndexed),
                    AttributeDefinition("other", .string, isOptional: true),
                ]),
            EntityDefinition("Mail", superentity: "Note"),
            EntityDefinition(
                "Plain", attributes: [AttributeDefinition("title", .string, isOptional: true)]),
        ])
    }

    private func open(_ path: String, isIndexed: Bool = true) throws -> Bench {
        try Bench(
            StoreFile.open(
                in: Folder(at: path), fileName: "T", model: StoreModel(model(isIndexed: isIndexed))))
    }

    private static let pieces = ["a", "A", "ä", "Z", "z", "é", "10", "9", "file ", "ß", "ø", " ", "\0", "日本"]

    private func randomText(_ random: inout SeededGenerator) -> String? {
        if Int.random(in: 0..<20, using: &random) == 0 { return nil }
        return (0..<Int.random(in: 0...4, using: &random)).map { _ in
            Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &random)]
        }.joined()
    }

    private func fill(_ bench: Bench, _ random: inout SeededGenerator, entity: String = "Note") throws {
        let texts = (0..<Self.rowCount).map { _ in randomText(&random) }
        try bench.save(inserts: [
            bench.insert(entity, [bench.text(entity, "title", texts)], count: texts.count)
        ])
    }

    /// What a reader gives that knows the file's sort keys, or one that knows of none.
    private func keys(
        _ bench: Bench, _ comparison: QuerySort.Comparison, ascending: Bool = true, locale: String = "de_DE",
        entity: String = "Note", limit: Int = 0, offset: Int = 0, isKept: Bool
    ) throws -> [Int64] {
        var fetch = FetchDescription(entityName: entity)
        fetch.sortDescriptors = [QuerySort("title", ascending: ascending, comparison: comparison)]
        fetch.locale = locale
        fetch.limit = limit
        fetch.offset = offset
        fetch.resultType = .objectIDs
        let reply = try reader(bench, isKept: isKept).fetch(FetchRequestMessage(store: 1, fetch: fetch))
        return reply.rows?.primaryKeys ?? []
    }

    private func reader(_ bench: Bench, isKept: Bool = true) throws -> StoreReader {
        var options = StoreReader.Options()
        if isKept { options.sortKeys = bench.file.sortKeys }
        return try StoreReader(
            connection: bench.file.makeReader(), schema: bench.file.schema, options: options)
    }

    private func plan(
        _ bench: Bench, _ comparison: QuerySort.Comparison = .localizedStandard, locale: String = "de_DE",
        entity: String = "Note", predicate: QueryPredicate? = nil, limit: Int = 10
    ) throws -> String {
        var fetch = FetchDescription(entityName: entity, predicate: predicate)
        fetch.sortDescriptors = [QuerySort("title", comparison: comparison)]
        fetch.locale = locale
        fetch.limit = limit
        let explanation = try reader(bench).explain(fetch)
        return explanation.sql + "\n" + explanation.plan.joined(separator: "\n")
    }

    private func keepAll(_ bench: Bench) throws { while try bench.writer.keepSortKeys() {} }

    private func expectSame(
        _ bench: Bench, _ comment: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for comparison in [QuerySort.Comparison.localized, .localizedCaseInsensitive, .localizedStandard] {
            for ascending in [true, false] {
                let own = try keys(bench, comparison, ascending: ascending, isKept: false)
                let kept = try keys(bench, comparison, ascending: ascending, isKept: true)
                #expect(own == kept, "\(comment) \(comparison) \(ascending)", sourceLocation: sourceLocation)
                let part = try keys(
                    bench, comparison, ascending: ascending, limit: 7, offset: 5, isKept: true)
                #expect(
                    part == Array(own.dropFirst(5).prefix(7)), "\(comment)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test(arguments: Seed.fresh(2))
    func `with kept keys and without, orders are the same`(_ seed: Seed) throws {
        try withTemporaryFolder { path in
            let bench = try open(path)
            var random = seed.generator()
            try fill(bench, &random)
            try expectSame(bench, "before, COFFER_SEED=\(seed)")
            try keepAll(bench)
            #expect(try bench.query("SELECT count(*) FROM COFFER_SORTLIST") == ["3"])
            #expect(try plan(bench).contains("COFFER_SORTKEY k"))
            let steps = try plan(bench)
            #expect(!steps.contains("TEMP B-TREE"), "\(steps)")
            #expect(try !plan(bench, limit: 0).contains("COFFER_SORTKEY k"))
            try expectSame(bench, "kept, COFFER_SEED=\(seed)")
            var versions: [Int64: UInt32] = [:]
            for round in 0..<40 {
                let key = Int64.random(in: 1...Int64(Self.rowCount), using: &random)
                let text = try bench.text("Note", "title", [randomText(&random)])
                switch versions[key, default: 1] {
                case 0: try bench.save(inserts: [bench.insert("Mail", [text])])
                case let version where round % 5 == 4:
                    try bench.save(deletes: [bench.delete("Note", [key], version: version)])
                    versions[key] = 0
                case let version:
                    try bench.save(updates: [bench.update("Note", key, version: version, [text])])
                    versions[key] = version + 1
                }
                // What a save wrote is in the lists at once.
                #expect(try plan(bench).contains("COFFER_SORTKEY k"), "round \(round), COFFER_SEED=\(seed)")
            }
            try expectSame(bench, "changed, COFFER_SEED=\(seed)")
            #expect(
                try keys(bench, .localizedStandard, entity: "Mail", isKept: true)
                    == keys(bench, .localizedStandard, entity: "Mail", isKept: false))
            #expect(try bench.writer.integrityCheck() == [])
        }
    }

    @Test func `nothing is kept for what nobody asks for in this way`() throws {
        try withTemporaryFolder { path in
            let bench = try open(path)
            var random = Seed(1).generator()
            try fill(bench, &random)
            try fill(bench, &random, entity: "Plain")
            _ = try keys(bench, .binary, isKept: true)
            _ = try keys(bench, .caseInsensitive, isKept: true)
            _ = try keys(bench, .localizedStandard, entity: "Plain", isKept: true)
            _ = try plan(bench, predicate: try QueryPredicate(format: "title == 'a'"))
            _ = try plan(bench, limit: 0)
            _ = try plan(bench, limit: 100_000)
            #expect(!bench.file.sortKeys.isWanting)
            #expect(try bench.query("SELECT name FROM sqlite_master WHERE name LIKE 'COFFER_SORT%'") == [])
            #expect(try bench.query("SELECT name FROM sqlite_master WHERE type = 'trigger'") == [])
        }
    }

    @Test func `a short list is not kept, and one that has grown is`() throws {
        try withTemporaryFolder { path in
            let bench = try open(path)
            for round in 0..<8 {
                _ = try keys(bench, .localized, limit: 10, isKept: true)
                // Asked again after twice as often each time.
                #expect(bench.file.sortKeys.isWanting == [1, 2, 4, 8].contains(round + 1))
                try keepAll(bench)
            }
            #expect(try bench.query("SELECT name FROM sqlite_master WHERE name LIKE 'COFFER_SORT%'") == [])
            var random = Seed(2).generator()
            try fill(bench, &random)
            for _ in 0..<8 { _ = try keys(bench, .localized, limit: 10, isKept: true) }
            try keepAll(bench)
            #expect(try plan(bench, .localized).contains("COFFER_SORTKEY k"))
        }
    }

    @Test func `another program's changes are seen at once, and come into the lists later`() throws {
        try withTemporaryFolder { path in
            let bench = try open(path)
            var random = Seed(3).generator()
            try fill(bench, &random)
            try expectSame(bench, "before")
            try keepAll(bench)
            let other = try SQLiteConnection(path: "\(path)/T", mode: .readWrite)
            try other.execute("UPDATE ZNOTE SET ZTITLE = 'zzz' WHERE Z_PK = 5")
            try other.execute("DELETE FROM ZNOTE WHERE Z_PK = 6")
            try other.execute("INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (9000, 1, 1, 'aaa')")
            #expect(try !plan(bench).contains("COFFER_SORTKEY k"))
            try expectSame(bench, "written by another")
            try keepAll(bench)
            #expect(try plan(bench).contains("COFFER_SORTKEY k"))
            try expectSame(bench, "brought in")
            // A column that no list is of is nobody's business.
            try other.execute("UPDATE ZNOTE SET ZOTHER = 'x'")
            #expect(try plan(bench).contains("COFFER_SORTKEY k"))
        }
    }

    @Test func `keys are kept over a restart, each locale its own`() throws {
        try withTemporaryFolder { path in
            do {
                let bench = try open(path)
                var random = Seed(4).generator()
                try fill(bench, &random)
                for locale in ["de_DE", "sv_SE"] {
                    _ = try keys(bench, .localized, locale: locale, limit: 10, isKept: true)
                }
                try keepAll(bench)
            }
            let bench = try open(path)
            for locale in ["de_DE", "sv_SE"] {
                #expect(try plan(bench, .localized, locale: locale).contains("COFFER_SORTKEY k"))
                #expect(
                    try keys(bench, .localized, locale: locale, limit: 10, isKept: true)
                        == keys(bench, .localized, locale: locale, limit: 10, isKept: false))
            }
            #expect(try !plan(bench, .localized, locale: "en_US").contains("COFFER_SORTKEY k"))
            #expect(!bench.file.hasForeignTriggers)
        }
    }

    @Test func `keys of another version of ICU are made anew`() throws {
        try withTemporaryFolder { path in
            do {
                let bench = try open(path)
                var random = Seed(5).generator()
                try fill(bench, &random)
                try expectSame(bench, "before")
                try keepAll(bench)
                try SQLiteConnection(path: "\(path)/T", mode: .readWrite).execute(
                    "UPDATE COFFER_SORTLIST SET collation = '1.0'; UPDATE COFFER_SORTKEY SET key = x'00'")
            }
            let bench = try open(path)
            #expect(try bench.query("SELECT count(*) FROM COFFER_SORTKEY") == ["0"])
            try expectSame(bench, "opened")
            try keepAll(bench)
            #expect(try plan(bench).contains("COFFER_SORTKEY k"))
            try expectSame(bench, "made anew")
        }
    }

    @Test func `what the model marks no more is taken away`() throws {
        try withTemporaryFolder { path in
            do {
                let bench = try open(path)
                var random = Seed(6).generator()
                try fill(bench, &random)
                try expectSame(bench, "before")
                try keepAll(bench)
            }
            let bench = try open(path, isIndexed: false)
            #expect(try bench.query("SELECT name FROM sqlite_master WHERE type = 'trigger'") == [])
            #expect(try bench.query("SELECT count(*) FROM COFFER_SORTKEY") == ["0"])
            #expect(!bench.file.hasForeignTriggers)
            try expectSame(bench, "without")
        }
    }

    @Test func `a save of many rows leaves the rest for later`() throws {
        try withTemporaryFolder { path in
            let bench = try open(path)
            var random = Seed(7).generator()
            try fill(bench, &random)
            try expectSame(bench, "before")
            try keepAll(bench)
            try fill(bench, &random)
            #expect(try bench.query("SELECT count(*) FROM COFFER_SORTQUEUE_ZNOTE") == ["200"])
            try expectSame(bench, "some wait")
            #expect(bench.file.sortKeys.isWanting)
            try keepAll(bench)
            #expect(try plan(bench).contains("COFFER_SORTKEY k"))
            try expectSame(bench, "all there")
        }
    }
}
