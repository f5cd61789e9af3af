import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import TestSupport
import Testing

@Test
func `calls that come in one piece are all answered, whoever leads the commit`() throws {
    try withService { service in
        let clients = try (0..<4).map { _ in try service.channel() }
        let stores = try clients.map { try $0.open() }
        for round in 1...20 {
            for (client, store) in zip(clients, stores) {
                var bytes: [UInt8] = []
                for _ in 0..<50 {
                    bytes +=
                        client.frame(.save, try store.insertion(["x"], client.requestID()).packed()).bytes
                }
                try client.send(bytes)
            }
            for client in clients {
                try client.waitForAnswers(50)
                let refused = client.takeAnswers().values.filter { $0.header.status != .ok }
                #expect(refused.isEmpty)
            }
            #expect(try clients[0].count(stores[0]) == round * 4 * 50)
        }
        #expect(try service.integrity(of: Notes.path("Notes", user: CurrentProcess.userID)) == [])
    }
}

@Test
func `a frame that comes byte by byte is a frame`() throws {
    try withService { service in
        let client = try service.channel()
        let store = try client.open()
        let (id, bytes) = client.frame(.save, try store.insertion(["x"], client.requestID()).packed())
        for byte in bytes { try client.send([byte]) }
        guard case .saved = try SaveReplyMessage(packed: client.reply(to: id)) else {
            Issue.record("it must be saved")
            return
        }
        #expect(try client.count(store) == 1)
    }
}

@Test
func `pushes over the bus follow each other without a gap`() throws {
    try withService { service in
        let writer = try service.channel()
        let store = try writer.open()
        let watcher = try service.busClient()
        let reply: OpenStoreReplyMessage = try watcher.call(
            "OpenStore", OpenStoreRequestMessage(name: .init(name: "Notes"), modelID: []))
        guard case .opened(let opened) = reply else { throw ServiceUnderTest.Missing() }
        let began: WatchReplyMessage = try watcher.call("Watch", WatchRequestMessage(store: opened.store))
        let title = String(repeating: "x", count: 2_000)
        for _ in 0..<500 {
            _ = try writer.start(.save, store.insertion([title], writer.requestID()).packed())
        }
        try writer.waitForAnswers(500)
        var reached = began.number
        while reached < 500 {
            let signal = try #require(try watcher.connection.nextSignal(timeoutMilliseconds: 20_000))
            guard signal.isSignal(BusNames.name, "Push") else { continue }  // The bus has its own to say.
            let push = try PushMessage(packed: signal.argument(0, \.bytesValue))
            #expect(push.previous == reached)
            reached = push.number
        }
        #expect(watcher.connection.droppedSignalCount == 0)
    }
}
