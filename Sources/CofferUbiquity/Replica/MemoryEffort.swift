internal import CofferLinux

/// How much was done since free memory was given back to the kernel.
///
/// What is given back at once is asked for again by the next piece of work, page by page: so it is kept until
/// nothing more has come for a while.
package struct MemoryEffort: Sendable {
    /// How many registers were read, folded or joined, about.
    private var registerCount = 0
    /// When the last of them were that came in numbers, in nanoseconds.
    private var last: UInt64 = 0

    package init() {}

    /// Notes that some were.
    package mutating func note(_ count: Int, at now: UInt64) {
        registerCount += count
        // What users do bit by bit needs little, and may never end.
        if count >= Limits.fewestJoinedRegisters { last = now }
    }

    /// Whether so much was done that what it took is worth giving back.
    package var isMuch: Bool { registerCount >= Limits.registersBeforeReturn }

    /// Whether much was done, and a while ago; then it begins from the start.
    package mutating func takeIsOver(at now: UInt64) -> Bool {
        guard isMuch, now >= last + Limits.restBeforeReturn.wholeNanoseconds else { return false }
        registerCount = 0
        return true
    }
}
