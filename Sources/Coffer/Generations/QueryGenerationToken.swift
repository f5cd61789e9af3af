import CofferWire

/// A state of the stores that contexts can pin: see `ManagedObjectContext.setQueryGeneration(from:)`.
///
/// The state is kept as long as a token of it, or a context that has it pinned, is there.
public struct QueryGenerationToken: Sendable, Hashable {
    /// The state that the stores have when a context pins it.
    public static let current = QueryGenerationToken(pinned: nil)

    /// `nil` for the present state.
    let pinned: PinnedStores?

    /// Whether they are of the same state.
    public static func == (left: Self, right: Self) -> Bool { left.pinned === right.pinned }

    /// Hashes which state it is.
    public func hash(into hasher: inout Hasher) { hasher.combine(pinned.map { ObjectIdentifier($0) }) }
}

/// What the stores of one coordinator call a pinned state; given up when no reference to it is left.
///
/// Shared: nothing of it changes.
final class PinnedStores: Sendable {
    let coordinator: any PersistentStoreCoordinator
    /// By the handle of the store.
    let generations: [UInt32: UInt64]

    /// Pins the present states of stores, one after the other.
    init(_ stores: [CoordinatedStoreDescription], of coordinator: any PersistentStoreCoordinator)
        throws(CofferError)
    {
        var generations: [UInt32: UInt64] = [:]
        do throws(CofferError) {
            for store in stores {
                let reply = try coordinator.pin(PinRequestMessage(store: store.handle))
                generations[store.handle] = reply.generation
            }
        } catch {
            for (store, generation) in generations { coordinator.unpin(generation, store: store) }
            throw error
        }
        self.coordinator = coordinator
        self.generations = generations
    }

    deinit {
        for (store, generation) in generations { coordinator.unpin(generation, store: store) }
    }
}
