import CofferStores
import CofferWire
import Synchronization

/// Deals with what somebody else wrote into a store's file, for the leader of its commit queue.
struct ForeignChanges: Sendable {
    let cache: RowCache
    let feed: Feed
    let statistics: StoreStatistics
    /// Told why it could not be found out what changed.
    let failed: @Sendable (StoreError) -> Void

    /// Forgets the rows, finds out what changed, and tells the listeners.
    func take(from writer: StoreWriter) {
        statistics.foreignChanges.add(1, ordering: .relaxed)
        let known = cache.invalidate()
        var change: ForeignChange
        do throws(StoreError) {
            change = try writer.foreignChange(since: feed.number, known: known)
        } catch {
            failed(error)
            change = ForeignChange(upTo: feed.number)
        }
        cache.advance(to: change.number)
        feed.deliver(change)
    }
}
