internal import CofferWire

/// What one answer may still hold: more than a message carries is not gathered first and refused then.
struct ByteBudget {
    /// How many bytes are left.
    private(set) var rest = CofferWire.Limits.message

    /// What was gathered is sent: there is as much room as in the beginning.
    mutating func startAnew() { self = ByteBudget() }

    /// Takes `count` bytes away.
    ///
    /// - Throws: `StoreError.tooLarge` where no more are left.
    @inline(__always)
    mutating func take(_ count: Int) throws(StoreError) {
        rest -= count
        if rest < 0 { throw Self.excess }
    }

    @inline(never)
    private static var excess: StoreError {
        .tooLarge(
            "the answer passes \(CofferWire.Limits.message >> 20) MiB; ask for fewer rows with a limit, or for fewer properties"
        )
    }
}
