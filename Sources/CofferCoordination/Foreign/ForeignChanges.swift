import CofferStores
import CofferWire
import Synchronization

/// Deals with what another program wrote into a store's file, for the leader of its commit queue.
///
/// Shared.
final class ForeignChanges: Sendable {
    private let cache: RowCache
    private let feed: Feed
    private let statistics: StoreStatistics
    /// Rows as they were before changes that could not be looked into yet.
    private let unresolved = Mutex<[PackedRows]>([])

    init(cache: RowCache, feed: Feed, statistics: StoreStatistics) {
        self.cache = cache
        self.feed = feed
        self.statistics = statistics
    }

    /// Forgets the rows, finds out what changed, and tells the listeners.
    ///
    /// It was written in `commitCount` transactions of SQLite, if that is known. With `isKnown` the listeners
    /// were told before that something did.
    /// - Throws: why it could not be found out; the listeners know that something did, and the next time what
    ///   is known of before, up to `Limits.unresolvedRows`, is looked into again.
    func publish(from writer: StoreWriter, commitCount: UInt32?, isKnown: Bool) throws(StoreError) {
        statistics.foreignChanges.add(1, ordering: .relaxed)
        let known =
            unresolved.withLock { unresolved in
                defer { unresolved = [] }
                return unresolved
            } + cache.invalidate()
        do throws(StoreError) {
            let change = try writer.foreignChange(
                since: feed.number, commitCount: commitCount, known: known)
            // What was read meanwhile has versions that were given out again since.
            if change.isAdopted { _ = cache.invalidate() }
            notify(change)
        } catch {
            remember(known)
            if !isKnown { notify(ForeignChange(upTo: feed.number)) }
            throw error
        }
    }

    private func notify(_ change: ForeignChange) {
        cache.advance(to: change.number)
        feed.deliver(change)
    }

    private func remember(_ known: [PackedRows]) {
        var count = 0
        let kept = known.filter { batch in
            guard count + batch.rowCount <= Limits.unresolvedRows else { return false }
            count += batch.rowCount
            return true
        }
        unresolved.withLock { $0 = kept }
    }
}
