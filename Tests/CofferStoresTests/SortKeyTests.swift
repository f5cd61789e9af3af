import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import Synchronization
import TestSupport
import Testing

/// Sort keys that a file keeps: made when they are asked for, right whichever program writes.
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
            EntityDefinition(
                "Thing",
                attributes: [
                    AttributeDefinition("title", .string, isOptional: true, isIndexed: isIndexed),
                    AttributeDefinition("code", .integer64, isOptional: true),
                ], uniquenessConstraints: [["code"]]),
        ])
    }

    /// What day it is.
    private final class Calendar: Sendable {
        let day = Atomic(9_000)
    }

    private func open(_ path: String, _ calendar: Calendar) throws -> Bench {
        var options = StoreOptions()
        options.environment = StoreEnvironment(now: {
            Double(calendar.day.load(ordering: .relaxed)) * 86_400 + 100
        })
        return try Bench(
            StoreFile.open(
                in: Folder(at: path), fileName: "T", model: StoreModel(model()), options: options))
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
        return reply.rows?.makePrimaryKeys() ?? []
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

    @Test(arguments: Seed.several(2))
    func `with kept keys and without, orders are equal`(_ seed: Seed) throws {
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
            // A change in a column that has no list does not matter to the lists.
            try other.execute("UPDATE ZNOTE SET ZOTHER = 'x'")
            #expect(try plan(bench).contains("COFFER_SORTKEY k"))
        }
    }

    @Test func `rows that another program replaced leave no ids, whichever constraint they met`() throws {
        try withTemporaryFolder { path in
            let bench = try open(path)
            var random = Seed(8).generator()
            let titles = (0..<Self.rowCount).map { _ in randomText(&random) }
            try bench.save(inserts: [
                bench.insert(
                    "Thing",
                    [
                        bench.text("Thing", "title", titles),
                        bench.integers("Thing", "code", (0..<Self.rowCount).map { Int64($0) }),
                    ], count: Self.rowCount)
            ])
            func ids(_ ascending: Bool, isKept: Bool) throws -> [Int64] {
                try keys(bench, .localized, ascending: ascending, entity: "Thing", isKept: isKept)
            }
            _ = try ids(true, isKept: true)
            try keepAll(bench)
            let other = try SQLiteConnection(path: "\(path)/T", mode: .readWrite)
            let entity = try bench.query("SELECT Z_ENT FROM ZTHING LIMIT 1")[0]
            let columns = "ZTHING (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZCODE)"
            // Each takes a row away for which SQLite runs no trigger: of another key, of the same, and by an
            // update.
            try other.execute("INSERT OR REPLACE INTO \(columns) VALUES (9000, \(entity), 1, 'aaa', 7)")
            try other.execute("REPLACE INTO \(columns) VALUES (20, \(entity), 2, 'bbb', 19)")
            try other.execute("UPDATE OR REPLACE ZTHING SET ZCODE = 30 WHERE Z_PK = 41")
            for isBroughtIn in [false, true] {
                if isBroughtIn { try keepAll(bench) }
                for ascending in [true, false] {
                    let kept = try ids(ascending, isKept: true)
                    #expect(try kept == ids(ascending, isKept: false))
                    #expect(kept.count == Self.rowCount - 1)
                    #expect(!kept.contains(8) && !kept.contains(31) && kept.contains(9_000))
                }
            }
            #expect(try plan(bench, .localized, entity: "Thing", limit: 5).contains("COFFER_SORTKEY k"))
            #expect(!bench.file.sortKeys.isWanting, "and they are read along the list")
        }
    }

    @Test func `a list that nobody uses gives way to another, and readers never see half of it`() throws {
        try withTemporaryFolder { path in
            let calendar = Calendar()
            let locales = ["de_DE", "sv_SE", "fr_FR", "es_ES", "it_IT", "pl_PL", "cs_CZ", "da_DK"]
            func expectRight(_ bench: Bench, _ locale: String) throws {
                #expect(
                    try keys(bench, .localized, locale: locale, limit: 10, isKept: true)
                        == keys(bench, .localized, locale: locale, limit: 10, isKept: false), "\(locale)")
            }
            do {
                let bench = try open(path, calendar)
                var random = Seed(9).generator()
                try fill(bench, &random)
                try fill(bench, &random)
                for locale in locales {
                    try expectRight(bench, locale)
                    try keepAll(bench)
                }
                #expect(try bench.query("SELECT count(*) FROM COFFER_SORTLIST") == ["8"])
                // All were used of late.
                try expectRight(bench, "fi_FI")
                try keepAll(bench)
                #expect(try !plan(bench, .localized, locale: "fi_FI").contains("COFFER_SORTKEY k"))
            }
            calendar.day.store(9_010, ordering: .relaxed)
            // The file learns which lists are used on another day.
            let bench = try open(path, calendar)
            for locale in locales where locale != "sv_SE" { try expectRight(bench, locale) }
            try keepAll(bench)
            #expect(try bench.query("SELECT count(*) FROM COFFER_SORTLIST WHERE used = 9010") == ["7"])
            try expectRight(bench, "fi_FI")
            var pieces = 0
            while try bench.writer.keepSortKeys() {
                pieces += 1
                for locale in ["fi_FI", "de_DE"] { try expectRight(bench, locale) }
            }
            #expect(pieces > 2)
            #expect(try plan(bench, .localized, locale: "fi_FI").contains("COFFER_SORTKEY k"))
            #expect(try plan(bench, .localized, locale: "de_DE").contains("COFFER_SORTKEY k"))
            #expect(try !plan(bench, .localized, locale: "sv_SE").contains("COFFER_SORTKEY k"))
            #expect(
                try bench.query("SELECT count(DISTINCT list) || ' ' || count(*) FROM COFFER_SORTKEY")
                    == ["8 \(8 * 2 * Self.rowCount)"])
            for locale in locales { try expectRight(bench, locale) }
            #expect(try bench.writer.integrityCheck() == [])
        }
    }

    @Test func `lists that nobody has used for long go when the file is opened`() throws {
        try withTemporaryFolder { path in
            let calendar = Calendar()
            do {
                let bench = try open(path, calendar)
                var random = Seed(10).generator()
                try fill(bench, &random)
                for locale in ["de_DE", "sv_SE"] {
                    _ = try keys(bench, .localized, locale: locale, limit: 10, isKept: true)
                }
                try keepAll(bench)
            }
            calendar.day.store(9_020, ordering: .relaxed)
            do {
                let bench = try open(path, calendar)
                _ = try keys(bench, .localized, locale: "de_DE", limit: 10, isKept: true)
                try keepAll(bench)
            }
            calendar.day.store(9_040, ordering: .relaxed)
            do {
                let bench = try open(path, calendar)
                #expect(try bench.query("SELECT locale FROM COFFER_SORTLIST").count == 1)
                #expect(try plan(bench, .localized).contains("COFFER_SORTKEY k"))
                #expect(
                    try bench.query("SELECT count(*) FROM COFFER_SORTKEY") == ["\(Self.rowCount)"])
            }
            calendar.day.store(9_100, ordering: .relaxed)
            do {
                let bench = try open(path, calendar)
                #expect(try bench.query("SELECT count(*) FROM COFFER_SORTKEY") == ["0"])
                #expect(try bench.query("SELECT name FROM sqlite_master WHERE type = 'trigger'") == [])
            }
            // A file of before has no column for that.
            try SQLiteConnection(path: "\(path)/T", mode: .readWrite).execute(
                "ALTER TABLE COFFER_SORTLIST DROP COLUMN used")
            let again = try open(path, calendar)
            _ = try keys(again, .localized, limit: 10, isKept: true)
            try keepAll(again)
            #expect(try again.query("SELECT used FROM COFFER_SORTLIST") == ["9100"])
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

    @Test func `sort keys that the model no longer marks are taken away`() throws {
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
