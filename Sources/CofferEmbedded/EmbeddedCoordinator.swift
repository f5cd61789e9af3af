package import Coffer
import CofferCoordination
package import CofferModel
import CofferStores
package import CofferWire
import FoundationEssentials
import Synchronization

/// A persistent store coordinator in this process: contexts reach their stores without the service.
///
/// Shared. It owns its files for writing, by the lock file beside each; a store that the service has open is refused with its pid.
package final class EmbeddedCoordinator: StoreCoordinator {
    private struct WeakObserver: Sendable {
        weak var observer: (any CoordinatorObserver)?
    }

    private struct State: Sendable {
        var observers: [WeakObserver] = []
        /// The contexts whose saves are on their way, by submitter.
        var origins: [UInt64: ObjectIdentifier] = [:]
        var nextSubmitter: UInt64 = 1
        var sequence: UInt64 = 0
    }

    package let model: ManagedObjectModel
    package let stores: [CoordinatedStoreDescription]
    let persistentStores: [PersistentStore]
    private let client = UUID()
    private let processName: String
    private let application: String
    private let state = Mutex(State())
    private let listeners = Mutex<[Listener]>([])

    /// A coordinator over open stores, whose handles are their places, from 1 on.
    init(
        model: ManagedObjectModel, stores: [(store: PersistentStore, name: String)], application: String,
        processName: String
    ) {
        self.model = model
        self.application = application
        self.processName = processName
        persistentStores = stores.map(\.store)
        self.stores = stores.enumerated().map { index, entry in
            CoordinatedStoreDescription(
                handle: UInt32(index + 1), uuid: entry.store.uuid, configuration: entry.store.file.configuration,
                name: entry.name, isReadOnly: entry.store.file.isReadOnly)
        }
        for (index, store) in persistentStores.enumerated() {
            let listener = Listener(handle: UInt32(index + 1), coordinator: self)
            _ = store.addListener(listener)
            listeners.withLock { $0.append(listener) }
        }
    }
}

extension EmbeddedCoordinator {
    package func fetch(_ request: FetchRequestMessage) throws(CofferError) -> FetchReplyMessage {
        try translating { () throws(StoreError) in try store(request.store).fetch(request) }
    }

    package func rows(_ request: RowsRequestMessage) throws(CofferError) -> RowsReplyMessage {
        try translating { () throws(StoreError) in try store(request.store).rows(request) }
    }

    package func relationship(
        _ request: RelationshipRequestMessage
    ) throws(CofferError) -> RelationshipReplyMessage {
        try translating { () throws(StoreError) in try store(request.store).relationship(request) }
    }

    package func history(_ request: HistoryRequestMessage) throws(CofferError) -> HistoryReplyMessage {
        try translating { () throws(StoreError) in try store(request.store).history(request) }
    }

    package func release(_ request: ReleaseRequestMessage) {
        // Transactions are told whole in this process: nobody counts what is held.
    }

    package func addObserver(_ observer: any CoordinatorObserver) {
        state.withLock { state in
            state.observers.removeAll { $0.observer == nil }
            state.observers.append(WeakObserver(observer: observer))
        }
    }

    package func save(
        _ request: SaveRequestMessage, origin: ObjectIdentifier?
    ) throws(CofferError) -> SaveReplyMessage {
        var request = request
        let submitter = state.withLock { state in
            state.sequence += 1
            request.request = RequestIDMessage(
                client: client, sequence: state.sequence, acknowledged: state.sequence - 1)
            state.nextSubmitter += 1
            if let origin { state.origins[state.nextSubmitter] = origin }
            return state.nextSubmitter
        }
        defer { state.withLock { $0.origins[submitter] = nil } }
        return try translating { () throws(StoreError) in
            let store = try store(request.store)
            let by = SaveOrigin(
                application: application, process: processName, timestamp: store.file.environment.now())
            return try store.save(request, by: by, submitter: submitter).reply
        }
    }

    private func store(_ handle: UInt32) throws(StoreError) -> PersistentStore {
        guard handle > 0, Int(handle) <= persistentStores.count else {
            throw .malformedRequest("no store has the handle \(handle)")
        }
        return persistentStores[Int(handle) - 1]
    }

    fileprivate func tell(_ transaction: TransactionMessage, store: UInt32, submitter: UInt64) {
        let (observers, origin) = state.withLock { ($0.observers, $0.origins[submitter]) }
        for observer in observers {
            observer.observer?.coordinator(
                self, didTell: .transaction(transaction, store: store, origin: origin))
        }
    }
}

/// Hears of one store's commits for the coordinator.
private final class Listener: StoreListener {
    private let handle: UInt32
    private let coordinator: Mutex<Weak>

    private struct Weak: Sendable {
        weak var coordinator: EmbeddedCoordinator?
    }

    init(handle: UInt32, coordinator: EmbeddedCoordinator) {
        self.handle = handle
        self.coordinator = Mutex(Weak(coordinator: coordinator))
    }

    func didCommit(_ transaction: TransactionMessage, of save: SaveSubmission) {
        coordinator.withLock { $0.coordinator }?.tell(transaction, store: handle, submitter: save.submitter)
    }

    func didEndBatch() {
        // Every transaction was told at once.
    }
}

/// Runs `body`, whose errors of a store become those that applications see.
func translating<Result>(_ body: () throws(StoreError) -> Result) throws(CofferError) -> Result {
    do throws(StoreError) {
        return try body()
    } catch {
        throw CofferError(error)
    }
}

extension CofferError {
    /// The one place where errors of a store in this process become those that applications see.
    init(_ error: StoreError) {
        if case .incompatible(let differing, let missing, let unknown) = error {
            self = .incompatibleModel(differing: differing, missing: missing, unknown: unknown)
            return
        }
        let detail = error.detail
        self = .refused(code: detail.code.name, reason: detail.reason, text: detail.text, place: detail.place)
    }
}
