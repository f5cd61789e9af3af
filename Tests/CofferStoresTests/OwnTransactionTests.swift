import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// What of a history is ours, and where that is kept.
@Suite struct OwnTransactionTests {
    /// The columns that Core Data gives its table of transactions.
    private static let columns = [
        "Z_PK", "Z_ENT", "Z_OPT", "ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS", "ZTIMESTAMP",
        "ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID", "ZQUERYGEN",
    ]

    /// Writes a transaction with one change as Core Data does, without a word to us.
    private func writeForeign(_ bench: Bench, number: Int, change: Int) throws {
        try SQLiteConnection(path: "\(bench.file.folder.path)/\(bench.file.fileName)").execute(
            """
            INSERT INTO ATRANSACTION(Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHOR) VALUES(\(number), 16002, 1, 'Notes');
            INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) \
            VALUES(\(change), 16001, 0, \(bench.entity("Shelf").index + 1), 17, \(number))
            """)
    }

    private func transactions(_ bench: Bench) throws -> [String] {
        try bench.query("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK")
    }

    private func changes(_ bench: Bench) throws -> [String] {
        try bench.query("SELECT DISTINCT ZTRANSACTIONID FROM ACHANGE ORDER BY ZTRANSACTIONID")
    }

    @Test func `what another program wrote stays when ours is old enough to go`() throws {
        try withStore { bench in
            bench.followCalendar()
            try bench.save(inserts: [bench.insert("Shelf")])
            try writeForeign(bench, number: 2, change: 2)
            try bench.save(inserts: [bench.insert("Shelf")])
            try writeForeign(bench, number: 4, change: 4)
            #expect(try transactions(bench) == ["1", "2", "3", "4"])
            try bench.age(days: 9)
            #expect(try transactions(bench) == ["2", "4"] && changes(bench) == ["2", "4"])
            #expect(try bench.purge() == 3)
            try bench.save(inserts: [bench.insert("Shelf")])
            try bench.save(inserts: [bench.insert("Shelf")])
            try bench.age(days: 9)
            #expect(try transactions(bench) == ["2", "4", "6"] && changes(bench) == ["2", "4", "6"])
            #expect(try bench.query("SELECT number FROM COFFER_TRANSACTION") == ["6"])
        }
    }

    @Test func `an application that purges its history purges none of another program's`() throws {
        try withStore { bench in
            try writeForeign(bench, number: 1, change: 1)
            for _ in 0..<3 { try bench.save(inserts: [bench.insert("Shelf")]) }
            let floor = try bench.writer.purgeHistory(
                PurgeHistoryRequestMessage(store: 1, before: 4), now: bench.time)
            #expect(floor == 3)
            #expect(try transactions(bench) == ["1", "4"] && changes(bench) == ["1", "4"])
        }
    }

    @Test func `history that only another program wrote raises no floor`() throws {
        try withStore { bench in
            bench.followCalendar()
            for number in 1...3 { try writeForeign(bench, number: number, change: number) }
            try bench.age(days: 9)
            #expect(try bench.purge() == 0)
            #expect(try transactions(bench) == ["1", "2", "3"])
        }
    }

    @Test func `a number that another program gave back is taken again`() throws {
        try withStore { bench in
            for _ in 0..<3 { try bench.save(inserts: [bench.insert("Shelf")]) }
            try SQLiteConnection(path: "\(bench.file.folder.path)/\(bench.file.fileName)").execute(
                "DELETE FROM ATRANSACTION WHERE Z_PK > 1; DELETE FROM ACHANGE WHERE Z_PK > 1")
            #expect(try bench.save(inserts: [bench.insert("Shelf")]).transaction?.number == 2)
            #expect(
                try bench.query("SELECT number, first FROM COFFER_TRANSACTION ORDER BY number")
                    == ["1|1", "2|2", "3|3"])
        }
    }

    @Test func `Core Data's tables of history have its own columns and no others`() throws {
        try withStore { bench in
            try bench.save(inserts: [bench.insert("Shelf")])
            #expect(try bench.query("SELECT name FROM pragma_table_info('ATRANSACTION')") == Self.columns)
        }
    }

    /// A store as it was when columns of ours were in ATRANSACTION, with a transaction of ours, one of
    /// another program's, and one without a request; says the request.
    private func makeFormer(_ path: String) throws -> SaveRequestMessage {
        let bench = try Bench(open(path))
        let request = bench.request(inserts: [try bench.insert("Shelf")])
        _ = try bench.execute(request)
        try writeForeign(bench, number: 2, change: 2)
        try bench.save(inserts: [bench.insert("Shelf")])
        try bench.writer.checkpointFully()
        try SQLiteConnection(path: "\(path)/Test.sqlite").execute(
            """
            ALTER TABLE ATRANSACTION ADD COLUMN COFFER_FIRST INTEGER;
            ALTER TABLE ATRANSACTION ADD COLUMN COFFER_CLIENT BLOB;
            ALTER TABLE ATRANSACTION ADD COLUMN COFFER_SEQUENCE INTEGER;
            ALTER TABLE ATRANSACTION ADD COLUMN COFFER_REPLY BLOB;
            UPDATE ATRANSACTION SET (COFFER_FIRST, COFFER_CLIENT, COFFER_SEQUENCE, COFFER_REPLY) = \
            (SELECT first, client, sequence, reply FROM COFFER_TRANSACTION WHERE number = Z_PK);
            UPDATE ATRANSACTION SET COFFER_CLIENT = NULL, COFFER_SEQUENCE = NULL, COFFER_REPLY = NULL WHERE Z_PK = 3;
            DROP TABLE COFFER_TRANSACTION
            """)
        return request
    }

    private func open(_ path: String, _ change: (inout StoreOptions) -> Void = { _ in }) throws -> StoreFile {
        var options = StoreOptions()
        change(&options)
        return try StoreFile.open(
            in: Folder(at: path), fileName: "Test.sqlite", model: StoreModel(Library.model()),
            options: options)
    }

    @Test func `a store that had them elsewhere is carried over, with the replies that clients may ask for`()
        throws
    {
        try withTemporaryFolder { path in
            var request = try makeFormer(path)
            do {
                // What is only read stays as it is.
                let file = try open(path) { $0.isReadOnly = true }
                let reader = try HistoryReader(connection: file.makeReader(), file: file)
                guard
                    case .transactions(let told, _, _) = try reader.reply(
                        to: .init(store: 1, storeUUID: nil, after: 0))
                else {
                    Issue.record("expired")
                    return
                }
                #expect(told.map(\.changes.count) == [1, 1, 1])
            }
            let bench = try Bench(open(path))
            #expect(try bench.query("SELECT name FROM pragma_table_info('ATRANSACTION')") == Self.columns)
            #expect(
                try bench.query(
                    "SELECT number, first, client NOT NULL FROM COFFER_TRANSACTION ORDER BY number")
                    == ["1|1|1", "3|3|0"])
            request.request.isRetry = true
            guard case .saved(let saved) = try bench.execute(request).reply else {
                Issue.record("not saved")
                return
            }
            #expect(saved.number == 1)
            #expect(try transactions(bench) == ["1", "2", "3"])
            #expect(try bench.writer.integrityCheck() == [])
        }
    }

    /// From some write on nothing reaches the disk any more: what a process leaves that ends there.
    @Test(arguments: 0..<12)
    func `a carrying over that ends on its way leaves the former store or the new one`(writes: Int) throws {
        try withTemporaryFolder { path in
            _ = try makeFormer(path)
            do {
                let vfs = try SQLiteVFS()
                vfs.inject(SQLiteFault(.shortWrite, at: [.write, .sync], skipping: writes, repeats: true))
                _ = try? open(path) { $0.vfs = vfs }
            }
            do {
                let connection = try SQLiteConnection(path: "\(path)/Test.sqlite")
                let statement = try connection.prepare(
                    "SELECT (SELECT count(*) FROM sqlite_master WHERE name = 'COFFER_TRANSACTION'), "
                        + "(SELECT count(*) FROM pragma_table_info('ATRANSACTION') WHERE name GLOB 'COFFER_*')"
                )
                #expect(try statement.step())
                let state = [statement.int64(0), statement.int64(1)]
                #expect(state == [0, 4] || state == [1, 0])
            }
            let bench = try Bench(open(path))
            #expect(
                try bench.query("SELECT number, first FROM COFFER_TRANSACTION ORDER BY number") == [
                    "1|1", "3|3",
                ])
            #expect(try bench.writer.integrityCheck() == [])
        }
    }
}
