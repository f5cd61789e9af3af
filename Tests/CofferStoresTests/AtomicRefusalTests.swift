import CofferFormats
import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// What a file that is written as a whole could not give back is refused before it is written.
@Suite struct AtomicRefusalTests {
    private static let types: [StoreType] = [.binary, .xml]

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition("Note", attributes: [AttributeDefinition("day", .date, isOptional: true)])
        ])
    }

    private func open(_ path: String, _ type: StoreType) throws -> StoreFile {
        var options = StoreOptions()
        options.type = type
        return try StoreFile.open(
            in: Folder(at: path), fileName: "Test.store", model: StoreModel(Self.model()), options: options)
    }

    private func insert(_ days: [Double], into bench: Bench) throws -> SaveRequestMessage {
        try bench.request(inserts: [
            bench.insert(
                "Note", [Column(property: try bench.property("Note", "day"), values: .doubles(days))],
                count: days.count)
        ])
    }

    @Test(arguments: types)
    func `a date without end is refused, and the store opens again with what it had`(type: StoreType) throws {
        try withTemporaryFolder { path in
            do {
                let bench = try Bench(open(path, type))
                _ = try bench.execute(insert([7], into: bench))
                #expect(throws: StoreError.self) { try bench.execute(insert([.infinity], into: bench)) }
                _ = try bench.execute(insert([8], into: bench))
            }
            let again = try Bench(open(path, type))
            #expect(try again.query("SELECT ZDAY IN (7.0, 8.0) FROM ZNOTE") == ["1", "1"])
        }
    }

    @Test(arguments: [StoreType.sqlite, .binary, .xml])
    func `metadata that could not be read again are refused`(type: StoreType) throws {
        try withTemporaryFolder { path in
            do {
                let bench = try Bench(open(path, type))
                var deep = PropertyListValue.array([])
                for _ in 0..<100 { deep = .array([deep]) }
                let values: [PropertyListValue] = [
                    deep, .date(Date(timeIntervalSinceReferenceDate: .infinity)),
                    .array([.date(Date(timeIntervalSinceReferenceDate: .nan))]), .null,
                ]
                for value in values {
                    let list = BinaryPropertyListWriter.bytes(of: value)
                    let error = #expect(throws: StoreError.self) {
                        try bench.writer.metadata(changing: ["a": MetadataValueMessage(propertyList: list)])
                    }
                    #expect(error?.detail.reason == "unfit_metadata")
                }
            }
            #expect(try open(path, type).isCreated == false)
        }
    }

    @Test(.leftToAll) func `a text that stands in many places does not grow beyond what a file may have`()
        throws
    {
        try withTemporaryFolder { path in
            let bench = try Bench(open(path, .xml))
            let text = PropertyListValue.string(String(repeating: "x", count: 10_000))
            let list = BinaryPropertyListWriter.bytes(of: .array(Array(repeating: text, count: 6_800)))
            #expect(throws: StoreError.self) {
                try bench.writer.metadata(changing: ["a": MetadataValueMessage(propertyList: list)])
            }
            _ = try bench.execute(insert([7], into: bench))
        }
    }

    @Test func `a model whose names an XML store cannot tell apart is refused before anything is written`()
        throws
    {
        let models = [
            [EntityDefinition("Note", attributes: []), EntityDefinition("NOTE", attributes: [])],
            [
                EntityDefinition(
                    "Note",
                    attributes: [
                        AttributeDefinition("userID", .string), AttributeDefinition("userId", .string),
                    ])
            ],
        ]
        for entities in models {
            try withTemporaryFolder { (path: String) throws in
                var options = StoreOptions()
                options.type = .xml
                let error = #expect(throws: StoreError.self) {
                    try StoreFile.open(
                        in: Folder(at: path), fileName: "Test.store",
                        model: StoreModel(ManagedObjectModel(entities: entities)), options: options)
                }
                #expect(error?.detail.reason == "unfit_model")
                #expect(try !Folder(at: path).exists("Test.store"))
            }
        }
    }

    @Test(arguments: types)
    func `what another program wrote into the file in place is not overwritten`(type: StoreType) throws {
        try withTemporaryFolder { path in
            let lost = ConditionLock<Bool>(false)
            let bench = try Bench(open(path, type))
            bench.file.place.whenLost { _ in lost.withLock { $0 = true } }
            _ = try bench.execute(insert([7], into: bench))
            let name = "\(path)/Test.store"
            let handle = try #require(FileHandle(forWritingAtPath: name))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("theirs".utf8))
            try handle.close()
            let bytes = try Data(contentsOf: URL(fileURLWithPath: name))
            #expect(throws: StoreError.fileGone(path: name, isLog: false)) {
                try bench.execute(insert([8], into: bench))
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: name)) == bytes)
            #expect(lost.withLock { $0 }, "whoever keeps the store open is told")
        }
    }

    @Test(arguments: types)
    func `reserved keys are not given out again after the file was opened anew`(type: StoreType) throws {
        try withTemporaryFolder { path in
            var first: Int64 = 0
            do {
                let bench = try Bench(open(path, type))
                let entity = try bench.entity("Note").index
                first = try bench.writer.reserveKeys([KeyReservation(entity: entity, count: 10)])[0]
            }
            let again = try Bench(open(path, type))
            #expect(try again.execute(insert([7], into: again)).transaction?.number != nil)
            #expect(try again.query("SELECT Z_PK FROM ZNOTE") == ["\(first + 10)"])
        }
    }
}
