import Coffer
import CofferLinux
import CofferModel
import CofferWire
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

struct ChannelFeedTests {
    private func fetch(_ coordinator: RemoteCoordinator) throws {
        let store = try #require(coordinator.stores.first).handle
        _ = try coordinator.fetch(
            FetchRequestMessage(store: store, fetch: FetchDescription(entityName: "Note")))
    }

    @Test func `pushes are told in order while idle`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        for _ in 0..<100 { try service.commit() }
        #expect(observer.first(100) == (1...100).map { "\($0)" })
        #expect(service.callCount(.history) == 0)
        _ = coordinator
    }

    @Test func `pushes are told in order while calls run`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        let failures = Atomic(0)
        let threads = try (0..<2).map { _ in
            try WorkerThread(name: "caller") {
                for _ in 0..<1_000 {
                    do { try fetch(coordinator) } catch { failures.add(1, ordering: .relaxed) }
                }
            }
        }
        for _ in 0..<500 { try service.commit() }
        for thread in threads { thread.join() }
        #expect(failures.load(ordering: .relaxed) == 0)
        #expect(observer.first(500) == (1...500).map { "\($0)" })
        #expect(service.callCount(.history) == 0)
    }

    @Test func `a gap is filled from history once`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        try service.commit()
        for _ in 0..<5 { try service.commit(isSilent: true) }
        try service.commit()
        try service.commit()
        #expect(observer.first(8) == (1...8).map { "\($0)" })
        #expect(service.callCount(.history) == 1)
        _ = coordinator
    }

    @Test func `dropped pushes are fetched when the service says so`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        for _ in 0..<3 { try service.commit(isSilent: true) }
        try service.channel?.push(PushMessage(kind: .historySince, store: 1, number: 3, previous: 0))
        try service.commit()
        #expect(observer.first(4) == ["1", "2", "3", "4"])
        #expect(service.callCount(.history) == 1)
        _ = coordinator
    }

    @Test func `what a push says that cannot be read is fetched`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        try service.commit()
        try service.commit(isSilent: true)
        let noise = [UInt8](repeating: 0xFF, count: 9)
        let header = FrameHeader(kind: .push, payloadByteCount: noise.count)
        try service.channel?.sendRaw(header.bytes + noise)
        #expect(observer.first(2) == ["1", "2"])
        try service.commit()
        #expect(observer.first(3) == ["1", "2", "3"])
        _ = coordinator
    }

    @Test func `what history no longer has is told as reload`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        for _ in 0..<5 { try service.commit(isSilent: true) }
        service.state.withLock { $0.floor = 4 }
        try service.commit()
        #expect(observer.first(1) == ["reload 6"])
        try service.commit()
        #expect(observer.first(2) == ["reload 6", "7"])
        _ = coordinator
    }

    @Test func `what history is refused of is told as reload, and pushes go on`() throws {
        let service = FakeService { channel, header, _ in
            guard header.method == .history else { return false }
            let detail = ErrorDetailMessage(code: .resourceExhausted, reason: "memory", text: "Not now.")
            try channel.reply(to: header, bytes: detail.packed(), status: .resourceExhausted)
            return true
        }
        let (coordinator, observer) = try service.coordinator()
        for _ in 0..<3 { try service.commit(isSilent: true) }
        try service.channel?.push(PushMessage(kind: .historySince, store: 1, number: 3, previous: 0))
        try service.commit()
        #expect(observer.first(2) == ["reload 3", "4"])
        try service.commit(isSilent: true)
        try service.commit()
        #expect(observer.first(3) == ["reload 3", "4", "reload 6"])
        #expect(service.callCount(.history) == 2)
        _ = coordinator
    }

    @Test func `what a service tells that goes before history is read is told when it is back`() throws {
        let losses = Atomic(6)  // As many as a client takes before it gives a call up.
        let service = FakeService { _, header, _ in
            guard header.method == .history else { return false }
            if losses.subtract(1, ordering: .relaxed).newValue >= 0 { throw HangUp() }
            return false
        }
        let (coordinator, observer) = try service.coordinator()
        for _ in 0..<3 { try service.commit(isSilent: true) }
        try service.channel?.push(PushMessage(kind: .historySince, store: 1, number: 3, previous: 0))
        let told = observer.until("3").filter { Int($0) != nil || $0.hasPrefix("reload") }
        #expect(told == ["1", "2", "3"])
        try service.commit()
        #expect(observer.until("4").last == "4")
        _ = coordinator
    }

    @Test func `a bookmark moves the feed without a transaction`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        for _ in 0..<64 { try service.commit(isSilent: true) }
        try service.channel?.push(PushMessage(kind: .bookmark, store: 1, number: 64, previous: 0))
        try service.commit()
        #expect(observer.first(2) == ["bookmark 64", "65"])
        #expect(service.callCount(.history) == 0)
        _ = coordinator
    }

    @Test func `own saves are told in order with the pushes`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        let context = Observer()
        for i in 1...50 {
            try service.commit(isSilent: i % 3 == 0)
            _ = observer.first(2 * i - 1 - i / 3)
            let reply = try save(coordinator, origin: ObjectIdentifier(context))
            #expect(reply == .saved(SavedMessage(number: UInt64(2 * i))))
            #expect(observer.first(2 * i - i / 3).last == "\(2 * i) own")
        }
        // What was not announced did not concern this client, and own saves go on behind it.
        #expect(service.callCount(.history) == 0)
    }

    @Test func `a save that wrote nothing does not pass for the last transaction, which others made`()
        throws
    {
        let number = Atomic<UInt64>(0)
        let service = FakeService { channel, header, _ in
            guard header.method == .save else { return false }
            let saved = SavedMessage(number: number.load(ordering: .relaxed), isWritten: false)
            try channel.reply(to: header, SaveReplyMessage.saved(saved))
            return true
        }
        let (coordinator, observer) = try service.coordinator()
        try service.commit(isSilent: true)
        number.store(1, ordering: .relaxed)
        _ = try save(coordinator, origin: nil)
        try service.channel?.push(PushMessage(kind: .historySince, store: 1, number: 1, previous: 0))
        try service.commit()
        #expect(observer.until("2") == ["1", "2"])
    }

    @Test func `all coordinators of the process hear of a save`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        let second = try RemoteCoordinator(model: FakeService.model(), client: coordinator.client)
        try second.addStore(OpenStoreRequestMessage(name: StoreNameMessage(name: "Notes"), modelID: []))
        let other = Observer()
        second.addObserver(other)
        _ = try save(coordinator, origin: nil)
        #expect(observer.first(1) == ["1"])
        #expect(other.first(1) == ["1"])
    }

    @Test func `a save that returns was told, though another thread is about it`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        let gate = ConditionLock((isTelling: false, isOpen: false, told: [String]?.none))
        observer.slow {
            gate.withLock { $0.isTelling = true }
            gate.broadcast()
            _ = gate.wait { $0.isOpen ? true : nil }
        }
        try service.commit()
        _ = gate.wait { $0.isTelling ? true : nil }
        let saver = try WorkerThread(name: "saver") {
            _ = try? save(coordinator, origin: nil)
            gate.withLock { $0.told = observer.all }
            gate.broadcast()
        }
        // It must not return while the other thread is kept, so this waits in vain.
        _ = gate.wait(timeout: .milliseconds(200)) { $0.told }
        gate.withLock { $0.isOpen = true }
        gate.broadcast()
        saver.join()
        #expect(gate.withLock { $0.told } == ["1", "2"])
    }

    @Test func `a slow observer holds up no call`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        let gate = ConditionLock(false)
        observer.slow { _ = gate.wait { $0 ? true : nil } }
        try service.commit()
        for _ in 0..<200 {
            try fetch(coordinator)
            try service.commit()
        }
        #expect(observer.all.isEmpty)
        gate.withLock { $0 = true }
        gate.broadcast()
        #expect(observer.first(201) == (1...201).map { "\($0)" })
    }

    @Test func `observers that are far too slow miss nothing`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        let gate = ConditionLock(false)
        observer.slow { _ = gate.wait { $0 ? true : nil } }
        for i in 0..<6_000 {
            try service.commit()
            if i % 50 == 0 { try fetch(coordinator) }
        }
        gate.withLock { $0 = true }
        gate.broadcast()
        #expect(observer.first(6_000) == (1...6_000).map { "\($0)" })
    }

    @Test func `what comes while a full queue is told does not pass over what was dropped`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        let gate = ConditionLock((told: 0, limit: 0))
        observer.slow {
            gate.withLock { $0.told += 1 }
            gate.broadcast()
            _ = gate.wait { $0.told <= $0.limit ? true : nil }
        }
        func open(_ limit: Int) {
            gate.withLock { $0.limit = limit }
            gate.broadcast()
        }
        for i in 0..<6_000 {
            try service.commit()
            if i % 50 == 0 { try fetch(coordinator) }
        }
        try fetch(coordinator)
        open(3_000)
        _ = gate.wait { $0.told == 3_001 ? true : nil }
        _ = try save(coordinator, origin: nil)
        try service.commit()
        try fetch(coordinator)
        open(.max)
        let told = observer.until("6002")
        let missing = Set(1...6_002).subtracting(told.compactMap { Int($0) })
        #expect(missing.count == 0)
        #expect(told.count == 6_002)
    }

    @Test func `a store's end is told by a full queue too, and the service answered`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        let gate = ConditionLock(false)
        observer.slow { _ = gate.wait { $0 ? true : nil } }
        for i in 0..<6_000 {
            try service.commit()
            if i % 50 == 0 { try fetch(coordinator) }
        }
        let channel = try #require(service.channel)
        let question = StoresWillChangeRequestMessage(store: 1, isRemoved: false)
        try channel.call(ClientMethod.storesWillChange.rawValue, id: 2, question)
        try channel.push(PushMessage(kind: .reload, store: 1, number: 6_000, previous: 6_000))
        try channel.push(PushMessage(kind: .storesDidChange, store: 1, number: 0, previous: 0))
        try fetch(coordinator)
        #expect(observer.all.isEmpty)
        gate.withLock { $0 = true }
        gate.broadcast()
        let told = observer.until("stores did change")
        #expect(told.suffix(3) == ["stores will change", "reload 6000", "stores did change"])
        #expect(told.count < 6_000, "the queue was never full")
        #expect(service.replies.wait(timeout: .seconds(60)) { $0.first?.callID } == 2)
    }

    @Test func `a store that cannot be opened again at once is with a later call`() throws {
        let isRefused = Atomic(false)
        let service = FakeService { channel, header, _ in
            guard header.method == .openStore, isRefused.load(ordering: .relaxed) else { return false }
            let detail = ErrorDetailMessage(code: .unavailable, reason: "locked", text: "Not now.")
            try channel.reply(to: header, bytes: detail.packed(), status: .unavailable)
            return true
        }
        let (coordinator, observer) = try service.coordinator()
        let old = try #require(coordinator.stores.first).handle
        isRefused.store(true, ordering: .relaxed)
        try service.channel?.push(PushMessage(kind: .storesDidChange, store: 1, number: 0, previous: 0))
        #expect(observer.first(1) == ["stores did change"])
        for _ in 0..<2 {
            let error = #expect(throws: CofferError.self) { try fetch(coordinator) }
            #expect(error?.reason == "store_exchanged", "\(error as Any)")
            #expect(coordinator.stores.first?.handle == old)
        }
        isRefused.store(false, ordering: .relaxed)
        // It still names the old store, and finds the new one for the calls that come after.
        #expect(throws: CofferError.self) { try fetch(coordinator) }
        #expect(observer.first(2) == ["stores did change", "stores did change"])
        let new = try #require(coordinator.stores.first).handle
        #expect(new != old)
        try fetch(coordinator)
        // A caller that knows the old handle is told what became of it.
        let error = #expect(throws: CofferError.self) {
            _ = try coordinator.fetch(
                FetchRequestMessage(store: old, fetch: FetchDescription(entityName: "Note")),
                cancellation: nil)
        }
        #expect(error?.reason == "store_exchanged", "\(error as Any)")
    }

    @Test func `an idle client makes no wake-ups`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        try service.commit()
        _ = observer.first(1)
        try fetch(coordinator)
        // What the calls have begun ends first: if they came as a burst, a timer looks after the channel. A
        // client that wakes up again and again never sleeps for so long.
        let pause = try EventFD()
        try waitUntil("a client that sleeps") {
            let before = coordinator.client.wakeUpCount
            _ = try pause.wait(timeout: .milliseconds(300))
            return coordinator.client.wakeUpCount == before
        }
    }

    @Test func `a push after a burst of calls is heard without another call`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        for round in 1...20 {
            for _ in 0..<50 { try fetch(coordinator) }
            try service.commit()
            #expect(observer.first(round).count == round)
        }
    }

    @Test func `a burst of calls wakes the thread that reads while idle once a millisecond at most`() throws {
        let service = FakeService()
        let (coordinator, observer) = try service.coordinator()
        try service.commit()
        _ = observer.first(1)
        let before = coordinator.client.wakeUpCount
        let start = Monotonic.now
        for _ in 0..<1_000 { try fetch(coordinator) }
        let milliseconds = Int((Monotonic.now - start) / 1_000_000)
        #expect(coordinator.client.wakeUpCount - before <= 2 + milliseconds)
    }
}

func save(_ coordinator: RemoteCoordinator, origin: ObjectIdentifier?) throws -> SaveReplyMessage {
    let store = try #require(coordinator.stores.first).handle
    let request = RequestIDMessage(client: UUID(), sequence: 0, acknowledged: 0)
    return try coordinator.save(
        SaveRequestMessage(
            store: store, request: request,
            inserts: [InsertGroup(entity: 0, temporaryIDs: [UUID()], columns: [])]),
        origin: origin)
}

extension CofferError {
    /// The word for programs of what a service refused.
    fileprivate var reason: String? {
        if case .refused(_, let reason, _, _) = self { reason } else { nil }
    }
}
