import CofferSQLite
import TestSupport
import Testing

@Suite struct `Files that are locked as wholes` {
    /// Two connections or more to one file without a log, as they would be in one process.
    private func withConnections(
        _ count: Int, _ body: ([SQLiteConnection], SQLiteVFS) throws -> Void
    ) throws {
        try withFolder { folder in
            let vfs = try SQLiteVFS(locks: .wholeFiles)
            let all = try (0..<count).map { _ in
                try SQLiteConnection(path: folder + "/notes.sqlite", vfs: vfs)
            }
            try all[0].execute("CREATE TABLE note(id INTEGER PRIMARY KEY, value)")
            try body(all, vfs)
            #expect(try all[0].integrityCheck() == [])
        }
    }

    @Test func `one connection writes at a time, and others read what is committed`() throws {
        try withConnections(3) { all, _ in
            let busy = SQLiteError.busy(path: all[0].path)
            try all[0].insert("before")
            try all[0].begin(.immediate)
            try all[0].insert("new")
            #expect(throws: busy) { try all[1].begin(.immediate) }
            #expect(try all[1].count() == 1)
            let reading = try all[2].prepare("SELECT value FROM note")
            #expect(try reading.step())
            // It waits for the reader, and no other connection begins to read meanwhile.
            #expect(throws: busy) { try all[0].commit() }
            #expect(throws: busy) { try all[1].count() }
            while try reading.step() {}
            reading.reset()
            try all[0].commit()
            #expect(try all[1].count() == 2 && all[2].count() == 2)
            try all[1].begin(.immediate)
            try all[1].insert("of another")
            try all[1].rollback()
            #expect(try all[2].count() == 2)
        }
    }

    @Test(arguments: Seed.several(8))
    func `whatever several connections do, all see whole transactions`(seed: Seed) throws {
        try withConnections(4) { all, _ in
            var random = seed.generator()
            var committed: Int64 = 0
            var pending: (writer: Int, rows: Int64)?
            for _ in 0..<400 {
                let place = Int.random(in: 0..<4, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0 where pending == nil:
                    try all[place].begin(.immediate)
                    pending = (place, 0)
                case 0: #expect(throws: SQLiteError.self) { try all[place].begin(.immediate) }
                case 1:
                    guard let (writer, rows) = pending else { continue }
                    try all[writer].insert("x")
                    pending = (writer, rows + 1)
                case 2:
                    guard let (writer, rows) = pending else { continue }
                    if Bool.random(using: &random) {
                        try all[writer].commit()
                        committed += rows
                    } else {
                        try all[writer].rollback()
                    }
                    pending = nil
                default:
                    let own = pending.map { $0.writer == place ? $0.rows : 0 } ?? 0
                    #expect(try all[place].count() == committed + own, "seed \(seed)")
                }
            }
            if let writer = pending?.writer { try all[writer].rollback() }
        }
    }

    @Test func `one connection takes the log of before into the file`() throws {
        try withFolder { folder in
            let path = folder + "/notes.sqlite"
            do {
                let former = try SQLiteConnection(path: path)
                _ = try former.pragma("journal_mode", "wal")
                try former.execute("CREATE TABLE note(id INTEGER PRIMARY KEY, value)")
                try former.insert("in the log")
                try former.disableCheckpointOnClose()
            }
            let vfs = try SQLiteVFS(locks: .wholeFiles)
            let one = try SQLiteConnection(path: path, vfs: vfs)
            #expect(try one.count() == 1)
            do {
                let second = try SQLiteConnection(path: path, vfs: vfs)
                #expect(throws: SQLiteError.self) { try second.count() }
            }
            #expect(try one.pragma("journal_mode", "delete") == "delete")
            let other = try SQLiteConnection(path: path, vfs: vfs)
            #expect(try other.count() == 1)
            try other.insert("without a log")
            #expect(try one.count() == 2)
        }
    }
}
