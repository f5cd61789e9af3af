import CofferModel
import CofferStores
import CofferWire
import FoundationEssentials
import Testing

struct QueryOperatorTests {
    @Test(arguments: [
        "TRUEPREDICATE", "FALSEPREDICATE", "NOT TRUEPREDICATE", "age == 47", "age != 47", "age < 41",
        "age <= 41",
        "age > 41", "age >= 41", "41 > age", "age == nil", "age != nil", "NOT (age == 47)", "NOT (age < 41)",
        "NOT (age != nil)", "age > 40.5", "age == 47.0", "height == 2", "height > 1.5 AND height < 1.7",
        "score == 0.1", "score > 3", "balance == 1", "balance > 4.5", "isActive == YES", "isActive != YES",
        "isActive == 0", "age BETWEEN {36, 47}", "NOT (age BETWEEN {36, 47})", "age IN {36, 47, 1000}",
        "NOT (age IN {36, 47})", "age IN {36, nil}", "age IN {}", "NOT age IN {}", "{36, 47} CONTAINS age",
        "age IN {36, balance}", "name == 'Ada'", "name != 'Ada'", "name < 'G'", "name ==[c] 'ADA'",
        "name ==[cd] 'edith'", "name !=[cd] 'edith'", "name <[c] 'b'", "name IN[c] {'ada', 'ALAN'}",
        "name == '10% \"off\"\\'; --'", "age * 2 == 72", "age + 1 > balance", "age - height < 40",
        "age / 2 == 18",
        "age / 5.0 > 8", "balance / 2 == 2.5", "modulus:by:(age, 10) == 7", "modulus:by:(height, 1) > 0.5",
        "age ** 2 == 1296", "age / 0 == nil", "abs(age) == 3", "floor(height) == 1", "sqrt(age) == 6",
        "name.length == 5", "name.length == nil", "employer.name.length == 4", "homepage.length == 21",
        "characters(name) == 5", "name.length != characters(name)", "uppercase(name).length > 4",
        "TERNARY(age > 40, name, email).length < 10", "name.description == 'Ada'",
        "TERNARY(age > 40, boss, SELF).name.length == 3",
        "TERNARY(age > 40, boss, SELF).name == 'Ada' AND TERNARY(age > 10, boss, SELF).name != 'alan'",
        "TERNARY(age > 80, boss, SELF).name == 'Ada' OR TERNARY(age > 40, boss, SELF).name == 'Ada'",
        "tags.@count == boss.name.length",
        "sqrt(age) == nil", "length(name) == 3", "uppercase(name) == 'ADA'", "lowercase(name) == 'alan'",
        "canonical(name) == 'edith'", "TERNARY(age > 40, 1, 2) == 1", "TERNARY(age > 40, name, 'x') == 'x'",
        "employer == nil", "employer != nil", "employer.name == 'Acme'", "employer.name != 'Acme'",
        "employer.name == nil", "boss.boss.name == 'Ada'", "boss.employer.name == employer.name",
        "sum:(reports.score) == 0.1", "reports.@sum.score == 0.1", "sum:(reports.score) > 0.1",
        "SUBQUERY(reports, $r, TRUEPREDICATE).@sum.score == 0.1",
        "SUBQUERY(reports, $r, $r.age > 40).reports.@count > 0",
        "SUBQUERY(reports, $r, $r.age > 40).reports.@count == 0",
        "boss.age > age", "NOT (boss.age > age)", "boss == SELF", "boss.boss == boss", "boss != boss.boss",
    ])
    func `a condition finds what it holds for in memory`(format: String) throws {
        let fixture = try QueryFixture.office()
        let predicate = try QueryPredicate(format: format)
        #expect(try fixture.keys("Person", predicate) == fixture.evaluated("Person", predicate))
    }

    @Test(arguments: [
        "people[0].name == 'Ada'", "people[0].name != people[1].name", "people[0].age < people[1].age",
        "people[0].name == 'Ada' AND people[1].name != 'Ada'", "people[FIRST].name.length == 3",
        "TERNARY(name == 'red', people[0], people[1]).age > 40",
        "TERNARY(name == 'red', people[0], nil).age > 40 OR TERNARY(name == 'green', people[0], nil).age > 40",
    ])
    func `key paths behind calls begin at the object of each call`(format: String) throws {
        let fixture = try QueryFixture.office()
        let predicate = try QueryPredicate(format: format)
        #expect(try fixture.keys("Tag", predicate) == fixture.evaluated("Tag", predicate))
    }

    @Test(arguments: [
        String(repeating: "abs(", count: 30) + "age" + String(repeating: ")", count: 30) + " > 1",
        "height" + String(repeating: " %% 7", count: 30) + " > 1",
    ])
    func `an expression that would take SQL without end is refused`(format: String) throws {
        let fixture = try QueryFixture.office()
        let predicate = try QueryPredicate(format: format)
        let error = #expect(throws: StoreError.self) { try fixture.keys("Person", predicate) }
        #expect("\(String(describing: error))".contains("bytes of SQL"))
    }

    @Test(arguments: [
        "ANY tags.name.length == 3", "NONE tags.name.length == 3", "ALL tags.name.length > 3",
        "SUBQUERY(tags, $t, $t.name.length > 3).@count == 1", "4 IN tags.name.length",
        "SUBQUERY(tags.name, $n, $n.length > 3).@count == 1",
        "ANY tags.name == 'red'", "ANY tags.name != 'red'", "NONE tags.name == 'red'",
        "ALL tags.name == 'red'",
        "NOT (ANY tags.name == 'red')", "ANY tags.name == nil", "ALL tags.name != nil",
        "ANY tags.name IN {'red', 'Blue'}",
        "ANY tags.name ==[c] 'BLUE'", "ANY tags.name == 'red' OR ANY tags.name == 'green'",
        "ANY tags.name == 'red' AND ANY hobbies.name == 'Blue'", "tags.@count == 0", "tags.@count > 1",
        "hobbies.@count == 1", "reports.@count >= 2", "reports.@sum.age > 80", "reports.@max.height > 1.7",
        "reports.@min.name == 'alan'", "reports.@avg.age == nil", "reports.@avg.age > 40",
        "sum(reports.age) == 0",
        "reports.@count == tags.@count", "ANY reports.tags.name == 'green'",
        "ALL reports.tags.name == 'green'",
        "NONE reports.reports.age > 0", "ANY reports.employer.name == nil",
        "ANY reports.employer.name == 'Acme'",
        "tags.name CONTAINS 'red'", "'red' IN tags.name", "name IN reports.name", "ANY reports.age > age",
        "ALL reports.age > age", "SUBQUERY(reports, $r, $r.age > 40).@count > 0",
        "SUBQUERY(reports, $r, $r.age > age).@count == 1", "SUBQUERY(reports, $r, $r == SELF).@count == 0",
        "SUBQUERY(reports, $r, ANY $r.tags.name == 'red').@count > 0",
        "SUBQUERY(reports, $r, SUBQUERY(tags, $t, $t.name != $r.name).@count > 0).@count > 0",
        "SUBQUERY(reports.tags, $t, $t.name == 'red').@count > 0",
        "SUBQUERY(reports, $r, $r.age > 0).@sum.age > 90",
        "SUBQUERY(tags, $t, $t.people.@count > 2).@count > 0", "ANY reports == boss", "boss IN reports",
        "SELF IN reports",
        "NOT (boss IN reports)", "employer.staff.@count == 3", "ANY employer.staff.age > 80",
        "reports.employer.@count == 1", "ALL reports.employer.name != nil", "ANY boss.reports.name == nil",
        "SUBQUERY(reports, $r, $r.employer.name == nil).@count > 0", "ANY boss.reports.boss.boss.name == nil",
        "ANY SUBQUERY(reports, $r, $r.age > 0).employer.name == 'Acme'",

    ])
    func `a to-many condition finds what it holds for in memory`(format: String) throws {
        let fixture = try QueryFixture.office()
        let predicate = try QueryPredicate(format: format)
        #expect(try fixture.keys("Person", predicate) == fixture.evaluated("Person", predicate))
    }

    @Test(arguments: [
        "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "MATCHES", "IN", "==", "<", ">=", "BEGINSWITH[c]",
        "ENDSWITH[cd]",
        "CONTAINS[cd]", "LIKE[c]", "MATCHES[cd]",
    ])
    func `a text operator finds what it holds for in memory`(spelling: String) throws {
        let fixture = try QueryFixture.office()
        let texts = [
            "", "A", "ada", "a", "É", "e\u{301}", "E", "th", "dith", "%", "_", "*a*", "?da", ".*d.*",
            "\u{10FFFF}",
            "b\u{0}b", "\u{0}", "\u{D7FF}", "Ada",
        ]
        for text in texts
        where !(spelling.hasPrefix("MATCHES") && (text.hasPrefix("*") || text.hasPrefix("?"))) {
            for format in ["name \(spelling) %@", "%@ \(spelling) name", "NOT (name \(spelling) %@)"] {
                if format.hasPrefix("%@"), spelling.hasPrefix("MATCHES") { continue }
                let predicate = try QueryPredicate(format: format, text)
                let found = try fixture.keys("Person", predicate)
                #expect(
                    try found == fixture.evaluated("Person", predicate), "\(format) \(text.debugDescription)")
            }
        }
    }

    @Test func `values are compared in the form they are stored in`() throws {
        let fixture = try QueryFixture.office()
        let cases: [(String, any QueryArgument)] = [
            ("born == %@", Date.day(300)), ("born > %@", Date.day(300)), ("token == %@", UUID.numbered(3)),
            ("token == %@", UUID.numbered(3).uuidString), ("token IN %@", [UUID.numbered(3), .numbered(4)]),
            ("photo == %@", AttributeValue.binary([0, 1, 3])), ("homepage ENDSWITH %@", "/3"),
            ("balance == %@", Decimal(10)), ("score IN %@", [0.1, 2.0]), ("isActive == %@", true),
            ("born IN %@", [Date.day(0), .day(100)]), ("born >= %@", "2001-04-11"),
            ("%@ > born", "2001-10-28T00:00Z"),
            ("born IN %@", (1...28).map { "2001-01-\($0 < 10 ? "0" : "")\($0)" }),
            ("born IN %@", ["2001-01-01"]),
            ("born BETWEEN %@", ["2001-01-01T01:00+02:00", "2001-04-11"]),
            ("name IN %@", (0..<50).map { "\($0)" } + ["Ada", "É\"\\\n"]),
            ("age IN %@", Array(30..<80)), ("age IN %@", [36, 41, 85]), ("token != %@", UUID.numbered(3)),
            ("token IN %@", (0..<40).map { UUID.numbered($0).uuidString }),
            ("height IN %@", (0..<300).map { Double($0) / 100 }),
        ]
        for (format, argument) in cases {
            let predicate = try QueryPredicate(format: format, argument)
            let found = try fixture.keys("Person", predicate)
            #expect(try found == fixture.evaluated("Person", predicate), "\(format)")
            #expect(!found.isEmpty, "\(format)")
        }
    }

    @Test func `objects are compared by key`() throws {
        let fixture = try QueryFixture.office()
        let people = fixture.objects.filter { $0.entity.rootName == "Person" }
        let acme = fixture.objects[0]
        let red = try #require(fixture.objects.first { $0.entity.name == "Tag" })
        let ids = people.prefix(3).map(\.id)
        let cases: [(String, any QueryArgument)] = [
            ("employer == %@", acme.id), ("employer != %@", acme.id), ("SELF == %@", people[2].id),
            ("SELF IN %@", Array(ids)), ("NOT (SELF IN %@)", Array(ids)), ("boss IN %@", Array(ids)),
            ("ANY tags == %@", red.id), ("tags CONTAINS %@", red.id), ("NONE tags == %@", red.id),
            ("ANY reports == %@", people[2].id), ("%@ IN reports", people[2].id),
            ("ANY reports IN %@", Array(ids)),
            ("SUBQUERY(tags, $t, $t == %@).@count == 1", red.id), ("boss == %@", people[0].id),
        ]
        for (format, argument) in cases {
            let predicate = try QueryPredicate(format: format, argument)
            let found = try fixture.keys("Person", predicate)
            #expect(try found == fixture.evaluated("Person", predicate), "\(format)")
            #expect(!found.isEmpty, "\(format)")
        }
        let unsaved = ManagedObjectID(entity: acme.entity, storeUUID: nil, key: .temporary(UUID.numbered(1)))
        #expect(try fixture.keys("Person", QueryPredicate(format: "employer == %@", unsaved)).isEmpty)
        #expect(
            try fixture.keys("Person", QueryPredicate(format: "employer != %@", unsaved)).count
                == people.count)
    }
}
