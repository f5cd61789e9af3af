import Coffer
import CofferLinux
import CofferModel
import CofferWire
import FoundationEssentials
import Synchronization
import Testing

@Suite struct `Calls of the service` {
    private static let willChange = ClientMethod.storesWillChange.rawValue

    private static func reply(_ service: FakeService, to id: UInt64) -> FrameHeader? {
        service.replies.wait(timeout: .seconds(60)) { replies in replies.first { $0.callID == id } }
    }

    @Test func `a call of the service that the client does not know is refused`() throws {
        let service = FakeService()
        let (coordinator, _) = try service.coordinator()
        try service.channel?.call(999, id: 2, EmptyMessage())
        #expect(Self.reply(service, to: 2)?.status == .unimplemented)
        withExtendedLifetime(coordinator) {}
    }

    @Test func `a call of the service is answered while a thread reads the channel for its reply`() throws {
        let hold = Mutex<(FakeChannel, FrameHeader)?>(nil)
        let service = FakeService { channel, header, _ in
            guard header.method == .fetch else { return false }
            // The fetch is answered when the client has answered what it is asked meanwhile.
            hold.withLock { $0 = (channel, header) }
            try channel.call(
                Self.willChange, id: 2, StoresWillChangeRequestMessage(store: 1, isRemoved: false))
            return true
        }
        let (coordinator, observer) = try service.coordinator()
        let answering = try WorkerThread(name: "answering") {
            guard Self.reply(service, to: 2)?.status == .ok, let (channel, call) = hold.withLock({ $0 })
            else { return }
            try? channel.reply(to: call, FetchReplyMessage(number: 0, count: 7, rows: nil))
        }
        let request = FetchRequestMessage(
            store: coordinator.stores[0].handle, fetch: FetchDescription(entityName: "Note"))
        #expect(try coordinator.fetch(request, cancellation: nil).count == 7)
        #expect(observer.until("stores will change").contains("stores will change"))
        answering.join()
    }

    @Test func `a call of the service waits as long as somebody keeps the notice`() throws {
        let service = FakeService()
        let (coordinator, _) = try service.coordinator()
        let keeper = FaultRowRegistration()
        coordinator.addObserver(keeper)
        try service.channel?.call(
            Self.willChange, id: 2, StoresWillChangeRequestMessage(store: 1, isRemoved: false))
        #expect(keeper.waitForNotice())
        // What is asked later is answered: the first answer is still owed.
        try service.channel?.call(999, id: 4, EmptyMessage())
        #expect(Self.reply(service, to: 4) != nil)
        #expect(service.replies.withLock { $0.map(\.callID) } == [4])
        keeper.letGo()
        #expect(Self.reply(service, to: 2)?.status == .ok)
    }

    @Test func `a question that is read before the reply that names its store waits for that`() throws {
        let openings = Atomic(0)
        let service = FakeService { channel, header, _ in
            guard header.method == .openStore else { return false }
            // As if the thread that reads the question were faster than the one that opens stores again.
            if openings.add(1, ordering: .relaxed).newValue == 2 {
                try channel.call(
                    Self.willChange, id: 2, StoresWillChangeRequestMessage(store: 2, isRemoved: false))
            }
            return false
        }
        let (coordinator, observer) = try service.coordinator()
        let keeper = FaultRowRegistration()
        coordinator.addObserver(keeper)
        service.channel?.close()
        #expect(keeper.waitForNotice())
        #expect(observer.all.contains("stores will change"))
        #expect(service.replies.withLock { $0.map(\.callID) } == [])
        keeper.letGo()
        #expect(Self.reply(service, to: 2)?.status == .ok)
    }

    @Test func `a question about a store that is closed is answered at once`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        try service.channel?.call(
            Self.willChange, id: 2, StoresWillChangeRequestMessage(store: 9, isRemoved: false))
        #expect(Self.reply(service, to: 2)?.status == .ok)
        #expect(observer.all == [])
        withExtendedLifetime(coordinator) {}
    }

    @Test func `a store whose file was exchanged is opened again under another handle`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        let old = coordinator.stores[0]
        service.state.withLock { $0.storeUUID = UUID() }
        try service.channel?.push(PushMessage(kind: .storesDidChange, store: 1, number: 0, previous: 0))
        #expect(observer.until("stores did change") == ["stores did change"])
        let new = coordinator.stores[0]
        #expect(new.handle != old.handle)
        #expect(new.uuid == service.state.withLock { $0.storeUUID })
        let request = FetchRequestMessage(store: old.handle, fetch: FetchDescription(entityName: "Note"))
        do {
            _ = try coordinator.fetch(request, cancellation: nil)
            Issue.record("the old file is gone")
        } catch {
            guard case .refused("Aborted", "store_exchanged", _, _) = error else { throw error }
        }
        let again = FetchRequestMessage(store: new.handle, fetch: FetchDescription(entityName: "Note"))
        #expect(try coordinator.fetch(again, cancellation: nil).count == 1)
    }

    @Test func `a store whose exchange failed is opened again under its handle, and nobody is told`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        let store = coordinator.stores[0]
        try service.channel?.push(
            PushMessage(kind: .storesDidChange, store: 1, number: 0, previous: 0, isUnchanged: true))
        try service.channel?.push(PushMessage(kind: .reload, store: 2, number: 1, previous: 0))
        #expect(observer.until("reload 1") == ["reload 1"])
        #expect(coordinator.stores.map(\.handle) == [store.handle])
        let request = FetchRequestMessage(store: store.handle, fetch: FetchDescription(entityName: "Note"))
        #expect(try coordinator.fetch(request, cancellation: nil).count == 1)
        #expect(service.callCount(.openStore) == 2)
    }

    @Test func `a store that was removed stays away`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        try service.channel?.push(
            PushMessage(kind: .storesDidChange, store: 1, number: 0, previous: 0, isRemoved: true))
        #expect(observer.until("stores were removed") == ["stores were removed"])
        #expect(service.callCount(.openStore) == 1)
        let request = FetchRequestMessage(
            store: coordinator.stores[0].handle, fetch: FetchDescription(entityName: "Note"))
        #expect(throws: CofferError.self) { try coordinator.fetch(request, cancellation: nil) }
    }
}

/// Keeps a notice until it is told to let go.
private final class FaultRowRegistration: CoordinatorObserver {
    private let notice = ConditionLock<StoresNotice?>(nil)

    func coordinator(_ coordinator: any PersistentStoreCoordinator, didReport event: CoordinatorEvent) {
        guard case .storesWillChange(let told) = event else { return }
        notice.withLock { $0 = told }
        notice.broadcast()
    }

    func waitForNotice() -> Bool { notice.wait(timeout: .seconds(60)) { $0 != nil ? true : nil } ?? false }

    func letGo() { notice.withLock { $0 = nil } }
}
