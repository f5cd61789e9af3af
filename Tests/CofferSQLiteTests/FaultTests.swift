import CofferLinux
import CofferSQLite
import Synchronization
import TestSupport
import Testing

struct FaultTests {
    @Test(arguments: [SQLiteFault.Effect.full, .interrupt])
    func `a failed write in a savepoint ends the whole transaction`(effect: SQLiteFault.Effect) throws {
        let vfs = try SQLiteVFS()
        try withDatabase(vfs: vfs) { connection in
            _ = try connection.pragma("cache_size", "1")
            try connection.begin()
            try connection.savepoint("innocent")
            try connection.insert("innocent")
            try connection.release("innocent")
            try connection.savepoint("guilty")
            vfs.inject(SQLiteFault(effect, at: .write, on: .wal, repeats: true))
            let error: SQLiteError = effect == .full ? .full(path: connection.path) : .interrupted
            #expect(throws: error) {
                for _ in 0..<100 { try connection.insert(String(repeating: "x", count: 10_000)) }
            }
            #expect(connection.isAutocommit)
            #expect(vfs.faultCount > 0)
            vfs.clearFault()
            #expect(try connection.count() == 0)
            try connection.insert("again")
        }
    }

    @Test(arguments: [SQLiteFault.Effect.ioError, .shortWrite])
    func `a commit that the disk refuses leaves nothing behind`(effect: SQLiteFault.Effect) throws {
        let vfs = try SQLiteVFS()
        try withDatabase(vfs: vfs) { connection in
            try connection.insert("before")
            vfs.inject(SQLiteFault(effect, at: .write, on: .wal, skipping: 1))
            let error = #expect(throws: SQLiteError.self) { try connection.insert("lost") }
            guard case .io(connection.path, 778, _, _) = error else {
                Issue.record("not a failed write: \(String(describing: error))")
                return
            }
            #expect(vfs.faultCount == 1)
            #expect(connection.isAutocommit)
            #expect(try connection.count() == 1)
            try connection.insert("after")
            #expect(try connection.count() == 2)
        }
    }

    @Test(arguments: [false, true])
    func `a held commit is seen by nobody, and goes on when its fault does`(isReplaced: Bool) throws {
        let vfs = try SQLiteVFS()
        try withDatabase(vfs: vfs) { connection in
            let path = connection.path
            let seen = Mutex<Int64?>(nil)
            vfs.inject(SQLiteFault(.hold, at: .sync, on: .wal))
            let other = try WorkerThread(name: "other") {
                #expect(throws: Never.self) {
                    try waitUntil("a commit is held") { vfs.faultCount > 0 }
                }
                seen.withLock { $0 = try? SQLiteConnection(path: path, vfs: vfs).count() }
                if isReplaced {
                    vfs.inject(SQLiteFault(.full, at: .write, on: .wal))
                } else {
                    vfs.clearFault()
                }
            }
            try connection.insert("held")
            other.join()
            #expect(seen.withLock { $0 } == 0)
            if isReplaced {
                #expect(throws: SQLiteError.full(path: path)) { try connection.insert("no room") }
            }
            #expect(try connection.count() == 1)
            try connection.insert("after")
        }
    }

    @Test func `a failed sync fails the commit`() throws {
        let vfs = try SQLiteVFS()
        try withDatabase(vfs: vfs) { connection in
            try connection.insert("before")
            vfs.inject(SQLiteFault(.ioError, at: .sync, on: .wal))
            #expect(throws: SQLiteError.self) { try connection.insert("lost") }
            #expect(connection.isAutocommit)
            #expect(try connection.count() == 1)
        }
    }

    @Test func `a failed read is an error and the next one is not`() throws {
        let vfs = try SQLiteVFS()
        try withDatabase(vfs: vfs) { connection in
            try connection.insert("kept")
            try connection.checkpoint(mode: .truncate)
            let other = try SQLiteConnection(path: connection.path, mode: .readOnly, vfs: vfs)
            vfs.inject(SQLiteFault(.ioError, at: .read, on: .database))
            let error = #expect(throws: SQLiteError.self) { try other.count() }
            guard case .io(connection.path, 266, _, _) = error else {
                Issue.record("not a failed read: \(String(describing: error))")
                return
            }
            #expect(try other.count() == 1)
        }
    }

    @Test func `each write of a save may be the one that fails`() throws {
        let vfs = try SQLiteVFS()
        try withDatabase(vfs: vfs) { connection in
            try connection.setAutomaticCheckpoint(frames: 4)
            var saved: Int64 = 0
            for place in 0..<40 {
                let operations: SQLiteFault.Operations = [.write, .sync, .truncate]
                vfs.inject(SQLiteFault(.full, at: operations, skipping: place, repeats: true))
                for _ in 0..<3 {
                    do {
                        try connection.insert(String(repeating: "x", count: 5_000))
                        saved += 1
                    } catch SQLiteError.full {
                        #expect(connection.isAutocommit)
                    }
                }
                vfs.clearFault()
                #expect(try connection.count() == saved, "failed from call \(place) on")
            }
            #expect(saved > 0 && saved < 120)
        }
    }

    @Test func `opening and mapping fail as planned`() throws {
        let vfs = try SQLiteVFS()
        try withDatabase(vfs: vfs) { connection in
            vfs.inject(SQLiteFault(.ioError, at: .open, on: .database))
            #expect(throws: SQLiteError.self) {
                try SQLiteConnection(path: connection.path, vfs: vfs).count()
            }
            vfs.inject(SQLiteFault(.outOfMemory, at: .sharedMemoryMap))
            let other = try SQLiteConnection(path: connection.path, vfs: vfs)
            #expect(throws: SQLiteError.outOfMemory) { try other.count() }
            #expect(try other.count() == 0)
        }
    }

    @Test func `each commit with full synchronisation syncs the WAL once`() throws {
        let vfs = try SQLiteVFS()
        try withDatabase(vfs: vfs) { connection in
            try connection.setAutomaticCheckpoint(frames: 0)
            try connection.insert("the WAL begins")
            vfs.startCounting()
            for _ in 0..<10 { try connection.insert("x") }
            #expect(vfs.count(.sync, on: .wal) == 10)
            #expect(vfs.count(.sync, on: .database) == 0)
            #expect(vfs.count(.write, on: .wal) >= 10)
            #expect(vfs.bytesWritten(to: .wal) >= 10 * 4_096)
            vfs.stopCounting()
            try connection.insert("x")
            #expect(vfs.count(.sync, on: .wal) == 10)
        }
    }

    @Test func `a stopped insert ends the whole transaction`() throws {
        try withDatabase { connection in
            try connection.begin()
            try connection.insert("innocent")
            connection.setProgressHandler(everyInstructions: 10) { true }
            #expect(throws: SQLiteError.interrupted) {
                try connection.execute(
                    "INSERT INTO note(value) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 9999) SELECT i FROM n"
                )
            }
            connection.setProgressHandler(everyInstructions: 0, nil)
            #expect(connection.isAutocommit)
            #expect(try connection.count() == 0)
        }
    }

    @Test func `another thread's interrupt stops a reader and outlives it`() throws {
        let handle = try withDatabase { connection in
            let handle = connection.interruptHandle
            connection.setProgressHandler(everyInstructions: 1_000) {
                handle.interrupt()
                return false
            }
            #expect(throws: SQLiteError.interrupted) {
                try connection.execute(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n")
            }
            connection.setProgressHandler(everyInstructions: 0, nil)
            return handle
        }
        handle.interrupt()
    }

    @Test func `every allocation that fails is an error and nothing worse`() throws {
        try withDatabase { connection in
            var failed = 0
            for count in 0..<2_000 {
                connection.emptyStatementCache()
                let outcome = SQLiteLibrary.withFailingAllocations(after: count) {
                    Result { try connection.insert("x") }
                }
                if outcome.failures == 0 { break }
                failed += 1
                if case .failure(let error) = outcome.result {
                    #expect(error as? SQLiteError == .outOfMemory)
                }
            }
            #expect(failed > 10 && failed < 2_000)
            #expect(connection.isAutocommit)
        }
    }
}
