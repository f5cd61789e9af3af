public import CofferModel
package import CofferWire
public import FoundationEssentials
internal import Synchronization

/// A store that a tool has open, with the model that it keeps.
///
/// Shared. Calls block. The store is closed when the object goes.
public final class OpenedStore: Sendable {
    /// The store's model.
    public var model: ManagedObjectModel { coordinator.model }
    /// The store's UUID.
    public let uuid: UUID
    /// The path of the store's file, for people.
    public let path: String
    /// The last transaction when it was opened.
    public let number: UInt64
    /// The oldest number that `history` can go on from.
    public let historyFloor: UInt64
    package let coordinator: RemoteCoordinator
    private let description: CoordinatedStoreDescription
    private let watchers = Mutex<[StoreWatcher]>([])

    init(coordinator: RemoteCoordinator, description: CoordinatedStoreDescription, opened: StoreOpenedMessage)
    {
        self.coordinator = coordinator
        self.description = description
        uuid = opened.uuid
        path = opened.path
        number = opened.number
        historyFloor = opened.floor
    }
}

extension OpenedStore {
    /// What is kept about a store.
    public struct Metadata: Sendable, Equatable {
        /// The store's UUID.
        public let uuid: UUID
        /// What kind of store it is: `SQLite`, `Binary`, `XML` or `InMemory`.
        public let type: String
        /// What applications have noted, by key.
        public let values: [String: MetadataValue]
        /// Core Data's version hash of each entity.
        public let versionHashes: [String: [UInt8]]
    }

    /// The store's metadata, after setting what `changes` names; `nil` removes a key.
    ///
    /// Changes are written at once, and seen by every reader. The UUID and the type cannot be changed.
    ///
    /// - Throws: `.refused` if the changes are too large, name what stays, or the store can only be read;
    ///   `.unavailable` if the service cannot be reached.
    @discardableResult
    public func metadata(setting changes: [String: MetadataValue?] = [:]) throws(CofferError) -> Metadata {
        Metadata(try metadata(changing: changes.mapValues { $0.map { MetadataValueMessage($0) } }))
    }

    /// The store's metadata, after setting what `changes` names, texts among it that take the type of what
    /// was there.
    package func metadata(
        changing changes: [String: MetadataValueMessage?]
    ) throws(CofferError) -> MetadataReplyMessage {
        try coordinator.metadata(MetadataRequestMessage(store: description.handle, changes: changes))
    }

    /// Transactions after a number, oldest first; `hasMore` says whether to go on after the last of them.
    ///
    /// - Throws: `.historyExpired` if the number is older than what history keeps.
    public func history(
        after number: UInt64, limit: Int = 0
    ) throws(CofferError) -> (transactions: [StoreTransaction], hasMore: Bool) {
        let request = HistoryRequestMessage(
            store: description.handle, storeUUID: uuid, after: number, limit: limit)
        switch try coordinator.history(request) {
        case .transactions(let transactions, _, let hasMore):
            return (transactions.map { StoreTransaction($0, model: model) }, hasMore)
        case .expired(let floor, let current, _): throw .historyExpired(floor: floor, current: current)
        }
    }

    /// Calls `body` with everything that happens to the store from now on, in order, on a thread of the
    /// library; it must not block.
    public func watch(_ body: @escaping @Sendable (StoreEvent) -> Void) {
        let watcher = StoreWatcher(body)
        watchers.withLock { $0.append(watcher) }
        coordinator.addObserver(watcher)
    }

    /// A new context over the store, for the caller.
    public func newContext(name: String = "", author: String = "") -> sending ManagedObjectContext {
        ManagedObjectContext(coordinator: coordinator, name: name, author: author)
    }
}

/// Tells a closure of what happens to a store.
private final class StoreWatcher: CoordinatorObserver {
    private let body: @Sendable (StoreEvent) -> Void

    init(_ body: @escaping @Sendable (StoreEvent) -> Void) { self.body = body }

    func coordinator(_ coordinator: any PersistentStoreCoordinator, didReport event: CoordinatorEvent) {
        body(StoreEvent(event, model: coordinator.model))
    }
}
