/// Numbers of folds of one peer, as runs.
package struct FoldSet: Hashable, Sendable {
    /// The runs, ascending; none touches the next.
    package private(set) var runs: [ClosedRange<UInt64>] = []

    /// No folds.
    package init() {}

    /// The folds of one run.
    package init(_ run: ClosedRange<UInt64>) { runs = [run] }

    /// The folds of runs that ascend and do not touch each other.
    init(runs: [ClosedRange<UInt64>]) { self.runs = runs }

    /// Whether there are none.
    package var isEmpty: Bool { runs.isEmpty }

    /// The last one; 0 if there are none.
    package var last: UInt64 { runs.last?.upperBound ?? 0 }

    /// The last one up to which none is missing; 0 if the first is.
    package var gaplessLast: UInt64 { runs.first.map { $0.lowerBound <= 1 ? $0.upperBound : 0 } ?? 0 }

    /// Whether all folds of a run are there.
    package func contains(_ run: ClosedRange<UInt64>) -> Bool {
        let place = firstIndex { $0.upperBound >= run.upperBound }
        return place < runs.endIndex && runs[place].lowerBound <= run.lowerBound
    }

    /// Whether all folds of another set are there.
    package func isSuperset(of other: FoldSet) -> Bool { other.runs.allSatisfy(contains) }

    /// Adds the folds of a run.
    package mutating func insert(_ run: ClosedRange<UInt64>) {
        // Those that it touches neither end before it nor begin behind it.
        let first = firstIndex { $0.upperBound == .max || $0.upperBound + 1 >= run.lowerBound }
        let end = firstIndex { run.upperBound != .max && $0.lowerBound > run.upperBound + 1 }
        let touched = runs[first..<end]
        let lower = min(run.lowerBound, touched.first?.lowerBound ?? run.lowerBound)
        let upper = max(run.upperBound, touched.last?.upperBound ?? run.upperBound)
        runs.replaceSubrange(first..<end, with: [lower...upper])
    }

    /// The place of the first run for which a condition holds, as it does for all behind it.
    private func firstIndex(where holds: (ClosedRange<UInt64>) -> Bool) -> Int {
        var (low, high) = (runs.startIndex, runs.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if holds(runs[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Adds the folds of another set.
    package mutating func formUnion(_ other: FoldSet) { for run in other.runs { insert(run) } }

    /// The folds from 1 to the last one that are not there.
    package var missing: [ClosedRange<UInt64>] {
        var missing: [ClosedRange<UInt64>] = []
        var next: UInt64 = 1
        for run in runs {
            if run.lowerBound > next { missing.append(next...run.lowerBound - 1) }
            if run.upperBound == .max { break }
            next = run.upperBound + 1
        }
        return missing
    }

    /// The folds that another set does not have.
    package func subtracting(_ other: FoldSet) -> FoldSet {
        var rest = FoldSet()
        for run in runs {
            var next: UInt64? = run.lowerBound
            for hole in other.runs
            where hole.upperBound >= run.lowerBound && hole.lowerBound <= run.upperBound {
                if let start = next, hole.lowerBound > start { rest.insert(start...hole.lowerBound - 1) }
                next = hole.upperBound == .max ? nil : max(next ?? 0, hole.upperBound + 1)
            }
            if let start = next, start <= run.upperBound { rest.insert(start...run.upperBound) }
        }
        return rest
    }

    /// The folds up to one.
    package func through(_ last: UInt64) -> FoldSet {
        var kept = FoldSet()
        for run in runs where run.lowerBound <= last {
            kept.insert(run.lowerBound...min(run.upperBound, last))
        }
        return kept
    }
}
