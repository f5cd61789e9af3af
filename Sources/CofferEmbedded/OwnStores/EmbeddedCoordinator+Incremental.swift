import Coffer
import CofferCoordination
import CofferStores
import CofferWire

extension PersistentStore {
    /// Where its objects are, of an incremental store.
    var incremental: IncrementalSource? { file.source as? IncrementalSource }
}

extension IncrementalSource {
    /// How often a save is judged anew that others were faster than.
    private static let attempts = 5

    /// Saves, once more where the store had other versions of objects: judged by those.
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
