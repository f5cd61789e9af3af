import CofferLinux

/// A look at what another program wrote into a store's file, which failed by a lock or an error of the
/// disk.
struct UnresolvedForeignCheck: Sendable {
    /// What the file's count was.
    private let position: UInt64
    /// Whether listeners know that something changed.
    private let isTold: Bool
    private let end = Monotonic.now

    init(position: UInt64, isTold: Bool) {
        self.position = position
        self.isTold = isTold
    }

    /// Whether it was about `position`; `false` for `ForeignWatch.unknown`, for which it cannot be said
    /// that nothing was written since.
    private func isAbout(_ position: UInt64) -> Bool { position != .max && position == self.position }

    /// Whether listeners know of all up to `position`.
    func isTold(at position: UInt64) -> Bool { isTold && isAbout(position) }

    /// Whether another look at `position` may wait: it failed a moment ago, and would likely take as long to
    /// fail again.
    func mayWait(at position: UInt64) -> Bool {
        isAbout(position) && Monotonic.now - end < Limits.betweenForeignChecks
    }
}
