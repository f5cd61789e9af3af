import Coffer
import CofferLinux
import CofferModel
import CofferWire
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

/// What several threads do with a channel's stores at the same moment.
struct ChannelRaceTests {
    @Test func `a store that is closed while it is opened again is closed there, too`() throws {
        let kept = Mutex<RemoteCoordinator?>(nil)
        let service = FakeService { _, header, _ in
            guard header.method == .openStore else { return false }
            kept.withLock { $0 = nil }
            return false
        }
        let client = try service.client()
        var coordinator: RemoteCoordinator? = try opened(by: client)
        kept.withLock { $0 = coordinator }
        coordinator = nil
        service.channel?.close()
        _ = try client.call(.listStores, payload: [])
        try waitUntil("the store is closed") { service.callCount(.closeStore) == 1 }
        #expect(service.callCount(.openStore) == 2)
    }

    private func opened(by client: ChannelClient) throws -> RemoteCoordinator {
        let coordinator = try RemoteCoordinator(model: FakeService.model(), client: client)
        try coordinator.addStore(OpenStoreRequestMessage(name: StoreNameMessage(name: "Notes"), modelID: []))
        return coordinator
    }

    @Test func `an exchanged store that two threads open is opened once, and told once`() throws {
        let waiting = Mutex<[FrameHeader]>([])
        let kept = Mutex<RemoteCoordinator?>(nil)
        let service = FakeService { channel, header, _ in
            guard header.method == .openStore, let coordinator = kept.withLock({ $0 }) else { return false }
            let count = waiting.withLock { waiting in
                waiting.append(header)
                return waiting.count
            }
            if count == 1 {
                // Another thread wants to use the store while the one that was told of its end opens what is
                // there now.
                _ = try WorkerThread(name: "caller") {
                    let store = coordinator.stores[0].handle
                    _ = try? coordinator.fetch(
                        FetchRequestMessage(store: store, fetch: FetchDescription(entityName: "Note")),
                        cancellation: nil)
                }
            } else if count == 2 {
                for header in waiting.withLock({ $0 }) {
                    let opened = StoreOpenedMessage(
                        store: UInt32(header.callID), uuid: UUID(), number: 0, floor: 0, path: "",
                        modelID: Array(repeating: 0, count: 32), isCreated: false)
                    try channel.reply(to: header, OpenStoreReplyMessage.opened(opened))
                }
            }
            return true
        }
        let (coordinator, observer) = try service.coordinator()
        kept.withLock { $0 = coordinator }
        try service.channel?.push(PushMessage(kind: .storesDidChange, store: 1, number: 0, previous: 0))
        // Of the old store, and of one of the two that stand in its place.
        try waitUntil("the other is closed") { service.callCount(.closeStore) == 2 }
        try service.channel?.push(
            PushMessage(
                kind: .reload, store: UInt32(waiting.withLock { $0[0].callID }), number: 1, previous: 0))
        try service.channel?.push(
            PushMessage(
                kind: .reload, store: UInt32(waiting.withLock { $0[1].callID }), number: 1, previous: 0))
        #expect(observer.until("reload 1") == ["stores did change", "reload 1"])
        #expect(coordinator.stores.count == 1)
        kept.withLock { $0 = nil }
    }
}
