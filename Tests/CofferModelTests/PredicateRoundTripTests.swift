import CofferModel
import FoundationEssentials
import TestSupport
import Testing

/// Random predicates of the canonical kind, equal for equal seeds.
private struct PredicateGenerator: RandomNumberGenerator {
    private var numbers: SeededGenerator

    init(_ seed: Seed) { numbers = seed.generator() }

    mutating func next() -> UInt64 { numbers.next() }

    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

    private mutating func one<Element>(of list: [Element]) -> Element { list[below(list.count)] }

    mutating func predicate(_ depth: Int) -> QueryPredicate {
        switch depth <= 0 ? 3 + below(2) : below(5) {
        case 0: return .and((0..<(2 + below(3))).map { _ in predicate(depth - 1) })
        case 1: return .or((0..<(2 + below(3))).map { _ in predicate(depth - 1) })
        case 2: return .not(predicate(depth - 1))
        case 3 where below(4) == 0: return .always(below(2) == 0)
        default: return .comparison(comparison(depth - 1))
        }
    }

    private mutating func comparison(_ depth: Int) -> QueryComparison {
        let sign = one(of: QueryComparison.Operator.allCases)
        let right: QueryExpression =
            sign == .between ? .collection([expression(depth), expression(depth)]) : expression(depth)
        return QueryComparison(
            expression(depth), sign, right, modifier: one(of: QueryComparison.Modifier.allCases),
            options: QueryComparison.Options(rawValue: below(3) == 0 ? UInt8(below(16)) : 0))
    }

    private mutating func expression(_ depth: Int) -> QueryExpression {
        switch depth <= 0 ? below(4) : below(8) {
        case 0: return .constant(constant())
        case 1: return .keyPath(keys(first: true))
        case 2: return .variable(one(of: ["x", "y_1"]), keyPath: below(2) == 0 ? [] : keys(first: false))
        case 3: return .evaluatedObject
        case 4: return .collection((0..<below(3)).map { _ in expression(depth - 1) })
        case 5, 6:
            let function = one(of: QueryFunction.allCases.filter { $0 != .cast })
            return .function(
                function.rawValue, (0..<function.argumentCount).map { _ in expression(depth - 1) })
        default:
            if below(2) == 0 {
                return .conditional(
                    predicate(depth - 1), then: expression(depth - 1), otherwise: expression(depth - 1))
            }
            return .subquery(
                collection: expression(depth - 1), variable: "v", predicate: predicate(depth - 1),
                keyPath: below(2) == 0 ? ["@count"] : [])
        }
    }

    private mutating func keys(first: Bool) -> [String] {
        let names = ["name", "folder", "in", "Like", "SELF", "é", "first", "yes", "_a1"]
        return [one(of: names)] + (0..<below(3)).map { _ in one(of: names + ["@count", "@sum"]) }
    }

    private mutating func constant() -> AttributeValue {
        switch below(14) {
        case 0: .null
        case 1: .integer(one(of: [0, -1, 42, .min, .max]))
        case 2: .boolean(below(2) == 0)
        case 3: .double(one(of: [0, -1.5, 1e300, .leastNonzeroMagnitude, 2.5, .infinity, -.infinity, 1e16]))
        case 4: .float(one(of: [0.1, -3, 1e30, .infinity]))
        case 5:
            .decimal(
                one(of: [
                    Decimal(string: "-1.50") ?? 0, Decimal(string: "123456789012345678901234567890.5") ?? 0,
                    0,
                ]))
        case 6, 7: .string(text())
        case 8:
            .date(
                Date(
                    timeIntervalSinceReferenceDate: one(of: [
                        0, -1e9, 0.5, 700_000_000.123_456, .infinity, -.infinity,
                    ])))
        case 9: .binary((0..<below(4)).map { _ in UInt8(below(256)) })
        case 10: .uuid(UUID(uuid: (UInt8(below(256)), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))
        case 11: .uri("http://example.org/" + text())
        case 12: .transformable((0..<below(4)).map { _ in UInt8(below(256)) })
        default: .string("")
        }
    }

    private mutating func text() -> String {
        let parts = [
            "a", "\"", "'", "\\", "\n", "\u{1}", "é", "e\u{301}", "😀", "%@", " ", "\\d", "\t", "\r\n",
        ]
        return (0..<below(5)).map { _ in one(of: parts) }.joined()
    }
}

@Suite struct PredicateRoundTripTests {
    @Test func `an index may begin with a property that is called first`() throws {
        let index = QueryExpression.function(
            "divide:by:", [.keyPath(["first", "rank"]), .keyPath(["size"])])
        for place in [index, .keyPath(["first", "rank"]), .keyPath(["last"])] {
            let element = QueryExpression.function(
                QueryFunction.element.rawValue, [.keyPath(["names"]), place])
            let predicate = QueryPredicate.comparison(QueryComparison(element, .equal, .keyPath(["name"])))
            #expect(try QueryPredicate(format: predicate.format) == predicate, "\(predicate.format)")
        }
        #expect(
            try QueryPredicate(format: "names[FIRST] == name")
                == QueryPredicate.comparison(
                    QueryComparison(
                        .function(QueryFunction.first.rawValue, [.keyPath(["names"])]), .equal,
                        .keyPath(["name"]))))
    }

    @Test(arguments: Seed.several(1))
    func `a printed predicate is read as an equal one`(seed: Seed) throws {
        var generator = PredicateGenerator(seed)
        for round in 0..<3_000 {
            let predicate = generator.predicate(4)
            let format = predicate.format
            let read = try QueryPredicate(format: format)
            #expect(read == predicate, "seed \(seed), round \(round): \(format)")
            #expect(read.format == format, "seed \(seed), round \(round)")
            if read != predicate { break }
        }
    }

    @Test(arguments: Seed.several(1))
    func `nothing a format can say stops the process`(seed: Seed) {
        var random = seed.generator()
        let words = [
            "a", "==", "'x'", "(", ")", "{", "}", "[", "]", "NOT", "AND", "ANY", "IN", "$x", "%@", "%K", "1",
            "-", "**", ".", "@count",
            "SUBQUERY(", ",", "TERNARY(", "CAST(", "BETWEEN", "\\", "\"", "#", "nil", "sum(", "add:to:(", "é",
            "0x", "%", "\0", ":=",
        ]
        for _ in 0..<5_000 {
            let format = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                words.randomElement(using: &random) ?? ""
            }
            .joined(separator: Bool.random(using: &random) ? " " : "")
            guard let predicate = try? QueryPredicate(format: format) else { continue }
            #expect((try? QueryPredicate(format: predicate.format)) == predicate, "\(format)")
        }
    }
}
