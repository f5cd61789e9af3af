import CofferModel
import FoundationEssentials
import Testing

@Suite struct PredicateEvaluationTests {
    private func holds(_ format: String, _ arguments: any QueryArgument..., on subject: Subject) throws
        -> Bool
    {
        try QueryPredicate(format: format, arguments: arguments).evaluate(on: subject)
    }

    private func holds(_ format: String, _ arguments: any QueryArgument..., on value: AttributeValue) throws
        -> Bool
    {
        try QueryPredicate(format: format, arguments: arguments).evaluate(on: ValueSubject(value))
    }

    private var records: Subject {
        [
            "title": "A Title",
            "Record1": .object(
                [
                    "Name": "John", "Age": 34, "Children": .values([.string("Kid1"), .string("Kid2")]),
                ] as Subject),
            "Record2": .object(
                [
                    "Name": "Mary", "Age": 30, "Children": .values([.string("Kid1"), .string("Girl1")]),
                ] as Subject),
        ]
    }

    private var values: Subject {
        [
            "a": 1, "b": "Hello", "c": 2.3, "d": 4, "f": true, "g": .values((5...9).map { .integer($0) }),
            "i": .value(.date(.distantFuture)), "j": nil, "k": .value(.uuid(Self.uuid)),
            "l": .value(.binary([1, 2, 3])),
        ]
    }

    private static let uuid = UUID()

    @Test func `substrings are found either way round`() throws {
        #expect(try holds("%@ CONTAINS %@", "AABBBAA", "BBB", on: [:]))  // P1
        #expect(try holds("%@ IN %@", "BBB", "AABBBAA", on: [:]))  // P2
        #expect(try holds("name CONTAINS 'y'", on: ["name": "xyz"]))  // P19
        #expect(try !holds("name CONTAINS 'Y'", on: ["name": "xyz"]))
        #expect(try holds("name CONTAINS[c] 'Y'", on: ["name": "xyz"]))
        #expect(try !holds("name CONTAINS 'CAFE'", on: ["name": "Café con Leche"]))  // P49
        #expect(try holds("name CONTAINS[cd] 'CAFE'", on: ["name": "Café con Leche"]))
    }

    @Test func `key paths lead through records`() throws {
        #expect(try holds("%K == %@", "Record1.Name", "John", on: records))  // P3
        #expect(
            try holds(
                // P5
                "(%K == %@) AND (%K == %@)", "Record1.Name", "John", "Record2.Name", "Mary", on: records))
        #expect(try holds("%K != %@", "Record1.Age", 20, on: records))  // P7
        #expect(try holds("%K <> %@", "Record1.Age", 20, on: records))
        #expect(try holds("%f > %K", 40.5, "Record1.Age", on: records))  // P9
        #expect(try holds("%@ IN %K", "Kid1", "Record1.Children", on: records))  // P10
        #expect(try holds("Any %K == %@", "Record2.Children", "Girl1", on: records))  // P11
    }

    @Test func `SELF is the value itself`() throws {
        let found = try ["a", "aa", "aaa", "aaaa"].filter {
            try holds("self beginswith 'aaa'", on: .string($0))
        }
        #expect(found == ["aaa", "aaaa"])  // P6
        #expect(try !holds("SELF == '%@'", on: .string("Do")))  // P13
        #expect(try holds("description == 'Do'", on: .string("Do")))  // P14
        #expect(try !holds("description == 'Do'", on: .string("Re")))
        #expect(throws: QueryError.self) { try holds("SELF.foo <= 2", on: ["foo": "2"]) }  // P15
    }

    @Test func `text options are heeded for text and ignored for numbers`() throws {
        let ada: Subject = ["name": "Ada", "age": 41]
        #expect(try holds("name ==[c] 'ada'", on: ada))  // P21
        #expect(try !holds("name !=[c] 'ada'", on: ada))
        #expect(try !holds("name == 'ada'", on: ada))
        #expect(try holds("age ==[c] 41", on: ada))  // P22
        #expect(try !holds("age ==[c] 42", on: ada))
        #expect(try holds("name <[c] 'b'", on: ada))  // P23
        #expect(try holds("NOT (name == 'Bob')", on: ada))  // P34
        #expect(try holds("name ENDSWITH 'da'", on: ada))
    }

    @Test(arguments: [
        ("axb", "a?b", true), ("ab", "a?b", false), ("axxb", "a?b", false),  // P25
        // P26
        ("axb", "a.b", false), ("aab", "a+b", false), ("a", "[ab]", false), ("x", "a|x", false),
        ("a.b", "a.b", true), ("a+b", "a+b", true), ("[ab]", "[ab]", true), ("a|x", "a|x", true),
        ("a*b", "a\\*b", true), ("axb", "a\\*b", false),  // P27
        ("x\ny", "*", true), ("", "*", true), ("", "?", false), ("abcbd", "a*b?", true),
        ("abcb", "a*b?", false),
    ])
    func `LIKE knows wildcards and nothing else`(value: String, pattern: String, expected: Bool) throws {
        #expect(
            try QueryPredicate.compare("x", .like, pattern).evaluate(
                on: ["x": .value(.string(value))] as Subject) == expected)
    }

    @Test func `subqueries see the outer object`() throws {
        func person(_ name: String, _ age: Int64, _ friends: [Subject]) -> Subject {
            ["name": .value(.string(name)), "age": .value(.integer(age)), "friends": .objects(friends)]
        }
        let alan = person("Alan", 41, [])
        let ada = person("Ada", 36, [alan, person("Grace", 45, [])])
        #expect(try holds("SUBQUERY(friends, $f, $f.age > 40).@count > 1", on: ada))  // P29
        #expect(try !holds("SUBQUERY(friends, $f, $f.age > 40).@count > 1", on: alan))
        #expect(try holds("SUBQUERY(friends, $f, $f.age > age).@count == 2", on: ada))  // P30
        #expect(
            try holds("friends.@max.age == 45 AND friends.@sum.age == 86 AND friends.@avg.age == 43", on: ada)
        )
        #expect(
            try holds("friends.@min.age == nil AND friends.@sum.age == 0 AND friends.@count == 0", on: alan))
        // P47
        #expect(try holds("SUBQUERY(g, $v, NOT ($v == 2)).@count == 0", on: ["g": .values([.integer(2)])]))
    }

    @Test func `a dictionary of many types is asked`() throws {
        #expect(try !holds("a == 2", on: values))  // P38
        #expect(try !holds("a + 2 == 4", on: values))
        #expect(try holds("b.length == 5", on: values))
        #expect(try holds("g.@count == 5", on: values))
        #expect(try !holds("SUBQUERY(g, $_local_1, $_local_1 == d).@count > 0", on: values))  // P39
        #expect(try !holds("b CONTAINS 'foo'", on: values))  // P41
        #expect(try !holds("b BEGINSWITH 'foo'", on: values))
        #expect(try holds("YES == YES", on: values))  // P42
        #expect(try !holds("NO == YES", on: values))
        #expect(try !holds("(YES == YES) && (NO == YES)", on: values))
        #expect(try !holds("TERNARY(f == YES AND YES == YES, YES, NO) == NO", on: values))  // P43
        #expect(
            try !holds(
                "TERNARY(TERNARY(j != nil, j.length, nil) != nil, TERNARY(j != nil, j.length, nil), -1) > 1",
                on: values))  // P45
        #expect(try holds("k == %@", Self.uuid, on: values))  // P46
        #expect(try !holds("k == %@", UUID(), on: values))
        #expect(try holds("i > %@", Date(), on: values))
        #expect(try holds("l == %@", [1, 2, 3] as [UInt8], on: values))
    }

    @Test func `ranges and sets`() throws {
        let rows: [Subject] = [["counter": 1], ["counter": 3], ["counter": 5], ["counter": 9]]
        func matching(_ format: String, _ arguments: any QueryArgument...) throws -> [Int] {
            let predicate = try QueryPredicate(format: format, arguments: arguments)
            return try rows.indices.filter { try predicate.evaluate(on: rows[$0]) }
        }
        #expect(try matching("counter BETWEEN {2, 5}") == [1, 2])  // P50
        #expect(try matching("counter IN %@", [1, 9]) == [0, 3])  // P51
        #expect(try matching("NOT (counter IN %@)", [1, 9]) == [1, 2])
        let february = try Date("2024-02-01T00:00:00Z", strategy: .iso8601)
        let march = try Date("2024-03-01T00:00:00Z", strategy: .iso8601)
        #expect(try holds("SELF BETWEEN {%@, %@}", february, march, on: .date(march)))  // P17
        #expect(try !holds("SELF BETWEEN {%@, %@}", february, march, on: .date(march + 1)))
    }

    @Test func `ANY, ALL and NONE over children`() throws {
        func parent(_ names: String...) -> Subject {
            ["children": .objects(names.map { ["name": .value(.string($0))] as Subject })]
        }
        let (mixed, ready, empty) = (parent("ready", "pending"), parent("ready", "ready"), parent())
        func answers(_ format: String) throws -> [Bool] {
            try [mixed, ready, empty].map { try holds(format, on: $0) }
        }
        #expect(try answers("ANY children.name == 'ready'") == [true, true, false])  // P54
        #expect(try answers("ALL children.name == 'ready'") == [false, true, true])  // P55
        #expect(try answers("NONE children.name == 'pending'") == [false, true, true])
        #expect(try answers("NOT ANY children.name == 'pending'") == [false, true, true])
    }

    @Test func `null follows NullSemantics`() throws {
        let subject: Subject = ["x": nil, "y": nil, "folder": .object(nil), "n": 5]
        for format in [
            "x == nil", "x != 5", "x == y", "folder == nil", "folder.name == nil", "NOT (x < 5)",
            "x IN {nil, 1}",
            "n != nil", "NOT (x LIKE '*')", "x + 1 == nil", "n / 0 == nil", "NOT x BETWEEN {1, 2}",
        ] { #expect(try holds(format, on: subject), "\(format)") }
        for format in [
            "x == 5", "x != nil", "x != y", "x < 5", "x > 5", "x <= y", "x BETWEEN {1, 2}", "x IN {1}",
            "x CONTAINS 'a'",
            "x MATCHES '.*'",
        ] { #expect(try !holds(format, on: subject), "\(format)") }
    }

    @Test func `objects that are not there give no values`() throws {
        let orphan: Subject = ["folder": .object(nil), "name": nil]
        let parent: Subject = ["folder": .object(nil), "notes": .objects([orphan])]
        for format in [
            "NONE folder.notes.title == nil", "ALL folder.notes.title == 'x'", "folder.notes.@count == 0",
            "NONE notes.folder.name == nil", "ANY notes.folder == nil", "ANY notes.name == nil",
        ] { #expect(try holds(format, on: parent), "\(format)") }
    }

    @Test func `expressions are computed`() throws {
        func value(_ format: String) throws -> AttributeValue? {
            try QueryExpression(format: format).evaluate(on: [:] as Subject)
        }
        #expect(try value("4 + 5 - 2**3")?.isEqual(to: .integer(1), options: []) == true)  // P58
        #expect(try value("max({1,2,3,4,4,5,9,11})") == .integer(11))  // P59
        #expect(try value("sum({1,2,3})") == .integer(6))  // P33
        #expect(try value("average:({1,2,3})") == .double(2))
        #expect(try value("count({1,2,3})") == .integer(3))
        #expect(try value("min({1,2,3})") == .integer(1))
        #expect(try value("median({1,2,3,4})") == .double(2.5))
        #expect(try value("uppercase('aé')") == .string("AÉ"))
        #expect(try value("canonical:('Éa')") == .string("ea"))
        #expect(try value("7 / 2") == .integer(3))
        #expect(try value("7 %% 4") == .integer(3))
        #expect(try value("7.0 / 2") == .double(3.5))
        #expect(try value("9223372036854775807 + 1") == .double(0x1p63))
        #expect(try value("{1,2,3}[1]") == .integer(2))
        #expect(try value("{1,2,3}[LAST]") == .integer(3))
        #expect(try value("CAST('12', 'NSNumber')") == .integer(12))
        #expect(try value("CAST('nan', 'Double')") == .null)
        let masked = try QueryExpression(format: "FUNCTION(CAST(text, 'Double'), 'bitwiseAnd:with:', 1)")
        #expect(try masked.evaluate(on: ["text": .value(.string("nan"))] as Subject) == .null)
        #expect(try value("sqrt(16.0) + ln(1.0)") == .double(4))
        #expect(try value("FUNCTION('a', 'uppercase:')") == .string("A"))
    }

    @Test func `P59: a function of the application is called by its name`() throws {
        let name = "substring2ToIndex:"
        let format = "FUNCTION('hello world', '\(name)', 1)"
        #expect(throws: QueryError.self) { try QueryExpression(format: format) }
        try QueryFunctions.register(name) { arguments throws(QueryError) in
            guard case .string(let text) = arguments[0], case .integer(let count) = arguments[1], count >= 0
            else {
                throw .invalidOperand("no text, or no count")
            }
            return .string(String(text.prefix(Int(count))))
        }
        defer { QueryFunctions.unregister(name) }
        let expression = try QueryExpression(format: format)
        #expect(expression == .function(name, [.constant(.string("hello world")), .constant(.integer(1))]))
        #expect(try expression.evaluate(on: [:] as Subject) == .string("h"))
        #expect(try QueryExpression(format: expression.format) == expression, "\(expression.format)")
        let subject: Subject = ["title": "Hello"]
        #expect(try holds("FUNCTION(title, '\(name)', 2) ==[c] 'HE'", on: subject))
        #expect(try !holds("FUNCTION(title, '\(name)', 1 + 1) == 'Ha'", on: subject))
        #expect(throws: QueryError.invalidOperand("no text, or no count")) {
            try holds("FUNCTION(title, '\(name)', -1) == 'a'", on: subject)
        }
        for wrong in [
            "FUNCTION(title, '\(name)')", "FUNCTION(title, '\(name)', 1, 2)", "FUNCTION(title, 'other:', 1)",
        ] {
            #expect(throws: QueryError.self, "\(wrong)") { try QueryExpression(format: wrong) }
        }
        #expect(throws: QueryError.self, "a collection is not a value") {
            try QueryExpression(format: "FUNCTION({1, 2}, '\(name)', 1)").evaluate(on: subject)
        }
        #expect(throws: QueryError.self) { try QueryFunctions.register("uppercase:") { _ in .null } }
        QueryFunctions.unregister(name)
        #expect(throws: QueryError.unknownFunction(name, argumentCount: 2)) {
            try expression.evaluate(on: subject)
        }
    }

    @Test func `large integers and doubles compare exactly`() throws {
        #expect(try holds("9007199254740993 > 9007199254740992.0", on: [:]))
        #expect(try holds("9223372036854775807 < 9223372036854775808.0", on: [:]))
        #expect(try holds("1 == 1.0 AND YES == 1 AND %@ == 0.1", Decimal(string: "0.1") ?? 0, on: [:]))
    }
}
