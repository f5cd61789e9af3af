import CofferModel
import CofferStores
import FoundationEssentials
import Testing

/// Random expressions of the whole grammar over random graphs: SQL and memory give equal answers.
struct QueryGrammarTests {
    @Test(arguments: UInt64(1)...10)
    func `random expressions give equal results in SQL and in memory`(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed &* 7_919)
        let fixture = try QueryPropertyTests.graph(&random)
        var matched = 0
        for round in 0..<250 {
            var grammar = QueryGrammar(random: random)
            let predicate = grammar.predicate(3)
            random = grammar.random
            let found = try fixture.keys("Person", predicate)
            let expected = try fixture.evaluated("Person", predicate)
            #expect(found == expected, "seed \(seed), round \(round): \(predicate)")
            matched += found.isEmpty ? 0 : 1
        }
        #expect(matched > 80, "seed \(seed) tests too little")
    }

    @Test(arguments: [
        "people[FIRST].age > 30", "people[LAST].name == 'Ada'", "people[0] != nil", "people[7] == nil",
        "people[-1] == nil", "people[1].boss.name != nil", "people.name[FIRST] == 'Ada'",
        "people[FIRST].tags.@count > 1", "people[SIZE] > 2", "people[FIRST] == people[LAST]",
        "SUBQUERY(people, $p, $p.boss == people[FIRST]).@count > 0", "ANY people.boss == people[FIRST]",
        "people[FIRST].employer.name == 'Acme'", "count:(people) == 3",
    ])
    func `an index of an ordered relationship gives equal results in SQL and in memory`(format: String) throws
    {
        let fixture = try QueryFixture.office()
        let predicate = try QueryPredicate(format: format)
        #expect(try fixture.keys("Tag", predicate) == fixture.evaluated("Tag", predicate))
        #expect(try QueryPredicate(format: predicate.format) == predicate)
    }

    @Test(arguments: [
        ("age == hobbies[FIRST].people.@count", "hobbies"), ("SELF IN reports.@count", "IN"),
        ("ANY age > 3", "age"), ("SUBQUERY(age, $a, $a > 1).@count > 0", "age"),
        ("CAST(boss, 'NSString') == 'x'", "CAST(boss"),
    ])
    func `what a store cannot answer is an error that names it`(format: String, place: String) throws {
        let fixture = try QueryFixture.office()
        let predicate = try QueryPredicate(format: format)
        let error = #expect(throws: StoreError.self) { try fixture.keys("Person", predicate) }
        #expect(error.map { "\($0)".contains(place) } ?? false, "\(String(describing: error))")
    }

    @Test func `noindex hides a column from the choice of an index`() throws {
        let reader = try QueryFixture.office().reader
        for (format, isIndexed) in [("email == 'a'", true), ("noindex:(email) == 'a'", false)] {
            let fetch = FetchDescription(
                entityName: "Person", predicate: try QueryPredicate(format: format))
            let plan = try reader.explain(fetch).plan
            #expect(plan.contains { $0.contains("USING INDEX") } == isIndexed, "\(plan)")
        }
    }
}

/// Makes predicates of the entity Person, with expressions of every type.
struct QueryGrammar {
    var random: SeededNumbers
    /// What key paths begin with inside of a subquery.
    private var variable: String?

    init(random: SeededNumbers) { self.random = random }

    mutating func predicate(_ depth: Int) -> QueryPredicate {
        if depth > 0, random.chance(45) {
            let parts = [predicate(depth - 1), predicate(depth - 1)]
            switch Int.random(in: 0..<3, using: &random) {
            case 0: return .and(parts)
            case 1: return .or(parts)
            default: return .not(parts[0])
            }
        }
        return .comparison(comparison(depth))
    }

    private mutating func comparison(_ depth: Int) -> QueryComparison {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: QueryComparison(number(depth), order(), number(depth))
        case 4, 5: textual(text(depth), .direct, text(depth))
        case 6: QueryComparison(date(depth), order(), date(depth))
        case 7: QueryComparison(object(depth), random.pick([.equal, .notEqual]), object(depth))
        case 8:
            QueryComparison(
                path(random.pick([["reports"], ["reports", "boss"], ["boss", "reports"]]) + ["age"]),
                order(), number(depth), modifier: random.pick([.any, .all, .none]))
        default:
            textual(
                path(random.pick([["tags", "name"], ["hobbies", "name"], ["reports", "tags", "name"]])),
                random.pick([.any, .all, .none]), text(depth))
        }
    }

    private mutating func path(_ keys: [String]) -> QueryExpression {
        if let variable, random.chance(70) { return .variable(variable, keyPath: keys) }
        return .keyPath(keys)
    }

    private mutating func call(_ function: QueryFunction, _ arguments: QueryExpression...) -> QueryExpression
    {
        .function(function.rawValue, arguments)
    }

    private mutating func number(_ depth: Int) -> QueryExpression {
        guard depth > 0, random.chance(60) else {
            return random.chance(30)
                ? constant()
                : path(
                    random.pick([[], [], ["boss"]])
                        + [random.pick(["age", "height", "score", "balance"])])
        }
        switch Int.random(in: 0..<16, using: &random) {
        case 0: return call(.add, path(["isActive"]), number(depth - 1))
        case 1, 2:
            return call(
                random.pick([.add, .subtract, .multiply, .divide, .modulus]), number(depth - 1),
                number(depth - 1))
        case 3:
            return call(
                random.pick([.bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift]),
                number(depth - 1), number(depth - 1))
        case 4:
            return call(
                random.pick([.absolute, .floor, .ceiling, .truncate, .onesComplement]), number(depth - 1))
        case 5: return call(random.pick([.squareRoot, .naturalLogarithm, .logarithm]), number(depth - 1))
        case 6: return call(.length, text(depth - 1))
        case 7: return path([random.pick(["tags", "reports", "hobbies"]), "@count"])
        case 8:
            return path([
                "reports", random.pick(["@sum", "@min", "@max", "@avg"]),
                random.pick(["age", "height", "balance"]),
            ])
        case 9: return subquery(depth - 1)
        case 10:
            return call(
                random.pick([.median, .mode, .standardDeviation, .sum, .min, .max, .average, .count]),
                path(["reports", random.pick(["age", "height"])]))
        case 11:
            return .function(
                random.pick([QueryFunction.sum, .min, .max, .count, .median]).rawValue,
                [.collection([number(depth - 1), number(depth - 1), constant()])])
        case 12:
            return .conditional(predicate(depth - 1), then: number(depth - 1), otherwise: number(depth - 1))
        case 13: return call(.cast, date(depth - 1), .constant("NSNumber".value))
        case 14: return call(random.pick([.year, .month, .day, .hour, .weekday, .second]), date(depth - 1))
        default: return call(.noIndex, number(depth - 1))
        }
    }

    private mutating func subquery(_ depth: Int) -> QueryExpression {
        let outer = variable
        defer { variable = outer }
        let name = outer == nil ? "a" : "b"
        let collection = path([random.pick(["reports", "reports", "reports"])])
        variable = name
        let inner = predicate(max(0, depth))
        let end = random.pick([["@count"], ["@count"], ["@max", "age"], ["@sum", "height"]])
        return .subquery(collection: collection, variable: name, predicate: inner, keyPath: end)
    }

    private mutating func text(_ depth: Int) -> QueryExpression {
        guard depth > 0, random.chance(50) else {
            return random.chance(40)
                ? .constant(random.pick(QueryPropertyTests.texts).value)
                : path(random.pick([["name"], ["email"], ["boss", "name"], ["employer", "name"]]))
        }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return call(random.pick([.uppercase, .lowercase, .canonical]), text(depth - 1))
        case 1: return .conditional(predicate(depth - 1), then: text(depth - 1), otherwise: text(depth - 1))
        case 2:
            return call(
                .cast, path([random.pick(["age", "height", "score", "isActive"])]),
                .constant("NSString".value))
        case 3: return path(["reports", random.pick(["@min", "@max"]), "name"])
        default: return call(.noIndex, text(depth - 1))
        }
    }

    private mutating func date(_ depth: Int) -> QueryExpression {
        guard depth > 0, random.chance(40) else {
            return random.chance(30)
                ? .constant(.date(.day(Double(Int.random(in: -900...900, using: &random)) / 7)))
                : path(random.pick([["born"], ["boss", "born"], ["employer", "founded"]]))
        }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return call(.cast, number(depth - 1), .constant("NSDate".value))
        case 1: return path(["reports", random.pick(["@min", "@max"]), "born"])
        default: return .conditional(predicate(depth - 1), then: date(depth - 1), otherwise: date(depth - 1))
        }
    }

    private mutating func object(_ depth: Int) -> QueryExpression {
        if random.chance(15) { return .constant(.null) }
        if random.chance(20) { return variable.map { .variable($0, keyPath: []) } ?? .evaluatedObject }
        return path(random.pick([["boss"], ["boss", "boss"]]))
    }

    private mutating func textual(
        _ left: QueryExpression, _ modifier: QueryComparison.Modifier, _ right: QueryExpression
    ) -> QueryComparison {
        let options = random.pick([
            QueryComparison.Options(), .caseInsensitive, .diacriticInsensitive,
            [.caseInsensitive, .diacriticInsensitive],
        ])
        let comparison = random.pick([
            QueryComparison.Operator.equal, .notEqual, .less, .greaterOrEqual, .contains, .beginsWith,
            .endsWith,
            .like, .in, .matches,
        ])
        guard comparison == .matches else {
            return QueryComparison(left, comparison, right, modifier: modifier, options: options)
        }
        let pattern = random.pick(["a.*", "[a-b]+", "(a|é)*", ".?", "", "\\w+", "[^a]*"])
        return QueryComparison(left, .matches, .constant(pattern.value), modifier: modifier, options: options)
    }

    private mutating func order() -> QueryComparison.Operator {
        random.pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
    }

    private mutating func constant() -> QueryExpression {
        random.chance(70)
            ? .constant(.integer(Int64.random(in: -2...4, using: &random)))
            : .constant(.double(Double(Int.random(in: -4...8, using: &random)) / 2))
    }
}
