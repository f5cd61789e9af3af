import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import TestSupport
import Testing

/// What a merge left broken is told, and hinders no save that makes it no worse.
@Suite struct BrokenRuleTests {
    /// Lends a store whose tag 1 has five works, of which it takes three, whose author 1 has a name that is
    /// too long, and whose author 2 has none.
    private func withBroken(_ body: (Bench) throws -> Void) throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert("Tag"), bench.insert("Poem", count: 6),
                bench.insert("Author", [bench.text("Author", "name", ["Ada", "Bob"])], count: 2),
            ])
            try add(bench, works: [1, 2, 3])
            let table = try bench.query("SELECT name FROM sqlite_master WHERE name GLOB 'Z_[0-9]*'")[0]
            let columns = try bench.query("SELECT name FROM pragma_table_info('\(table)')")
            let works = try #require(columns.first { $0.hasSuffix("WORKS") })
            let tags = try #require(columns.first { $0.hasSuffix("TAGS") })
            for sql in [
                "CREATE TABLE COFFER_PEER (name VARCHAR PRIMARY KEY, value) WITHOUT ROWID",
                "INSERT INTO \(table) (\(works), \(tags)) VALUES (4, 1), (5, 1)",
                "UPDATE ZAUTHOR SET ZNAME = 'much too long' WHERE Z_PK = 1",
                "UPDATE ZAUTHOR SET ZNAME = NULL WHERE Z_PK = 2",
            ] {
                try bench.writer.connection.execute(sql)
            }
            try body(bench)
        }
    }

    @discardableResult
    private func add(_ bench: Bench, works: [Int64], removed: [UInt8] = []) throws -> [ValidationReason] {
        try reasons(
            bench,
            bench.request(sets: [
                SetChange(
                    entity: bench.entity("Tag").index, property: bench.property("Tag", "works"),
                    owners: works.map { _ in 1 }, targets: works, removed: removed)
            ]))
    }

    private func rename(
        _ bench: Bench, _ author: Int64, version: UInt32, to name: String?
    ) throws -> [ValidationReason] {
        try reasons(
            bench,
            bench.request(updates: [
                bench.update("Author", author, version: version, [bench.text("Author", "name", [name])])
            ]))
    }

    /// Why a save was refused.
    private func reasons(_ bench: Bench, _ request: SaveRequestMessage) throws -> [ValidationReason] {
        switch try bench.execute(request).reply {
        case .saved: return []
        case .invalid(let failures): return failures.map(\.reason)
        default:
            Issue.record("neither saved nor invalid")
            return []
        }
    }

    private func found(_ bench: Bench) throws -> [String] {
        var found: [String] = []
        for entity in bench.model.entities where !entity.isAbstract {
            try bench.writer.brokenRules(ofEntityAt: entity.index) { rule in
                let name = bench.model.entities[rule.entity].name
                found.append("\(name) \(rule.primaryKey) \(rule.property) \(rule.reason.rawValue)")
            }
        }
        return found.sorted()
    }

    @Test func `objects that break a rule are found, with what is wrong of them`() throws {
        try withBroken { bench in
            let broken = try found(bench)
            #expect(
                broken == ["Author 1 name too_large", "Author 2 name required", "Tag 1 works too_many"])
        }
        try withStore { bench in
            let broken = try found(bench)
            #expect(broken == [])
        }
    }

    @Test func `a value that is wrong may stay, and become better, but not worse`() throws {
        try withBroken { bench in
            let code = try bench.update("Author", 1, version: 1, [bench.text("Author", "code", ["A"])])
            try bench.save(updates: [code])
            #expect(try rename(bench, 1, version: 2, to: "longer than before") == [.tooLarge])
            #expect(try rename(bench, 1, version: 2, to: "") == [.tooSmall])
            #expect(try rename(bench, 1, version: 2, to: "much too long") == [])
            #expect(try rename(bench, 1, version: 3, to: "still long") == [])
            #expect(try rename(bench, 1, version: 4, to: "much too long") == [.tooLarge])
            #expect(try rename(bench, 1, version: 4, to: nil) == [.required])
            #expect(try rename(bench, 1, version: 4, to: "Ada") == [])
            #expect(try rename(bench, 2, version: 1, to: nil) == [])
            #expect(try rename(bench, 2, version: 2, to: "Bob") == [])
            #expect(try rename(bench, 2, version: 3, to: nil) == [.required])
            #expect(try found(bench) == ["Tag 1 works too_many"])
        }
    }

    @Test func `a relationship with too many objects may lose some, or keep their number`() throws {
        try withBroken { bench in
            let more = try add(bench, works: [6])
            #expect(more == [.tooMany])
            #expect(try add(bench, works: [5, 6], removed: [0b01]) == [])
            #expect(try add(bench, works: [6], removed: [0b1]) == [])
            #expect(try add(bench, works: [6]) == [.tooMany])
            #expect(try add(bench, works: [4], removed: [0b1]) == [])
            #expect(try add(bench, works: [4]) == [.tooMany])
            #expect(!(try found(bench)).contains { $0.hasPrefix("Tag") })
        }
    }
}
