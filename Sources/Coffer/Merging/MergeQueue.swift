/// What a context took out of its mailbox and has not merged yet, in order.
///
/// A handler that is told of a merge may fetch or save, which merges again: that goes on with the oldest
/// here, so that nothing newer overtakes it.
struct MergeQueue<Arrival> {
    /// The oldest last.
    private var arrivals: [Arrival] = []

    /// Adds what came later than all that is here.
    mutating func append(_ newer: [Arrival]) {
        if newer.isEmpty { return }
        arrivals.insert(contentsOf: newer.reversed(), at: 0)
    }

    /// Takes the oldest.
    mutating func next() -> Arrival? { arrivals.popLast() }

    /// Whether there is such a one.
    func contains(where isWanted: (Arrival) -> Bool) -> Bool { arrivals.contains(where: isWanted) }

    /// Takes everything, in order.
    mutating func takeAll() -> [Arrival] {
        defer { arrivals = [] }
        return arrivals.reversed()
    }
}
