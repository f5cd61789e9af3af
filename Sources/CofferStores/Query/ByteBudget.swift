internal import CofferWire

/// What one answer may still hold: more than it may have is not gathered first and refused then.
struct ByteBudget {
    private let limit: Int
    /// How many bytes are left.
    private(set) var rest: Int

    /// A budget for what one message carries, or for less.
    init(limit: Int = CofferWire.Limits.message) {
        self.limit = limit
        rest = limit
    }

    /// What was gathered is sent: there is as much room as in the beginning.
    mutating func startAnew() { rest = limit }

    /// Takes `count` bytes away.
    ///
    /// - Throws: `StoreError.tooLarge` if fewer are left.
    @inline(__always)
    mutating func take(_ count: Int) throws(StoreError) {
        rest -= count
        if rest < 0 { throw excess }
    }

    @inline(never)
    private var excess: StoreError {
        .tooLarge(
            "the answer passes \(limit >> 20) MiB; ask for fewer rows with a limit, or for fewer properties")
    }
}
