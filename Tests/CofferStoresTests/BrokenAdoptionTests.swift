import CofferLinux
import CofferSQLite
import CofferStores
import CofferWire
import TestSupport
import Testing

/// Adoptions that end in the middle.
@Suite struct BrokenAdoptionTests {
    @Test(.leftToAll, arguments: [("delete", false), ("wal", false), ("wal", true)])
    func `an adoption that breaks anywhere leaves what was there, or an adopted store`(
        mode: String, keepsLog: Bool
    ) throws {
        var (failures, successes) = (0, 0)
        // From here on all that is written fails, as if the process had died.
        for skipping in 0..<400 {
            var isDone = false
            try ForeignStore.lend(mode: mode, keepsLog: keepsLog) { store in
                let vfs = try SQLiteVFS()
                let all: SQLiteFault.Operations = [.write, .sync, .truncate, .delete]
                vfs.inject(SQLiteFault(.ioError, at: all, skipping: skipping, repeats: true))
                do {
                    _ = try store.open(.adopted, vfs: vfs)
                    isDone = vfs.faultCount == 0
                    successes += 1
                } catch {
                    failures += 1
                }
                vfs.clearFault()
                #expect(try store.query("PRAGMA integrity_check") == ["ok"])
                let tags = "SELECT group_concat(Z_PK || ifnull(ZNAME, '')) FROM ZTAG NOT INDEXED"
                #expect(try store.query(tags) == [keepsLog ? "1in the log,2,3" : "1,2,3"])
                let count = try store.query(
                    "SELECT count(*) FROM sqlite_master WHERE name GLOB 'COFFER_*' AND type = 'table'")
                #expect(count == ["0"] || count == ["7"])
                // An adopted one is ours, and opens without consent, whatever there is to undo.
                if count == ["7"] { _ = try store.open(.refused) }
                // And nothing keeps it from being adopted the next time.
                let bench = try Bench(store.open(.adopted))
                #expect(try bench.save(inserts: [bench.insert("Tag")]).saved.firstKeys == [4])
                #expect(try bench.writer.integrityCheck() == [])
            }
            if isDone { break }
        }
        #expect(failures > 3 && successes > 0)
    }

    @Test(arguments: ["delete", "wal"])
    func `an adoption for which there is no room leaves no file behind`(mode: String) throws {
        try ForeignStore.lend(mode: mode) { store in
            let before = try store.snapshot()
            let vfs = try SQLiteVFS()
            // The journal is written; what is to be in the file, or in the log, is not.
            vfs.inject(SQLiteFault(.full, at: .write, on: [.database, .wal]))
            #expect(throws: StoreError.full(path: "\(store.folder)/\(ForeignStore.name)")) {
                try store.open(.adopted, vfs: vfs)
            }
            vfs.clearFault()
            let after = try store.snapshot()
            #expect(after.files.keys.sorted() == before.files.keys.sorted())
            let count = try store.query("SELECT count(*) FROM sqlite_master WHERE name GLOB 'COFFER_*'")
            #expect(count == ["0"])
            #expect(try store.query("PRAGMA integrity_check") == ["ok"])
        }
    }
}
