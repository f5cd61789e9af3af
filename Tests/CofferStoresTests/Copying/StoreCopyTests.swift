import CofferFormats
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Copies of stores, of each type into each.
@Suite struct StoreCopyTests {
    private static let files: [StoreType] = [.sqlite, .binary, .xml]

    @Test(arguments: Seed.several(12))
    func `a copy of any type has the objects, values and relationships of the store`(_ seed: Seed) throws {
        print("seed \(seed)")
        var generator = seed.generator()
        guard let model = RandomModels(generator).model else { return }
        try withTemporaryFolder { path in
            let harness = MigrationHarness(path: path, source: model, destination: model)
            try RandomObjects.fill(harness, &generator)
            let file = try harness.open(model)
            for type in StoreType.allCases {
                let first = try CopyHarness.copy(file, as: type, in: path, name: "First.\(type)")
                try CopyHarness.expectEqual(first, to: file, "seed \(seed), to \(type)")
                for next in StoreType.allCases {
                    let second = try CopyHarness.copy(
                        first.store, as: next, in: path, name: "Second.\(type).\(next)")
                    try CopyHarness.expectEqual(
                        second, to: first.store, "seed \(seed), from \(type) to \(next)")
                }
            }
        }
    }

    @Test(arguments: StoreType.allCases)
    func `orders, large values, metadata and keys that were given out are kept`(type: StoreType) throws {
        try withTemporaryFolder { path in
            let bench = try Bench(Gallery.open(in: path))
            let first = try bench.save(inserts: [
                bench.pictures(
                    [Gallery.large(1), [2], nil, Gallery.large(3, 90_000)], codes: ["a", "b", nil, "d"])
            ]).saved.firstKeys[0]
            try bench.save(deletes: [bench.delete("Picture", [first + 3])])
            try bench.writer.begin()
            _ = try bench.writer.updateMetadata([
                "author": MetadataValueMessage(text: "me"), "NSOwn": MetadataValueMessage(text: "aside"),
            ])
            try bench.writer.commit()
            let copy = try CopyHarness.copy(bench.file, as: type, in: path, name: "Other.store")
            try CopyHarness.expectEqual(copy, to: bench.file)
            #expect(copy.outcome.leftOut == [] && copy.outcome.missingCount == 0)
            guard type == .sqlite else { return }
            let files = try FileManager.default.contentsOfDirectory(
                atPath: path + "/.Other_SUPPORT/_EXTERNAL_DATA")
            #expect(files.count == 1)
            let again = try Bench(
                StoreFile.open(in: Folder(at: path), fileName: "Other.store", model: nil))
            let key = try again.save(inserts: [again.pictures([[9]])]).saved.firstKeys[0]
            #expect(key == first + 4, "the key of an object that was deleted is not given out again")
        }
    }

    @Test func `history, its consumers and reserved keys go with a copy in SQLite`() throws {
        try withTemporaryFolder { path in
            let bench = try Bench(
                StoreFile.open(
                    in: Folder(at: path), fileName: "Test.sqlite", model: StoreModel(Library.model())))
            bench.followCalendar()
            try bench.save(inserts: [
                bench.insert("Novel", [bench.text("Novel", "title", ["x", "y"])], count: 2)
            ])
            try bench.save(deletes: [bench.delete("Novel", [1])])
            let reserved = try bench.writer.reserveKeys([
                KeyReservation(entity: bench.entity("Shelf").index, count: 3)
            ])[0]
            try bench.writer.begin()
            _ = try bench.writer.acknowledge(
                ConsumerRequestMessage(store: 1, name: "index", acknowledged: 1), application: "app",
                now: bench.time)
            try bench.writer.commit()
            let copy = try CopyHarness.copy(bench.file, as: .sqlite, in: path)
            func history(_ file: StoreFile) throws -> HistoryReplyMessage {
                try HistoryReader(connection: file.makeReader(), file: file).reply(
                    to: HistoryRequestMessage(store: 1, storeUUID: nil, after: 0))
            }
            #expect(try history(copy.store) == history(bench.file))
            #expect(copy.outcome.number == 2 && copy.store.openingNumber == 2)
            let again = try Bench(
                StoreFile.open(in: Folder(at: path), fileName: "Copy.sqlite", model: nil))
            #expect(
                try again.query("SELECT application, name, acknowledged FROM COFFER_CONSUMER")
                    == ["app|index|1"])
            var group = try again.insert("Shelf")
            group.firstKey = reserved
            #expect(try again.save(inserts: [group]).saved.number == 3)
        }
    }

    @Test(arguments: files)
    func `a plain copy has nothing of ours, and the same objects`(type: StoreType) throws {
        try withTemporaryFolder { path in
            let bench = try Bench(Gallery.open(in: path))
            try bench.save(inserts: [bench.pictures([Gallery.large(1), [2]], codes: ["a", "b"])])
            let before = try Folder(at: path).names()
            let copy = try CopyHarness.copy(
                bench.file, as: type, in: path, isPlain: true, name: "Plain.store")
            let names = Set(try Folder(at: path).names()).subtracting(before)
            #expect(names == (type == .sqlite ? ["Plain.store", ".Plain_SUPPORT"] : ["Plain.store"]))
            try CopyHarness.expectEqual(copy, to: bench.file)
            guard type == .sqlite else {
                let bytes = try Folder(at: path).read("Plain.store", limit: 1 << 30)
                for key in ["CofferModel", "CofferTransaction", "CofferReplies"] {
                    #expect(bytes.firstRange(of: Array(key.utf8)) == nil)
                }
                return
            }
            let reader = try copy.store.makeReader()
            let statement = try reader.prepare(
                "SELECT name FROM sqlite_master WHERE name GLOB 'COFFER*' OR name GLOB 'A[CT]*' UNION "
                    + "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT > 16000")
            #expect(try !statement.step())
        }
    }

    @Test func `a time of the last change, a count and a sum are what they were`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "List",
                attributes: [
                    AttributeDefinition("changed", .date, isOptional: true, derivationExpression: "now()"),
                    AttributeDefinition(
                        "size", .integer64, isOptional: true, derivationExpression: "items.@count"),
                    AttributeDefinition("name", .string, isOptional: true),
                ],
                relationships: [RelationshipDefinition("items", to: "Item", inverse: "list", isToMany: true)]),
            EntityDefinition(
                "Item", attributes: [],
                relationships: [RelationshipDefinition("list", to: "List", inverse: "items")]),
        ])
        try withTemporaryFolder { path in
            let bench = try Bench(
                StoreFile.open(in: Folder(at: path), fileName: "Test.sqlite", model: StoreModel(model)))
            let list = try bench.save(inserts: [bench.insert("List")]).saved.firstKeys[0]
            try bench.save(inserts: [
                bench.insert(
                    "Item", [bench.reference("Item", "list", [("List", list), ("List", list)])], count: 2)
            ])
            let sql = "SELECT ZCHANGED, ZSIZE FROM ZLIST"
            let before = try bench.query(sql)
            #expect(before[0].hasSuffix("|2"))
            for type in StoreType.allCases {
                let copy = try CopyHarness.copy(bench.file, as: type, in: path)
                if type != .sqlite { continue }
                let again = try Bench(
                    StoreFile.open(in: Folder(at: path), fileName: "Copy.sqlite", model: nil))
                #expect(try again.query(sql) == before)
                try again.save(inserts: [
                    again.insert("Item", [again.reference("Item", "list", [("List", list)])])
                ])
                #expect(try again.query("SELECT ZSIZE FROM ZLIST") == ["3"])
                #expect(copy.outcome.objectCount == 3)
            }
        }
    }

    @Test(arguments: files)
    func `a copy that is stopped leaves nothing, and the store as it was`(type: StoreType) throws {
        try withTemporaryFolder { path in
            let bench = try Bench(Gallery.open(in: path))
            try bench.save(inserts: [bench.pictures([Gallery.large(1), [2]])])
            let before = try Folder(at: path).names().sorted()
            var calls = 0
            let copy = try StoreCopy(of: bench.file, as: type)
            #expect(throws: StoreError.interrupted) {
                try copy.run(as: "Copy.store", in: Folder(at: path)) { _, _ in
                    calls += 1
                    return calls < 4
                }
            }
            #expect(try Folder(at: path).names().sorted() == before)
            let made = try CopyHarness.copy(bench.file, as: type, in: path)
            try CopyHarness.expectEqual(made, to: bench.file)
        }
    }

    @Test(arguments: files)
    func `a name that is taken stays as it is`(type: StoreType) throws {
        try withTemporaryFolder { path in
            let bench = try Bench(Gallery.open(in: path))
            try Folder(at: path).replace("Copy.store", with: [1, 2, 3])
            #expect(throws: StoreError.alreadyExists(path: path + "/Copy.store")) {
                try StoreCopy(of: bench.file, as: type).run(as: "Copy.store", in: Folder(at: path))
            }
            #expect(throws: StoreError.self) {
                try StoreCopy(of: bench.file, as: type).run(as: "Test.sqlite-wal", in: Folder(at: path))
            }
            #expect(try Folder(at: path).read("Copy.store", limit: 10) == [1, 2, 3])
        }
    }

    @Test func `others save while a copy is made, which has what was there at its beginning`() throws {
        try withTemporaryFolder { path in
            let bench = try Bench(Gallery.open(in: path))
            try bench.save(inserts: [bench.pictures([Gallery.large(1), [2]])])
            let wanted = try ObjectGraph(reading: bench.file)
            var isSaved = false
            _ = try StoreCopy(of: bench.file, as: .sqlite).run(as: "Copy.sqlite", in: Folder(at: path)) {
                _, _ in
                if !isSaved {
                    isSaved = true
                    do {
                        try bench.save(
                            inserts: [bench.pictures([[7]])], deletes: [bench.delete("Picture", [1])])
                    } catch { Issue.record(error) }
                }
                return true
            }
            let found = try ObjectGraph(reading: CopyHarness.open("Copy.sqlite", in: path))
            #expect(found.differences(from: wanted) == [])
            #expect(try ObjectGraph(reading: bench.file).objects.count == 2)
        }
    }
}
