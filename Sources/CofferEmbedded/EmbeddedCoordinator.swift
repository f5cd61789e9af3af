package import Coffer
package import CofferCoordination
import CofferLinux
package import CofferModel
import CofferStores
package import CofferWire
import FoundationEssentials
import Synchronization

/// A persistent store coordinator in this process: contexts reach their stores without the service.
///
/// Shared. It owns its files for writing, by the lock file beside each; a store that the service has open is
/// refused with its pid.
///
/// ```swift
/// let coordinator = EmbeddedCoordinator(model: model)
/// try coordinator.addStore(StoreDescription(name: "Notes"), in: folder)
/// let context = ManagedObjectContext(coordinator: coordinator)
/// ```
package final class EmbeddedCoordinator: PersistentStoreCoordinator {
    private struct Entry: Sendable {
        let store: PersistentStore
        let description: CoordinatedStoreDescription
        /// What the store calls its listener.
        let listenerID: Int
        /// Holds the rows of faults in the store's cache; made when the first are fetched.
        var holder: RowHolder?
    }

    private struct State: Sendable {
        var entries: [Entry] = []
        var lastHandle: UInt32 = 0
        /// Handles of stores whose objects are in others now: contexts that do not know it yet ask for them.
        var parted: [UInt32: StoreError] = [:]
        var observers: [WeakObserver] = []
        /// The contexts whose saves are on their way, which are never many.
        var saving: [(submitter: UInt64, context: ObjectIdentifier)] = []
        var requests = RequestSequence()

        /// Where a store is in the list.
        func place(of handle: UInt32) -> Int? {
            // By place: to copy the descriptions that are passed over costs more than the rest.
            entries.indices.first { entries[$0].description.handle == handle }
        }
    }

    /// The last submitter; coordinators of one file hear of each other's saves, and must not take them for
    /// their own.
    private static let lastSubmitter = Atomic<UInt64>(0)

    package let model: ManagedObjectModel
    package let pendingMetadata = PendingMetadata()
    private let client = UUID()
    let application: String
    /// The debug log for the SQL of its stores; `nil` if there is none.
    let sqlDebug: SQLDebug?
    /// The application's own types of stores.
    let ownTypes: [OwnStoreType]
    private let state = Mutex(State())

    /// A coordinator without stores; how much of their SQL goes to standard error is said by `sqlDebug`, else
    /// by the environment.
    package init(
        model: ManagedObjectModel, application: String = "", sqlDebug: Int? = nil,
        ownTypes: [OwnStoreType] = []
    ) {
        self.ownTypes = ownTypes
        self.model = model
        self.sqlDebug = SQLDebug.toStandardError(level: sqlDebug)
        self.application = application
    }

    /// Adds an open store.
    package func add(_ store: PersistentStore, name: String) {
        state.withLock { state in
            let entry = entry(of: store, name: name, &state)
            state.entries.append(entry)
        }
    }

    private func entry(of store: PersistentStore, name: String, _ state: inout State) -> Entry {
        state.lastHandle += 1
        let handle = state.lastHandle
        return Entry(
            store: store,
            description: CoordinatedStoreDescription(
                handle: handle, uuid: store.uuid, configuration: store.file.configuration, name: name,
                isReadOnly: store.file.isReadOnly),
            listenerID: store.addListener(EmbeddedListener(handle: handle, coordinator: self)).id)
    }

    /// Goes on with the store that has the objects of another one now, under a handle of its own: what
    /// contexts know of the old one can then not be taken for something in the new.
    func goOn(from handle: UInt32, with successor: StoreSuccessor) {
        let old: Entry? = state.withLock { state in
            guard let place = state.place(of: handle) else { return nil }
            let old = state.entries[place]
            state.entries[place] = entry(of: successor.store, name: old.description.name, &state)
            state.parted[handle] = .moved(path: old.store.file.path)
            return old
        }
        guard let old else { return }
        old.store.removeListener(old.listenerID)
        old.holder?.close()
        notify(.storesDidChange(isRemoved: false, moved: successor.moved))
    }

    deinit {
        for entry in state.withLock({ $0.entries }) {
            entry.store.removeListener(entry.listenerID)
            entry.holder?.close()
        }
    }
}

extension EmbeddedCoordinator {
    package var stores: [CoordinatedStoreDescription] { state.withLock { $0.entries.map(\.description) } }

    /// Whether the model is one that the tables of a store tell, which keeps none.
    package var isModelGuessed: Bool {
        state.withLock { $0.entries.contains { $0.store.file.isModelGuessed } }
    }

    package var storeCount: Int { state.withLock { $0.entries.count } }

    package func explain(_ request: FetchRequestMessage) throws(CofferError) -> ExplainReplyMessage {
        let (sql, plan) = try using(request.store) { store throws(StoreError) in
            try store.explain(request.fetch)
        }
        return ExplainReplyMessage(sql: sql, plan: plan)
    }

    package func fetch(
        _ request: FetchRequestMessage, cancellation: CallCancellation?
    ) throws(CofferError) -> FetchReplyMessage {
        let (keeper, reply) = try using(request.store) { store throws(StoreError) in
            // SQLite looks only after some work, which a short fetch never comes to.
            if cancellation?.isCancelled ?? false { throw .interrupted }
            let request = try store.incremental?.prepare(request, in: store) ?? request
            let keeper = faultRows(request, of: store)
            return (keeper, try store.fetch(request, stoppingWhere: Self.stopping(cancellation)))
        }
        return try keeper.kept(reply)
    }

    /// Keeps the rows of faults that are fetched; `nil` if the reply has values, or the store has gone
    /// meanwhile.
    private func faultRows(_ request: FetchRequestMessage, of store: PersistentStore) -> FaultRowRegistration?
    {
        guard request.withoutValues, let holder = holder(request.store) else { return nil }
        return FaultRowRegistration(holder: holder, ticket: store.beginReading())
    }

    private static func stopping(_ cancellation: CallCancellation?) -> (() -> Bool)? {
        cancellation.map { cancellation in { cancellation.isCancelled } }
    }

    package func fetch(
        _ request: FetchRequestMessage, cancellation: CallCancellation?,
        _ receive: (FetchReplyMessage?) throws(CofferError) -> Void
    ) throws(CofferError) -> FetchReplyMessage {
        var failure: CofferError?
        let isGivenUp = { failure != nil || cancellation?.isCancelled ?? false }
        let keeper: FaultRowRegistration?
        let last: FetchReplyMessage
        do throws(CofferError) {
            (keeper, last) = try using(request.store) { store throws(StoreError) in
                if isGivenUp() { throw .interrupted }
                let request = try store.incremental?.prepare(request, in: store) ?? request
                let keeper = faultRows(request, of: store)
                let last = try store.fetch(
                    request, stoppingWhere: isGivenUp, partByteCount: CofferWire.Limits.part
                ) { part in
                    if failure != nil { return }
                    do throws(CofferError) { try receive(keeper.kept(part)) } catch { failure = error }
                }
                return (keeper, last)
            }
        } catch {
            throw failure ?? error
        }
        if let failure { throw failure }
        return try keeper.kept(last)
    }

    package func rows(_ request: RowsRequestMessage) throws(CofferError) -> RowsReplyMessage {
        try using(request.store) { store throws(StoreError) in
            try store.incremental?.prepare(request, in: store)
            return try store.rows(request)
        }
    }

    package func relationship(_ request: RelationshipRequestMessage) throws(CofferError)
        -> RelationshipReplyMessage
    {
        try using(request.store) { store throws(StoreError) in
            try store.incremental?.prepare(request, in: store)
            return try store.relationship(request)
        }
    }

    package func history(_ request: HistoryRequestMessage) throws(CofferError) -> HistoryReplyMessage {
        try using(request.store) { store throws(StoreError) in try store.history(request) }
    }

    package func release(_ request: ReleaseRequestMessage) {
        // Transactions are told whole in this process: only contexts that fetched faults are counted.
        let holder = state.withLock { state in
            state.place(of: request.store).flatMap { state.entries[$0].holder }
        }
        holder?.release(request.primaryKeys, entity: request.entity)
        holder?.sweep(request.primaryKeys, entity: request.entity)
    }

    /// Rows of its stores that are kept in memory, each once for all coordinators of its file.
    package var cachedRowCount: Int {
        state.withLock { $0.entries }.reduce(0) { $0 + $1.store.cache.size.rows }
    }

    /// Fetches of its stores that ended before all was read.
    package var interruptedFetches: Int {
        state.withLock { $0.entries }.reduce(0) { count, entry in
            count + entry.store.statistics.interruptions.load(ordering: .relaxed)
        }
    }

    /// The holder of rows of a store; `nil` if the store is not there any more.
    private func holder(_ handle: UInt32) -> RowHolder? {
        state.withLock { state in
            guard let place = state.place(of: handle) else { return nil }
            if let holder = state.entries[place].holder { return holder }
            let holder = state.entries[place].store.cache.makeHolder()
            state.entries[place].holder = holder
            return holder
        }
    }

    package func addObserver(_ observer: any CoordinatorObserver) {
        state.withLock { state in
            state.observers.removeAll { $0.observer == nil }
            state.observers.append(WeakObserver(observer))
        }
    }

    package func save(
        _ request: SaveRequestMessage, origin: ObjectIdentifier?
    ) throws(CofferError) -> SaveReplyMessage {
        var request = request
        let submitter = Self.lastSubmitter.add(1, ordering: .relaxed).newValue
        state.withLock { state in
            let (sequence, acknowledged) = state.requests.begin()
            request.request = RequestIDMessage(
                client: client, sequence: sequence, acknowledged: acknowledged)
            if let origin { state.saving.append((submitter, origin)) }
        }
        let sequence = request.request.sequence
        defer {
            state.withLock { state in
                state.requests.end(sequence)
                state.saving.removeAll { $0.submitter == submitter }
            }
        }
        return try using(request.store) { store throws(StoreError) in
            let by = SaveOrigin(
                application: application, process: ProcessName.own, timestamp: store.file.environment.now())
            if let incremental = store.incremental {
                return try incremental.save(request, by: by, submitter: submitter, in: store)
            }
            return try store.save(request, by: by, submitter: submitter).reply
        }
    }

    package func reserveKeys(
        _ request: ReserveKeysRequestMessage
    ) throws(CofferError) -> ReserveKeysReplyMessage {
        try using(request.store) { store throws(StoreError) in
            if let incremental = store.incremental {
                return ReserveKeysReplyMessage(
                    firstKeys: try request.reservations.map { reservation throws(StoreError) in
                        reservation.count == 0
                            ? 0
                            : try incremental.reserve(
                                reservation.count, ofEntityAt: reservation.entity, in: store)
                    })
            }
            let keys = try store.write { writer throws(StoreError) in
                try writer.reserveKeys(request.reservations)
            }
            return ReserveKeysReplyMessage(firstKeys: keys)
        }
    }

    /// Does something with a store; if it fails and the store was moved meanwhile, the error says that it was
    /// moved.
    private func using<Result>(
        _ handle: UInt32, _ body: (PersistentStore) throws(StoreError) -> Result
    ) throws(CofferError) -> Result {
        try translating { () throws(StoreError) in
            let store = try store(handle)
            do throws(StoreError) {
                return try body(store)
            } catch {
                throw state.withLock { $0.parted[handle] } ?? error
            }
        }
    }

    func store(_ handle: UInt32) throws(StoreError) -> PersistentStore {
        let (store, parting): (PersistentStore?, StoreError?) = state.withLock { state in
            guard let place = state.place(of: handle) else { return (nil, state.parted[handle]) }
            return (state.entries[place].store, nil)
        }
        if let store { return store }
        throw parting ?? .malformedRequest("no store has the handle \(handle)")
    }

    func notify(_ transaction: TransactionMessage, store: UInt32, submitter: UInt64?) {
        let origin = submitter.flatMap { submitter in
            state.withLock { $0.saving.first { $0.submitter == submitter }?.context }
        }
        // No context has new objects yet, so their values are left out: those of a thousand imports might
        // wait in an idle context.
        var told = transaction
        for place in told.changes.indices where told.changes[place].kind == .insert {
            told.changes[place].columns = []
        }
        notify(.transaction(told, store: store, origin: origin))
    }

    func notify(_ event: CoordinatorEvent) {
        for observer in state.withLock({ $0.observers }) {
            observer.observer?.coordinator(self, didReport: event)
        }
    }
}
