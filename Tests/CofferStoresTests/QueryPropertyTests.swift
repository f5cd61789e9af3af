import CofferModel
import CofferStores
import FoundationEssentials
import Testing

/// Random predicates over random graphs: SQL and memory find the same objects.
struct QueryPropertyTests {
    @Test(arguments: UInt64(1)...12)
    func `random predicates find the same rows in SQL and in memory`(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let fixture = try Self.graph(&random)
        var matched = 0
        for round in 0..<150 {
            let predicate = Self.predicate(depth: 3, &random)
            let found = try fixture.keys("Person", predicate)
            let expected = try fixture.evaluated("Person", predicate)
            #expect(found == expected, "seed \(seed), round \(round): \(predicate)")
            matched += found.isEmpty ? 0 : 1
        }
        #expect(matched > 30, "seed \(seed) tests too little")
    }
}

/// Numbers that a seed repeats (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}

extension QueryPropertyTests {
    static let texts = ["", "a", "A", "ab", "Ab", "é", "e\u{301}", "É", "b%_", "a*", "\u{10FFFF}"]

    static func graph(_ random: inout SeededNumbers) throws -> QueryFixture {
        let fixture = try QueryFixture()
        let companies = try (1...3).map { try fixture.add("Company", key: $0, ["name": text(&random)]) }
        let tags = try (1...4).map { try fixture.add("Tag", key: $0, ["name": text(&random)]) }
        var people: [QueryObject] = []
        for key in 1...12 {
            let entity = random.pick(["Person", "Person", "Manager", "Director", "Visitor"])
            var values = ["name": text(&random), "email": text(&random)]
            values["age"] = random.chance(20) ? .null : .integer(Int64.random(in: -2...4, using: &random))
            values["height"] =
                random.chance(20) ? .null : .double(Double(Int.random(in: -4...8, using: &random)) / 2)
            values["score"] =
                random.chance(20) ? .null : .float(Float(Int.random(in: -4...8, using: &random)) / 10)
            values["isActive"] = random.chance(20) ? .null : .boolean(random.chance(50))
            values["born"] =
                random.chance(20) ? .null : .date(.day(Double(Int.random(in: 0...4, using: &random))))
            let person = try fixture.add(entity, key: Int64(key), values)
            if random.chance(60) { fixture.join(person, "employer", random.pick(companies)) }
            if let boss = people.randomElement(using: &random), random.chance(60) {
                fixture.join(person, "boss", boss)
            }
            for tag in tags where random.chance(40) { fixture.join(person, "tags", tag) }
            for tag in tags where random.chance(20) { fixture.join(person, "hobbies", tag) }
            people.append(person)
        }
        try fixture.write()
        return fixture
    }

    static func text(_ random: inout SeededNumbers) -> AttributeValue {
        random.chance(15) ? .null : random.pick(texts).value
    }

    static func predicate(depth: Int, _ random: inout SeededNumbers) -> QueryPredicate {
        if depth > 0, random.chance(55) {
            let parts = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                predicate(depth: depth - 1, &random)
            }
            switch Int.random(in: 0..<3, using: &random) {
            case 0: return .and(parts)
            case 1: return .or(parts)
            default: return .not(predicate(depth: depth - 1, &random))
            }
        }
        return .comparison(comparison(start: [], &random))
    }

    /// A comparison of an attribute, through relationships or not.
    private static func comparison(start: [String], _ random: inout SeededNumbers) -> QueryComparison {
        let toOne = random.pick([[], [], ["boss"], ["boss", "boss"], ["boss", "employer"]])
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
            let isCompany = toOne.last == "employer"
            return attribute(
                toOne, isCompany ? ["name"] : ["name", "age", "height", "score", "isActive", "born"], .direct,
                &random)
        case 4..<6:
            let modifier = random.pick([QueryComparison.Modifier.any, .all, .none])
            let path = random.pick([
                ["tags"], ["hobbies"], ["reports"], ["reports", "tags"], ["reports", "boss"],
                ["boss", "reports"], ["reports", "boss", "boss"], ["boss", "tags"],
            ])
            let names =
                path.last == "tags" || path.last == "hobbies"
                ? ["name"] : ["name", "age", "height", "score", "born"]
            return attribute(path, names, modifier, &random)
        case 6:
            let path = random.pick([
                ["tags", "@count"], ["reports", "@count"], ["reports", "tags", "@count"],
                ["reports", "@sum", "age"],
            ])
            return QueryComparison(.keyPath(path), order(&random), integer(&random))
        case 7:
            let collection = random.pick([["reports"], ["reports", "reports"]])
            let inner = attribute([], ["name", "age", "height"], .direct, &random, variable: "v")
            let outer = QueryComparison(.variable("v", keyPath: ["age"]), order(&random), .keyPath(["age"]))
            let predicate = QueryPredicate.and(
                random.chance(50) ? [.comparison(inner)] : [.comparison(inner), .comparison(outer)])
            let found = QueryExpression.subquery(
                collection: .keyPath(collection), variable: "v", predicate: predicate, keyPath: ["@count"])
            return QueryComparison(found, order(&random), integer(&random))
        case 8:
            return QueryComparison(
                .keyPath(toOne + ["boss"]).path, random.pick([.equal, .notEqual]),
                random.pick([.constant(.null), .keyPath(["boss"]), .evaluatedObject]))
        default:
            let sum = QueryExpression.function(
                random.pick(["add:to:", "from:subtract:", "multiply:by:", "divide:by:", "modulus:by:"]),
                [.keyPath(["age"]), random.chance(50) ? .keyPath(["height"]) : integer(&random)])
            return QueryComparison(
                sum, order(&random), random.chance(50) ? .keyPath(["score"]) : integer(&random))
        }
    }

    private static func attribute(
        _ path: [String], _ names: [String], _ modifier: QueryComparison.Modifier,
        _ random: inout SeededNumbers,
        variable: String? = nil
    ) -> QueryComparison {
        let name = random.pick(names)
        let keys = path + [name]
        let left: QueryExpression = variable.map { .variable($0, keyPath: keys) } ?? .keyPath(keys)
        if random.chance(10) {
            return QueryComparison(
                left, random.pick([.equal, .notEqual]), .constant(.null), modifier: modifier)
        }
        if name == "name" { return textComparison(left, modifier, &random) }
        if name == "isActive" {
            return QueryComparison(
                left, random.pick([.equal, .notEqual]), .constant(.boolean(random.chance(50))),
                modifier: modifier)
        }
        let value: (inout SeededNumbers) -> QueryExpression = { random in
            name == "born"
                ? .constant(.date(.day(Double(Int.random(in: 0...4, using: &random))))) : number(&random)
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            return QueryComparison(
                left, .between, .collection([value(&random), value(&random)]), modifier: modifier)
        case 1:
            var members = (0..<Int.random(in: 0...20, using: &random)).map { _ in value(&random) }
            if random.chance(20) { members.append(.constant(.null)) }
            return QueryComparison(left, .in, .collection(members), modifier: modifier)
        default: return QueryComparison(left, order(&random), value(&random), modifier: modifier)
        }
    }

    private static func textComparison(
        _ left: QueryExpression, _ modifier: QueryComparison.Modifier, _ random: inout SeededNumbers
    ) -> QueryComparison {
        let options = random.pick([
            QueryComparison.Options(), [], .caseInsensitive, .diacriticInsensitive,
            [.caseInsensitive, .diacriticInsensitive],
        ])
        let right: QueryExpression =
            random.chance(15) ? .keyPath(["email"]) : .constant(random.pick(texts).value)
        let comparison = random.pick([
            QueryComparison.Operator.equal, .notEqual, .less, .greaterOrEqual, .contains, .beginsWith,
            .endsWith, .like, .in,
        ])
        if comparison == .in, random.chance(60) {
            let members = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                QueryExpression.constant(text(&random))
            }
            return QueryComparison(left, .in, .collection(members), modifier: modifier, options: options)
        }
        return QueryComparison(left, comparison, right, modifier: modifier, options: options)
    }

    private static func order(_ random: inout SeededNumbers) -> QueryComparison.Operator {
        random.pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
    }

    private static func integer(_ random: inout SeededNumbers) -> QueryExpression {
        .constant(.integer(Int64.random(in: -2...4, using: &random)))
    }

    private static func number(_ random: inout SeededNumbers) -> QueryExpression {
        random.chance(50)
            ? integer(&random) : .constant(.double(Double(Int.random(in: -4...8, using: &random)) / 2))
    }
}

extension QueryExpression {
    fileprivate var path: QueryExpression {
        if case .keyPath(let names) = self { return .keyPath(names.filter { $0 != "employer" }) }
        return self
    }
}
