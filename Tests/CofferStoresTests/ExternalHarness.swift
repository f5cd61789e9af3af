import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Albums own pictures, whose data may be in files beside the store.
enum Gallery {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Album", attributes: [AttributeDefinition("name", .string, isOptional: true)],
                relationships: [
                    RelationshipDefinition(
                        "pictures", to: "Picture", inverse: "album", isToMany: true, deleteRule: .cascade)
                ]),
            EntityDefinition(
                "Picture",
                attributes: [
                    AttributeDefinition("code", .string, isOptional: true),
                    AttributeDefinition(
                        "data", .binary, isOptional: true, allowsExternalStorage: true,
                        preservesValueOnDeletion: true),
                    AttributeDefinition(
                        "mask", .transformable, isOptional: true, allowsExternalStorage: true),
                ],
                relationships: [RelationshipDefinition("album", to: "Album", inverse: "pictures")],
                uniquenessConstraints: [["code"]]),
        ])
    }

    /// A value that needs a file of its own.
    static func large(_ byte: UInt8, _ count: Int = 150_000) -> [UInt8] {
        [UInt8](repeating: byte, count: count)
    }

    /// Opens the store of a folder, or makes it.
    static func open(in path: String, vfs: ((inout StoreOptions) throws -> Void)? = nil) throws -> StoreFile {
        var options = StoreOptions()
        try vfs?(&options)
        return try StoreFile.open(
            in: Folder(at: path), fileName: "Test.sqlite", model: StoreModel(model()), options: options)
    }

    /// The names of the files that a store in a folder has for values, waiting ones included.
    static func files(in path: String) throws -> (placed: Set<String>, waiting: Set<String>) {
        func names(_ place: String) -> Set<String> {
            Set((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(place)")) ?? [])
        }
        return (names(".Test_SUPPORT/_EXTERNAL_DATA"), names(".Test_SUPPORT/_PENDING_Test.sqlite"))
    }
}

extension Bench {
    func bytes(_ name: String, _ values: [[UInt8]?]) throws -> Column {
        var (runs, nulls) = (ByteRuns(), [UInt8](repeating: 0, count: (values.count + 7) / 8))
        for (row, value) in values.enumerated() {
            runs.data += value ?? []
            runs.ends.append(UInt32(runs.data.count))
            if value == nil { nulls[row / 8] |= 1 << UInt8(row % 8) }
        }
        return Column(property: try property("Picture", name), nulls: nulls, values: .bytes(runs))
    }

    func pictures(_ values: [[UInt8]?], codes: [String?]? = nil) throws -> InsertGroup {
        var columns = [try bytes("data", values)]
        if let codes { columns.append(try text("Picture", "code", codes)) }
        return try insert("Picture", columns, count: values.count)
    }

    /// The names of files that rows have.
    func namesInRows() throws -> Set<String> {
        var names: Set<String> = []
        for column in ["ZDATA", "ZMASK"] {
            names.formUnion(
                try query(
                    "SELECT CAST(substr(\(column), 2, 36) AS TEXT) FROM ZPICTURE WHERE hex(substr(\(column), 1, 1)) = '02'"
                ))
        }
        return names
    }

    /// Expects that rows and files agree, and that nothing waits.
    func expectWhole(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let files = try Gallery.files(in: file.folder.path)
        #expect(try files.placed == namesInRows(), sourceLocation: sourceLocation)
        #expect(files.waiting == [], sourceLocation: sourceLocation)
    }

    /// The data of all pictures by key, as a reader has it.
    func data(where predicate: QueryPredicate? = nil) throws -> [Int64: [UInt8]] {
        var options = StoreReader.Options()
        options.externalBytes = { [file] name throws(StoreError) in try file.externalBytes(name) }
        options.externalReads = file.externalReads
        let reader = try StoreReader(connection: file.makeReader(), schema: file.schema, options: options)
        return try Self.data(reader, where: predicate)
    }

    static func data(_ reader: StoreReader, where predicate: QueryPredicate? = nil) throws -> [Int64: [UInt8]]
    {
        var fetch = FetchDescription(entityName: "Picture", predicate: predicate)
        fetch.propertiesToFetch = ["data"]
        let rows = try #require(try reader.fetch(FetchRequestMessage(store: 1, fetch: fetch)).rows)
        return Dictionary(
            uniqueKeysWithValues: (0..<rows.rowCount).compactMap { row in
                rows.bytes(0, row).map { (rows.primaryKey(row), $0) }
            })
    }
}

/// Lends a new gallery in a folder of its own; rows and files agree at the end.
func withGallery(_ body: (Bench) throws -> Void) throws {
    try withTemporaryFolder { path in
        let bench = try Bench(Gallery.open(in: path))
        try body(bench)
        try bench.expectWhole()
        #expect(try bench.writer.integrityCheck() == [])
    }
}
