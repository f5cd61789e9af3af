import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import Testing

@Suite struct FaultTests {
    @Test func `a full disk loses the transaction, and what had succeeded runs again`() throws {
        let vfs = try SQLiteVFS()
        var options = StoreOptions()
        options.vfs = vfs
        options.pragmas = ["cache_size": "10"]
        try withStore(options: options) { bench in
            try bench.save(inserts: [bench.insert("Shelf")])
            let small = try bench.request(inserts: [bench.insert("Shelf")])
            let titles = (0..<2_000).map { "a title of some length, number \($0)" }
            let large = try bench.request(inserts: [
                bench.insert("Novel", [bench.text("Novel", "title", titles)], count: titles.count)
            ])
            let origin = SaveOrigin(application: "a", process: "p", timestamp: 1)
            try bench.writer.begin()
            _ = try bench.writer.execute(small, by: origin)
            #expect(bench.writer.lastTransaction == 2)
            vfs.inject(SQLiteFault(.full, at: .write, skipping: 3, repeats: true))
            #expect(throws: StoreError.self) { try bench.writer.execute(large, by: origin) }
            vfs.clearFault()
            #expect(bench.writer.isTransactionLost)
            try bench.writer.begin()
            #expect(bench.writer.lastTransaction == 1)
            let again = try bench.writer.execute(small, by: origin)
            try bench.writer.commit()
            guard case .saved(let saved) = again.reply else {
                Issue.record("\(again.reply)")
                return
            }
            #expect(saved.number == 2 && saved.firstKeys == [2])
            #expect(try bench.query("SELECT count(*) FROM ZWORK") == ["0"])
            #expect(try bench.query("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK") == ["1", "2"])
            #expect(try bench.execute(large).transaction?.number == 3)
        }
    }

    @Test(arguments: 0..<12)
    func `a commit that fails leaves the store as it was`(_ skipping: Int) throws {
        try failCommit(at: SQLiteFault(.ioError, at: [.write, .sync], on: .wal, skipping: skipping))
    }

    @Test(arguments: 0..<30)
    func `a commit without a log that fails leaves the store as it was`(_ skipping: Int) throws {
        try failCommit(
            at: SQLiteFault(
                .ioError, at: [.open, .write, .sync, .truncate, .delete], on: [.database, .journal],
                skipping: skipping), pragmas: ["journal_mode": "DELETE"])
    }

    /// Lets a save fail at a place; all of it is there or nothing, and sent again it is there once.
    private func failCommit(at fault: SQLiteFault, pragmas: [String: String] = [:]) throws {
        let vfs = try SQLiteVFS()
        var options = StoreOptions()
        options.vfs = vfs
        options.pragmas = pragmas
        try withStore(options: options) { bench in
            try bench.save(inserts: [bench.insert("Shelf")])
            vfs.inject(fault)
            var request = try bench.request(inserts: [bench.insert("Shelf", count: 50)])
            let result = Result { try bench.execute(request) }
            vfs.clearFault()
            let count = try bench.query("SELECT count(*) FROM ZSHELF")
            switch result {
            case .success: #expect(count == ["51"])
            case .failure: #expect(count == ["1"])
            }
            request.request.isRetry = true
            let next = try bench.execute(request)
            guard case .saved(let saved) = next.reply else {
                Issue.record("\(next.reply)")
                return
            }
            #expect(saved.number == 2)
            #expect(try bench.query("SELECT count(*) FROM ZSHELF") == ["51"])
        }
    }

    @Test(arguments: 0..<8)
    func `a transaction that cannot begin leaves none open`(_ skipping: Int) throws {
        let vfs = try SQLiteVFS()
        var options = StoreOptions()
        options.vfs = vfs
        try withStore(options: options) { bench in
            // Another connection writes, so that the writer must read pages again.
            let other = try bench.file.makeWriter()
            let request = try bench.request(inserts: [bench.insert("Shelf")])
            try other.begin()
            _ = try other.execute(request, by: SaveOrigin(application: "a", process: "p", timestamp: 1))
            try other.commit()
            vfs.inject(SQLiteFault(.ioError, at: .read, skipping: skipping))
            let result = Result { try bench.writer.begin() }
            vfs.clearFault()
            switch result {
            case .success: try bench.writer.rollback()
            case .failure: #expect(!bench.writer.isTransactionLost && bench.writer.connection.isAutocommit)
            }
            #expect(try bench.save(inserts: [bench.insert("Shelf")]).saved.number == 2)
        }
    }

    @Test func `a failed save in a batch takes nothing of the others along`() throws {
        try withStore { bench in
            let origin = SaveOrigin(application: "a", process: "p", timestamp: 1)
            try bench.writer.begin()
            _ = try bench.writer.execute(bench.request(inserts: [bench.insert("Shelf")]), by: origin)
            let bad = try bench.request(inserts: [bench.insert("Author")])
            _ = try bench.writer.execute(
                bad, by: SaveOrigin(application: "new", process: "new", timestamp: 1))
            #expect(throws: StoreError.self) {
                try bench.writer.execute(bench.request(inserts: [bench.insert("Work")]), by: origin)
            }
            #expect(!bench.writer.isTransactionLost)
            let last = try bench.writer.execute(
                bench.request(inserts: [bench.insert("Shelf")]),
                by: SaveOrigin(application: "new", process: "new", timestamp: 1))
            try bench.writer.commit()
            guard case .saved(let saved) = last.reply else {
                Issue.record("\(last.reply)")
                return
            }
            #expect(saved.number == 2 && saved.firstKeys == [2])
            #expect(
                try bench.query("SELECT ZNAME FROM ATRANSACTIONSTRING ORDER BY Z_PK")
                    == ["tester", "a", "view", "p", "new"])
        }
    }

    @Test func `a save without a savepoint is taken back with its transaction, and has one then`() throws {
        try withStore { bench in
            let origin = SaveOrigin(application: "new", process: "p", timestamp: 1)
            let shelf = try bench.entity("Shelf").index
            try bench.save(inserts: [bench.insert("Shelf")])
            for version: UInt32 in [7, 1] {
                let isStale = version != 1
                let stale = DeleteGroup(entity: shelf, primaryKeys: [1], versions: [version])
                let request = try bench.request(inserts: [bench.insert("Shelf")], deletes: [stale])
                try bench.writer.begin(mayStartAnew: true)
                var execution = try bench.writer.execute(request, by: origin)
                #expect(bench.writer.mustStartAnew == isStale)
                if bench.writer.mustStartAnew {
                    #expect(throws: StoreError.interrupted) { try bench.writer.commit() }
                    try bench.writer.rollback()
                    try bench.writer.begin(mayStartAnew: true)
                    execution = try bench.writer.execute(request, by: origin)
                    #expect(!bench.writer.mustStartAnew)
                }
                if case .conflicts = execution.reply { #expect(isStale) } else { #expect(!isStale) }
                try bench.writer.commit()
                #expect(try bench.query("SELECT Z_PK FROM ZSHELF") == [isStale ? "1" : "2"])
                #expect(try bench.query("SELECT max(Z_PK) FROM ATRANSACTION") == [isStale ? "1" : "2"])
                #expect(
                    try bench.query("SELECT count(reply) FROM COFFER_TRANSACTION") == [isStale ? "1" : "2"])
            }
        }
    }

    @Test func `the WAL is moved into the file when it has grown`() throws {
        var options = StoreOptions()
        options.pragmas = ["wal_autocheckpoint": "20"]
        try withStore(options: options) { bench in
            for _ in 0..<200 {
                try bench.save(inserts: [bench.insert("Shelf")])
                try bench.writer.checkpointIfNeeded()
            }
            #expect(try bench.file.byteCounts().wal < 100 * 4_096)
            try bench.writer.checkpointFully()
            #expect(try bench.file.byteCounts().wal == 0)
        }
    }
}
