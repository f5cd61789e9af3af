import CofferFormats
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// What files say of themselves, read and written without a stack.
@Suite struct FileMetadataTests {
    private static let types: [StoreType] = [.sqlite, .binary, .xml]
    private static let values: [String: PropertyListValue] = [
        "text": .string("a <b> & c"), "number": .integer(-7), "real": .real(2), "flag": .boolean(true),
        "date": .date(Date(timeIntervalSinceReferenceDate: 700_000_000)), "bytes": .data([0, 255, 1]),
        "list": .array([.integer(1), .string("two")]), "nested": .dictionary(["key": .array([])]),
    ]

    /// Values as a request has them.
    private func messages(_ values: [String: PropertyListValue]) -> [String: MetadataValueMessage?] {
        values.mapValues {
            MetadataValueMessage(propertyList: BinaryPropertyListWriter.bytes(of: $0))
        }
    }

    /// Makes a store with an object in it, and closes it.
    private func make(_ type: StoreType, in path: String) throws {
        var options = StoreOptions()
        options.type = type
        let bench = try Bench(
            try StoreFile.open(
                in: Folder(at: path), fileName: "Test.store", model: StoreModel(Library.model()),
                options: options))
        try bench.save(inserts: [bench.insert("Tag", [bench.text("Tag", "name", ["red"])])])
    }

    private func open(_ path: String) throws -> StoreFile {
        try StoreFile.open(in: Folder(at: path), fileName: "Test.store", model: nil)
    }

    @Test(arguments: types)
    func `values of every kind are written at once, and found by whoever opens the store`(
        type: StoreType
    ) throws {
        try withTemporaryFolder { path in
            try make(type, in: path)
            let folder = try Folder(at: path)
            let before = try FileMetadata.read("Test.store", in: folder, type: type)
            #expect(before.type == type)
            #expect(before.reply.type == type.metadataName && before.values.isEmpty)
            #expect(before.versionHashes.count == Library.definitions.count)
            try FileMetadata.set(messages(Self.values), of: "Test.store", in: folder)
            let after = try FileMetadata.read("Test.store", in: folder)
            #expect(after.values == Self.values.compactMapValues { MetadataValue($0) })
            do {
                let bench = try Bench(try open(path))
                #expect(bench.file.uuid == before.uuid)
                #expect(try bench.file.metadata(on: bench.file.makeReader()).values["number"] == -7)
                #expect(try bench.query("SELECT ZNAME FROM ZTAG") == ["red"])
                // A save does not lose them.
                try bench.save(inserts: [bench.insert("Tag", [bench.text("Tag", "name", ["blue"])])])
            }
            #expect(try FileMetadata.read("Test.store", in: folder).values == after.values)
            try FileMetadata.set(Self.values.mapValues { _ in nil }, of: "Test.store", in: folder)
            #expect(try FileMetadata.read("Test.store", in: folder).values == before.values)
        }
    }

    @Test(arguments: types)
    func `reading changes nothing, and works while somebody has the store open`(type: StoreType) throws {
        try withTemporaryFolder { path in
            try make(type, in: path)
            let folder = try Folder(at: path)
            let before = try FolderSnapshot(of: path)
            _ = try FileMetadata.read("Test.store", in: folder)
            #expect(try FolderSnapshot(of: path) == before)
            let file = try open(path)
            #expect(try FileMetadata.read("Test.store", in: folder).uuid == file.uuid)
            #expect {
                try FileMetadata.set(messages(["a": .string("b")]), of: "Test.store", in: folder)
            } throws: { error in
                guard case StoreError.lockedByOther = error else { return false }
                return "\(error)".contains("open in this process already")
            }
            #expect(try FileMetadata.read("Test.store", in: folder).values["a"] == nil)
        }
    }

    @Test(arguments: types)
    func `keys of the store's own, other types and values that no list has are refused`(
        type: StoreType
    ) throws {
        try withTemporaryFolder { path in
            try make(type, in: path)
            let folder = try Folder(at: path)
            let before = try FolderSnapshot(of: path)
            for key in ["NSStoreType", "NSStoreUUID", "NSStoreModelVersionHashes", "CofferModel"] {
                #expect {
                    try FileMetadata.set(messages([key: .string("x")]), of: "Test.store", in: folder)
                } throws: { error in
                    if case StoreError.unfitMetadata(key, _) = error { true } else { false }
                }
            }
            for value in [PropertyListValue.null, .array([.reference(1)])] {
                #expect(throws: StoreError.self) {
                    try FileMetadata.set(messages(["a": value]), of: "Test.store", in: folder)
                }
            }
            #expect {
                try FileMetadata.set(
                    messages(["a": .data([UInt8](repeating: 0, count: 2 << 20))]), of: "Test.store",
                    in: folder)
            } throws: { error in
                if case StoreError.tooLarge = error { true } else { false }
            }
            let other = type == .xml ? StoreType.sqlite : .xml
            #expect(throws: StoreError.otherType(path: path + "/Test.store", is: type)) {
                try FileMetadata.read("Test.store", in: folder, type: other)
            }
            #expect(try FolderSnapshot(of: path).files["Test.store"] == before.files["Test.store"])
        }
    }

    @Test func `a database that Coffer did not make is written with consent, and gets nothing else`() throws {
        for keepsLog in [false, true] {
            try ForeignStore.lend(mode: "wal", keepsLog: keepsLog) { store in
                let folder = try Folder(at: store.folder)
                let before = try store.snapshot()
                #expect {
                    try FileMetadata.set(messages(["a": .integer(1)]), of: ForeignStore.name, in: folder)
                } throws: { error in
                    if case StoreError.notAdopted = error { true } else { false }
                }
                #expect(try store.snapshot().files == before.files)
                let content = "SELECT type || name || tbl_name FROM sqlite_master ORDER BY 1"
                let (schema, rows) = (try store.query(content), try store.query("SELECT ZNAME FROM ZTAG"))
                let values = try FileMetadata.read(ForeignStore.name, in: folder).values
                try FileMetadata.set(
                    messages(["a": .integer(1)]), of: ForeignStore.name, in: folder, adopts: true)
                #expect(
                    try FileMetadata.read(ForeignStore.name, in: folder).values
                        == values.merging(["a": 1]) { $1 })
                #expect(try store.query(content) == schema)
                #expect(try store.query("SELECT ZNAME FROM ZTAG") == rows)
                #expect(try !folder.exists(ForeignStore.name + ".lock"))
            }
        }
    }

    @Test func `a database that would run SQL of its own is not written`() throws {
        let trigger = "CREATE TRIGGER t AFTER UPDATE ON Z_METADATA BEGIN DELETE FROM ZTAG; END"
        try ForeignStore.lend(adding: trigger) { store in
            let folder = try Folder(at: store.folder)
            #expect {
                try FileMetadata.set(
                    messages(["a": .integer(1)]), of: ForeignStore.name, in: folder, adopts: true)
            } throws: { error in
                if case StoreError.unknownSQL = error { true } else { false }
            }
            #expect(try store.query("SELECT count(*) FROM ZTAG") == ["3"])
        }
    }

    @Test(
        .enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"),
        arguments: ["1-original.xml", "2-two-pictures.xml", "3-after-remove.xml"])
    func `an XML store of Core Data's keeps every byte but its metadata`(fixture: String) throws {
        try withTemporaryFolder { path in
            let source = try Folder(at: FixtureFolder.required() + "/xml/cocoadev-vehicles")
            let bytes = try source.read(fixture, limit: 1 << 24)
            let folder = try Folder(at: path)
            try folder.replace("Test.store", with: bytes)
            let before = try FileMetadata.read("Test.store", in: folder)
            #expect(try folder.read("Test.store", limit: 1 << 24) == bytes)
            #expect(try folder.names() == ["Test.store"])
            try FileMetadata.set(messages(["a": .integer(1)]), of: "Test.store", in: folder, adopts: true)
            let changed = try folder.read("Test.store", limit: 1 << 24)
            #expect(
                try FileMetadata.read("Test.store", in: folder).values
                    == before.values.merging(["a": 1]) { $1 })
            let end = Array("</metadata>".utf8)
            let rest = try #require(bytes.firstRange(of: end))
            #expect(
                changed.suffix(bytes.count - rest.lowerBound) == bytes.suffix(bytes.count - rest.lowerBound))
            #expect(try folder.names() == ["Test.store"])
        }
    }
}
