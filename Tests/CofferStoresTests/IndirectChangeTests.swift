import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Testing

/// Saves that change many objects besides those that they name, or name many of their own.
@Suite struct IndirectChangeTests {
    private static let half = 1_500

    /// Authors, the first half of which has the second for rivals.
    private func insertRivals(_ bench: Bench) throws {
        let (all, half) = (2 * Self.half, Int64(Self.half))
        let rivals = (0..<Int64(all)).map { ("Author", -1 - ($0 + half) % Int64(all)) }
        try bench.save(inserts: [
            bench.insert(
                "Author",
                [
                    bench.text("Author", "name", (0..<all).map { $0 < Self.half ? "A" : "B" }),
                    bench.reference("Author", "rival", rivals),
                ], count: all)
        ])
    }

    @Test func `a batch update that parts pairs tells of the other ends by the piece`() throws {
        try withStore { bench in
            try insertRivals(bench)
            var request = bench.request()
            request.batch = BatchMessage(
                updates: [
                    BatchUpdateMessage(
                        entity: "Author", predicate: try QueryPredicate(format: "name == 'A'"),
                        assignments: [AssignmentMessage(property: "rival", expression: .constant(.null))])
                ], result: .count)
            let execution = try bench.execute(request)
            guard case .saved(let saved) = execution.reply else {
                Issue.record("\(execution.reply)")
                return
            }
            #expect(saved.batch.count == UInt64(Self.half) && saved.refreshed.isEmpty)
            let groups = try #require(execution.transaction?.changes)
            #expect(groups.map(\.primaryKeys.count) == [1_000, 1_000, 500, 500])
            #expect(groups.allSatisfy { $0.versions.allSatisfy { $0 == 2 } && $0.kind == .update })
            #expect(Set(groups.flatMap(\.primaryKeys)).count == 2 * Self.half)
            #expect(try bench.query("SELECT DISTINCT ZRIVAL, Z_OPT FROM ZAUTHOR") == ["NULL|2"])
        }
    }

    @Test func `a delete rule that lets many go tells of them together`() throws {
        try withStore { bench in
            try insertRivals(bench)
            let keys = (1...Int64(Self.half)).map(\.self)
            let saved = try bench.save(deletes: [bench.delete("Author", keys)])
            let groups = try #require(saved.transaction?.changes)
            #expect(groups.map(\.kind) == [.update, .delete])
            #expect(groups.map(\.primaryKeys.count) == [Self.half, Self.half])
            #expect(saved.saved.refreshed.map(\.rowCount) == [Self.half])
        }
    }

    @Test func `an end that is taken and given again is told of once, as it is at last`() throws {
        try withStore { bench in
            let names = try bench.text("Author", "name", ["A", "B", "C", "D"])
            try bench.save(inserts: [
                bench.insert(
                    "Author",
                    [
                        names,
                        bench.reference(
                            "Author", "rival",
                            [("Author", -2), ("Author", -1), ("Author", -4), ("Author", -3)]),
                    ], count: 4)
            ])
            // 1 and 3 become rivals of new ones, as the rows of those alone say.
            let saved = try bench.save(inserts: [
                bench.insert(
                    "Author",
                    [
                        bench.text("Author", "name", ["E", "F"]),
                        bench.reference("Author", "rival", [("Author", 1), ("Author", 3)]),
                    ], count: 2)
            ])
            let groups = try #require(saved.transaction?.changes)
            #expect(groups.map(\.kind) == [.insert, .update])
            #expect(groups[1].primaryKeys == [1, 2, 3, 4] && groups[1].versions == [2, 2, 2, 2])
            #expect(
                try bench.query("SELECT ZRIVAL FROM ZAUTHOR ORDER BY Z_PK")
                    == ["5", "NULL", "6", "NULL", "1", "3"])
        }
    }

    @Test func `a new object is found among many groups, of which some are empty`() throws {
        try withStore { bench in
            let count = 400
            var inserts: [InsertGroup] = []
            for group in 0..<count {
                // Each names the author of the group before, the first that of the last.
                let other = (group + count - 1) % count
                let author = try bench.reference("Novel", "author", [("Author", Int64(-1 - 2 * other))])
                inserts += try [
                    bench.insert("Shelf", count: 0),
                    bench.insert("Author", [bench.text("Author", "name", ["\(group)"])]),
                    bench.insert("Poem", count: 0),
                    bench.insert("Novel", [bench.text("Novel", "title", ["\(group)"]), author]),
                ]
            }
            let saved = try bench.save(inserts: inserts)
            #expect(saved.saved.firstKeys.count == 4 * count)
            #expect(
                try bench.query(
                    """
                    SELECT count(*), sum((CAST(w.ZTITLE AS INTEGER) + \(count - 1)) % \(count) \
                    = CAST(a.ZNAME AS INTEGER)) FROM ZWORK w JOIN ZAUTHOR a ON a.Z_PK = w.ZAUTHOR
                    """) == ["\(count)|\(count)"])
            let books = saved.transaction?.changes.filter { $0.kind == .update } ?? []
            #expect(books.isEmpty, "a new object's own change says it all")
        }
    }
}
