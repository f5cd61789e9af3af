internal import CofferFormats
internal import CofferLinux
package import CofferModel
package import CofferWire
internal import FoundationEssentials
internal import Synchronization

/// Stores behind the service, joined under one model.
///
/// Shared. It closes its stores when it goes.
package final class RemoteCoordinator: PersistentStoreCoordinator {
    private struct State {
        var stores: [(description: CoordinatedStoreDescription, store: ChannelStore)] = []
        var observers: [WeakObserver] = []
        var listener: UInt32?
        /// Handles of stores whose files no longer exist: contexts that do not know it yet ask for them.
        var parted: [UInt32: CofferError] = [:]
    }

    /// The model of all stores.
    package let model: ManagedObjectModel
    /// What the program has set of the stores' metadata, for the next save of each.
    package let pendingMetadata = PendingMetadata()
    /// The connection to the service.
    package let client: ChannelClient
    private let modelID: [UInt8]
    private let state = Mutex(State())

    /// A coordinator without stores.
    ///
    /// The id is the SHA-256 of the packed model, if it is known already.
    /// - Throws: `.refused` if the model is too large to travel.
    package init(
        model: ManagedObjectModel, client: ChannelClient, modelID: [UInt8]? = nil
    ) throws(CofferError) {
        self.model = model
        self.client = client
        self.modelID = if let modelID { modelID } else { try Self.id(of: model) }
        let listener = client.addListener { [weak self] event in self?.notify(event) }
        state.withLock { $0.listener = listener }
    }

    /// The SHA-256 of a packed model.
    ///
    /// - Throws: `.refused` if the model is too large to travel.
    static func id(of model: ManagedObjectModel) throws(CofferError) -> [UInt8] {
        do throws(WireError) {
            return ModelIdentity.id(ofMessage: try ModelMessage.pack(model))
        } catch {
            throw CofferError(error)
        }
    }

    deinit {
        let (stores, listener) = state.withLock { ($0.stores.map(\.store), $0.listener) }
        if let listener { client.removeListener(listener) }
        for store in stores { client.closeStore(store) }
    }

    /// The stores, in the order in which they were added.
    package var stores: [CoordinatedStoreDescription] { state.withLock { $0.stores.map(\.description) } }

    /// How many there are.
    package var storeCount: Int { state.withLock { $0.stores.count } }
}

extension RemoteCoordinator {
    /// Opens a store and adds it; the service makes it if it does not exist.
    ///
    /// It takes the place of one of its name that was removed, and contexts are told.
    ///
    /// - Throws: `.incompatibleModel`, `.refused` with the service's reason, `.unavailable`.
    @discardableResult
    package func addStore(
        _ request: OpenStoreRequestMessage, by route: MigrationRoute = .inferred
    ) throws(CofferError) -> CoordinatedStoreDescription {
        var request = request
        request.modelID = modelID
        let added = try open(request, by: route)
        let returned = state.withLock { state -> Int? in
            let place = state.stores.firstIndex { other in
                other.store.isRemoved && other.store.request.name == added.store.request.name
            }
            guard let place else {
                state.stores.append(added)
                return nil
            }
            let former = state.stores[place].store
            state.parted[former.handle] = former.exchanged()
            state.stores[place] = added
            return place
        }
        if let returned { notify(.storeDidReturn(place: returned)) }
        return added.description
    }

    package func isRemoved(storeAt place: Int) -> Bool {
        let store = state.withLock { $0.stores.indices.contains(place) ? $0.stores[place].store : nil }
        guard let store, store.isRemoved else { return false }
        // Contexts hear that it is gone before they hear of another one in its place.
        if !client.feed.isDrainedHere { store.waitUntilTold() }
        return true
    }

    private func open(
        _ request: OpenStoreRequestMessage, by route: MigrationRoute = .inferred
    ) throws(CofferError) -> (description: CoordinatedStoreDescription, store: ChannelStore) {
        let (store, opened) = try client.openStore(request, model: model, route: route) {
            [weak self] origin in
            self?.isHeard(origin) ?? false
        } listener: { [weak self] event in
            self?.hear(event)
        }
        let description = CoordinatedStoreDescription(
            handle: store.handle, uuid: opened.uuid, configuration: request.name.configuration,
            name: request.name.name, isReadOnly: request.isReadOnly)
        return (description, store)
    }

    private func hear(_ event: CoordinatorEvent) {
        if case .storesDidChange(isRemoved: false, _, _) = event,
            // Or a caller was faster, and told it: what contexts have read since is of the new store.
            followExchanges() || !state.withLock({ $0.stores.contains(where: \.store.isExchanged) })
        {
            return
        }
        notify(naming(event))
    }

    /// Says, too, which stores are there now.
    private func naming(_ event: CoordinatorEvent) -> CoordinatorEvent {
        guard case .storesDidChange(let isRemoved, let moved, var transition?) = event else { return event }
        let known = transition.removed
        transition.added = isRemoved ? [] : stores.map(\.uuid).filter { !known.contains($0) }
        return .storesDidChange(isRemoved: isRemoved, moved: moved, transition: transition)
    }

    /// Opens what stands in the place of stores whose files were exchanged, under handles of their own, and
    /// tells of each: what contexts know of the old ones can then not be taken for something in the new.
    ///
    /// Says whether there is a new one.
    @discardableResult private func followExchanges() -> Bool {
        var isAnyNew = false
        for store in state.withLock({ $0.stores.map(\.store) }) {
            guard let parting = store.parting, !parting.isRemoved,
                // A store that cannot be opened stays what it is; calls say why the old one is not there.
                let opened = reopen(store, isMoved: parting.moved != nil)
            else { continue }
            store.fail(store.exchanged())
            let isNew = state.withLock { state in
                guard let place = state.stores.firstIndex(where: { $0.store === store }) else { return false }
                state.stores[place] = opened
                state.parted[store.handle] = store.state.withLock { $0.failure }
                return true
            }
            // Another thread may have been faster.
            guard isNew else {
                client.closeStore(opened.store)
                continue
            }
            isAnyNew = true
            notify(naming(parting.event))
        }
        return isAnyNew
    }

    private func reopen(
        _ store: ChannelStore, isMoved: Bool
    ) -> (description: CoordinatedStoreDescription, store: ChannelStore)? {
        do throws(CofferError) {
            var request = store.request
            // It is of another type than when it was opened.
            if isMoved { request.type = nil }
            return try open(request)
        } catch .incompatibleModel(let differing, let missing, let unknown, let changes) {
            // That says more than that the file was exchanged.
            store.fail(
                .incompatibleModel(
                    differing: differing, missing: missing, unknown: unknown, changes: changes))
            return nil
        } catch {
            return nil
        }
    }

    package func explain(_ request: FetchRequestMessage) throws(CofferError) -> ExplainReplyMessage {
        try client.call(.explain, request, of: store(request.store), reply: ExplainReplyMessage.self)
    }

    package func fetch(
        _ request: FetchRequestMessage, cancellation: CallCancellation?
    ) throws(CofferError) -> FetchReplyMessage {
        let store = try store(request.store)
        let reply = try client.call(
            .fetch, request, of: store, reply: FetchReplyMessage.self, cancellation: cancellation)
        if let rows = reply.rows, request.generation == 0 { hold([rows], readAt: reply.number, of: store) }
        return reply
    }

    package func fetch(
        _ request: FetchRequestMessage, cancellation: CallCancellation?,
        _ receive: (FetchReplyMessage?) throws(CofferError) -> Void
    ) throws(CofferError) -> FetchReplyMessage {
        let store = try store(request.store)
        var all: [PackedRows] = []
        let last = try client.callForParts(
            .fetch, request, of: store, reply: FetchReplyMessage.self, cancellation: cancellation
        ) { part throws(CofferError) in
            if part == nil { all = [] }
            if let rows = part?.rows { all.append(rows) }
            try receive(part)
        }
        if let rows = last.rows { all.append(rows) }
        if request.generation == 0 { hold(all, readAt: last.number, of: store) }
        return last
    }

    package func rows(_ request: RowsRequestMessage) throws(CofferError) -> RowsReplyMessage {
        let store = try store(request.store)
        let reply = try client.call(.rows, request, of: store, reply: RowsReplyMessage.self)
        if request.generation == 0 { hold(reply.batches, readAt: reply.number, of: store) }
        return reply
    }

    private func hold(_ batches: [PackedRows], readAt number: UInt64, of store: ChannelStore) {
        for rows in batches where model.entities.indices.contains(rows.entity) {
            store.hold(rows, tree: model.entities[rows.entity].rootIndex)
        }
        if number < store.position.withLock({ $0.latest }) {
            notifyMissed(by: batches, readAt: number, of: store)
        }
    }

    /// Tells again the changes of rows that were told while the rows were being read.
    ///
    /// At that time no context knew the rows, and what was read is older.
    private func notifyMissed(by batches: [PackedRows], readAt number: UInt64, of store: ChannelStore) {
        let keys = Set(batches.flatMap { $0.makePrimaryKeys() })
        var after = number
        while true {
            let request = HistoryRequestMessage(store: store.handle, storeUUID: store.uuid, after: after)
            // Whatever the reason is, reading again makes up for it.
            guard let reply = try? client.history(request, of: store),
                case .transactions(let transactions, _, let hasMore) = reply
            else { return notify(.reload(store: store.handle, number: number)) }
            for transaction in transactions {
                guard let missed = transaction.restricted(to: keys) else { continue }
                notify(.transaction(missed, store: store.handle, origin: nil))
            }
            guard hasMore, let last = transactions.last else { return }
            after = last.number
        }
    }

    package func relationship(_ request: RelationshipRequestMessage) throws(CofferError)
        -> RelationshipReplyMessage
    {
        let store = try store(request.store)
        let reply = try client.call(.relationship, request, of: store, reply: RelationshipReplyMessage.self)
        if !reply.batches.isEmpty, request.generation == 0 {
            hold(reply.batches, readAt: reply.number, of: store)
        }
        return reply
    }

    package func save(
        _ request: SaveRequestMessage, origin: ObjectIdentifier?
    ) throws(CofferError) -> SaveReplyMessage {
        let store = try store(request.store)
        var request = request
        request.request = client.beginRequest()
        defer { client.endRequest(request.request.sequence) }
        return try client.save(request, on: store, origin: origin)
    }

    package func reserveKeys(
        _ request: ReserveKeysRequestMessage
    ) throws(CofferError) -> ReserveKeysReplyMessage {
        try client.call(.reserveKeys, request, of: store(request.store), reply: ReserveKeysReplyMessage.self)
    }

    package func history(_ request: HistoryRequestMessage) throws(CofferError) -> HistoryReplyMessage {
        try client.history(request, of: store(request.store))
    }

    package func consumer(_ request: ConsumerRequestMessage) throws(CofferError) -> ConsumerReplyMessage {
        try client.call(.consumer, request, of: store(request.store), reply: ConsumerReplyMessage.self)
    }

    package func purgeHistory(
        _ request: PurgeHistoryRequestMessage
    ) throws(CofferError) -> PurgeHistoryReplyMessage {
        try client.call(
            .purgeHistory, request, of: store(request.store), reply: PurgeHistoryReplyMessage.self)
    }

    /// A store's metadata, after changing what the request names.
    package func metadata(_ request: MetadataRequestMessage) throws(CofferError) -> MetadataReplyMessage {
        try client.call(.metadata, request, of: store(request.store), reply: MetadataReplyMessage.self)
    }

    package func release(_ request: ReleaseRequestMessage) {
        // What one of several contexts lets go another may hold: then the service goes on to count it as
        // held, which costs a few bits.
        guard state.withLock({ $0.observers.count { $0.observer != nil } }) == 1 else { return }
        // A store that is not there holds nothing.
        guard let store = try? store(request.store), model.entities.indices.contains(request.entity) else {
            return
        }
        client.release(request.primaryKeys, tree: model.entities[request.entity].rootIndex, of: store)
    }

    package func addObserver(_ observer: any CoordinatorObserver) {
        state.withLock { state in
            state.observers.removeAll { $0.observer == nil }
            state.observers.append(WeakObserver(observer))
        }
        guard let mailbox = observer as? ContextMailbox else { return }
        client.contexts.change(by: 1)
        mailbox.whenClosed { [client] in client.contexts.change(by: -1) }
    }

    func store(_ handle: UInt32) throws(CofferError) -> ChannelStore {
        let (store, parting): (ChannelStore?, CofferError?) = state.withLock { state in
            // By place: to copy the descriptions that are passed over costs more than the rest.
            for place in state.stores.indices where state.stores[place].description.handle == handle {
                return (state.stores[place].store, nil)
            }
            return (nil, state.parted[handle])
        }
        if let store {
            // What stood in its way when its file was exchanged may be gone.
            if store.isExchanged { followExchanges() }
            return store
        }
        throw parting ?? .unknown(kind: "store", name: "number \(handle)")
    }

    /// Whether an observer wants to hear of the saves of a context.
    private func isHeard(_ origin: ObjectIdentifier?) -> Bool {
        state.withLock { state in
            state.observers.contains { entry in
                guard let observer = entry.observer else { return false }
                return origin == nil || observer.ignoredOrigin != origin
            }
        }
    }

    private func notify(_ event: CoordinatorEvent) {
        for observer in state.withLock({ $0.observers.compactMap(\.observer) }) {
            observer.coordinator(self, didReport: event)
        }
    }
}

extension TransactionMessage {
    /// The transaction's updates and deletes of some rows; `nil` if it has none.
    fileprivate func restricted(to keys: Set<Int64>) -> TransactionMessage? {
        var result = self
        result.changes = changes.compactMap { change in
            if change.kind == .insert { return nil }
            let kept = change.primaryKeys.filter { keys.contains($0) }
            return kept.isEmpty
                ? nil
                : ChangeGroup(
                    kind: change.kind, entity: change.entity, primaryKeys: kept, properties: change.properties
                )
        }
        return result.changes.isEmpty ? nil : result
    }
}
