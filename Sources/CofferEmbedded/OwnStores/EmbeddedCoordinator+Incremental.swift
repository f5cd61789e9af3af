import Coffer
import CofferCoordination
import CofferStores
import CofferWire

extension PersistentStore {
    /// The source of an incremental store's objects; `nil` for other stores.
    var incremental: IncrementalSource? { file.source as? IncrementalSource }
}

extension IncrementalSource {
    /// How many times a save is tried if others save the same objects before it.
    private static let attempts = 5

    /// Saves; if the store has other versions of objects, these are loaded and the save is tried again.
    func save(
        _ request: SaveRequestMessage, by origin: SaveOrigin, submitter: UInt64, in store: PersistentStore
    ) throws(StoreError) -> SaveReplyMessage {
        let prepared = try prepare(request, in: store)
        for _ in 1..<Self.attempts {
            do throws(StoreError) {
                return try store.save(prepared, by: origin, submitter: submitter).reply
            } catch {
                let stale = takeConflicts()
                if stale.isEmpty { throw error }
                try refresh(stale, in: store)
            }
        }
        return try store.save(prepared, by: origin, submitter: submitter).reply
    }
}
