import Coffer
import CofferLinux
import CofferModel
import CofferWire
import FoundationEssentials
import Synchronization
import Testing

struct ChannelCallTests {
    @Test func `hello, an open store and a fetch cross the channel`() throws {
        let service = FakeService()
        let (coordinator, _) = try service.coordinator()
        let store = try #require(coordinator.stores.first)
        let request = FetchRequestMessage(store: store.handle, fetch: FetchDescription(entityName: "Note"))
        #expect(try coordinator.fetch(request).count == 1)
        #expect(store.name == "Notes")
        #expect(service.callCount(.hello) == 1)
    }

    @Test func `a model that the service does not know is registered`() throws {
        let service = FakeService()
        service.state.withLock { $0.knowsModel = false }
        let (coordinator, _) = try service.coordinator()
        #expect(coordinator.stores.count == 1)
        #expect(service.callCount(.registerModel) == 1)
        #expect(service.callCount(.openStore) == 2)
    }

    @Test func `eight threads get each their own answers`() throws {
        let service = FakeService { channel, header, payload in
            guard header.method == .metadata else { return false }
            try channel.reply(to: header, bytes: payload)
            return true
        }
        let client = try service.client()
        let wrong = Atomic(0)
        let threads = try (0..<8).map { thread in
            try WorkerThread(name: "caller") {
                for i in 0..<1_000 {
                    let payload = Array("\(thread):\(i)".utf8)
                    if (try? client.call(.metadata, payload: payload)) != payload {
                        wrong.add(1, ordering: .relaxed)
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(service.callCount(.metadata) == 8_000)
    }

    @Test func `answers that come in another order reach their callers`() throws {
        let held = Mutex<[(FrameHeader, [UInt8])]>([])
        let service = FakeService { channel, header, payload in
            guard header.method == .metadata else { return false }
            let all = held.withLock { held in
                held.append((header, payload))
                return held.count < 4 ? [] : held
            }
            for (header, payload) in all.reversed() { try channel.reply(to: header, bytes: payload) }
            return true
        }
        let client = try service.client()
        let wrong = Atomic(0)
        let threads = try (0..<4).map { thread in
            try WorkerThread(name: "caller") {
                let payload = Array("\(thread)".utf8)
                if (try? client.call(.metadata, payload: payload)) != payload {
                    wrong.add(1, ordering: .relaxed)
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(wrong.load(ordering: .relaxed) == 0)
    }

    @Test func `replies in sealed memory are read in place`() throws {
        let bytes = [UInt8](repeating: 7, count: 3 << 20)
        let service = FakeService { channel, header, _ in
            guard header.method == .metadata else { return false }
            try channel.reply(to: header, memory: bytes)
            return true
        }
        #expect(try service.client().call(.metadata, payload: []) == bytes)
    }

    @Test func `a request above a quarter of a mebibyte travels in sealed memory`() throws {
        let sealed = Mutex<[Bool]>([])
        let service = FakeService { channel, header, payload in
            guard header.method == .metadata else { return false }
            sealed.withLock { $0.append(header.flags.contains(.sealedMemory)) }
            try channel.reply(to: header, memory: payload)
            return true
        }
        let client = try service.client()
        // The largest is above what a frame could carry.
        for count in [256 << 10, (256 << 10) + 1, 65 << 20] {
            let payload = [UInt8](repeating: 5, count: count)
            #expect(try client.call(.metadata, payload: payload) == payload)
        }
        #expect(sealed.withLock { $0 } == [false, true, true])
    }

    @Test func `large requests and replies cross while both ends are full`() throws {
        let service = FakeService { channel, header, payload in
            guard header.method == .metadata else { return false }
            try channel.reply(to: header, bytes: payload)
            return true
        }
        let client = try service.client()
        let wrong = Atomic(0)
        let threads = try (0..<4).map { thread in
            try WorkerThread(name: "caller") {
                let payload = [UInt8](repeating: UInt8(thread), count: 250_000)
                for _ in 0..<2 where (try? client.call(.metadata, payload: payload)) != payload {
                    wrong.add(1, ordering: .relaxed)
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(wrong.load(ordering: .relaxed) == 0)
    }

    @Test func `a service that dies at the first Hello is tried again`() throws {
        let deaths = Atomic(2)
        let service = FakeService { channel, header, _ in
            guard header.method == .hello, deaths.subtract(1, ordering: .relaxed).newValue >= 0 else {
                return false
            }
            channel.close()
            return true
        }
        _ = try service.client().call(.listStores, payload: [])
        #expect(service.state.withLock { $0.connectCount } == 3)
        deaths.store(1_000, ordering: .relaxed)
        #expect(throws: CofferError.self) { try service.client().call(.listStores, payload: []) }
        #expect(service.state.withLock { $0.connectCount } < 3 + 10, "not for ever")
    }

    @Test func `an error of the service keeps code, reason, text and place`() throws {
        let detail = ErrorDetailMessage(
            code: .notFound, reason: "no_such_store", text: "There is none.", place: "x")
        let service = FakeService { channel, header, _ in
            guard header.method == .metadata else { return false }
            try channel.reply(to: header, bytes: detail.packed(), status: .notFound)
            return true
        }
        let client = try service.client()
        do {
            _ = try client.call(.metadata, payload: [])
            Issue.record("the call succeeded")
        } catch CofferError.refused(let code, let reason, let text, let place) {
            #expect([code, reason, text, place] == ["NotFound", "no_such_store", "There is none.", "x"])
        }
    }

    @Test func `a call whose time runs out is cancelled, and its late reply ignored`() throws {
        let late = Mutex<FrameHeader?>(nil)
        let service = FakeService { channel, header, payload in
            guard header.method == .metadata else { return false }
            if payload == [1] {
                late.withLock { $0 = header }
            } else {
                if let header = late.withLock({ $0 }) { try channel.reply(to: header, bytes: [1]) }
                try channel.reply(to: header, bytes: payload)
            }
            return true
        }
        let client = try service.client()
        do {
            _ = try client.call(.metadata, payload: [1], timeout: .milliseconds(20))
            Issue.record("the call succeeded")
        } catch CofferError.refused(let code, _, _, _) {
            #expect(code == "DeadlineExceeded")
        }
        #expect(try client.call(.metadata, payload: [2]) == [2])
    }

    @Test func `released rows travel with a call once they are many`() throws {
        let released = Mutex<[Int64]>([])
        let service = FakeService { _, header, payload in
            if header.method == .release {
                let request = try ReleaseRequestMessage(packed: payload)
                released.withLock { $0 += request.primaryKeys }
            }
            return false
        }
        let (coordinator, observer) = try service.coordinator()
        let store = try #require(coordinator.stores.first).handle
        let few = ReleaseRequestMessage(store: store, entity: 0, primaryKeys: [1, 2])
        coordinator.release(few)
        let request = FetchRequestMessage(store: store, fetch: FetchDescription(entityName: "Note"))
        _ = try coordinator.fetch(request)
        #expect(service.callCount(.release) == 0)
        let many = Array(Int64(3)...600)
        coordinator.release(ReleaseRequestMessage(store: store, entity: 0, primaryKeys: many))
        _ = try coordinator.fetch(request)
        #expect(released.withLock { $0.sorted() } == Array(1...600))
        #expect(service.callCount(.release) == 1)
        #expect(observer.all.isEmpty)
    }
}
