import CofferModel
import CofferStores
import CofferWire
import Testing

/// One-to-one relationships of which a request gives one end only, and one of the objects is new.
@Suite struct OneEndedPairTests {
    /// Authors with rivals by key, or by place among the inserts; 0 means no rival.
    ///
    /// If no author has a rival, there is no column.
    private func authors(_ bench: Bench, _ rivals: [Int64]) throws -> InsertGroup {
        var columns = [try bench.text("Author", "name", rivals.indices.map { "A\($0)" })]
        if rivals.contains(where: { $0 != 0 }) {
            columns.append(
                try bench.reference("Author", "rival", rivals.map { $0 == 0 ? nil : ("Author", $0) }))
        }
        return try bench.insert("Author", columns, count: rivals.count)
    }

    /// Keys, rivals and versions.
    private func rows(_ bench: Bench) throws -> [String] {
        try bench.query("SELECT Z_PK, ZRIVAL, Z_OPT FROM ZAUTHOR ORDER BY Z_PK")
    }

    @Test(arguments: MergePolicyMessage.allCases)
    func `a new object that does not name the object naming it gets it as its partner`(
        _ policy: MergePolicyMessage
    ) throws {
        try withStore { bench in
            let saved = try bench.save(
                policy: policy, inserts: [authors(bench, [-3]), authors(bench, [0, 0])])
            #expect(try rows(bench) == ["1|3|1", "2|NULL|1", "3|1|2"])
            #expect(saved.saved.refreshed.map(\.primaryKeys) == [[3]])
            #expect(saved.saved.refreshed.map(\.versions) == [[2]])
            let changes = try #require(saved.transaction?.changes)
            #expect(changes.map(\.kind) == [.insert, .insert, .update] && changes[2].primaryKeys == [3])
        }
    }

    @Test(arguments: MergePolicyMessage.allCases)
    func `a stored object that gets a new partner is its partner`(_ policy: MergePolicyMessage) throws {
        try withStore { bench in
            try bench.save(inserts: [authors(bench, [-2, -1])])
            let rival = try bench.reference("Author", "rival", [("Author", -1)])
            let old = try bench.reference("Author", "rival", [("Author", 2)])
            try bench.save(
                policy: policy, inserts: [authors(bench, [0])],
                updates: [bench.update("Author", 1, version: 1, [rival], old: [old])])
            #expect(try rows(bench) == ["1|3|2", "2|NULL|2", "3|1|2"])
        }
    }

    @Test(arguments: MergePolicyMessage.allCases)
    func `pairs are whole though what is said of new objects contradicts itself`(
        _ policy: MergePolicyMessage
    ) throws {
        try withStore { bench in
            try bench.save(inserts: [authors(bench, [-2, -1, 0])])
            // A chain, a ring, and new ones that stored ones, which may be others', are to have too.
            for rivals: [Int64] in [[-2, -3, 0], [-2, -3, -1], [1, -1, 3], [-2, 1, -2, 3]] {
                let key = try #require(Int64(bench.query("SELECT max(Z_PK) FROM ZAUTHOR")[0]))
                let version = try #require(
                    UInt32(bench.query("SELECT Z_OPT FROM ZAUTHOR WHERE Z_PK = \(key)")[0]))
                let rival = try bench.reference("Author", "rival", [("Author", -1)])
                try bench.save(
                    policy: policy, inserts: [authors(bench, rivals)],
                    updates: [bench.update("Author", key, version: version, [rival])])
                #expect(
                    try bench.query(
                        """
                        SELECT a.Z_PK FROM ZAUTHOR a LEFT JOIN ZAUTHOR b ON b.Z_PK = a.ZRIVAL
                        WHERE a.ZRIVAL IS NOT NULL AND b.ZRIVAL IS NOT a.Z_PK
                        """) == [], "\(rivals)")
            }
        }
    }

    @Test func `objects that name each other are written once`() throws {
        try withStore { bench in
            let saved = try bench.save(inserts: [authors(bench, [-2, -1])])
            #expect(try rows(bench) == ["1|2|1", "2|1|1"])
            #expect(saved.saved.refreshed.isEmpty && saved.transaction?.changes.count == 1)
        }
    }
}
