internal import CofferLinux

/// How long the lock of a store is waited for.
package struct LockPatience: Sendable {
    /// How long, if this process holds it, whose store is being closed.
    package var own = Duration.zero
    /// How long, if another process holds it.
    package var others = Duration.zero

    /// Nothing is waited for.
    package static let none = LockPatience()
    /// For a holder that is about to let go, in this process or another one.
    static let replacement = LockPatience(own: Limits.replacementLock, others: Limits.replacementLock)

    package init(own: Duration = .zero, others: Duration = .zero) {
        (self.own, self.others) = (own, others)
    }

    /// How long a process is waited for that holds the lock.
    func wait(for owner: Int32?) -> Duration { owner == CurrentProcess.id ? own : others }
}
