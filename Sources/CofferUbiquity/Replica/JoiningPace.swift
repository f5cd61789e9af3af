internal import CofferLinux

/// How many registers are joined in one transaction, for which saves wait: as many as fit into a moment, as
/// the last ones took.
struct JoiningPace: Sendable {
    /// How many that is.
    private(set) var registerCount = Limits.fewestJoinedRegisters

    /// Notes how long some took, in nanoseconds.
    mutating func note(_ count: Int, in time: UInt64) {
        // A few say little of how long many take.
        guard count >= Limits.fewestJoinedRegisters, time > 0 else { return }
        let fitting = Double(count) * Double(Limits.joining.wholeNanoseconds) / Double(time)
        // Not more than twice as many at once, for what comes may be otherwise.
        let next = min(fitting, Double(registerCount) * 2, Double(Limits.mostJoinedRegisters))
        registerCount = max(Int(next), Limits.fewestJoinedRegisters)
    }
}
