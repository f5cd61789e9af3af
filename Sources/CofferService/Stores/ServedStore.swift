import CofferCoordination
import CofferModel
import CofferStores
import CofferWire
import Synchronization

/// A store that the service has open, with the sessions that use it.
final class ServedStore: Sendable {
    /// What names it.
    let key: StoreKey
    /// The store itself.
    let coordinated: PersistentStore
    /// Tells its sessions.
    let publisher = Publisher()
    /// Channels that the leader of its commits reads.
    let keptChannels: KeptChannels
    /// Those who follow what the service does.
    let trace: TraceHub
    /// Since when no session uses it, where none does.
    let unusedSince = Atomic<UInt64>(0)
    /// The options with which it was opened.
    private let pragmas: [String: String]
    private let ending = Mutex<Ending>(Ending())

    // In a structure: a bare closure in a lock is wrapped once more by each access.
    private struct Ending: Sendable {
        var body: (@Sendable () -> Void)?
    }

    init(key: StoreKey, coordinated: PersistentStore, pragmas: [String: String], trace: TraceHub) {
        self.key = key
        self.trace = trace
        self.coordinated = coordinated
        self.pragmas = pragmas
        keptChannels = KeptChannels(of: coordinated)
        coordinated.gather(from: keptChannels)
        _ = coordinated.addListener(publisher)  // As long as the store lives.
    }

    deinit { ending.withLock { $0.body }?() }

    /// Whether its connections may have larger caches of pages than usual.
    var hasOwnCacheSize: Bool { pragmas.keys.contains { $0.lowercased() == Self.cacheSize } }

    /// The option for that.
    static let cacheSize = "cache_size"

    /// Whether opening it anew would change nothing: it has the options that a request asks for, and the model, where that is known.
    func isOpened(as request: OpenStoreRequestMessage, _ model: StoreModel?) -> Bool {
        request.pragmas == pragmas && (model.map { $0.id == coordinated.file.model.id } ?? true)
            && (request.isReadOnly || !coordinated.file.isOpenedReadOnly)
    }

    /// Calls `body` once nobody holds the store any more, neither a session nor a call that was begun.
    func whenGone(_ body: @escaping @Sendable () -> Void) { ending.withLock { $0.body = body } }

    /// Waits until what was handed in is committed, and moves the log into the file.
    func flush() throws(StoreError) {
        coordinated.unpinAll()
        if coordinated.file.isReadOnly { return }
        try coordinated.write { writer throws(StoreError) in try writer.checkpointFully() }
    }

    /// The model.
    var model: ManagedObjectModel { coordinated.model }

    /// An entity by name.
    func entity(named name: String) throws(ServiceError) -> EntityDescription {
        guard let entity = model.entity(named: name) else { throw .store(.unknownEntity(name)) }
        return entity
    }

    /// An entity by index.
    func entity(at index: Int) throws(ServiceError) -> EntityDescription {
        guard model.entities.indices.contains(index) else { throw .store(.unknownEntity("number \(index)")) }
        return model.entities[index]
    }
}
