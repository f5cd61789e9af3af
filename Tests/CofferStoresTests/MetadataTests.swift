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
        "text": "a", "number": -5, "half": 0.5, "flag": true,
        "day": .date(Date(timeIntervalSinceReferenceDate: 9)),
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
            let read = try FileMetadata.read("Test.store", in: folder).reply
            #expect(read.entries == changes(values).compactMapValues { $0 }.mapValues(shown))
            #expect(read.versionHashes.count == Library.definitions.count && read.type == type.metadataName)
            #expect(try folder.read("Test.store", limit: 1 << 24) == before)
            try FileMetadata.set(
                ["text": nil, "number": MetadataValueMessage(text: "6")], of: "Test.store", in: folder)
            let store = try open(path, type, nil)
            let after = try store.metadata(on: store.makeReader()).values
            var wanted = values
            (wanted["text"], wanted["number"]) = (nil, 6)
            #expect(after == wanted)
            #expect(
                try store.metadata(on: store.makeReader()).reply(uuid: store.uuid, type: type.metadataName)
                    .uuid
                    == read.uuid)
        }
    }

    /// A text comes without a property list.
    private func shown(_ value: MetadataValueMessage) -> MetadataValueMessage {
        value.text == "a" ? MetadataValueMessage(text: "a") : value
    }

    @Test func `type and UUID cannot be set, and bytes other than a property list are refused`() throws {
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
}
