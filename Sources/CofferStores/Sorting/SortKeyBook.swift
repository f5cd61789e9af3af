internal import Synchronization

/// Which orders a file keeps sort keys for, and which orders were asked for in vain.
///
/// Shared by the connections of one file: those that read ask, the one that writes keeps. It is empty for a
/// file that is only read.
package final class SortKeyBook: Sendable {
    private struct State {
        var lists: [SortOrder: Int64] = [:]
        /// Lists of which the file does not say yet that they were used today.
        var unnoted: Set<SortOrder> = []
        /// Those of them that were used.
        var used: Set<SortOrder> = []
        /// How often an order was asked for that was not to be had.
        var misses: [SortOrder: Int] = [:]
        var wanted: Set<SortOrder> = []

        var isWanting: Bool { !wanted.isEmpty || !used.isEmpty }
    }

    private let state = Mutex(State())
    /// Looked at with every fetch.
    private let hasWanted = Atomic<Bool>(false)

    init() {}

    /// The list of an order, whose keys may be incomplete; that it is used is noted.
    func list(_ order: SortOrder) -> Int64? {
        state.withLock { state in
            if !state.unnoted.isEmpty, state.unnoted.remove(order) != nil {
                state.used.insert(order)
                hasWanted.store(true, ordering: .relaxed)
            }
            return state.lists[order]
        }
    }

    /// Notes that no list could serve an order.
    ///
    /// The first time counts, and then the second, fourth and so on, since a short list is not kept however
    /// often it is asked for.
    func miss(_ order: SortOrder) {
        state.withLock { state in
            if state.misses.count >= Limits.sortMisses, state.misses[order] == nil { state.misses = [:] }
            let count = state.misses[order, default: 0] + 1
            state.misses[order] = count
            if count & (count - 1) == 0 || state.lists[order] != nil { state.wanted.insert(order) }
            hasWanted.store(state.isWanting, ordering: .relaxed)
        }
    }

    /// Whether the writer has something to do: `StoreWriter.keepSortKeys()`.
    package var isWanting: Bool { hasWanted.load(ordering: .relaxed) }

    /// An order that is wanted.
    var next: SortOrder? { state.withLock { $0.wanted.first } }

    /// Lets readers use a list, which is committed; one that `isStale` was not used today, as far as the file
    /// says.
    func offer(_ order: SortOrder, _ list: Int64, isStale: Bool = false) {
        state.withLock { state in
            state.lists[order] = list
            if isStale { state.unnoted.insert(order) }
        }
    }

    /// Takes out which lists were used since that was last noted in the file.
    func takeUsed() -> Set<SortOrder> {
        state.withLock { state in
            defer { state.used = [] }
            return state.used
        }
    }

    /// Lets readers use no list that is not among `orders`.
    func keepOnly(_ orders: Set<SortOrder>) {
        state.withLock { state in
            state.lists = state.lists.filter { orders.contains($0.key) }
            state.unnoted.formIntersection(orders)
        }
    }

    /// Notes that an order is no longer wanted, since its list is complete, or will not be made.
    func didMake(_ order: SortOrder) {
        state.withLock { state in
            state.wanted.remove(order)
            if state.lists[order] != nil { state.misses[order] = nil }
        }
        updateWanting()
    }

    /// What was wanted may be done.
    func updateWanting() {
        state.withLock { hasWanted.store($0.isWanting, ordering: .relaxed) }
    }
}
