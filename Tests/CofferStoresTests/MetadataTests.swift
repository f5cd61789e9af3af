import CofferFormats
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

@Suite struct MetadataTests {
    private let values: [String: MetadataValue] = [
        "text": "a", "number": -5, "half": 0.5, "flag": true, "day": .date(Date(timeIntervalSinceReferenceDate: 9)),
        "bytes": .data([0, 255]), "list": [1, "b", [false]], "table": ["x": 1, "y": ["z": "w"]],
    ]

    private func changes(_ values: [String: MetadataValue]) -> [String: MetadataValueMessage?] {
        values.mapValues { MetadataValueMessage(text: $0.text ?? "", propertyList: $0.propertyList) }
    }

    private func open(_ path: String, _ type: StoreType, _ model: ManagedObjectModel?) throws -> StoreFile {
        var options = StoreOptions()
        options.type = type
        return try StoreFile.open(
            in: Folder(at: path), fileName: "Test.store", model: model.map { try StoreModel($0) },
            options: options)
    }

    @Test(arguments: [StoreType.sqlite, .binary, .xml])
    func `values keep their types, in a stack and in the file alone`(type: StoreType) throws {
        try withTemporaryFolder { path in
            do {
                let writer = try open(path, type, Library.model()).makeWriter()
                #expect(try writer.metadata(changing: changes(values)).type == type.metadataName)
            }
            let folder = try Folder(at: path)
            let before = try folder.read("Test.store", limit: 1 << 24)
            let read = try StoreFile.metadata(of: "Test.store", in: folder)
            #expect(read.entries == changes(values).compactMapValues { $0 }.mapValues(shown))
            #expect(read.versionHashes.count == Library.definitions.count && read.type == type.metadataName)
            #expect(try folder.read("Test.store", limit: 1 << 24) == before)
            _ = try StoreFile.metadata(
                of: "Test.store", in: folder, changing: ["text": nil, "number": MetadataValueMessage(text: "6")])
            let store = try open(path, type, nil)
            let after = try store.metadata(on: store.makeReader()).values
            var wanted = values
            (wanted["text"], wanted["number"]) = (nil, 6)
            #expect(after == wanted)
            #expect(try store.metadata(on: store.makeReader()).reply(uuid: store.uuid, type: type).uuid == read.uuid)
        }
    }

    /// A text comes without a property list.
    private func shown(_ value: MetadataValueMessage) -> MetadataValueMessage {
        value.text == "a" ? MetadataValueMessage(text: "a") : value
    }

    @Test func `type and UUID cannot be set, and what is no property list is refused`() throws {
        try withStore { (bench) throws in
            for key in ["NSStoreType", "NSStoreUUID"] {
                let error = #expect(throws: StoreError.self) {
                    try bench.writer.metadata(changing: [key: MetadataValueMessage(text: "x")])
                }
                #expect(error?.detail.reason == "unfit_metadata")
            }
            let error = #expect(throws: StoreError.self) {
                try bench.writer.metadata(changing: ["a": MetadataValueMessage(propertyList: [1, 2, 3])])
            }
            #expect(error?.detail.reason == "unfit_metadata")
            #expect(try bench.file.metadata(on: bench.writer.connection).values.isEmpty)
        }
    }

    @Test func `a file that Coffer did not make is changed with consent only, and gets no table then`() throws {
        try ForeignStore.lend { foreign in
            let folder = try Folder(at: foreign.folder)
            let names = try folder.names().sorted()
            let before = try folder.read(ForeignStore.name, limit: 1 << 24)
            let uuid = try StoreFile.metadata(of: ForeignStore.name, in: folder).uuid
            #expect(throws: StoreError.self) {
                try StoreFile.metadata(of: ForeignStore.name, in: folder, changing: changes(["a": 1]))
            }
            #expect(try folder.read(ForeignStore.name, limit: 1 << 24) == before)
            #expect(try folder.names().sorted() == names)
            var options = StoreOptions()
            options.foreignFiles = .adopted
            let after = try StoreFile.metadata(
                of: ForeignStore.name, in: folder, changing: changes(["a": 1]), options: options)
            #expect(after.uuid == uuid && after.entries["a"]?.text == "1")
            #expect(try folder.names().sorted() == names)
            let connection = try SQLiteConnection(
                path: "\(foreign.folder)/\(ForeignStore.name)", mode: .readOnly)
            let statement = try connection.prepare(
                "SELECT count(*) FROM sqlite_master WHERE name GLOB 'COFFER_[A-Z]*'")
            #expect(try statement.step() && statement.int64(0) == 0)
        }
    }
}
