/// Numbers the saves of a client, and knows up to where all have been answered.
package struct RequestSequence: Sendable {
    private var last: UInt64 = 0
    /// Saves that wait for their answers, in order; few at any time.
    private var open: [UInt64] = []

    /// No save yet.
    package init() {}

    /// The number of the next save, and up to where all before it have been answered.
    package mutating func begin() -> (sequence: UInt64, acknowledged: UInt64) {
        let acknowledged = self.acknowledged
        last += 1
        open.append(last)
        return (last, acknowledged)
    }

    /// The save is answered, or its answer will not be asked for again.
    package mutating func end(_ sequence: UInt64) { open.removeAll { $0 == sequence } }

    /// All up to this one have been answered.
    package var acknowledged: UInt64 { open.first.map { $0 - 1 } ?? last }
}
