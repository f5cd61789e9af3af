import CofferDBus
import CofferLinux
import CofferModel
import CofferService
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

/// Fetches that no client waits for any more end in the service; each of these would run for hours.
@Suite(.serialized) struct CancellationTests {
    @Test
    func `a fetch that is taken back ends, and its channel goes on`() throws {
        try withLongFetch { service, client, fetch in
            let call = try client.start(.fetch, fetch)
            try client.send(FrameHeader(kind: .cancel, callID: call).bytes)
            let refusal = #expect(throws: Refusal.self) { try client.reply(to: call) }
            #expect(refusal?.code == .cancelled && refusal?.reason == "interrupted", "\(refusal as Any)")
            #expect(try service.interruptions() == 1)
            let _: ListStoresReplyMessage = try client.call(.listStores, ListStoresRequestMessage())
        }
    }

    @Test
    func `calls behind a fetch that is taken back are answered`() throws {
        try withLongFetch { service, client, fetch in
            let call = try client.start(.fetch, fetch)
            let next = try client.start(.listStores, ListStoresRequestMessage().packed())
            try client.send(FrameHeader(kind: .cancel, callID: call).bytes)
            #expect(try ListStoresReplyMessage(packed: client.reply(to: next)).stores.count == 1)
            #expect(throws: Refusal.self) { try client.reply(to: call) }
            #expect(try service.interruptions() == 1)
        }
    }

    @Test
    func `a fetch ends when its caller's time is over`() throws {
        try withLongFetch { service, client, fetch in
            let header = FrameHeader(
                kind: .call, method: .fetch, callID: 4_001, payloadByteCount: fetch.count,
                timeoutMilliseconds: 30)
            try client.send(header.bytes + fetch)
            let refusal = #expect(throws: Refusal.self) { try client.reply(to: 4_001) }
            #expect(refusal?.code == .deadlineExceeded && refusal?.reason == "timeout", "\(refusal as Any)")
            #expect(try service.interruptions() == 1)
        }
    }

    @Test
    func `a fetch ends with its client`() throws {
        try withLongFetch { service, _, fetch in
            let client = try service.channel()
            _ = try client.open()
            _ = try client.start(.fetch, fetch)
            client.socket.shutDown()
            try waitUntil("the fetch has ended") { try service.interruptions() > 0 }
            #expect(try service.interruptions() == 1)
        }
    }

    @Test
    func `a fetch ends when its store's file goes, which does not wait for it`() throws {
        try withLongFetch(isServedOn: false) { service, client, fetch in
            let begun = try service.counter("Fetches", ofStore: "Notes")
            let call = try client.start(.fetch, fetch)
            try waitUntil("the fetch has begun") {
                try service.counter("Fetches", ofStore: "Notes") > begun
            }
            let other = try service.channel()
            let begin = Monotonic.now
            let _: EmptyMessage = try other.call(
                .removeStore,
                RemoveStoreRequestMessage(
                    name: .init(name: "Notes"), isEvenIfOpen: true, waitMilliseconds: 1))
            #expect(Duration.nanoseconds(Int64(Monotonic.now - begin)) < .seconds(20))
            let refusal = #expect(throws: Refusal.self) { try client.reply(to: call) }
            #expect(refusal?.code == .aborted && refusal?.reason == "store_exchanged", "\(refusal as Any)")
        }
    }

    @Test
    func `descriptors behind a fetch wait in the socket, and the calls they belong to are answered`() throws {
        try withLongFetch { service, client, fetch in
            let pipe = try Pipe.make()
            let before = try service.descriptorCount()
            let header = FrameHeader(
                kind: .call, method: .fetch, callID: 4_001, payloadByteCount: fetch.count,
                timeoutMilliseconds: 5_000)
            try client.send(header.bytes + fetch)
            let list = try ListStoresRequestMessage().packed()
            let many = Array(repeating: pipe.reader, count: 16)
            let calls = try (0..<20).map { _ in try client.start(.listStores, list, descriptors: many) }
            var most = 0
            // The service reads ahead, to see whether the fetch is taken back.
            while try !client.socket.waitUntilReadable(timeout: .milliseconds(10)) {
                most = max(most, try service.descriptorCount() - before)
            }
            #expect((16...64).contains(most), "\(most) descriptors wait in the service")
            #expect(throws: Refusal.self) { try client.reply(to: 4_001) }
            for call in calls { #expect(try !client.reply(to: call).isEmpty) }
        }
    }

    @Test
    func `a service that is to end does not wait for a fetch, and leaves it to the next`() throws {
        try withLongFetch(isServedOn: false) { service, client, fetch in
            let begun = try service.counter("Fetches", ofStore: "Notes")
            let call = try client.start(.fetch, fetch)
            try waitUntil("the fetch has begun") {
                try service.counter("Fetches", ofStore: "Notes") > begun
            }
            try ProcessControl.kill(try #require(try service.pid()), .terminate)
            try client.waitUntilClosed()
            #expect(client.takeAnswers()[call] == nil)
        }
    }
}
