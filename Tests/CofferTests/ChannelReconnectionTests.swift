import Coffer
import CofferLinux
import CofferModel
import CofferWire
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

struct ChannelReconnectionTests {
    private func fetch(_ coordinator: RemoteCoordinator) throws {
        let store = try #require(coordinator.stores.first).handle
        _ = try coordinator.fetch(
            FetchRequestMessage(store: store, fetch: FetchDescription(entityName: "Note")))
    }

    @Test func `a read that loses its service is sent again`() throws {
        let hangUps = Atomic(1)
        let service = FakeService { _, header, _ in
            if header.method == .fetch, hangUps.exchange(0, ordering: .relaxed) == 1 { throw HangUp() }
            return false
        }
        let (coordinator, observer) = try service.coordinator()
        try fetch(coordinator)
        #expect(service.callCount(.fetch) == 2)
        #expect(service.callCount(.openStore) == 2)
        #expect(observer.first(2) == ["disconnected", "reconnected"])
    }

    @Test(arguments: [ChannelMethod.removeStore, .replaceStore])
    func `what would undo the saves of others is not done twice`(method: ChannelMethod) throws {
        let service = FakeService { _, header, _ in
            if header.method == method { throw HangUp() }
            return false
        }
        let client = try service.client()
        let error = #expect(throws: CofferError.self) { _ = try client.call(method, payload: []) }
        #expect("\(error as Any)".contains("Whether it was done"))
        #expect(service.callCount(method) == 1)
        _ = try client.call(.listStores, payload: [])
    }

    @Test func `a store that tells of what was read alone is read anew after a loss`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator(watches: false)
        for _ in 0..<3 { try service.commit(isSilent: true) }
        service.channel?.close()
        #expect(observer.first(3) == ["disconnected", "reload 3", "reconnected"])
        try service.commit()
        #expect(observer.first(4).last == "4")
        _ = coordinator
    }

    @Test func `a save is sent again under its id, as a retry`() throws {
        let requests = Mutex<[RequestIDMessage]>([])
        let service = FakeService { _, header, payload in
            guard header.method == .save else { return false }
            let count = try requests.withLock { requests in
                requests.append(try SaveRequestMessage(packed: payload).request)
                return requests.count
            }
            if count == 2 { throw HangUp() }
            return false
        }
        let (coordinator, observer) = try service.coordinator()
        for _ in 0..<3 { _ = try save(coordinator, origin: ObjectIdentifier(observer)) }
        let seen = requests.withLock { $0 }
        #expect(seen.map(\.sequence) == [1, 2, 2, 3])
        #expect(seen.map(\.isRetry) == [false, false, true, false])
        #expect(seen.map(\.acknowledged) == [0, 1, 1, 2])
        #expect(Set(seen.map(\.client)).count == 1)
        #expect(observer.first(5).filter { $0.hasSuffix("own") } == ["1 own", "2 own", "3 own"])
    }

    @Test func `what was missed is told before the service counts as back`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        try service.commit()
        _ = observer.first(1)
        for _ in 0..<3 { try service.commit(isSilent: true) }
        service.channel?.close()
        #expect(observer.first(6) == ["1", "disconnected", "2", "3", "4", "reconnected"])
        try service.commit()
        #expect(observer.first(7).last == "5")
        _ = coordinator
    }

    @Test func `another store in its place is told as exchanged`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        service.state.withLock { state in
            state.storeUUID = UUID()
            state.number = 9
        }
        service.channel?.close()
        #expect(observer.first(3) == ["disconnected", "stores did change", "reconnected"])
        _ = coordinator
    }

    @Test func `many callers wait while one thread brings the service back`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        let failures = Atomic(0)
        let threads = try (0..<8).map { _ in
            try WorkerThread(name: "caller") {
                for _ in 0..<200 {
                    do { try fetch(coordinator) } catch { failures.add(1, ordering: .relaxed) }
                }
            }
        }
        for round in 1...3 {
            service.channel?.close()
            _ = observer.first(2 * round)
        }
        for thread in threads { thread.join() }
        #expect(failures.load(ordering: .relaxed) == 0)
        #expect(service.state.withLock { $0.connectCount } == 4)
    }

    @Test func `a service that does not come back in time is unavailable, and found again later`() throws {
        let service = FakeService()
        let (coordinator, _) = try service.coordinator(reconnection: .milliseconds(600))
        let gone = CofferError.unavailable("No message bus answers.")
        service.state.withLock { $0.refusal = ConnectionFailure(gone, isTransient: true) }
        service.channel?.close()
        do {
            try fetch(coordinator)
            Issue.record("the call succeeded")
        } catch CofferError.unavailable(let text) {
            #expect(text.contains("No message bus answers."))
        }
        #expect(service.state.withLock { $0.connectCount } > 2)
        service.state.withLock { $0.refusal = nil }
        try fetch(coordinator)
    }

    @Test func `a service that was never there is unavailable at once`() throws {
        let service = FakeService()
        let gone = CofferError.unavailable("No message bus answers.")
        service.state.withLock { $0.refusal = ConnectionFailure(gone, isTransient: true) }
        #expect(throws: CofferError.self) { _ = try service.client().call(.listStores, payload: []) }
        #expect(service.state.withLock { $0.connectCount } == 1)
    }

    @Test func `a request that kills the service is not sent for ever`() throws {
        let service = FakeService { _, header, _ in
            if header.method == .fetch { throw HangUp() }
            return false
        }
        let (coordinator, _) = try service.coordinator()
        #expect(throws: CofferError.self) { try fetch(coordinator) }
        #expect(service.callCount(.fetch) == 6)
    }

    @Test func `a service of another protocol is told apart`() throws {
        let service = FakeService { channel, header, _ in
            guard header.method == .hello else { return false }
            try channel.reply(
                to: header,
                HelloReplyMessage(
                    protocolVersion: 2, serviceVersion: "9", application: "", service: UUID(), frameLimit: 0))
            return true
        }
        do {
            _ = try service.client().call(.listStores, payload: [])
            Issue.record("the call succeeded")
        } catch CofferError.protocolViolation(let text) {
            #expect(text.contains("protocol 2"))
        }
    }

    @Test func `bytes that are not a frame end the channel, not the process`() throws {
        let noise = Atomic(1)
        let service = FakeService { channel, header, _ in
            guard header.method == .fetch, noise.exchange(0, ordering: .relaxed) == 1 else { return false }
            try channel.sendRaw(Array(repeating: 0xFF, count: 64))
            return true
        }
        let (coordinator, _) = try service.coordinator()
        try fetch(coordinator)
        #expect(service.callCount(.fetch) == 2)
    }

    @Test func `a bus without the service says how to install it`() async throws {
        try await withPrivateBus { bus in
            do {
                _ = try ServiceConnection(application: "org.example.Test", bus: .explicit(bus.address))
                    .status()
                Issue.record("the call succeeded")
            } catch CofferError.unavailable(let text) {
                #expect(text.contains("dbus/install"))
            }
        }
    }

    @Test func `no bus says what to check`() throws {
        do {
            let bus = ServiceAddress.explicit("unix:path=/nonexistent/bus")
            _ = try ServiceConnection(application: "org.example.Test", bus: bus).status()
            Issue.record("the call succeeded")
        } catch CofferError.unavailable(let text) {
            #expect(text.contains("/nonexistent/bus") && text.contains("COFFER_BUS_ADDRESS"))
        }
    }
}
