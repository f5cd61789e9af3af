import CofferModel
import CofferStores
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

/// Dictionaries with expressions, of groups.
struct QueryGroupTests {
    /// The rows of a fetch, each as its values' text.
    private func rows(
        _ fixture: QueryFixture, _ change: (inout FetchDescription) throws -> Void
    ) throws -> [String] {
        var fetch = FetchDescription(entityName: "Person")
        fetch.resultType = .dictionaries
        try change(&fetch)
        let batch = try #require(try fixture.fetch(fetch).rows)
        let person = try #require(fixture.schema.model.entity(named: "Person"))
        var types: [AttributeType?] = []
        for path in fetch.propertiesToFetch {
            let keys = path.split(separator: ".").map(String.init)
            types.append(
                try KeyPathResolver.resolve(keys, from: person, in: fixture.schema.model).attributeType)
        }
        for named in fetch.expressions {
            types.append(try named.valueType(for: person, in: fixture.schema.model))
        }
        return (0..<batch.rowCount).map { row in
            batch.columns.map { column in
                guard let type = types[column.property] else {
                    return column.reference(at: row).map { "p\($0.key)" } ?? "nil"
                }
                return QueryExpression.constant(column.value(at: row, type: type)).format
            }.joined(separator: " ")
        }
    }

    @Test(arguments: [
        "sum:(sum:(age))", "max:(1 + min:(age))", "SUBQUERY(reports, $r, sum:(age) > 1).@count",
    ])
    func `a function of what is one value of all rows already is refused in words of predicates`(
        format: String
    ) throws {
        let fixture = try QueryFixture.office()
        do {
            _ = try rows(fixture) { $0.expressions = [try NamedExpression("all", format: format)] }
            Issue.record("\(format) was taken")
        } catch let error as StoreError {
            #expect(error.detail.code == .invalidArgument, "\(error)")
            #expect(!error.description.contains("SUM(") && !error.description.contains("SELECT"), "\(error)")
        }
    }

    @Test(arguments: [
        "age + 1", "TERNARY(age > 40, 1, 2)", "abs(age)", "count:(reports)", "max:(age) - age",
        "SUBQUERY(reports, $r, $r.age > 1).@count",
    ])
    func `what differs within a group is refused in expressions and conditions, not taken of anybody`(
        format: String
    ) throws {
        let fixture = try QueryFixture.office()
        func ask(_ change: (inout FetchDescription) throws -> Void) throws {
            _ = try rows(fixture) { fetch in
                fetch.groupBy = ["employer"]
                fetch.expressions = [try NamedExpression("people", format: "count:(SELF)")]
                try change(&fetch)
            }
        }
        #expect(throws: StoreError.self) {
            try ask { $0.expressions.append(try NamedExpression("other", format: format)) }
        }
        #expect(throws: StoreError.self) {
            try ask { $0.having = try QueryPredicate(format: "\(format) > 40") }
        }
        try ask { $0.expressions.append(try NamedExpression("name", format: "employer.name")) }
        try ask { $0.having = try QueryPredicate(format: "max:(age * 2) > 40") }
        try ask {
            $0.having = try QueryPredicate(format: "SUBQUERY(employer.staff, $s, $s.age > 40).@count > 0")
        }
    }

    @Test func `groups count, add up and are chosen by what they come to`() throws {
        let fixture = try QueryFixture.office()
        let all = try rows(fixture) { fetch in
            fetch.propertiesToFetch = ["employer.name"]
            fetch.groupBy = ["employer.name"]
            fetch.expressions = [
                try NamedExpression("people", format: "count:(SELF)"),
                try NamedExpression("years", format: "sum:(age)"),
                try NamedExpression("tallest", format: "max:(height)"),
                try NamedExpression("mean", format: "average:(age)"),
            ]
            fetch.sortDescriptors = [QuerySort("employer.name")]
        }
        #expect(
            all == [
                "nil 2 85 1.5 85.0", "\"Acme\" 3 95 2.0 31.666666666666668",
                "\"Ébène\" 3 85 1.78 28.333333333333332",
            ])
        let large = try rows(fixture) { fetch in
            fetch.predicate = try QueryPredicate(format: "age > 0")
            fetch.propertiesToFetch = ["employer"]
            fetch.groupBy = ["employer"]
            fetch.expressions = [try NamedExpression("people", format: "count:(SELF)")]
            fetch.having = try QueryPredicate(format: "people > 1 AND max:(age) < %d", 60)
            fetch.sortDescriptors = [QuerySort("people", ascending: false)]
        }
        #expect(large == ["p1 3", "p2 2"])
    }

    @Test func `functions without groups are of all objects, and expressions of each`() throws {
        let fixture = try QueryFixture.office()
        #expect(
            try rows(fixture) {
                $0.expressions = [
                    try NamedExpression("n", format: "count:(age)"),
                    try NamedExpression("low", format: "min:(name)"),
                    try NamedExpression("half", format: "sum:(age) / 2.0"),
                ]
            } == ["7 \"10% \\\"off\\\"'; --\" 132.5"])
        let each = try rows(fixture) {
            $0.predicate = try QueryPredicate(format: "age > 40")
            $0.propertiesToFetch = ["age"]
            $0.expressions = [
                try NamedExpression("next", format: "age + 1"),
                try NamedExpression("reports", format: "reports.@count"),
                try NamedExpression("loud", format: "uppercase:(name)"),
            ]
            $0.sortDescriptors = [QuerySort("next"), QuerySort("name")]
        }
        #expect(each.first == "41 42 2 \"ALAN\"")
        #expect(each.count == 4)
    }

    @Test func `what differs within a group is an error that names it`() throws {
        let fixture = try QueryFixture.office()
        let changes: [(String, (inout FetchDescription) throws -> Void)] = [
            (
                "age",
                {
                    $0.propertiesToFetch = ["age"]
                    $0.groupBy = ["name"]
                }
            ),
            (
                "age",
                {
                    $0.propertiesToFetch = ["age"]
                    $0.expressions = [try NamedExpression("n", format: "count:(SELF)")]
                }
            ),
            ("group", { $0.having = try QueryPredicate(format: "count:(SELF) > 1") }),
            (
                "born",
                {
                    $0.groupBy = ["name"]
                    $0.propertiesToFetch = ["name"]
                    $0.sortDescriptors = [QuerySort("born")]
                }
            ),
            ("tags", { $0.expressions = [try NamedExpression("t", format: "tags.name")] }),
            ("median", { $0.expressions = [try NamedExpression("m", format: "median:(age)")] }),
        ]
        for (name, change) in changes {
            let error = #expect(throws: StoreError.self, "\(name)") { try rows(fixture, change) }
            #expect(error.map { "\($0)".contains(name) } ?? false, "\(String(describing: error))")
        }
    }

    @Test func `one shape with other values shares its query`() throws {
        let fixture = try QueryFixture.office()
        func count(_ age: Int, _ people: Int) throws -> Int {
            try rows(fixture) { fetch in
                fetch.predicate = try QueryPredicate(format: "age >= %d", age)
                fetch.groupBy = ["employer"]
                fetch.expressions = [try NamedExpression("n", format: "count:(SELF) + %d", 0)]
                fetch.having = try QueryPredicate(format: "n >= %d", people)
            }.count
        }
        #expect(try count(-10, 1) == 3)
        let misses = fixture.reader.queryCacheCounts.misses
        #expect(try count(0, 3) == 1)
        #expect(try count(0, 99) == 0)
        #expect(fixture.reader.queryCacheCounts.misses == misses)
    }
}
