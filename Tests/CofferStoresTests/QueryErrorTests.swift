import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import FoundationEssentials
import Testing

struct QueryErrorTests {
    @Test(arguments: [
        ("nosuch == 1", "nosuch"), ("employer.nosuch == 1", "nosuch"), ("name.size == 1", "name"),
        ("age.length == 1", "age"),
        ("mood == 'a'", "mood"),
        ("tags == nil", "tags"), ("tags.name == 'red'", "tags.name"), ("age == 'x'", "age"),
        ("name == 5", "name"),
        ("token == 'x'", "token"), ("employer == 5", "employer"), ("ANY name == 'x'", "name"),
        ("$x == 1", "x"),
        ("SUBQUERY(name, $x, $x == 1).@count == 1", "name"), ("median(tags.name) == 1", "median"),
        ("tags.@sum.name == 1", "sum"), ("name MATCHES '('", "("), ("boss < boss", ""),
        ("first(reports) == boss", "first"),
    ])
    func `what does not fit the model is an error that names it`(format: String, name: String) throws {
        let fixture = try QueryFixture.office()
        let predicate = try QueryPredicate(format: format)
        do {
            _ = try fixture.keys("Person", predicate)
            Issue.record("\(format) was taken")
        } catch StoreError.predicate(let text) {
            #expect(text.contains(name) || name.isEmpty, "\(text)")
        }
    }

    @Test func `a text that spells no UUID is an error, however often it is asked`() throws {
        let fixture = try QueryFixture.office()
        let good = try QueryPredicate(format: "token == %@", UUID.numbered(1).uuidString)
        #expect(try fixture.keys("Person", good) == [2])
        #expect(throws: StoreError.self) {
            try fixture.keys("Person", QueryPredicate(format: "token == %@", "nonsense"))
        }
        #expect(try fixture.keys("Person", good) == [2])
    }

    @Test func `a text that says no date is an error, however often it is asked`() throws {
        let fixture = try QueryFixture.office()
        for (format, good, bad) in [
            ("born == %@", ["2001-01-01"], ["2001-02-30"]),
            ("born IN %@", (1...28).map { _ in "2001-01-01" }, (1...28).map { "day \($0)" }),
        ] as [(String, [String], [String])] {
            func keys(_ texts: [String]) throws -> [Int64] {
                let argument: any QueryArgument = texts.count == 1 ? texts[0] : texts
                return try fixture.keys("Person", QueryPredicate(format: format, argument))
            }
            let first = #expect(throws: StoreError.self) { try keys(bad) }
            #expect(try keys(good) == [1])
            let second = #expect(throws: StoreError.self) { try keys(bad) }
            #expect(first == second && "\(second as Any)".contains("'born'"), "\(second as Any)")
        }
        #expect(throws: StoreError.self) {
            try fixture.keys("Person", QueryPredicate(format: "name == %@", Date.day(0)))
        }
    }

    @Test func `objects of another entity are an error, not a wrong answer`() throws {
        let fixture = try QueryFixture.office()
        let acme = fixture.objects[0].id
        let ada = try fixture.person(1).id
        for (format, argument) in [
            ("boss == %@", acme), ("SELF == %@", acme), ("ANY tags == %@", acme), ("employer == %@", ada),
            ("tags CONTAINS %@", ada),
        ] {
            let predicate = try QueryPredicate(format: format, argument)
            #expect(throws: StoreError.self, "\(format)") { try fixture.keys("Person", predicate) }
        }
        let mixed = try QueryPredicate(format: "boss IN %@", [ada, acme])
        #expect(throws: StoreError.self) { try fixture.keys("Person", mixed) }
        let visitor = try QueryPredicate(format: "SELF == %@", try fixture.person(5).id)
        #expect(try fixture.keys("Person", visitor) == [5])
        #expect(throws: StoreError.self) { try fixture.keys("Manager", visitor) }
    }

    @Test func `entities, sorts and properties that are not there are errors`() throws {
        let fixture = try QueryFixture.office()
        #expect(throws: StoreError.unknownEntity("Nobody")) {
            try fixture.fetch(FetchDescription(entityName: "Nobody"))
        }
        for sort in ["nosuch", "tags", "tags.name", "employer", "mood", ""] {
            var fetch = FetchDescription(entityName: "Person")
            fetch.sortDescriptors = [QuerySort(sort)]
            #expect(throws: StoreError.self, "\(sort)") { try fixture.fetch(fetch) }
        }
        for property in ["nosuch", "mood", "employer.nosuch", "tags", ""] {
            var fetch = FetchDescription(entityName: "Person")
            fetch.resultType = .dictionaries
            fetch.propertiesToFetch = [property]
            #expect(throws: StoreError.self, "\(property)") { try fixture.fetch(fetch) }
        }
    }

    @Test func `too many joined tables are an error before SQLite sees them`() throws {
        let fixture = try QueryFixture.office()
        let parts = (0..<3).map { part in
            let path = Array(repeating: part == 0 ? "boss" : "reports", count: 31 - part) + ["name"]
            return QueryPredicate.comparison(
                QueryComparison(
                    .keyPath(path), .equal, .constant(.null), modifier: part == 0 ? .direct : .any))
        }
        #expect(try fixture.keys("Person", parts[0]).count == 8)
        #expect(throws: StoreError.self) { try fixture.keys("Person", .and(parts)) }
    }

    @Test func `a long fetch stops where it is asked to, and the reader goes on`() throws {
        var asked = 0
        var stops = false
        var options = StoreReader.Options()
        options.onLongRunning = {
            asked += 1
            return stops
        }
        let fixture = try QueryFixture(options: options)
        for key in 1...300 { try fixture.add("Tag", key: Int64(key), ["name": "\(key)".value]) }
        try fixture.write()
        var fetch = FetchDescription(entityName: "Tag")
        #expect(try fixture.fetch(fetch).count == 300)
        stops = true
        fetch.predicate = try QueryPredicate(format: "name LIKE '*' AND name != '5'")
        #expect(throws: StoreError.interrupted) { try fixture.fetch(fetch) }
        #expect(asked > 0)
        stops = false
        #expect(try fixture.fetch(fetch).count == 299)
    }

    @Test func `a store without history has the number 0`() throws {
        let schema = try SQLSchema(model: QueryFixture.staff(), configuration: "Default")
        let connection = try SQLiteConnection(path: ":memory:")
        for statement in schema.creationStatements { try connection.execute(statement) }
        try connection.execute("DROP TABLE ATRANSACTION")
        let reader = try StoreReader(connection: connection, schema: schema)
        let reply = try reader.fetch(
            FetchRequestMessage(store: 1, fetch: FetchDescription(entityName: "Tag")))
        #expect(reply.number == 0 && reply.rows?.rowCount == 0)
    }
}
