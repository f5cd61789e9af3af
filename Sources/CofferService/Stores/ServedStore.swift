package import CofferCoordination
import CofferModel
import CofferStores
import CofferWire
import Synchronization

/// A store that the service has open, with the sessions that use it.
package final class ServedStore: Sendable {
    /// What names it.
    package let key: StoreKey
    /// The store itself.
    package let persistentStore: PersistentStore
    /// Tells its sessions.
    let publisher = Publisher()
    /// Channels that the leader of its commits reads.
    let polledChannels: PolledChannels
    /// The followers of what the service does.
    let trace: TraceHub
    /// How it is shared with other machines.
    let sharing = StoreSharing()
    /// The names on the bus that are asked before its content is exchanged.
    let handshakes: BusHandshakes
    /// Whether it was open when the service before this one ended, so that its clients may be on their way
    /// back.
    let wasLeftOpen = Atomic<Bool>(false)
    /// Whether one of them is back.
    let hasClientBack = Atomic<Bool>(false)
    /// Since when no session uses it, if none does.
    let unusedSince = Atomic<UInt64>(0)
    /// Whether it stays open for other machines' sake though no session uses it.
    let isResident = Atomic<Bool>(false)
    /// The options with which it was opened.
    private let pragmas: [String: String]
    private let ending = Mutex<Ending>(Ending())

    // In a structure: a bare closure in a lock is wrapped once more by each access.
    private struct Ending: Sendable {
        var body: (@Sendable () -> Void)?
    }

    /// The store with the name `key`, opened with `pragmas`; `trace` learns what is done with it.
    package convenience init(
        key: StoreKey, persistentStore: PersistentStore, pragmas: [String: String], trace: TraceHub
    ) {
        self.init(
            key: key, persistentStore: persistentStore, pragmas: pragmas, trace: trace,
            handshakes: BusHandshakes())
    }

    init(
        key: StoreKey, persistentStore: PersistentStore, pragmas: [String: String], trace: TraceHub,
        handshakes: BusHandshakes
    ) {
        self.handshakes = handshakes
        self.key = key
        self.trace = trace
        self.persistentStore = persistentStore
        self.pragmas = pragmas
        polledChannels = PolledChannels(of: persistentStore)
        persistentStore.pollSaves(from: polledChannels)
        _ = persistentStore.addListener(publisher)  // As long as the store lives.
    }

    deinit { ending.withLock { $0.body }?() }

    /// Whether its connections may have larger caches of pages than usual.
    var hasOwnCacheSize: Bool { pragmas.keys.contains { $0.lowercased() == Self.cacheSize } }

    /// The option for that.
    static let cacheSize = "cache_size"

    /// Whether opening it again would change nothing: it has the options that a request asks for, and the
    /// model, if that is known.
    func isOpened(as request: OpenStoreRequestMessage, _ model: StoreModel?) -> Bool {
        // What is in memory only would be lost.
        if type == .memory { return request.type ?? .memory == .memory }
        return request.pragmas == pragmas && (model.map { $0.id == persistentStore.file.model.id } ?? true)
            // What is only read, others may have changed since.
            && !persistentStore.file.isOpenedReadOnly
    }

    /// Calls `body` once nothing holds the store any more, neither a session nor a call that was begun.
    func whenGone(_ body: @escaping @Sendable () -> Void) { ending.withLock { $0.body = body } }

    /// Waits until what was handed in is committed, and moves the log into the file.
    func flush() throws(StoreError) {
        persistentStore.unpinAll()
        if persistentStore.file.isReadOnly { return }
        try persistentStore.write { writer throws(StoreError) in try writer.checkpointFully() }
    }

    /// How it keeps its objects; none of an application's own type is ever served.
    var type: StoreType { persistentStore.file.type ?? .sqlite }

    /// The model.
    var model: ManagedObjectModel { persistentStore.model }

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
