import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import TestSupport
import Testing

/// Answers that no message could carry are refused while they are gathered.
@Suite struct AnswerSizeTests {
    /// People and managers, 20 of each, with photos of 8 MiB.
    private func album() throws -> QueryFixture {
        let fixture = try QueryFixture()
        for (place, entity) in ["Person", "Manager"].enumerated() {
            let number = try #require(fixture.schema.model.entity(named: entity)).index + 1
            try fixture.connection.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) \
                INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZAGE, ZPHOTO) \
                SELECT \(20 * place) + i, \(number), 1, i, zeroblob(8388608) FROM n
                """)
        }
        return fixture
    }

    private func expectTooLarge(mebibytes: Int = 256, _ body: () throws -> Void) {
        let error = #expect(throws: StoreError.self) { try body() }
        guard case .tooLarge(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains(" \(mebibytes) MiB") && text.contains("limit"))
    }

    @Test func `a fetch of more than a message holds is refused, and a smaller one is not`() throws {
        let fixture = try album()
        var fetch = FetchDescription(entityName: "Person")
        expectTooLarge { _ = try fixture.fetch(fetch) }
        fetch.limit = 10
        #expect(try fixture.fetch(fetch).rows?.rowCount == 10)
        fetch.limit = 0
        fetch.resultType = .objectIDs
        #expect(try fixture.fetch(fetch).rows?.rowCount == 40)
    }

    @Test func `more rows than a message has are refused, unless they go in parts`() throws {
        var options = StoreReader.Options()
        options.rowLimit = 300
        let fixture = try QueryFixture(options: options)
        let number = try #require(fixture.schema.model.entity(named: "Person")).index + 1
        try fixture.connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) \
            INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZISACTIVE) SELECT i, \(number), 1, i % 2 FROM n
            """)
        for result: FetchDescription.ResultType in [.objects, .objectIDs, .dictionaries] {
            var fetch = FetchDescription(entityName: "Person")
            fetch.resultType = result
            fetch.propertiesToFetch = result == .dictionaries ? ["isActive"] : []
            let error = #expect(throws: StoreError.self) { try fixture.fetch(fetch) }
            #expect(error == .tooLarge("the answer passes 300 rows; ask for fewer with a limit"))
            var count = 0
            let last = try fixture.reader.fetch(
                FetchRequestMessage(store: 1, fetch: fetch), partByteCount: 256
            ) { count += $0.rows?.rowCount ?? 0 }
            #expect(count + (last.rows?.rowCount ?? 0) == 4_000)
            fetch.limit = 300
            #expect(try fixture.fetch(fetch).rows?.rowCount == 300)
        }
        let person = try #require(fixture.schema.model.entity(named: "Person"))
        let request = RowsRequestMessage(store: 1, entity: person.index, primaryKeys: Array(1...301))
        #expect(throws: StoreError.self) { try fixture.reader.rows(request) }
    }

    @Test func `the first parts of a large answer are small, so that whoever waits begins early`() throws {
        let fixture = try QueryFixture()
        let number = try #require(fixture.schema.model.entity(named: "Person")).index + 1
        try fixture.connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) \
            INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZAGE, ZPHOTO) SELECT i, \(number), 1, i, zeroblob(100) FROM n
            """)
        let request = FetchRequestMessage(store: 1, fetch: FetchDescription(entityName: "Person"))
        for most in [96 << 10, 1 << 10] {
            var parts: [Int] = []
            let last = try fixture.reader.fetch(request, partByteCount: most) {
                parts.append($0.rows?.rowCount ?? 0)
            }
            let rest = try #require(last.rows).rowCount
            #expect(parts.reduce(rest, +) == 4_000)
            let largest = try #require(parts.max())
            #expect(parts.count > 4 && parts.dropFirst(4).allSatisfy { $0 == largest })
            #expect(most > 1 << 10 ? parts[0] < largest / 4 : parts[0] == largest)
        }
    }

    @Test func `rows by key count together, whatever their entities`() throws {
        let fixture = try album()
        let person = try #require(fixture.schema.model.entity(named: "Person"))
        for (keys, isFit) in [(1...20, true), (21...40, true), (1...40, false)] {
            let request = RowsRequestMessage(
                store: 1, entity: person.index, primaryKeys: keys.map(Int64.init))
            if isFit {
                #expect(try fixture.reader.rows(request).batches.map(\.rowCount) == [20])
            } else {
                expectTooLarge { _ = try fixture.reader.rows(request) }
            }
        }
    }

    @Test func `owners that are named again and again do not multiply an answer without bound`() throws {
        let fixture = try QueryFixture()
        try fixture.connection.execute("INSERT INTO ZCOMPANY (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)")
        try fixture.connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) \
            INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZEMPLOYER) SELECT i, 2, 1, 1 FROM n
            """)
        let company = try #require(fixture.schema.model.entity(named: "Company"))
        let staff = try #require(company.propertyIndex(named: "staff"))
        func read(_ times: Int) throws -> Int {
            let request = RelationshipRequestMessage(
                store: 1, entity: company.index, property: staff,
                primaryKeys: Array(repeating: 1, count: times))
            return try fixture.reader.relationship(request).primaryKeys.count
        }
        #expect(try read(2) == 40_000)
        expectTooLarge(mebibytes: 64) { _ = try read(300) }
    }
}
