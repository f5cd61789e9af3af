import CofferModel
import CofferStores
import CofferWire
import Testing

struct QueryPlanTests {
    private func explain(_ format: String, sort: [QuerySort] = []) throws -> (sql: String, plan: [String]) {
        var fetch = FetchDescription(entityName: "Person", predicate: try QueryPredicate(format: format))
        fetch.sortDescriptors = sort
        return try QueryFixture.office().reader.explain(fetch)
    }

    @Test func `key paths that begin alike share their joins`() throws {
        let sql = try explain(
            "employer.name == 'a' AND (employer.founded == nil OR boss.employer.name == 'b') AND boss.age > 1",
            sort: [QuerySort("employer.name"), QuerySort("boss.boss.name")]
        ).sql
        #expect(sql.ranges(of: "JOIN").count == 4)
        #expect(try !explain("employer == nil AND boss != nil").sql.contains("JOIN"))
    }

    @Test(arguments: [
        "email == 'a'", "email BEGINSWITH 'a'", "email > 'a' AND email < 'b'", "email IN {'a', 'b'}",
        "name BEGINSWITH 'a'",
        "email BETWEEN {'a', 'b'}",
    ])
    func `an index is used where there is one`(format: String) throws {
        let plan = try explain(format).plan
        #expect(plan.contains { $0.contains("USING INDEX") || $0.contains("PRIMARY KEY") }, "\(plan)")
        #expect(!plan.contains { $0 == "SCAN t0" }, "\(plan)")
    }

    @Test func `a sort uses an index in both directions`() throws {
        for ascending in [true, false] {
            let plan = try explain("TRUEPREDICATE", sort: [QuerySort("name", ascending: ascending)]).plan
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
        }
    }

    @Test func `what cannot change an order is not sorted by`() throws {
        let path = ["boss", "name"]
        let many = (0..<32).flatMap { place in
            [QuerySort("name", ascending: place % 2 == 0), QuerySort(path.joined(separator: "."))]
        }
        let sql = try explain("TRUEPREDICATE", sort: many).sql
        #expect(sql.hasSuffix(" ORDER BY t0.ZNAME, t1.ZNAME, t0.Z_PK"), "\(sql)")
        let kinds = [QuerySort("name", comparison: .caseInsensitive), QuerySort("name", ascending: false)]
        let both = try explain("TRUEPREDICATE", sort: kinds).sql
        #expect(both.hasSuffix(" ORDER BY COFFER_FOLD(t0.ZNAME, 1), t0.ZNAME DESC, t0.Z_PK DESC"), "\(both)")
        #expect(throws: StoreError.self) {
            try explain("TRUEPREDICATE", sort: [QuerySort("name"), QuerySort("name"), QuerySort("nothing")])
        }
    }

    @Test func `behind a value that no two objects share nothing is sorted by`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Card",
                attributes: [
                    AttributeDefinition("number", .integer64),
                    AttributeDefinition("code", .string, isOptional: true),
                    AttributeDefinition("title", .string, isOptional: true),
                ],
                uniquenessConstraints: [["number"], ["code"]])
        ])
        let reader = try QueryFixture(model: model).reader
        var fetch = FetchDescription(entityName: "Card")
        fetch.sortDescriptors = [
            QuerySort("number"), QuerySort("title"), QuerySort("code", ascending: false),
        ]
        #expect(try reader.explain(fetch).sql.hasSuffix(" ORDER BY t0.ZNUMBER, t0.Z_PK DESC"))
        // Any number of objects may be without it.
        fetch.sortDescriptors = [QuerySort("code"), QuerySort("title")]
        #expect(try reader.explain(fetch).sql.hasSuffix(" ORDER BY t0.ZCODE, t0.ZTITLE, t0.Z_PK"))
        fetch.sortDescriptors = [QuerySort("number"), QuerySort("nothing")]
        #expect(throws: StoreError.self) { try reader.explain(fetch) }
    }

    @Test func `elements and keys are looked up, not scanned for`() throws {
        for format in [
            "ANY reports.age > 1", "reports.@count > 1", "ANY tags.name == 'a'", "boss.name == 'a'",
        ] {
            let plan = try explain(format).plan
            #expect(plan.allSatisfy { !$0.hasPrefix("SCAN") || $0 == "SCAN t0" }, "\(format): \(plan)")
        }
    }

    @Test func `what is demanded of related objects may be looked up first`() throws {
        let demanded = try explain("boss.employer.name == 'Acme' AND boss.age > 3").sql
        #expect(demanded.contains(" JOIN ZCOMPANY") && !demanded.contains("LEFT JOIN"), "\(demanded)")
        for format in [
            "boss.employer.name == nil", "boss.employer.name != 'a'", "NOT (boss.employer.name == 'a')",
            "boss.employer.name == 'a' OR age > 1", "boss.employer.name == boss.name",
            "SUBQUERY(tags, $t, boss.employer.name == 'a').@count == 0",
        ] {
            let sql = try explain(format).sql
            #expect(
                !sql.contains(" JOIN ZCOMPANY") || sql.contains("LEFT JOIN ZCOMPANY"), "\(format): \(sql)")
        }
    }

    @Test func `values never stand in the text`() throws {
        let hostile = [
            "'; DROP TABLE ZPERSON; --", "\" OR 1=1 --", "x' OR 'a'='a", "?", "\u{0}", "%s",
            ")) UNION SELECT 1",
        ]
        let fixture = try QueryFixture.office()
        for text in hostile {
            for format in [
                "name == %@", "name IN %@", "name BEGINSWITH %@", "name LIKE %@",
                "ANY tags.name CONTAINS[cd] %@",
                "SUBQUERY(tags, $t, $t.name == %@).@count > 0", "TERNARY(age > 1, name, %@) == name",
            ] {
                let argument: any QueryArgument =
                    format.contains("IN %@") && !format.contains("CONTAINS") ? [text, text + "2"] : text
                let predicate = try QueryPredicate(format: format, argument)
                let fetch = FetchDescription(entityName: "Person", predicate: predicate)
                #expect(try !fixture.reader.explain(fetch).sql.contains(text) || text == "?")
                #expect(try fixture.keys("Person", predicate) == fixture.evaluated("Person", predicate))
            }
        }
        #expect(try fixture.fetch(FetchDescription(entityName: "Person")).count == 8)
        let long = try QueryPredicate(
            format: "name IN %@", hostile.flatMap { a in hostile.map { a + $0 } } + ["Ada"])
        #expect(try fixture.keys("Person", long) == [1])
    }

    @Test func `descriptions of one shape share a compiled query and keep their own values`() throws {
        let fixture = try QueryFixture.office()
        func keys(_ format: String, _ arguments: any QueryArgument...) throws -> [Int64] {
            let predicate = try QueryPredicate(format: format, arguments: arguments)
            let found = try fixture.keys("Person", predicate)
            #expect(try found == fixture.evaluated("Person", predicate))
            return found
        }
        for (format, arguments) in [
            ("age == %@ AND name != %@", [[36, "x"], [41, "Ada"], [47, "Édith"]]),
            ("age IN %@", [[[36, 41, 85]], [[47, 12, 0, 36]], [[1, 2, 3]]]),
            ("age IN %@", [[Array(0..<40)], [Array(20..<90)], [[Int](0..<17)]]),
            ("token == %@", [[UUIDText.one], [UUIDText.two]]),
            ("score == %@", [[0.1], [3.5]]), ("isActive == %@", [[true], [false]]),
        ] as [(String, [[any QueryArgument]])] {
            let misses = fixture.reader.queryCacheCounts.misses
            for list in arguments {
                let predicate = try QueryPredicate(format: format, arguments: list)
                #expect(
                    try fixture.keys("Person", predicate) == fixture.evaluated("Person", predicate), "\(list)"
                )
            }
            #expect(fixture.reader.queryCacheCounts.misses == misses + 1, "\(format)")
        }
        let misses = fixture.reader.queryCacheCounts.misses
        _ = try keys("age == %@", 36)
        _ = try keys("age == nil")
        _ = try keys("age == %@", 36.5)
        _ = try keys("height == %@", 36)
        #expect(fixture.reader.queryCacheCounts.misses == misses + 4)
    }

    private enum UUIDText {
        static let one = "00000000-0000-0000-0000-000000000001"
        static let two = "00000000-0000-0000-0000-000000000002"
    }

    @Test func `more shapes than are kept are compiled anew`() throws {
        let fixture = try QueryFixture.office()
        for round in 0..<2 {
            for number in 0..<100 {
                let parts = (0...number).map { _ in QueryPredicate.compare("age", .greater, -1_000) }
                #expect(try fixture.keys("Person", .and(parts)).count == 7, "\(round)")
            }
        }
    }

    @Test func `long conjunctions and lists pass SQLite's limits`() throws {
        let fixture = try QueryFixture.office()
        let many = (0..<5_000).map { QueryPredicate.compare("age", .notEqual, $0 + 1_000) }
        #expect(try fixture.keys("Person", .and(many)).count == 8)
        #expect(try fixture.keys("Person", .or(many.map { .not($0) })).isEmpty)
        let dates = (0..<20_000).map { AttributeValue.date(.day(Double($0))) }
        #expect(try fixture.keys("Person", QueryPredicate(format: "born IN %@", dates)).count == 7)
    }
}
