internal import CofferWire
public import FoundationEssentials

/// Why stores with a ``StoreDescription/ubiquitousContentName`` have other content: it follows the account
/// that is signed in.
public struct StoreTransition: Sendable, Equatable {
    /// What happened.
    public enum Kind: Sendable, Equatable {
        /// A user signed in: the content that comes is the account's.
        case accountAdded
        /// No user is signed in any more: the content that comes belongs to this machine alone.
        case accountRemoved
        /// The account's content was deleted or exchanged, or is read again.
        case contentRemoved
        /// The account's own store is complete, and takes the place of the one that served meanwhile.
        case initialImportCompleted
    }

    /// What happened.
    public let kind: Kind
    /// Rises with each question of a store; if another one comes before `storesDidChange`, only that one
    /// counts.
    public let question: UInt64
    /// The UUIDs of the stores that go.
    public let removed: [UUID]
    /// The UUIDs of those in their places, once they are open.
    public internal(set) var added: [UUID] = []
}

/// A step of an exchange of stores whose content follows the account.
public enum StoreTransitionEvent: Sendable, Equatable {
    /// Contexts are asked to save into the stores that go.
    case willChange(StoreTransition)
    /// Other stores are open in their places.
    case didChange(StoreTransition)
}

extension StoreTransition {
    init(_ message: StoreTransitionMessage, of store: UUID) {
        kind =
            switch message.kind {
            case .accountAdded: .accountAdded
            case .accountRemoved: .accountRemoved
            case .contentRemoved: .contentRemoved
            case .initialImportCompleted: .initialImportCompleted
            }
        question = message.question
        removed = [store]
    }
}

extension PersistentContainer {
    /// The exchanges of stores whose content follows the account, from now on, for one reader.
    ///
    /// It only tells, and no exchange waits for its reader: what has to happen before a store goes belongs
    /// into a handler of the context (``ManagedObjectContext/onNotification(_:)``). Past 100 events that
    /// wait, the oldest are dropped.
    public var storeTransitions: AsyncStream<StoreTransitionEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: StoreTransitionEvent.self, bufferingPolicy: .bufferingNewest(Limits.waitingTransitions))
        let observer = StoreTransitionObserver(continuation)
        coordinator.addObserver(observer)
        continuation.onTermination = { _ in withExtendedLifetime(observer) {} }
        return stream
    }
}

/// Passes on what a coordinator tells of exchanges.
private final class StoreTransitionObserver: CoordinatorObserver {
    private let continuation: AsyncStream<StoreTransitionEvent>.Continuation

    init(_ continuation: AsyncStream<StoreTransitionEvent>.Continuation) { self.continuation = continuation }

    func coordinator(_ coordinator: any PersistentStoreCoordinator, didReport event: CoordinatorEvent) {
        switch event {
        case .storesWillChange(let notice):
            if let transition = notice?.transition { continuation.yield(.willChange(transition)) }
        case .storesDidChange(_, _, let transition):
            if let transition { continuation.yield(.didChange(transition)) }
        case .transaction, .reload, .bookmark, .storeDidReturn, .disconnected, .reconnected: break
        }
    }
}
