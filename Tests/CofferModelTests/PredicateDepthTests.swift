import CofferModel
import Glibc
import Synchronization
import Testing

@Suite struct PredicateDepthTests {
    @Test(arguments: [
        Hostile("(", 1_000_000), Hostile("NOT ", 250_000), Hostile("!", 1_000_000), Hostile("-", 1_000_000),
        Hostile("a + ", 200_000), Hostile("{", 500_000), Hostile("a[", 500_000), Hostile("sum(", 200_000),
        Hostile("a.", 400_000), Hostile("SUBQUERY(a,$a,", 50_000), Hostile("TERNARY(a==1,", 50_000),
        Hostile("a == 1 AND (", 50_000), Hostile("a", 1_048_577), Hostile("ANY ", 100_000),
        Hostile("CAST(", 100_000),
        Hostile("FUNCTION(", 100_000), Hostile("a == (", 100_000), Hostile("'", 100_001),
        Hostile("a ** ", 100_000),
        Hostile("+", 100_000),
    ])
    fileprivate func `a hostile format is an error, not a crash`(hostile: Hostile) {
        let format = hostile.format
        let isRefused = onSmallStack { () -> Bool in
            do throws(QueryError) {
                _ = try QueryPredicate(format: format)
                return false
            } catch { return true }
        }
        #expect(isRefused == true)
    }

    @Test func `the deepest predicate is read, written and read again on a small stack`() {
        let levels = (QueryPredicate.maximumDepth - 6) / 2
        let format =
            String(repeating: "a == 1 AND (b == 2 OR (", count: levels / 2) + "c == 3"
            + String(repeating: "))", count: levels / 2)
        let same = onSmallStack { () -> Bool in
            guard let read = try? QueryPredicate(format: format) else { return false }
            return (try? QueryPredicate(format: read.format)) == read
        }
        #expect(same == true)
    }

    @Test func `a wide predicate is read in a moment`() throws {
        let format = Array(repeating: "a == 1", count: 50_000).joined(separator: " AND ")
        #expect(try QueryPredicate(format: format).depth == 3)
    }
}

/// A format of one word many times; its name is short, so that a failure can be read.
private struct Hostile: Sendable, CustomTestStringConvertible {
    let word: String
    let count: Int

    init(_ word: String, _ count: Int) {
        self.word = word
        self.count = count
    }

    var format: String { String(repeating: word, count: count) + "a == 1" }
    var testDescription: String { "\(count) times '\(word)'" }
}

/// Runs `body` on a thread with a stack of 512 KiB, as workers have it.
func onSmallStack<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
    let box = Box(body)
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstacksize(&attributes, 512 * 1_024)
    var thread = pthread_t()
    let argument = unsafe Unmanaged.passRetained(box as AnyObject).toOpaque()
    unsafe pthread_create(
        &thread, &attributes,
        { argument in
            guard let argument = unsafe argument else { return nil }
            unsafe (Unmanaged<AnyObject>.fromOpaque(argument).takeRetainedValue() as? any Runnable)?.run()
            return nil
        }, argument)
    pthread_join(thread, nil)
    return box.result.withLock { $0 }
}

private protocol Runnable {
    func run()
}

/// Work and its result, shared by the thread that waits and the one that works.
private final class Box<Result: Sendable>: Sendable, Runnable {
    private let body: @Sendable () -> Result
    let result = Mutex<Result?>(nil)

    init(_ body: @escaping @Sendable () -> Result) { self.body = body }

    func run() {
        let value = body()
        result.withLock { $0 = value }
    }
}
