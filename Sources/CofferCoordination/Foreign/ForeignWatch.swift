import CofferSQLite
import Synchronization

/// Says whether another program may have written into a store's file.
///
/// It looks at a number in shared memory, so that asking costs nothing; without a log, at one in the file's
/// header.
///
/// Shared; the leader of the commit queue moves it on. If it says no, no other program wrote; if it says
/// yes, SQLite knows.
final class ForeignWatch: Sendable {
    private static let unknown: UInt64 = .max

    private let counter: SQLiteChangeCounter
    /// The count that our own transactions explain.
    private let explained: Atomic<UInt64>

    init(_ counter: SQLiteChangeCounter) {
        self.counter = counter
        explained = Atomic(Self.unknown)
    }

    /// The count now.
    var position: UInt64 { counter.value.map { UInt64($0) } ?? Self.unknown }

    /// Whether there is a transaction that is not ours, or that our leader has not told of yet.
    var hasMoved: Bool {
        let position = position
        return position == Self.unknown || position != explained.load(ordering: .acquiring)
    }

    /// How many transactions up to `position` are not explained; `nil` if nothing was explained yet.
    func unexplainedCount(upTo position: UInt64) -> UInt32? {
        let explained = explained.load(ordering: .acquiring)
        if position == Self.unknown || explained == Self.unknown { return nil }
        return UInt32(truncatingIfNeeded: position) &- UInt32(truncatingIfNeeded: explained)
    }

    /// All up to `position` is known.
    func didReview(at position: UInt64) {
        explained.store(position, ordering: .releasing)
    }

    /// Our own transaction was written, and nothing else since the last `didReview`, since we had the lock.
    func didCommit() {
        let before = explained.load(ordering: .relaxed)
        if before == Self.unknown { return }
        explained.store(UInt64(UInt32(truncatingIfNeeded: before) &+ 1), ordering: .releasing)
    }
}
