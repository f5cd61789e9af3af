import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import TestSupport
import Testing

/// Rows whose versions cannot be named by a request, or have counted to the end.
@Suite struct DamagedVersionTests {
    static let versions = ["4294967296", "-1", "NULL", "'x'"]

    /// An author and its rival; the version in the author's row is `version`.
    private func withAuthor(_ version: String, _ body: (Bench) throws -> Void) throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert(
                    "Author",
                    [
                        bench.text("Author", "name", ["A", "B"]),
                        bench.reference("Author", "rival", [("Author", -2), ("Author", -1)]),
                    ], count: 2)
            ])
            try bench.writer.connection.execute("UPDATE ZAUTHOR SET Z_OPT = \(version) WHERE Z_PK = 1")
            try body(bench)
        }
    }

    private func expectDamage(_ bench: Bench, _ request: SaveRequestMessage) throws {
        let rows = try bench.query("SELECT * FROM ZAUTHOR ORDER BY Z_PK")
        let error = #expect(throws: StoreError.self) { try bench.execute(request) }
        if case .damaged = error {} else { Issue.record("\(String(describing: error))") }
        #expect(try bench.query("SELECT * FROM ZAUTHOR ORDER BY Z_PK") == rows)
    }

    @Test(arguments: versions, MergePolicyMessage.allCases)
    func `a version that is none is damage, not a save that writes nothing`(
        _ version: String, _ policy: MergePolicyMessage
    ) throws {
        try withAuthor(version) { bench in
            for seen in [0, 1, .max] as [UInt32] {
                let update = try bench.update(
                    "Author", 1, version: seen, [bench.text("Author", "name", ["C"])])
                try expectDamage(bench, bench.request(policy: policy, updates: [update]))
                try expectDamage(
                    bench,
                    bench.request(policy: policy, deletes: [bench.delete("Author", [1], version: seen)]))
            }
        }
    }

    @Test(arguments: ["4294967296", "-1", "9223372036854775807"])
    func `a reader of an invalid version hears of damage`(_ version: String) throws {
        try withAuthor(version) { bench in
            let author = try bench.entity("Author").index
            let reader = try StoreReader(connection: bench.file.makeReader(), schema: bench.file.schema)
            let fetch = FetchRequestMessage(store: 1, fetch: FetchDescription(entityName: "Author"))
            let rows = RowsRequestMessage(store: 1, entity: author, primaryKeys: [1, 2])
            for read in [{ _ = try reader.fetch(fetch) }, { _ = try reader.rows(rows) }] {
                #expect(
                    throws: StoreError.damaged(
                        path: bench.file.path, detail: "the object 1 of 'Author' has the version \(version)")
                ) { try read() }
            }
            // Others are sound.
            #expect(
                try reader.rows(RowsRequestMessage(store: 1, entity: author, primaryKeys: [2])).batches.map(
                    \.versions)
                    == [[1]])
        }
    }

    @Test func `a version that has counted to the end takes no update, and can be deleted`() throws {
        try withAuthor("4294967295") { bench in
            let name = try bench.text("Author", "name", ["C"])
            for (policy, seen) in [(.error, .max), (.objectTrump, 1)] as [(MergePolicyMessage, UInt32)] {
                let update = try bench.update("Author", 1, version: seen, [name])
                try expectDamage(bench, bench.request(policy: policy, updates: [update]))
            }
            // A delete rule would let its rival go.
            try expectDamage(bench, bench.request(deletes: [bench.delete("Author", [2])]))
            try bench.save(deletes: [bench.delete("Author", [1], version: .max)])
            #expect(try bench.query("SELECT Z_PK, ZRIVAL FROM ZAUTHOR") == ["2|NULL"])
        }
    }
}
