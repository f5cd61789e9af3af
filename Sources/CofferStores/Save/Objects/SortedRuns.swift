/// Runs that follow each other, each known by what it begins with; empty ones may begin as the next one does.
///
/// A request may have as many groups as objects, and name one in every value: what finds a group must not
/// look at all.
package struct SortedRuns<Start: Comparable> {
    /// What each begins with, in order.
    package private(set) var starts: [Start]

    /// Runs that begin so, in any order.
    package init(_ starts: [Start]) { self.starts = starts.sorted() }

    /// Adds a run behind all others, where it belongs.
    package mutating func append(_ start: Start) { starts.append(start) }

    /// The last run that begins at a place or before it; `nil` where all begin after it.
    ///
    /// Compares as often as the number of runs has binary digits.
    package func index(at place: Start) -> Int? {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = low + (high - low) / 2
            (low, high) = place < starts[middle] ? (low, middle) : (middle + 1, high)
        }
        return low > 0 ? low - 1 : nil
    }
}
