import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Backups of stores whose file is written as a whole, and their way back.
@Suite struct WholeFileBackupTests {
    private static let types: [StoreType] = [.binary, .xml]

    private func open(_ path: String, _ type: StoreType, model: ManagedObjectModel? = nil) throws -> StoreFile
    {
        var options = StoreOptions()
        options.type = type
        return try StoreFile.open(
            in: Folder(at: path), fileName: "Test.store",
            model: StoreModel(model ?? Library.model()), options: options)
    }

    private func back(
        up bench: Bench, in path: String, replacing: Bool = false
    ) throws -> StoreBackup.Outcome? {
        var options = StoreBackup.Options()
        options.replaces = replacing
        return try StoreBackup(of: bench.file, in: Folder(at: path), as: "Back.up", options: options).run()
    }

    private func replacement(
        _ type: StoreType, _ name: String = "Back.up", in path: String, fault: AtomicStep? = nil
    ) throws -> WholeFileReplacement {
        var options = StoreOptions()
        options.atomicFault = { $0 == fault ? 28 : nil }
        return try WholeFileReplacement(
            Folder(at: path).openFile(name), of: type, replacing: "Test.store", in: Folder(at: path),
            model: StoreModel(Library.model()),
            configuration: ManagedObjectModel.defaultConfiguration, options: options)
    }

    @Test(arguments: types)
    func `a backup is a store of the same type and UUID, and takes the store's place with numbers going on`(
        type: StoreType
    ) throws {
        try withTemporaryFolder { path in
            var number: UInt64 = 0
            var uuid = UUID()
            var lastKey: Int64 = 0
            do {
                let bench = try Bench(open(path, type))
                try bench.save(inserts: [bench.insert("Shelf")])
                let outcome = try #require(try back(up: bench, in: path))
                uuid = bench.file.uuid
                #expect(outcome.uuid == uuid && outcome.number == bench.writer.lastTransaction)
                #expect(try Folder(at: path).facts(of: "Back.up")?.byteCount == outcome.byteCount)
                #expect(throws: StoreError.alreadyExists(path: path + "/Back.up")) {
                    try back(up: bench, in: path)
                }
                for _ in 0..<4 {
                    lastKey = try bench.save(inserts: [bench.insert("Shelf")]).saved.firstKeys[0]
                }
                number = bench.writer.lastTransaction
                // A store that is open is not replaced.
                #expect(throws: StoreError.self) {
                    try replacement(type, in: path).takePlace(now: bench.time)
                }
                #expect(try bench.query("SELECT count(*) FROM ZSHELF") == ["5"])
            }
            let first = try replacement(type, in: path).takePlace(now: 1)
            #expect(first > number)
            let again = try Bench(open(path, type))
            #expect(again.file.uuid == uuid && again.file.openingNumber == first)
            #expect(try again.query("SELECT count(*) FROM ZSHELF") == ["1"])
            let key = try again.save(inserts: [again.insert("Shelf")]).saved.firstKeys[0]
            #expect(key == lastKey + 1, "a key that clients have seen is not given out again")
        }
    }

    @Test(arguments: types, AtomicStep.allCases)
    func `a replacement that fails at any step leaves the old file`(type: StoreType, step: AtomicStep) throws
    {
        try withTemporaryFolder { path in
            do {
                let bench = try Bench(open(path, type))
                _ = try back(up: bench, in: path)
                try bench.save(inserts: [bench.insert("Shelf")])
            }
            let before = try Folder(at: path).read("Test.store", limit: 1 << 20)
            #expect(throws: StoreError.full(path: path + "/Test.store")) {
                try replacement(type, in: path, fault: step).takePlace(now: 1)
            }
            #expect(try Folder(at: path).read("Test.store", limit: 1 << 20) == before)
            #expect(
                try Folder(at: path).names().sorted() == ["Back.up", "Test.store", "Test.store.lock"])
        }
    }

    @Test(arguments: types)
    func `what is of another type or model, or damaged, takes no store's place`(type: StoreType) throws {
        try withTemporaryFolder { path in
            do {
                let bench = try Bench(open(path, type))
                try bench.save(inserts: [bench.insert("Shelf")])
                _ = try back(up: bench, in: path)
            }
            let other: StoreType = type == .xml ? .binary : .xml
            let first = #expect(throws: StoreError.self) { try replacement(other, in: path) }
            #expect(first?.reason == "not_a_store", "\(first as Any)")
            var bytes = try Folder(at: path).read("Back.up", limit: 1 << 20)
            bytes.removeLast(bytes.count / 2)
            try Folder(at: path).replace("Half", with: bytes)
            #expect(throws: StoreError.self) { try replacement(type, "Half", in: path) }
            let foreign = try StoreFile.open(
                in: Folder(at: path), fileName: "Other\(type.fileSuffix)", model: StoreModel(Gallery.model()))
            #expect(foreign.type == type)
            let last = #expect(throws: StoreError.self) {
                try replacement(type, "Other\(type.fileSuffix)", in: path)
            }
            #expect(last?.reason == "incompatible_model" || last != nil, "\(last as Any)")
        }
    }

    @Test(arguments: types)
    func `a file that another program has put there is not taken for the store's`(type: StoreType) throws {
        try withTemporaryFolder { path in
            let bench = try Bench(open(path, type))
            try bench.save(inserts: [bench.insert("Shelf")])
            try Folder(at: path).replace("Test.store", with: [1, 2, 3])
            #expect(throws: StoreError.fileGone(path: path + "/Test.store", isLog: false)) {
                try back(up: bench, in: path)
            }
            #expect(try Folder(at: path).names().sorted() == ["Test.store", "Test.store.lock"])
        }
    }
}
