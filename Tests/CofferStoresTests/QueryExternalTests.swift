import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Testing

struct QueryExternalTests {
    private func reader(_ options: StoreReader.Options) throws -> StoreReader {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Picture", attributes: [AttributeDefinition("data", .binary, allowsExternalStorage: true)])
        ])
        let schema = try SQLSchema(model: model, configuration: "Default")
        let connection = try SQLiteConnection(path: ":memory:")
        for statement in schema.creationStatements { try connection.execute(statement) }
        try connection.execute(
            """
            INSERT INTO ZPICTURE (Z_PK, Z_ENT, Z_OPT, ZDATA) VALUES
              (1, 1, 1, x'01AABB'), (2, 1, 1, x'02' || CAST('1F0A' AS BLOB) || x'00'), (3, 1, 1, NULL), (4, 1, 1, x'01')
            """)
        return try StoreReader(connection: connection, schema: schema, options: options)
    }

    @Test func `binary values beside the store are read, those within lose their mark`() throws {
        var options = StoreReader.Options()
        options.externalBytes = { name throws(StoreError) in Array("<\(name)>".utf8) }
        let request = FetchRequestMessage(store: 1, fetch: FetchDescription(entityName: "Picture"))
        let rows = try #require(try reader(options).fetch(request).rows)
        guard case .bytes(let runs) = rows.columns[0].values else { return #expect(Bool(false)) }
        let values = (0..<4).map { Array(runs.data[runs.range($0)]) }
        #expect(values == [[0xAA, 0xBB], Array("<1F0A>".utf8), [], []])
        #expect((0..<4).map { rows.columns[0].isNull($0) } == [false, false, true, false])
    }

    @Test func `a file that cannot be reached is an error, and the reader goes on`() throws {
        let reader = try reader(StoreReader.Options())
        var fetch = FetchDescription(entityName: "Picture")
        for _ in 0..<2 {
            #expect(throws: StoreError.self) { try reader.fetch(FetchRequestMessage(store: 1, fetch: fetch)) }
        }
        fetch.resultType = .count
        #expect(try reader.fetch(FetchRequestMessage(store: 1, fetch: fetch)).count == 4)
    }
}
