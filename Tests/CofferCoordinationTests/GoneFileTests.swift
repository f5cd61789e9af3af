import CofferCoordination
import CofferLinux
import CofferSQLite
import CofferStores
import Foundation
import TestSupport
import Testing

/// Stores whose files lose their names while they are open.
@Suite struct GoneFileTests {
    private func fails(_ result: SaveResult?, with suffix: String, isLog: Bool) -> Bool {
        guard case .failure(.fileGone(let path, isLog)) = result else { return false }
        return path.hasSuffix("Notes.sqlite" + suffix)
    }

    @Test(arguments: ["-wal", "-shm"])
    func `no save is acknowledged once the log is gone, and what was is kept`(suffix: String) throws {
        try withTemporaryFolder { path in
            do {
                let notes = try NoteStore(at: path)
                #expect(notes.group([notes.request(["acknowledged"])]).first?.number == 1)
                try FileManager.default.removeItem(atPath: "\(path)/Notes.sqlite\(suffix)")
                let results = notes.group([notes.request(["a"]), notes.request(["b"])])
                #expect(results.allSatisfy { fails($0, with: suffix, isLog: true) }, "\(results)")
                #expect(fails(notes.group([notes.request(["c"])]).first, with: suffix, isLog: true))
                try notes.store.close()
            }
            let notes = try NoteStore(at: path)
            #expect(try notes.titles().contains("acknowledged") && !notes.titles().contains("c"))
            #expect(try notes.store.integrityCheck() == [])
            #expect(notes.group([notes.request(["after"])]).first?.number != nil)
        }
    }

    @Test func `no save is acknowledged once the file is deleted`() throws {
        try withTemporaryFolder { path in
            do {
                let notes = try NoteStore(at: path)
                #expect(notes.group([notes.request(["one"])]).first?.number == 1)
                try FileManager.default.removeItem(atPath: "\(path)/Notes.sqlite")
                #expect(fails(notes.group([notes.request(["lost"])]).first, with: "", isLog: false))
                try notes.store.close()
            }
            let left = try Folder(at: path).names().filter { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") }
            #expect(left == [], "they would be taken for those of the next file")
            #expect(try NoteStore(at: path).titles() == [])
        }
    }

    @Test func `a copy that is moved over an open store is what is there afterwards`() throws {
        try withTemporaryFolder { path in
            do {
                let notes = try NoteStore(at: path)
                #expect(notes.group([notes.request(["old"])]).first?.number == 1)
                try notes.store.close()
            }
            try FileManager.default.copyItem(atPath: "\(path)/Notes.sqlite", toPath: "\(path)/Copy")
            do {
                let notes = try NoteStore(at: path)
                #expect(notes.group((0..<50).map { notes.request(["new \($0)"]) }).last?.number == 51)
                try Folder(at: path).rename("Copy", to: "Notes.sqlite")
                #expect(fails(notes.group([notes.request(["lost"])]).first, with: "", isLog: false))
                try notes.store.close()
            }
            let notes = try NoteStore(at: path)
            #expect(try notes.titles() == ["old"])
            #expect(try notes.store.integrityCheck() == [])
            #expect(notes.group([notes.request(["after"])]).first?.number == 2)
        }
    }
}
