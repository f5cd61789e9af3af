internal import CofferContainer
internal import Synchronization

/// The clock of one machine, which may be wrong and may be set.
///
/// Shared, by an atomic.
final class MachineClock: Sendable {
    private let folders: SimulatedFolders
    private let ahead: Atomic<Int64>

    init(_ folders: SimulatedFolders, skew: Int64) {
        self.folders = folders
        ahead = Atomic(skew)
    }

    /// What it shows beyond the true time, in microseconds.
    var skew: Int64 {
        get { ahead.load(ordering: .acquiring) }
        set { ahead.store(newValue, ordering: .releasing) }
    }

    /// What it shows.
    var now: WallTime { folders.now(skewedBy: skew) }
}
