import CofferLinux
import CofferWire
import Foundation
import TestSupport
import Testing

@Suite struct GoneFileProcessTests {
    @Test(arguments: ["", "-wal"])
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

    @Test
    func `a copy that is moved over an open store is opened as what it is`() throws {
        try withService { service in
            let process = try service.startByHand()
            let first = try service.channel()
            let path = try first.open().path
            try first.insert(["Milk"], into: first.open())
            try process.kill(.terminate)
            #expect(try process.waitForExit(timeout: .seconds(60)) == .code(0))
            try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
            let client = try service.channel()
            let store = try client.open()
            try client.insert(["Bread"], into: store)
            let place = FileLocation(path)
            try Folder(at: place.folder).rename(place.name + ".copy", to: place.name)
            let push = try client.nextPush()
            #expect(push.kind == .storesDidChange && !push.isRemoved)
            let again = try client.open()
            #expect(try client.titles(again) == ["Milk"])
            try client.insert(["Eggs"], into: again)
        }
    }
}
