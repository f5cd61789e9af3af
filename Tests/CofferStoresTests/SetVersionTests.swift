import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Testing

/// Versions that objects get with their to-many relationships, as Core Data gives them.
struct SetVersionTests {
    /// A novel and a tag; another client has put the tag on the novel since both were read.
    private func withTaggedNovel(_ body: (Bench) throws -> Void) throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert("Tag", [bench.text("Tag", "name", ["a"])]),
                bench.insert("Novel", [bench.text("Novel", "title", ["A"])]),
            ])
            let saved = try bench.save(sets: [try tagging(bench, removed: [])])
            let versions = saved.saved.touched.flatMap(\.versions)
            #expect(versions == [2, 2], "both ends")
            try body(bench)
        }
    }

    private func tagging(_ bench: Bench, removed: [UInt8]) throws -> SetChange {
        SetChange(
            entity: try bench.entity("Novel").index, property: try bench.property("Novel", "tags"),
            owners: [1],
            targets: [1], removed: removed)
    }

    private func rename(_ bench: Bench, _ name: String, version: UInt32) throws -> UpdateGroup {
        try bench.update("Novel", 1, version: version, [bench.text("Novel", "title", [name])])
    }

    @Test func `whoever has the version before is not in conflict, and gets the present one`() throws {
        try withTaggedNovel { bench in
            let saved = try bench.save(updates: [rename(bench, "B", version: 1)])
            #expect(try bench.query("SELECT ZTITLE, Z_OPT FROM ZWORK") == ["B|3"])
            #expect(saved.saved.refreshed.flatMap(\.versions) == [3])
            try bench.save(deletes: [bench.delete("Tag", [1], version: 1)])
            #expect(try bench.query("SELECT count(*) FROM ZTAG") == ["0"])
        }
    }

    @Test func `a change of its own values since then is a conflict`() throws {
        try withTaggedNovel { bench in
            try bench.save(updates: [rename(bench, "B", version: 2)])
            try bench.save(sets: [try tagging(bench, removed: [1])])
            for version in [UInt32(1), 2] {
                let reply = try bench.execute(bench.request(updates: [rename(bench, "C", version: version)]))
                    .reply
                guard case .conflicts(let conflicts) = reply else {
                    Issue.record("\(reply)")
                    continue
                }
                #expect(conflicts.map(\.storedVersion) == [4])
            }
            try bench.save(updates: [rename(bench, "D", version: 3)])
            #expect(try bench.query("SELECT ZTITLE, Z_OPT FROM ZWORK") == ["D|5"])
        }
    }

    @Test func `what history does not tell any more counts as a change`() throws {
        try withTaggedNovel { bench in
            try bench.writer.begin()
            try bench.writer.connection.execute("DELETE FROM ACHANGE")
            try bench.writer.commit()
            let reply = try bench.execute(bench.request(updates: [rename(bench, "B", version: 1)])).reply
            guard case .conflicts = reply else {
                Issue.record("\(reply)")
                return
            }
        }
    }

    @Test func `an object that is written itself moves by one version`() throws {
        try withTaggedNovel { bench in
            var request = try bench.request(sets: [tagging(bench, removed: [1])])
            request.updates = [try rename(bench, "B", version: 2)]
            _ = try bench.execute(request)
            #expect(try bench.query("SELECT Z_OPT FROM ZWORK") == ["3"])
        }
    }

    @Test func `a version that is unsound, or the last one, stays`() throws {
        for version in ["4294967295", "'x'", "NULL"] {
            try withTaggedNovel { bench in
                try bench.writer.begin()
                try bench.writer.connection.execute("UPDATE ZWORK SET Z_OPT = \(version)")
                try bench.writer.commit()
                let before = try bench.query("SELECT Z_OPT FROM ZWORK")
                try bench.save(sets: [try tagging(bench, removed: [1])])
                #expect(try bench.query("SELECT Z_OPT FROM ZWORK") == before)
            }
        }
    }

    @Test func `history marks the place in an order where nothing else of a row changed`() throws {
        try withStore { bench in
            let author = try bench.save(inserts: [
                bench.insert("Author", [bench.text("Author", "name", ["a"])])
            ])
            .saved.firstKeys[0]
            try bench.save(inserts: [
                bench.insert(
                    "Novel", [bench.reference("Novel", "author", [("Author", author), ("Author", author)])],
                    count: 2)
            ])
            let novel = try bench.entity("Novel").index
            let move = OrderChange(
                entity: try bench.entity("Author").index, property: try bench.property("Author", "books"),
                owners: [author], members: [2], after: [0])
            let transaction = try #require(try bench.execute(bench.request(order: [move])).transaction)
            #expect(transaction.changes.allSatisfy { $0.entity != novel }, "nobody needs to be told")
            let number = try #require(
                try bench.query("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Novel'").first)
            let changes =
                "SELECT ZENTITYPK, hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1 AND ZENTITY = \(number)"
            let moved = try #require(try bench.query(changes).first)
            let parts = moved.split(separator: "|")
            #expect(parts[0] == "2")
            let mark = try #require(UInt64(parts[1], radix: 16))
            #expect(mark.nonzeroBitCount == 1)
            #expect(try bench.query("SELECT Z_OPT FROM ZWORK") == ["1", "1"])
            // No property has that bit.
            try bench.save(updates: [
                bench.update(
                    "Novel", 1, version: 1,
                    [
                        bench.text("Novel", "title", ["t"]), bench.integers("Novel", "pages", [1]),
                        bench.reference("Novel", "author", [nil]),
                    ])
            ])
            let bits = try bench.query(changes + " AND ZENTITYPK = 1").compactMap {
                UInt64($0.split(separator: "|")[1], radix: 16)
            }
            #expect(bits.count == 1 && bits.allSatisfy { $0 & mark == 0 && $0.nonzeroBitCount == 3 })
        }
    }
}
