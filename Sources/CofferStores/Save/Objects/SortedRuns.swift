/// Consecutive runs, each known by its first value; an empty run may begin where the next one does.
///
/// A request may have as many groups as objects, and name one in every value: the search for a group must not
/// visit all of them.
package struct SortedRuns<Start: Comparable> {
    /// The first value of each run, in order.
    package private(set) var starts: [Start]

    /// Sorts runs that begin with these values.
    package init(_ starts: [Start]) { self.starts = starts.sorted() }

    /// Adds a run behind all others, where its first value belongs.
    package mutating func append(_ start: Start) { starts.append(start) }

    /// The last run that begins at a value or before it; `nil` if all begin after it.
    ///
    /// - Complexity: O(log n) comparisons for n runs.
    package func index(at place: Start) -> Int? {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = low + (high - low) / 2
            (low, high) = place < starts[middle] ? (low, middle) : (middle + 1, high)
        }
        return low > 0 ? low - 1 : nil
    }
}
