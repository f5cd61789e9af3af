import CofferLinux
import CofferSQLite
import CofferWire
import Foundation
import TestSupport
import Testing

@Suite struct GoneFileProcessTests {
    @Test(.timeLimit(.minutes(15)), arguments: ["", "-wal"])
    func `clients are told that their store's file was deleted, and open what is there`(suffix: String) throws
    {
        try withService { service in
            let client = try service.channel()
            let store = try client.open()
            try client.insert(["Milk"], into: store)
            try FileManager.default.removeItem(atPath: store.path + suffix)
            let push = try client.nextPush()
            #expect(push.kind == .storesDidChange && push.store == store.handle)
            #expect(push.isRemoved == suffix.isEmpty)
            let refusal = #expect(throws: Refusal.self) { try client.insert(["Bread"], into: store) }
            #expect(["store_exchanged", "file_gone"].contains(refusal?.reason ?? ""), "\(refusal as Any)")
            let again = try client.open()
            #expect(try client.titles(again) == (suffix.isEmpty ? [] : ["Milk"]))
            try client.insert(["Bread"], into: again)
        }
    }

    @Test(.timeLimit(.minutes(15)))
    func `a copy that is moved over an open store is opened as what it is`() throws {
        try withService { service in
            let client = try service.channel()
            let store = try client.open()
            try client.insert(["Milk"], into: store)
            let copy = store.path + ".copy"
            let source = try SQLiteConnection(path: store.path, mode: .readWrite)
            try source.execute("VACUUM INTO '\(copy)'")
            try client.insert(["Bread"], into: store)
            #expect(
                try FileManager.default.replaceItemAt(
                    URL(fileURLWithPath: store.path), withItemAt: URL(fileURLWithPath: copy)) != nil)
            let push = try client.nextPush()
            #expect(push.kind == .storesDidChange && !push.isRemoved)
            #expect(try client.titles(client.open()) == ["Milk"])
        }
    }
}
