import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Synchronization
import TestSupport
import Testing

/// Rows by id and of relationships, with and without values in files.
@Suite struct QueryExternalRowTests {
    private let model: ManagedObjectModel
    private let reader: StoreReader
    private let reads = FileReads()

    private final class FileReads: Sendable {
        let names = Mutex<[String]>([])
    }

    init() throws {
        model = try ManagedObjectModel {
            Entity("Album") { Many("photos", "Photo", inverse: "album", deleteRule: .nullify) }
            Entity("Photo") {
                Field("data", .binary).externalStorage().optional()
                Field("name", .string).optional()
                One("album", "Album", inverse: "photos")
            }
        }
        let schema = try SQLSchema(model: model, configuration: "Default")
        let connection = try SQLiteConnection(path: ":memory:")
        for statement in schema.creationStatements { try connection.execute(statement) }
        try connection.execute("INSERT INTO ZALBUM (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)")
        for key in 1...5 {
            try connection.execute(
                "INSERT INTO ZPHOTO (Z_PK, Z_ENT, Z_OPT, ZALBUM, ZNAME, ZDATA) VALUES "
                    + "(\(key), 2, 1, 1, 'n\(key)', x'02' || CAST('F\(key)' AS BLOB) || x'00')")
        }
        var options = StoreReader.Options()
        options.externalBytes = { [reads] name throws(StoreError) in
            reads.names.withLock { $0.append(name) }
            return Array("<\(name)>".utf8)
        }
        reader = try StoreReader(connection: connection, schema: schema, options: options)
    }

    private func names(_ batch: PackedRows) throws -> Set<String> {
        Set(batch.columns.map { model.entities[batch.entity].properties[$0.property].name })
    }

    @Test func `rows read a file for each value, unless they are asked for without`() throws {
        let photo = try #require(model.entity(named: "Photo")).index
        var request = RowsRequestMessage(store: 1, entity: photo, primaryKeys: [1, 2, 3, 4, 5])
        for round in 1...2 {
            request.withoutExternalValues = true
            let batch = try #require(try reader.rows(request).batches.first)
            #expect(try names(batch) == ["album", "name"] && batch.rowCount == 5)
            #expect(batch.versions == [1, 1, 1, 1, 1])
            #expect(reads.names.withLock { $0.count } == 5 * (round - 1))
            request.withoutExternalValues = false
            #expect(try names(try #require(try reader.rows(request).batches.first)).contains("data"))
            #expect(reads.names.withLock { $0.count } == 5 * round)
        }
    }

    @Test func `rows that come along with a relationship read a file for each value, too`() throws {
        let album = try #require(model.entity(named: "Album"))
        var request = RelationshipRequestMessage(
            store: 1, entity: album.index, property: try #require(album.propertyIndex(named: "photos")),
            primaryKeys: [1], withRows: true, withoutExternalValues: true)
        let reply = try reader.relationship(request)
        #expect(reply.primaryKeys == [1, 2, 3, 4, 5])
        #expect(try names(try #require(reply.batches.first)) == ["album", "name"])
        #expect(reads.names.withLock { $0 } == [])
        request.withoutExternalValues = false
        let whole = try #require(try reader.relationship(request).batches.first)
        #expect(try names(whole) == ["album", "data", "name"])
        #expect(reads.names.withLock { $0 } == ["F1", "F2", "F3", "F4", "F5"])
    }
}
