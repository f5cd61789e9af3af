import CofferModel
import CofferStores
import FoundationEssentials
import Testing

/// Corners in which SQL has rules of its own: a store finds what memory finds.
struct QueryAgreementTests {
    /// A company whose people agree in many ways.
    private func company() throws -> QueryFixture {
        let fixture = try QueryFixture()
        let company = try fixture.add("Company", key: 1)
        var boss: QueryObject?
        for (index, name) in ["A", "A", "\u{E9}", "e\u{301}", nil, nil].enumerated() {
            let person = try fixture.add(
                "Person", key: Int64(index + 1),
                [
                    "name": name?.value ?? .null, "age": index < 5 ? .integer(Int64(index % 2 + 1)) : .null,
                    "balance": .decimal(3),
                ])
            fixture.join(person, "employer", company)
            if let boss { fixture.join(person, "boss", boss) } else { boss = person }
        }
        try fixture.write()
        return fixture
    }

    @Test(arguments: [
        "count:(staff.@distinctUnionOfObjects.name) == 3", "count:(staff.@unionOfObjects.name) == 4",
        "count:(staff.@distinctUnionOfObjects.age) == 2", "sum:(staff.@distinctUnionOfObjects.age) == 3",
        "average:(staff.@distinctUnionOfObjects.age) == 1.5",
        "count:(staff.@distinctUnionOfObjects.balance) == 1",
        "sum:(staff.@distinctUnionOfObjects.balance) == 3",
        "median:(staff.@distinctUnionOfObjects.age) == 1.5",
        "max:(staff.@distinctUnionOfObjects.name) == '\u{E9}'",
        "count:(staff.@distinctUnionOfObjects.boss) == 1", "ANY staff.@distinctUnionOfObjects.name == nil",
        "ANY staff.@distinctUnionOfObjects.name == 'A'", "'A' IN staff.@distinctUnionOfObjects.name",
        "ANY staff.@distinctUnionOfObjects.boss.name == 'A'",
        "count:(staff.@distinctUnionOfObjects.boss.name) == 1",
        "SUBQUERY(staff.@distinctUnionOfObjects.boss, $b, $b.name == 'A').@count == 1",
        "count:(SUBQUERY(staff, $s, $s.age == 2).@distinctUnionOfObjects.balance) == 1",
    ])
    func `distinct values are there once`(format: String) throws {
        let fixture = try company()
        let predicate = try QueryPredicate(format: format)
        #expect(try fixture.evaluated("Company", predicate) == [1])
        #expect(try fixture.keys("Company", predicate) == [1])
    }

    @Test(arguments: [1, 40])
    func `a fixed text is folded as the list is that it is looked for in`(count: Int) throws {
        let fixture = try QueryFixture.office()
        let names = (0..<count).map { "admin\($0)" }
        for (format, text) in [
            ("%@ IN[c] %@ OR name == 'Ada'", "ADMIN0"), ("%@ IN[cd] %@", "Ádmin0"),
            ("NOT (%@ IN[c] %@)", "ROOT"),
        ] {
            let predicate = try QueryPredicate(format: format, text, names)
            #expect(try fixture.evaluated("Person", predicate).count == 8)
            #expect(try fixture.keys("Person", predicate).count == 8, "\(format)")
        }
        let contains = try QueryPredicate(format: "%@ CONTAINS[c] %@", names, "ADMIN0")
        #expect(try fixture.keys("Person", contains).count == 8)
        let between = QueryPredicate.comparison(
            QueryComparison(
                .constant("B".value), .between, .collection([.constant("a".value), .constant("c".value)]),
                options: .caseInsensitive))
        #expect(try fixture.evaluated("Person", between).count == 8)
        #expect(try fixture.keys("Person", between).count == 8)
    }

    @Test(arguments: [
        QueryComparison(.keyPath(["born"]), .greater, .constant(.null)),
        QueryComparison(.constant(.null), .lessOrEqual, .keyPath(["born"])),
        QueryComparison(.keyPath(["height"]), .equal, .constant(.double(.nan))),
        QueryComparison(.keyPath(["height"]), .notEqual, .constant(.double(.nan))),
        QueryComparison(
            .keyPath(["height"]), .in, .collection([.constant(.double(.nan)), .constant(.double(2))])),
        QueryComparison(.keyPath(["balance"]), .equal, .constant(.float(0.1))),
        QueryComparison(.keyPath(["balance"]), .in, .collection([.constant(.float(0.1))])),
        QueryComparison(.keyPath(["age"]), .less, .constant(.decimal(2.5))),
    ])
    func `constants are compared as the attributes' own values are`(comparison: QueryComparison) throws {
        let fixture = try QueryFixture()
        for key in 1...4 as ClosedRange<Int64> {
            let height: AttributeValue = key < 3 ? .null : .double(2)
            try fixture.add(
                "Person", key: key,
                [
                    "age": .integer(key), "height": height, "balance": .decimal(Decimal(key) / 10),
                    "born": key == 1 ? .null : .date(Date(timeIntervalSinceReferenceDate: 1)),
                ])
        }
        try fixture.write()
        for predicate in [QueryPredicate.comparison(comparison), .not(.comparison(comparison))] {
            #expect(try fixture.keys("Person", predicate) == fixture.evaluated("Person", predicate))
        }
        let isOrder = comparison.operator == .greater || comparison.operator == .lessOrEqual
        #expect(try fixture.keys("Person", .comparison(comparison)).isEmpty == isOrder)
    }

    @Test func `an integer is compared with all digits of a decimal`() throws {
        let fixture = try accounts()
        let limit = try #require(Decimal(string: "9223372036854775807"))
        for (value, count) in [(limit, 7), (limit - 1, 0)] {
            let predicate = QueryPredicate.comparison(
                QueryComparison(.keyPath(["limit"]), .equal, .constant(.decimal(value))))
            #expect(try fixture.keys("Account", predicate).count == count)
            #expect(try fixture.evaluated("Account", predicate).count == count)
        }
    }

    @Test func `a number that no truth value is is refused, whatever was asked before`() throws {
        let fixture = try QueryFixture.office()
        for format in ["isActive == %@", "isActive != %@", "isActive IN {%@}"] {
            _ = try fixture.keys("Person", try QueryPredicate(format: format, 1))
            let wrong = try QueryPredicate(format: format, 2)
            #expect(throws: (any Error).self) { try fixture.keys("Person", wrong) }
        }
    }

    /// Accounts with entries: the key of each is its place here.
    private static let entries: [[Int64?]] = [
        [.max, .max], [.max, 1, -5], [.min, .min, 7], [.min, -1, 1], [], [nil, 5],
        [.max, nil, .max, .min, .min],
    ]

    private func accounts() throws -> QueryFixture {
        let fixture = try QueryFixture(
            model: ManagedObjectModel(entities: [
                EntityDefinition(
                    "Account", attributes: [AttributeDefinition("limit", .integer64)],
                    relationships: [
                        RelationshipDefinition("entries", to: "Entry", inverse: "account", isToMany: true)
                    ]),
                EntityDefinition(
                    "Entry", attributes: [AttributeDefinition("amount", .integer64)],
                    relationships: [RelationshipDefinition("account", to: "Account", inverse: "entries")]),
            ]))
        var key: Int64 = 0
        for (place, amounts) in Self.entries.enumerated() {
            let account = try fixture.add("Account", key: Int64(place), ["limit": .integer(.max)])
            for amount in amounts {
                key += 1
                let entry = try fixture.add(
                    "Entry", key: key, ["amount": amount.map { .integer($0) } ?? .null])
                fixture.join(entry, "account", account)
            }
        }
        try fixture.write()
        return fixture
    }

    @Test(
        arguments: [
            ("entries.@sum.amount > %@", .double(1.8e19), [0]),
            ("entries.@sum.amount == %@", .double(0x1p64), [0]),
            ("entries.@sum.amount == %@", .integer(.max - 4), [1]),
            ("entries.@sum.amount < %@", .double(-1.8e19), [2]),
            ("entries.@sum.amount == %@", .integer(.min), [3]),
            ("entries.@sum.amount == %@", .integer(0), [4]),
            ("sum(entries.amount) == %@", .integer(5), [5]),
            ("sum(entries.amount) == %@", .integer(-2), [6]),
            ("SUBQUERY(entries, $e, $e.amount > 0).@sum.amount > %@", .double(1.8e19), [0, 6]),
            ("sum({limit, limit}) == %@", .double(0x1p64), [0, 1, 2, 3, 4, 5, 6]),
            ("sum({1, limit, 0.5}) > %@", .double(9.2e18), [0, 1, 2, 3, 4, 5, 6]),
        ] as [(String, AttributeValue, [Int64])])
    func `a sum beyond 64 bits is a number, and one within is exact`(
        _ format: String, _ value: AttributeValue, _ keys: [Int64]
    ) throws {
        let fixture = try accounts()
        let predicate = try QueryPredicate(format: format, value)
        #expect(try fixture.evaluated("Account", predicate) == keys)
        #expect(try fixture.keys("Account", predicate) == keys)
    }
}
