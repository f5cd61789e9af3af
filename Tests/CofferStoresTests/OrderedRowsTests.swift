import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Testing

/// What moves in ordered relationships cost, and that Core Data's form of the order is kept.
struct OrderedRowsTests {
    @Test func `a move in a long list writes one row, and no version of a member moves`() throws {
        try withNovels(1_000) { bench, author, keys in
            let before = try places(bench)
            let versions = try bench.query("SELECT sum(Z_OPT) FROM ZWORK")
            let moved = try move(bench, author, keys[999], after: keys[10])
            #expect(moved.changes.map(\.properties) == [[try bench.property("Author", "books")]])
            let after = try places(bench)
            #expect(before.keys.filter { before[$0] != after[$0] } == [keys[999]])
            let middle: Int64 = 2_048 + 10 * 1_024 + 512
            #expect(after[keys[999]] == middle)
            #expect(try bench.query("SELECT sum(Z_OPT) FROM ZWORK") == versions)
            try move(bench, author, keys[0], after: keys[998])
            try move(bench, author, keys[500], after: nil)
            #expect(try order(bench).first == keys[500] && order(bench).last == keys[0])
        }
    }

    @Test func `moves to one place again and again write few rows each`() throws {
        try withNovels(200) { bench, author, keys in
            var expected = keys
            var written = 0
            for number in 0..<150 {
                let before = try places(bench)
                let place = number % 3 == 0 ? 0 : 100
                let key = expected.removeLast()
                try move(bench, author, key, after: place == 0 ? nil : expected[place - 1])
                expected.insert(key, at: place)
                let after = try places(bench)
                written += after.keys.count { before[$0] != after[$0] }
                #expect(try order(bench) == expected)
            }
            #expect(written < 150 * 8, "\(written) rows for 150 moves")
        }
    }

    @Test func `a list whose numbers are equal or missing is put in order at the first move`() throws {
        try withNovels(5) { bench, author, keys in
            try bench.writer.begin()
            try bench.writer.connection.execute(
                "UPDATE ZWORK SET Z_FOK_AUTHOR = CASE WHEN Z_PK < 4 THEN NULL ELSE 7 END")
            try bench.writer.commit()
            let before = try order(bench)
            try move(bench, author, before[4], after: before[0])
            #expect(try order(bench) == [before[0], before[4], before[1], before[2], before[3]])
        }
    }

    @Test func `what has no order, and an owner that is none, are refused`() throws {
        try withNovels(2) { bench, author, keys in
            let tags = OrderChange(
                entity: try bench.entity("Novel").index, property: try bench.property("Novel", "tags"),
                owners: [keys[0]], members: [1], after: [0])
            #expect(throws: StoreError.self) { try bench.execute(bench.request(order: [tags])) }
            let nobody = try change(bench, 99, keys[0], after: nil)
            guard case .invalid(let failures) = try bench.execute(bench.request(order: [nobody])).reply else {
                Issue.record("saved")
                return
            }
            #expect(failures.map(\.reason) == [.unknownObject])
        }
    }

    private func withNovels(_ count: Int, _ body: (Bench, Int64, [Int64]) throws -> Void) throws {
        try withStore { bench in
            let author = try bench.save(inserts: [
                bench.insert("Author", [bench.text("Author", "name", ["A"])])
            ])
            .saved.firstKeys[0]
            let first = try bench.save(inserts: [
                bench.insert(
                    "Novel",
                    [
                        bench.reference(
                            "Novel", "author", Array(repeating: ("Author", author), count: count))
                    ], count: count)
            ]).saved.firstKeys[0]
            try body(bench, author, (0..<Int64(count)).map { first + $0 })
        }
    }

    private func change(
        _ bench: Bench, _ author: Int64, _ key: Int64, after neighbour: Int64?
    ) throws -> OrderChange {
        OrderChange(
            entity: try bench.entity("Author").index, property: try bench.property("Author", "books"),
            owners: [author], members: [key], after: [neighbour ?? 0])
    }

    @discardableResult
    private func move(
        _ bench: Bench, _ author: Int64, _ key: Int64, after neighbour: Int64?
    ) throws -> TransactionMessage {
        let execution = try bench.execute(
            bench.request(order: [change(bench, author, key, after: neighbour)]))
        return try #require(execution.transaction)
    }

    private func places(_ bench: Bench) throws -> [Int64: Int64] {
        var places: [Int64: Int64] = [:]
        for row in try bench.query("SELECT Z_PK, Z_FOK_AUTHOR FROM ZWORK") {
            let parts = row.split(separator: "|").map { Int64($0) }
            if let key = parts[0], let place = parts[1] { places[key] = place }
        }
        return places
    }

    private func order(_ bench: Bench) throws -> [Int64] {
        try bench.query("SELECT Z_PK FROM ZWORK ORDER BY Z_FOK_AUTHOR, Z_PK").compactMap { Int64($0) }
    }
}
