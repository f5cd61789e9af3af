import CofferStores
import Testing

/// A place that counts how often it is compared.
private struct CountedPlace: Comparable {
    /// Counts for all places of a test.
    final class Counter { var comparisons = 0 }

    let place: Int
    let counter: Counter

    static func < (left: CountedPlace, right: CountedPlace) -> Bool {
        left.counter.comparisons += 1
        return left.place < right.place
    }

    static func == (left: CountedPlace, right: CountedPlace) -> Bool {
        left.counter.comparisons += 1
        return left.place == right.place
    }
}

struct SortedRunsTests {
    @Test(arguments: [1, 2, 3, 100, 4_095, 4_096, 100_000])
    func `a run is found with as many comparisons as their number has binary digits`(count: Int) {
        let counter = CountedPlace.Counter()
        let runs = SortedRuns((0..<count).map { CountedPlace(place: 3 * $0, counter: counter) })
        let most = Int.bitWidth - count.leadingZeroBitCount
        for run in [0, count / 3, count / 2, count - 1] {
            for place in 3 * run..<3 * run + 3 {
                counter.comparisons = 0
                #expect(runs.index(at: CountedPlace(place: place, counter: counter)) == run)
                #expect(counter.comparisons <= most)
            }
        }
    }

    @Test func `a place before all runs is in none, and one behind all is in the last`() {
        let runs = SortedRuns([30, 10, 20])
        #expect(runs.starts == [10, 20, 30])
        #expect(runs.index(at: 9) == nil)
        #expect(runs.index(at: .max) == 2)
        #expect(SortedRuns<Int>([]).index(at: 0) == nil)
    }

    @Test func `a place is in no run that is empty`() {
        var runs = SortedRuns([0])
        for start in [0, 5, 5, 5, 7] { runs.append(start) }
        #expect((0..<8).map { runs.index(at: $0) } == [1, 1, 1, 1, 1, 4, 4, 5])
    }
}
