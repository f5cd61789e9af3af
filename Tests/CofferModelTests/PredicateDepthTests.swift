import CofferModel
import Glibc
import Synchronization
import Testing

/// `Limits.predicateDepth`.
private let greatestDepth = 40

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

    @Test func `a chain is nested no deeper for the side on which it grows`() throws {
        let one = QueryPredicate.compare("a", .equal, 1)
        var (left, right) = (one, one)
        for _ in 0..<2 * greatestDepth {
            left = left || one
            right = one || right
        }
        #expect(right == left && right.depth == 3)
        let four = QueryPredicate.and([one, one, one, one])
        #expect([(one && one) && (one && one), one && (one && (one && one))] == [four, four])
        #expect((one && (one || one)).depth == 4)
        let format = "(a == 1 OR (a == 1 OR b == 1)) AND c == 1"
        #expect(try QueryPredicate(format: format).format == "(a == 1 OR (a == 1 OR b == 1)) AND c == 1")
    }

    @Test func `the deepest predicate is read, written and read again on a small stack`() {
        let levels = greatestDepth - 3
        let format =
            String(repeating: "a == 1 AND (b == 2 OR (", count: levels / 2) + "c == 3"
            + String(repeating: "))", count: levels / 2)
        let same = onSmallStack { () -> Bool in
            guard let read = try? QueryPredicate(format: format) else { return false }
            return (try? QueryPredicate(format: read.format)) == read
        }
        #expect(same == true)
    }

    @Test func `the deepest predicates are checked, evaluated and compared on a small stack`() throws {
        let model = try notesModel()
        let entity = try #require(model.entity(named: "Note"))
        let subqueries = (greatestDepth - 4) / 3
        let formats = [
            String(repeating: "NOT ", count: greatestDepth - 3) + "stars == 3",
            String(repeating: "stars + (", count: greatestDepth - 4) + "1"
                + String(repeating: ")", count: greatestDepth - 4) + " > 1",
            String(repeating: "SUBQUERY(folder.notes, $n, ", count: subqueries) + "stars == 1"
                + String(repeating: ").@count == 1", count: subqueries),
        ]
        for format in formats {
            let result = onSmallStack { () -> String in
                do throws(QueryError) {
                    let checked = try QueryPredicate(format: format).check(for: entity, in: model)
                    let subject: Subject = ["stars": 3]
                    subject.values["folder"] = .object(["notes": .objects([subject])] as Subject)
                    _ = try checked.evaluate(on: subject)
                    subject.values["folder"] = nil
                    return checked == checked.substituting([:]) && checked.hashValue == checked.hashValue
                        ? "" : "unequal"
                } catch { return "\(error)" }
            }
            #expect(result == "", "\(format)")
        }
    }

    @Test func `a predicate that is too deep for a check is refused`() throws {
        let model = try notesModel()
        let entity = try #require(model.entity(named: "Note"))
        var predicate = QueryPredicate.compare("stars", .equal, 1)
        for _ in 0...greatestDepth { predicate = !predicate }
        #expect(failure { () throws(QueryError) in _ = try predicate.check(for: entity, in: model) } != nil)
        #expect(
            failure { () throws(QueryError) in _ = try predicate.evaluate(on: ["stars": 1] as Subject) }
                != nil)
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
