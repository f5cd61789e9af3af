/// Numbers that keep the order of a relationship; only their order has a meaning.
enum OrderPositions {
    private static let beforeFirst: Int64 = 1_024
    private static let step: Int64 = 1_024

    /// The place behind `last`, which comes from a file; at the end of all numbers, objects share the last
    /// place.
    static func next(after last: Int64?) -> Int64 {
        let (place, isPast) = (last ?? beforeFirst).addingReportingOverflow(step)
        return isPast ? .max : place
    }

    /// A number between two others, the second of which may be missing; `nil` if there is none.
    static func between(_ low: Int64, _ high: Int64?) -> Int64? {
        guard let high else { return low > .max - step ? nil : max(low, beforeFirst) + step }
        let (gap, isPast) = high.subtractingReportingOverflow(low)
        return isPast || gap < 2 ? nil : low + gap / 2
    }

    /// New numbers for the row at `place`, whose own number has no meaning, and for as few neighbours as
    /// leave room for all.
    ///
    /// - Returns: Places and numbers; those of all rows if their numbers are out of order.
    static func spread(_ numbers: [Int64], around place: Int) -> [(place: Int, number: Int64)] {
        var (low, high) = (place, place + 1)
        var others = numbers
        others.remove(at: place)
        let isSound =
            zip(others, others.dropFirst()).allSatisfy { $0 < $1 } && others.first.map { $0 > 0 } ?? true
        while isSound, low > 0 || high < numbers.count {
            let count = Int64(high - low)
            let bottom = low > 0 ? numbers[low - 1] : 0
            let top =
                high < numbers.count
                ? numbers[high] : bottom.addingReportingOverflow((count + 1) * step).partialValue
            if top > bottom, (top - bottom) / (count + 1) >= 8 {
                return assign(low..<high, from: bottom, step: (top - bottom) / (count + 1))
            }
            (low, high) = (max(0, low - Int(count)), min(numbers.count, high + Int(count)))
        }
        return assign(numbers.indices, from: beforeFirst, step: step)
    }

    private static func assign(
        _ places: Range<Int>, from bottom: Int64, step: Int64
    ) -> [(place: Int, number: Int64)] {
        places.enumerated().map { ($0.element, bottom + Int64($0.offset + 1) * step) }
    }
}
