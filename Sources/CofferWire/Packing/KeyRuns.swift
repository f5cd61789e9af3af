/// Primary keys as runs of adjacent ones: those of a fetch are mostly one run.
struct KeyRuns: Equatable {
    /// The first key of each run.
    var starts: [Int64] = []
    /// How many keys each run has; empty if all have one.
    var counts: [UInt32] = []

    /// No runs.
    init() {}

    /// The runs of `keys`, in their order.
    init(_ keys: [Int64]) {
        var next: Int64?
        for key in keys {
            if key == next {
                counts[counts.count - 1] += 1
            } else {
                starts.append(key)
                counts.append(1)
            }
            next = key < .max && counts[counts.count - 1] < .max ? key + 1 : nil
        }
        if starts.count == keys.count { counts = [] }
    }

    /// The keys of all runs.
    ///
    /// - Throws: `WireError` if there is not a count for each run, or they are more than `limit`, or run
    ///   past the last key that there is.
    func keys(limit: Int, field: String) throws(WireError) -> [Int64] {
        if counts.isEmpty { return starts }
        guard counts.count == starts.count else {
            throw .malformed("\(field): \(counts.count) counts of \(starts.count) runs")
        }
        let total = counts.reduce(UInt64(0)) { $0 + UInt64($1) }
        guard total <= UInt64(limit) else {
            throw .tooLarge(what: "\(field): keys", byteCount: 8 * Int(total), limit: 8 * limit)
        }
        var keys: [Int64] = []
        keys.reserveCapacity(Int(total))
        for (start, count) in zip(starts, counts) where count > 0 {
            let (last, isPast) = start.addingReportingOverflow(Int64(count) - 1)
            if isPast { throw .malformed("\(field): keys past the last") }
            keys.append(contentsOf: start...last)
        }
        return keys
    }
}
