package import CofferModel
package import CofferWire
package import FoundationEssentials

/// What contexts stand on: stores joined under one model, in this process or behind the service.
///
/// Shared. Calls block the thread that makes them, so they are made on threads that may block: a context's
/// own, or the main one. Every implementation owes: a save is durable when `save` returns `.saved`; a
/// transaction is told to every observer once, in order of numbers, that of this coordinator's own saves
/// included, with `isOwn` set.
package protocol PersistentStoreCoordinator: AnyObject, Sendable {
    /// The model of all stores.
    var model: ManagedObjectModel { get }

    /// The stores, in the order in which they were added.
    var stores: [CoordinatedStoreDescription] { get }

    /// How many there are, which contexts ask again and again: none goes.
    var storeCount: Int { get }

    /// Whether the store at a place among them was removed, so that adding it again makes a new one there.
    func isRemoved(storeAt place: Int) -> Bool

    /// Fetches rows, ids, dictionaries or a count from one store, unless it is taken back meanwhile.
    func fetch(
        _ request: FetchRequestMessage, cancellation: CallCancellation?
    ) throws(CofferError) -> FetchReplyMessage

    /// Fetches objects whose rows may come in parts: `receive` is given each part but the last as soon as it
    /// has come.
    ///
    /// `receive` is given `nil` if everything begins again. It must not ask the coordinator for anything.
    func fetch(
        _ request: FetchRequestMessage, cancellation: CallCancellation?,
        _ receive: (FetchReplyMessage?) throws(CofferError) -> Void
    ) throws(CofferError) -> FetchReplyMessage

    /// How one store would carry a fetch out.
    func explain(_ request: FetchRequestMessage) throws(CofferError) -> ExplainReplyMessage

    /// Rows by id.
    func rows(_ request: RowsRequestMessage) throws(CofferError) -> RowsReplyMessage

    /// The objects at the other end of a to-many relationship, for several owners at once.
    func relationship(_ request: RelationshipRequestMessage) throws(CofferError) -> RelationshipReplyMessage

    /// Saves; the coordinator gives the request its id, and sends it again until it knows what became of it.
    ///
    /// `origin` is the context that saves, so that it is not told of its own save.
    func save(_ request: SaveRequestMessage, origin: ObjectIdentifier?) throws(CofferError)
        -> SaveReplyMessage

    /// Gives out primary keys of a store for objects that later saves insert: none is given out twice.
    ///
    /// It may be sent again if the service was lost: then the keys of the first time stay unused.
    func reserveKeys(_ request: ReserveKeysRequestMessage) throws(CofferError) -> ReserveKeysReplyMessage

    /// Transactions after a number.
    func history(_ request: HistoryRequestMessage) throws(CofferError) -> HistoryReplyMessage

    /// Notes how far a consumer of history has come; without a name it only lists the consumers.
    func consumer(_ request: ConsumerRequestMessage) throws(CofferError) -> ConsumerReplyMessage

    /// Deletes history that the application needs no longer.
    func purgeHistory(_ request: PurgeHistoryRequestMessage) throws(CofferError) -> PurgeHistoryReplyMessage

    /// What the program has set of the stores' metadata, for the next save of each.
    var pendingMetadata: PendingMetadata { get }

    /// What a store says of itself, after changing what the request names.
    func metadata(_ request: MetadataRequestMessage) throws(CofferError) -> MetadataReplyMessage

    /// Keeps the present state of a store readable for requests that name it.
    func pin(_ request: PinRequestMessage) throws(CofferError) -> PinReplyMessage

    /// Gives a pinned state up, without waiting; `store` is the handle.
    func unpin(_ generation: UInt64, store: UInt32)

    /// The process holds these rows no longer; sent along with a later call.
    func release(_ request: ReleaseRequestMessage)

    /// Tells `observer` of everything that happens to the stores from now on; held weakly.
    func addObserver(_ observer: any CoordinatorObserver)
}

extension PersistentStoreCoordinator {
    /// Never, if this process alone can reach the stores.
    package func isRemoved(storeAt place: Int) -> Bool { false }

    /// Fetches objects whose rows come in one part.
    package func fetch(
        _ request: FetchRequestMessage, cancellation: CallCancellation?,
        _ receive: (FetchReplyMessage?) throws(CofferError) -> Void
    ) throws(CofferError) -> FetchReplyMessage {
        try fetch(request, cancellation: cancellation)
    }

    /// Fetches rows, ids, dictionaries or a count from one store.
    package func fetch(_ request: FetchRequestMessage) throws(CofferError) -> FetchReplyMessage {
        try fetch(request, cancellation: nil)
    }
}

/// One store of a coordinator.
package struct CoordinatedStoreDescription: Sendable, Equatable {
    /// The number that requests name it by; it stays when the service restarts.
    package var handle: UInt32
    /// The store's UUID.
    package var uuid: UUID
    /// The configuration whose entities it keeps.
    package var configuration: String
    /// The name that the application gave it.
    package var name: String
    /// Whether nothing may be written.
    package var isReadOnly: Bool

    /// An opened store as a coordinator knows it.
    package init(handle: UInt32, uuid: UUID, configuration: String, name: String, isReadOnly: Bool) {
        self.handle = handle
        self.uuid = uuid
        self.configuration = configuration
        self.name = name
        self.isReadOnly = isReadOnly
    }
}

/// Hears what happens to the stores of a coordinator; called on any thread, one call at a time, and must not
/// block.
package protocol CoordinatorObserver: AnyObject, Sendable {
    /// Something happened; events come in order.
    func coordinator(_ coordinator: any PersistentStoreCoordinator, didReport event: CoordinatorEvent)

    /// The context whose own saves it does not want to hear of.
    var ignoredOrigin: ObjectIdentifier? { get }
}

extension CoordinatorObserver {
    package var ignoredOrigin: ObjectIdentifier? { nil }
}

/// Something that happened to the stores of a coordinator.
package enum CoordinatorEvent: Sendable {
    /// A transaction of a store; `origin` is the context of this process that made it.
    case transaction(TransactionMessage, store: UInt32, origin: ObjectIdentifier?)
    /// The history in between is gone: everything read from the store may be stale.
    case reload(store: UInt32, number: UInt64)
    /// The process has everything of the store up to the number.
    case bookmark(store: UInt32, number: UInt64)
    /// Files are about to be exchanged under the stores: what is not saved yet has to be saved now, or is
    /// lost.
    ///
    /// The exchange waits, for a time, until the notice is no longer kept; `nil` if it does not wait.
    case storesWillChange(StoresNotice?)
    /// Files were exchanged, or removed with nothing in their place: `stores` is new, and everything read
    /// before is of stores that no longer exist; one that was `moved` has its objects in the new file, with
    /// other ids. A `transition` says why, if their content follows the account.
    case storesDidChange(
        isRemoved: Bool, moved: CopiedStoreMessage? = nil, transition: StoreTransition? = nil)
    /// A store that had been removed was added again, at its place in `stores`, and nothing of before goes
    /// with it.
    case storeDidReturn(place: Int)
    /// The service died or was stopped; calls wait for it to come back.
    case disconnected
    /// The service is back, and what was missed has been told.
    case reconnected
}

/// An observer that is not kept alive; `Weak` takes no protocol's.
package struct WeakObserver: Sendable {
    /// The observer; `nil` once it is gone.
    package weak var observer: (any CoordinatorObserver)?

    /// Refers to `observer`.
    package init(_ observer: any CoordinatorObserver) { self.observer = observer }
}
