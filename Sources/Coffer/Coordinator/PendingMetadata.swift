internal import CofferFormats
package import CofferModel
package import CofferWire
internal import Synchronization

/// What a program has set of its stores' metadata, until a save of one of its contexts takes it along.
///
/// Shared by the contexts of a coordinator.
package final class PendingMetadata: Sendable {
    /// What one save takes along.
    package struct Batch: Sendable {
        /// The changes.
        package let changes: [MetadataChangeMessage]
        fileprivate let revisions: [String: Int]
    }

    private struct Change {
        let value: MetadataValue?
        /// What the store said when the program changed it.
        let former: MetadataValue?
        let revision: Int
    }

    private struct State {
        var stores: [UInt32: [String: Change]] = [:]
        var revision = 0
    }

    private let state = Mutex(State())

    /// Nothing is set.
    package init() {}

    /// Whether there is nothing for a save to take along.
    package var isEmpty: Bool { state.withLock { $0.stores.isEmpty } }

    /// Sets values of a store, which says what `stored` has; `nil` removes a key.
    package func set(_ changes: [String: MetadataValue?], over stored: [String: MetadataValue], store: UInt32)
    {
        if changes.isEmpty { return }
        state.withLock { state in
            state.revision += 1
            for (key, value) in changes {
                state.stores[store, default: [:]][key] = Change(
                    value: value, former: stored[key], revision: state.revision)
            }
        }
    }

    /// What is set of a store and not saved.
    package func values(of store: UInt32) -> [String: MetadataValue?] {
        state.withLock { $0.stores[store]?.mapValues(\.value) ?? [:] }
    }

    /// What a save of a store takes along; `nil` for nothing.
    package func batch(for store: UInt32) -> Batch? {
        guard let changes = state.withLock({ $0.stores[store] }) else { return nil }
        return Batch(
            changes: changes.sorted { $0.key < $1.key }.map { key, change in
                MetadataChangeMessage(
                    key: key, propertyList: change.value?.propertyList ?? [],
                    former: change.former?.propertyList ?? [])
            }, revisions: changes.mapValues(\.revision))
    }

    /// A save has taken a batch along: what was not set again since is saved.
    package func didSave(_ batch: Batch, of store: UInt32) {
        state.withLock { state in
            for (key, revision) in batch.revisions where state.stores[store]?[key]?.revision == revision {
                state.stores[store]?[key] = nil
            }
            if state.stores[store]?.isEmpty ?? false { state.stores[store] = nil }
        }
    }

    /// Gives up what is set of a store and not saved.
    package func discard(of store: UInt32) { state.withLock { $0.stores[store] = nil } }
}
