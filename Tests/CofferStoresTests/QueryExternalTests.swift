import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import FoundationEssentials
import TestSupport
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

    private static let name = "0F3C5A2E-6C0B-4B7E-9C53-1D2A7F9E8B10"

    /// A store with one picture, whose data is in the file of the name that its row has.
    private func store(in folder: Folder, named name: String) throws -> (StoreFile, StoreReader) {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Picture", attributes: [AttributeDefinition("data", .binary, allowsExternalStorage: true)])
        ])
        let file = try StoreFile.open(
            in: folder, fileName: "Pictures.sqlite",
            model: StoreModel(model))
        try file.makeWriter().connection.execute(
            "INSERT INTO ZPICTURE (Z_PK, Z_ENT, Z_OPT, ZDATA) VALUES (1, 1, 1, CAST(x'02' || CAST('\(name)' AS BLOB) || x'00' AS BLOB))"
        )
        var options = StoreReader.Options()
        options.externalBytes = { name throws(StoreError) in try file.externalBytes(name) }
        let reader = try StoreReader(
            connection: file.makeReader(), schema: file.schema, options: options)
        return (file, reader)
    }

    private let request = FetchRequestMessage(store: 1, fetch: FetchDescription(entityName: "Picture"))

    @Test func `a value is read from the file beside the store, also for an answer about conflicts`() throws {
        let holder = try TemporaryFolder()
        defer { holder.remove() }
        let folder = try Folder(at: holder.path)
        let value = [UInt8](repeating: 9, count: 300_000)
        let place = try folder.makeFolders(".Pictures_SUPPORT/_EXTERNAL_DATA")
        try place.replace(Self.name, with: value)
        let (file, reader) = try store(in: folder, named: Self.name)
        guard case .bytes(let runs)? = try reader.fetch(request).rows?.columns.first?.values
        else {
            return #expect(Bool(false))
        }
        #expect(runs.data == value)
        let writer = try file.makeWriter()
        try writer.begin()
        let update = UpdateGroup(
            entity: 0, primaryKeys: [1], versions: [7],
            columns: [Column(property: 0, values: .bytes(ByteRuns(data: [1], ends: [1])))])
        let save = SaveRequestMessage(
            store: 1, request: RequestIDMessage(client: UUID(), sequence: 1, acknowledged: 0),
            updates: [update])
        let execution = try writer.execute(
            save, by: SaveOrigin(application: "a", process: "p", timestamp: 1))
        try writer.rollback()
        guard case .conflicts(let conflicts) = execution.reply,
            case .bytes(let stored)? = conflicts.first?.stored?.columns.first?.values
        else { return #expect(Bool(false), "\(execution)") }
        #expect(stored.data == value)
    }

    @Test(arguments: [name, "../../Pictures.sqlite", "", "x"])
    func `a value whose file is not there is null for objects, and else an error`(name: String) throws {
        let holder = try TemporaryFolder()
        defer { holder.remove() }
        var told: [String] = []
        let (file, _) = try store(in: Folder(at: holder.path), named: name)
        var options = StoreReader.Options()
        options.externalBytes = { name throws(StoreError) in try file.externalBytes(name) }
        options.onMissingFile = { value in
            let object = "\(value.entity ?? "")/p\(value.primaryKey ?? 0).\(value.attribute ?? "")"
            told.append("\(object) \(value.file)")
        }
        let reader = try StoreReader(connection: file.makeReader(), schema: file.schema, options: options)
        let column = try #require(try reader.fetch(request).rows?.columns.first)
        #expect(column.isNull(0))
        #expect(told == ["Picture/p1.data \(name)"])
        let filtered = FetchDescription(
            entityName: "Picture",
            predicate: .comparison(.init(.keyPath(["data"]), .equal, .constant(.binary([1])))))
        #expect(try reader.fetch(FetchRequestMessage(store: 1, fetch: filtered)).rows?.rowCount == 0)
        #expect(told.last == "/p0. \(name)")
        let error = #expect(throws: StoreError.self) {
            try reader.rows(RowsRequestMessage(store: 1, entity: 0, primaryKeys: [1]))
        }
        #expect("\(error as Any)".contains("'\(name)' of Picture/p1.data is missing"), "\(error as Any)")
        var dictionaries = FetchDescription(entityName: "Picture")
        dictionaries.resultType = .dictionaries
        dictionaries.propertiesToFetch = ["data"]
        let other = #expect(throws: StoreError.self) {
            try reader.fetch(FetchRequestMessage(store: 1, fetch: dictionaries))
        }
        #expect("\(other as Any)".contains("'\(name)' of a value is missing"), "\(other as Any)")
    }

    @Test func `a store that has such files cannot come without them, and takes them along when it goes`()
        throws
    {
        let holder = try TemporaryFolder()
        defer { holder.remove() }
        let folder = try Folder(at: holder.path)
        let place = try folder.makeFolders(".Pictures_SUPPORT/_EXTERNAL_DATA")
        try place.replace(Self.name, with: [1])
        do {
            let (file, _) = try store(in: folder, named: Self.name)
            try file.makeWriter().checkpointFully()
        }
        let error = #expect(throws: StoreError.self) {
            _ = try StoreReplacement(
                folder.openBeneath("Pictures.sqlite"), of: "Other.sqlite", in: folder, model: nil,
                configuration: "Default")
        }
        guard case .notAStore? = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(try StoreFile.remove("Pictures.sqlite", in: folder))
        #expect(try folder.names() == [])
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
