import Coffer
import CofferEmbedded
import CofferLinux
import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct KilledClientTests {
    @Test
    func `a client that is killed leaves nothing behind`() throws {
        try withService { service in
            let writer = try ClientProcess(service, name: "writer")
            try writer.insert(0, as: "it")
            let victim = try ClientProcess(service, name: "victim")
            try victim.ask("fetch", ["as": "it", "sequence": "0"])
            #expect(try service.clientCount() == 2)
            // It stands still, so that what it should be told waits for it in the service, with a save of its
            // own in the way.
            try victim.ask("insert", ["as": "other", "sequence": "1"])
            try ProcessControl.kill(victim.child.id, .stop)
            try victim.post("save")
            let text = String(repeating: "x", count: 4_000)
            for round in 0..<300 {
                try writer.ask("set", ["as": "it", "body": "\(round) \(text)"])
                try writer.save()
            }
            try victim.child.kill(.kill)
            #expect(try victim.child.waitForExit() == .signal(.kill))
            try waitUntil("the victim's session is gone") { try service.clientCount() == 1 }
            #expect(try service.managedObjects().count { $0.contains("/clients/") } == 1)
            #expect(try writer.insert(2) > 0)
            #expect(try writer.count() == 2, "what the victim had not handed in is not there")
            #expect(try writer.end() == .code(0))
        }
    }

    @Test
    func `one process owns a store file`() throws {
        try withService { service in
            let client = try ClientProcess(service)
            try client.insert(1)
            let pid = try #require(try service.pid())
            let refusal = try #require(throws: CofferError.self) {
                try embedded(service, "Log").loadStores()
            }
            guard case .refused(_, let reason, let text, let place) = refusal else { throw refusal }
            #expect(reason == "locked" && text.contains("process \(pid)"), "\(text)")
            #expect(place == LogFile.path(service))

            let mine = try embedded(service, "Mine")
            try mine.loadStores()
            let other = try ClientProcess(service, opens: false)
            let failure = try other.failure("open", ["store": "Mine"])
            #expect(failure["reason"] == "locked", "\(failure)")
            #expect(failure["text"]?.contains("process \(CurrentProcess.id)") == true, "\(failure)")
            #expect(try client.insert(2) > 0, "the other store is served on")
            withExtendedLifetime(mine) {}
        }
    }

    @Test
    func `a store file is free once its owner is gone`() throws {
        try withService { service in
            let client = try ClientProcess(service)
            try client.insert(1)
            #expect(try client.end() == .code(0))
            try service.kill9()
            do {
                let mine = try embedded(service, "Log")
                try mine.loadStores()
                let context = mine.newContext()
                #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Entry")) == 1)
            }
            let again = try ClientProcess(service)
            #expect(try again.count() == 1)
        }
    }

    private func embedded(_ service: ServiceUnderTest, _ store: String) throws -> PersistentContainer {
        try PersistentContainer.embedded(name: store, model: LogModel.make(), folder: LogFile.folder(service))
    }
}
