import Coffer
import CofferEmbedded
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import Foundation
import TestSupport
import Testing

/// Migrations object by object that end in the middle.
@Suite struct BrokenMappedMigrationTests {
    private func withNotes(_ body: (SplitNotes) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let notes = SplitNotes(folder: folder)
            try notes.fill(folders: 1)
            try body(notes)
        }
    }

    /// Looks whether the store is all of what it was, or all that it is to be; says which.
    private func expectWhole(_ notes: SplitNotes, before: [String]) throws -> Bool {
        guard (try? notes.context(SplitNotes.old())) != nil else {
            let lines = try notes.newLines()
            #expect(lines.contains("f0 4: C0 A0 B0 + d0") && lines.contains("A0 double(1.5) f0 120000"))
            return true
        }
        #expect(try notes.oldLines() == before)
        return false
    }

    @Test func `whatever breaks leaves the old store whole, or the new one`() throws {
        var (failures, isDone) = (0, false)
        // A prime, so that each kind of call is met.
        for skipping in stride(from: 0, to: 5_000, by: 7) where !isDone {
            try withNotes { notes in
                let before = try notes.oldLines()
                let files = try notes.companions()
                var opening = StoreOptions()
                let vfs = try SQLiteVFS()
                opening.vfs = vfs
                let all: SQLiteFault.Operations = [.write, .sync, .truncate, .delete]
                vfs.inject(SQLiteFault(.ioError, at: all, skipping: skipping, repeats: true))
                var isMigrated = true
                do {
                    try notes.migrate(opening: opening)
                    isDone = vfs.faultCount == 0
                } catch is CofferError {
                    isMigrated = false
                    failures += 1
                }
                vfs.clearFault()
                #expect(try expectWhole(notes, before: before) == isMigrated, "skipping \(skipping)")
                if !isMigrated { #expect(try notes.companions() == files, "skipping \(skipping)") }
            }
        }
        print("\(failures) calls broken")
        #expect(failures > 20 && isDone)
    }

    @Test(arguments: [0, 5, 20, 60, 120])
    func `a full disk takes nothing away`(skipping: Int) throws {
        try withNotes { notes in
            let before = try notes.oldLines()
            var opening = StoreOptions()
            let vfs = try SQLiteVFS()
            opening.vfs = vfs
            vfs.inject(SQLiteFault(.full, at: .write, skipping: skipping, repeats: true))
            #expect(throws: CofferError.self) { try notes.migrate(opening: opening) }
            vfs.clearFault()
            #expect(try notes.oldLines() == before)
            try notes.migrate()
            #expect(try expectWhole(notes, before: before))
        }
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "mounting is not permitted here"))
    func `a disk without room for the values in files takes nothing away`() throws {
        try withTemporaryFolder { parent in
            try FileManager.default.createDirectory(
                atPath: parent + "/disk", withIntermediateDirectories: false)
            try SmallDisk.lend(at: parent + "/disk", kilobytes: 2_048) {
                let notes = SplitNotes(folder: parent + "/disk")
                try notes.fill(folders: 8)
                let before = try notes.oldLines()
                do {
                    try notes.migrate(keepsBackup: false)
                    Issue.record("it was migrated")
                } catch CofferError.refused(let code, "disk_full", _, _) {
                    #expect(code == "ResourceExhausted")
                }
                #expect(try notes.oldLines() == before)
            }
        }
    }

    @Test func `what a process that died has left of a migration goes with the next`() throws {
        try withNotes { notes in
            let before = try notes.oldLines()
            for name in [".Notes.sqlite.new", ".Notes.sqlite.new-wal"] {
                try Data("torn".utf8).write(to: URL(filePath: notes.folder + "/" + name))
            }
            #expect(try expectWhole(notes, before: before) == false)
            try notes.migrate()
            #expect(try expectWhole(notes, before: before))
            #expect(try notes.companions().allSatisfy { !$0.contains(".new") })
        }
    }

    @Test func `a store that somebody has open is not touched`() throws {
        try withNotes { notes in
            let context = try notes.context(SplitNotes.old())
            do {
                try notes.migrate()
                Issue.record("it was migrated")
            } catch CofferError.refused(_, "locked", let text, _) {
                #expect(text.contains("is open in this process already"))
            }
            withExtendedLifetime(context) {}
        }
    }
}
