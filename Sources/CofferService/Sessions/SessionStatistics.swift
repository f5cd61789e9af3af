import CofferCoordination
import CofferStores
import CofferWire
import Synchronization

/// What one client did since its session began, counted by all threads that serve it.
///
/// The counters match those of each store, so that the client which keeps a store busy can be found.
final class SessionStatistics: Sendable {
    /// Calls about a store whose answer the client waits for.
    let roundTrips = Atomic<Int>(0)
    /// Fetch requests.
    let fetches = Atomic<Int>(0)
    /// Rows and relationships read by id.
    let faults = Atomic<Int>(0)
    /// Of the rows read by id, those that were in the row cache.
    let cacheHits = Atomic<Int>(0)
    /// Of the rows read by id, those that were looked for in the row cache and not found.
    let cacheMisses = Atomic<Int>(0)
    /// Saves that were committed.
    let saves = Atomic<Int>(0)
    /// Saves that failed or had another outcome.
    let refusals = Atomic<Int>(0)

    /// Counts the end of a save.
    func count(_ result: SaveResult) {
        if case .success(let execution) = result, case .saved = execution.reply {
            saves.add(1, ordering: .relaxed)
        } else {
            refusals.add(1, ordering: .relaxed)
        }
    }

    /// Counts rows that were asked for by id.
    func countFaults(_ count: Int, hits: Int = 0, misses: Int = 0) {
        faults.add(count, ordering: .relaxed)
        if hits > 0 { cacheHits.add(hits, ordering: .relaxed) }
        if misses > 0 { cacheMisses.add(misses, ordering: .relaxed) }
    }
}
