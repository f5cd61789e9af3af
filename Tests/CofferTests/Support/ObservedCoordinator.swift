import Coffer
import CofferEmbedded
import CofferLinux
import CofferModel
import CofferWire
import FoundationEssentials
import Synchronization
import TestSupport

/// Real stores in memory, and a record of what contexts ask of them.
///
/// A test may change what is answered, and when, and what contexts are told. Shared: everything is behind one
/// lock, which is not held over a call.
final class ObservedCoordinator: PersistentStoreCoordinator {
    struct State: Sendable {
        var stores: EmbeddedCoordinator
        /// What is added to the handles of the stores, which are new if a file was exchanged.
        var handleOffset: UInt32 = 0
        var observers: [WeakObserver] = []
        var saves: [SaveRequestMessage] = []
        var released: [ReleaseRequestMessage] = []
        var pins: Set<UInt64> = []
        /// Whether transactions bring the values of changed properties along.
        var pushesValues = true
        /// Whether no observer is told of what happens to the stores.
        var isSilent = false
        /// Called, on the caller's thread, with an answer that was made and is not given yet.
        var didAnswer: (@Sendable () -> Void)?
        /// Changes rows before they are given.
        var changesRows: (@Sendable (inout RowBatch) -> Void)?
        /// Changes the entities of members before they are given.
        var changesMembers: (@Sendable (inout RelationshipReplyMessage) -> Void)?
        /// What the next call throws.
        var failure: CofferError?
    }

    let model: ManagedObjectModel
    let pendingMetadata = PendingMetadata()
    let state: Mutex<State>

    init(model: ManagedObjectModel, stores names: [String]) throws(CofferError) {
        self.model = model
        state = Mutex(State(stores: EmbeddedCoordinator(model: model)))
        state.withLock { $0.stores }.addObserver(self)
        for name in names { try addStore(name) }
    }

    /// Adds an empty store.
    func addStore(_ name: String) throws(CofferError) {
        let folder: CofferLinux.Folder
        do throws(LinuxError) {
            folder = try CofferLinux.Folder(at: "/")
        } catch {
            throw .protocolViolation("\(error)")
        }
        try state.withLock { $0.stores }.addStore(StoreDescription(name: name, type: .memory), in: folder)
    }

    /// Runs `body`, and tells no observer what happens to the stores meanwhile.
    func silently<Result>(_ body: () throws -> Result) rethrows -> Result {
        state.withLock { $0.isSilent = true }
        defer { state.withLock { $0.isSilent = false } }
        return try body()
    }

    /// Puts the stores of another coordinator in the place of these, under handles of their own, and tells of
    /// it.
    func exchange(for other: ObservedCoordinator) {
        let new = other.state.withLock { $0.stores }
        state.withLock { state in
            state.stores = new
            state.handleOffset += 100
        }
        new.addObserver(self)
        tell(.storesDidChange(isRemoved: false))
    }

    /// Tells all observers.
    func tell(_ event: CoordinatorEvent) {
        let observers = state.withLock { $0.observers.compactMap(\.observer) }
        for observer in observers { observer.coordinator(self, didReport: event) }
    }

    /// Makes a call of the stores, which have handles of their own.
    private func ask<Request, Reply>(
        about request: Request, at handle: WritableKeyPath<Request, UInt32>,
        _ call: (EmbeddedCoordinator, Request) throws(CofferError) -> Reply
    ) throws(CofferError) -> Reply {
        let (stores, offset, failure) = state.withLock { state in
            defer { state.failure = nil }
            return (state.stores, state.handleOffset, state.failure)
        }
        if let failure { throw failure }
        guard request[keyPath: handle] > offset else {
            throw .unknown(kind: "store", name: "\(request[keyPath: handle])")
        }
        var request = request
        request[keyPath: handle] -= offset
        return try call(stores, request)
    }

    private func didAnswer() { state.withLock { $0.didAnswer }?() }
}

extension ObservedCoordinator {
    var stores: [CoordinatedStoreDescription] {
        let (stores, offset) = state.withLock { ($0.stores, $0.handleOffset) }
        return stores.stores.map { store in
            var store = store
            store.handle += offset
            return store
        }
    }

    var storeCount: Int { state.withLock { $0.stores }.storeCount }

    func explain(_ request: FetchRequestMessage) throws(CofferError) -> ExplainReplyMessage {
        try ask(about: request, at: \.store) { stores, request throws(CofferError) in
            try stores.explain(request)
        }
    }

    func fetch(
        _ request: FetchRequestMessage, cancellation: CallCancellation?
    ) throws(CofferError) -> FetchReplyMessage {
        var reply = try ask(about: request, at: \.store) { stores, request throws(CofferError) in
            try stores.fetch(request, cancellation: cancellation)
        }
        reply.rows = reply.rows.map(changed)
        didAnswer()
        return reply
    }

    func rows(_ request: RowsRequestMessage) throws(CofferError) -> RowsReplyMessage {
        var reply = try ask(about: request, at: \.store) { stores, request throws(CofferError) in
            try stores.rows(request)
        }
        reply.batches = reply.batches.map(changed)
        didAnswer()
        return reply
    }

    func relationship(_ request: RelationshipRequestMessage) throws(CofferError) -> RelationshipReplyMessage {
        var reply = try ask(about: request, at: \.store) { stores, request throws(CofferError) in
            try stores.relationship(request)
        }
        state.withLock { $0.changesMembers }?(&reply)
        didAnswer()
        return reply
    }

    private func changed(_ rows: PackedRows) -> PackedRows {
        guard let change = state.withLock({ $0.changesRows }) else { return rows }
        var batch = rows.batch
        change(&batch)
        return batch.rows
    }

    func save(_ request: SaveRequestMessage, origin: ObjectIdentifier?) throws(CofferError)
        -> SaveReplyMessage
    {
        try ask(about: request, at: \.store) { stores, request throws(CofferError) in
            state.withLock { $0.saves.append(request) }
            return try stores.save(request, origin: origin)
        }
    }

    func reserveKeys(_ request: ReserveKeysRequestMessage) throws(CofferError) -> ReserveKeysReplyMessage {
        try ask(about: request, at: \.store) { stores, request throws(CofferError) in
            try stores.reserveKeys(request)
        }
    }

    func history(_ request: HistoryRequestMessage) throws(CofferError) -> HistoryReplyMessage {
        try ask(about: request, at: \.store) { stores, request throws(CofferError) in
            try stores.history(request)
        }
    }

    func consumer(_ request: ConsumerRequestMessage) throws(CofferError) -> ConsumerReplyMessage {
        try ask(about: request, at: \.store) { stores, request throws(CofferError) in
            try stores.consumer(request)
        }
    }

    func metadata(_ request: MetadataRequestMessage) throws(CofferError) -> MetadataReplyMessage {
        try ask(about: request, at: \.store) { stores, request throws(CofferError) in
            try stores.metadata(request)
        }
    }

    func purgeHistory(_ request: PurgeHistoryRequestMessage) throws(CofferError) -> PurgeHistoryReplyMessage {
        try ask(about: request, at: \.store) { stores, request throws(CofferError) in
            try stores.purgeHistory(request)
        }
    }

    func pin(_ request: PinRequestMessage) throws(CofferError) -> PinReplyMessage {
        let reply = try ask(about: request, at: \.store) { stores, request throws(CofferError) in
            try stores.pin(request)
        }
        state.withLock { _ = $0.pins.insert(reply.generation) }
        return reply
    }

    func unpin(_ generation: UInt64, store: UInt32) {
        let (stores, offset) = state.withLock { state in
            state.pins.remove(generation)
            return (state.stores, state.handleOffset)
        }
        if store > offset { stores.unpin(generation, store: store - offset) }
    }

    func release(_ request: ReleaseRequestMessage) {
        let (stores, offset) = state.withLock { state in
            state.released.append(request)
            return (state.stores, state.handleOffset)
        }
        guard request.store > offset else { return }
        var request = request
        request.store -= offset
        stores.release(request)
    }

    func addObserver(_ observer: any CoordinatorObserver) {
        state.withLock { $0.observers.append(WeakObserver(observer)) }
    }
}

extension ObservedCoordinator: CoordinatorObserver {
    func coordinator(_ coordinator: any PersistentStoreCoordinator, didReport event: CoordinatorEvent) {
        let (isHeard, offset, pushesValues) = state.withLock { state in
            (coordinator === state.stores && !state.isSilent, state.handleOffset, state.pushesValues)
        }
        guard isHeard else { return }
        guard case .transaction(var transaction, let store, let origin) = event else { return tell(event) }
        if !pushesValues {
            for place in transaction.changes.indices { transaction.changes[place].columns = [] }
        }
        tell(.transaction(transaction, store: store + offset, origin: origin))
    }
}
