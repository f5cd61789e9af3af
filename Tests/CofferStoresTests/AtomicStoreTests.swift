import CofferFormats
import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import Foundation
import Synchronization
import TestSupport
import Testing

/// Stores of which each save writes the whole file again, by what is in the file after each step.
@Suite struct AtomicStoreTests {
    private static let types: [StoreType] = [.binary, .xml]

    private func open(
        _ path: String, _ type: StoreType, model: ManagedObjectModel? = nil,
        _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> StoreFile {
        var options = StoreOptions()
        options.type = type
        change(&options)
        return try StoreFile.open(
            in: Folder(at: path), fileName: "Test.store", model: model.map { try StoreModel($0) },
            options: options)
    }

    /// Authors with books in an order, tags in common, a rival, and prequels.
    private func fill(_ bench: Bench) throws {
        let authors = try bench.save(inserts: [
            bench.insert(
                "Author",
                [bench.text("Author", "name", ["Ann", "Bob"]), bench.text("Author", "code", ["A", nil])],
                count: 2)
        ]).saved.firstKeys[0]
        let novels = try bench.save(inserts: [
            bench.insert(
                "Novel",
                [
                    bench.text("Novel", "title", ["One", "Two <&>", "Three\r\n\t"]),
                    bench.integers("Novel", "pages", [1, -2, 3]),
                    bench.reference("Novel", "author", [("Author", authors), ("Author", authors), nil]),
                ], count: 3)
        ]).saved.firstKeys[0]
        let tag = try bench.save(inserts: [
            bench.insert("Tag", [bench.text("Tag", "name", ["red"])])
        ]).saved.firstKeys[0]
        #expect(Set([authors, authors + 1, novels, novels + 1, novels + 2, tag]).count == 6)
    }

    private static let rows = [
        "SELECT Z_PK, ZNAME, ZCODE FROM ZAUTHOR ORDER BY 1", "SELECT Z_PK, ZNAME FROM ZTAG ORDER BY 1",
        "SELECT Z_PK, ZTITLE, ZPAGES, ZAUTHOR, Z_FOK_AUTHOR FROM ZWORK ORDER BY 1",
    ]

    private func rows(_ bench: Bench) throws -> [[String]] { try Self.rows.map { try bench.query($0) } }

    @Test(arguments: types)
    func `rows, keys and metadata are the same when a file is opened again, without a model too`(
        type: StoreType
    ) throws {
        try withTemporaryFolder { path in
            var (before, uuid): ([[String]], UUID?) = ([], nil)
            do {
                let bench = try Bench(try open(path, type, model: Library.model()))
                try fill(bench)
                try bench.writer.begin()
                _ = try bench.writer.updateMetadata(["author": MetadataValueMessage(text: "me")])
                try bench.writer.commit()
                (before, uuid) = (try rows(bench), bench.file.uuid)
            }
            #expect(try Folder(at: path).names().sorted() == ["Test.store", "Test.store.lock"])
            let again = try Bench(try open(path, type))
            #expect(again.file.uuid == uuid)
            #expect(try rows(again) == before)
            #expect(again.file.openingNumber > 3)
            let metadata = try again.file.metadata(on: again.file.makeReader())
            #expect(metadata.values == ["author": "me"])
            let key = try again.save(inserts: [again.insert("Shelf")]).saved.firstKeys[0]
            #expect(key == 7, "keys count on over all entities")
        }
    }

    @Test(arguments: types)
    func `a file is found by how it begins, and read without being changed`(type: StoreType) throws {
        try withTemporaryFolder { path in
            do { try fill(Bench(try open(path, type, model: Library.model()))) }
            let bytes = try Folder(at: path).read("Test.store", limit: 1 << 20)
            try Folder(at: path).unlink("Test.store.lock")
            var options = StoreOptions()
            options.isReadOnly = true
            let file = try StoreFile.open(
                in: Folder(at: path), fileName: "Test.store", model: nil, options: options)
            #expect(file.type == type && file.isReadOnly)
            #expect(try Folder(at: path).names() == ["Test.store"])
            #expect(try Folder(at: path).read("Test.store", limit: 1 << 20) == bytes)
        }
    }

    @Test(arguments: types, AtomicStep.allCases)
    func `a save that fails at any step leaves the old file, and the next one succeeds`(
        type: StoreType, step: AtomicStep
    ) throws {
        try withTemporaryFolder { path in
            let failing = Mutex<AtomicStep?>(nil)
            let bench = try Bench(
                try open(path, type, model: Library.model()) { options in
                    options.atomicFault = { met in failing.withLock { $0 == met ? 28 : nil } }
                })
            try fill(bench)
            let (before, bytes) = (try rows(bench), try Folder(at: path).read("Test.store", limit: 1 << 20))
            failing.withLock { $0 = step }
            #expect(throws: StoreError.full(path: path + "/Test.store")) {
                try bench.execute(try bench.request(inserts: [bench.insert("Shelf")]))
            }
            #expect(try Folder(at: path).read("Test.store", limit: 1 << 20) == bytes)
            #expect(try Folder(at: path).names().sorted() == ["Test.store", "Test.store.lock"])
            #expect(try rows(bench) == before && bench.query("SELECT count(*) FROM ZSHELF") == ["0"])
            failing.withLock { $0 = nil }
            try bench.save(inserts: [bench.insert("Shelf")])
            #expect(try Folder(at: path).read("Test.store", limit: 1 << 20) != bytes)
        }
    }

    @Test(arguments: types, AtomicStep.allCases)
    func `what a process leaves that is killed at any step is the old or the new file`(
        type: StoreType, step: AtomicStep
    ) throws {
        try withTemporaryFolder { path in
            try FileManager.default.createDirectory(atPath: path + "/live", withIntermediateDirectories: true)
            let isArmed = Mutex(false)
            do {
                let bench = try Bench(
                    try open(path + "/live", type, model: Library.model()) { options in
                        options.atomicFault = { met in
                            if met == step, isArmed.withLock({ $0 }) {
                                try? FileManager.default.copyItem(
                                    atPath: path + "/live", toPath: path + "/left")
                            }
                            return nil
                        }
                    })
                try fill(bench)
                isArmed.withLock { $0 = true }
                try bench.save(inserts: [bench.insert("Shelf")])
            }
            let left = try Bench(try open(path + "/left", type))
            #expect(try left.query("SELECT count(*) FROM ZAUTHOR") == ["2"])
            let isNew = step == .synchronizeFolder
            #expect(try left.query("SELECT count(*) FROM ZSHELF") == [isNew ? "1" : "0"])
            #expect(try Folder(at: path + "/left").names().sorted() == ["Test.store", "Test.store.lock"])
        }
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "mounting is not permitted here"), arguments: types)
    func `a full disk refuses a save, and the file stays whole`(type: StoreType) throws {
        try withTemporaryFolder { path in
            try SmallDisk.lend(at: path, kilobytes: 64) {
                let bench = try Bench(try open(path, type, model: Library.model()))
                var saved = 0
                var failure: StoreError?
                while failure == nil, saved < 1_000 {
                    let title = String(repeating: "x", count: 2_000)
                    do {
                        _ = try bench.execute(
                            try bench.request(inserts: [
                                bench.insert("Novel", [bench.text("Novel", "title", [title])])
                            ]))
                        saved += 1
                    } catch let error as StoreError {
                        failure = error
                    }
                }
                #expect(failure == .full(path: path + "/Test.store"))
                #expect(saved > 2)
                #expect(try bench.query("SELECT count(*) FROM ZWORK") == ["\(saved)"])
            }
        }
    }

    @Test func `XML refuses text that it cannot hold, with attribute and object, and nothing is saved`()
        throws
    {
        try withTemporaryFolder { path in
            let bench = try Bench(try open(path, .xml, model: Library.model()))
            try fill(bench)
            let bytes = try Folder(at: path).read("Test.store", limit: 1 << 20)
            #expect {
                try bench.execute(
                    try bench.request(inserts: [
                        bench.insert("Novel", [bench.text("Novel", "title", ["a\u{1}b"])])
                    ]))
            } throws: { error in
                guard case StoreError.unsupported("Novel", "title", let detail) = error else { return false }
                return detail.contains("z7")
            }
            #expect(try Folder(at: path).read("Test.store", limit: 1 << 20) == bytes)
            #expect(try bench.query("SELECT count(*) FROM ZWORK") == ["3"])
        }
    }

    @Test(arguments: types)
    func `a file that was replaced by somebody else is not written over`(type: StoreType) throws {
        try withTemporaryFolder { path in
            let bench = try Bench(try open(path, type, model: Library.model()))
            try fill(bench)
            try Folder(at: path).replace("Test.store", with: Array("theirs".utf8))
            #expect(throws: StoreError.fileGone(path: path + "/Test.store", isLog: false)) {
                try bench.execute(try bench.request(inserts: [bench.insert("Shelf")]))
            }
            #expect(try Folder(at: path).read("Test.store", limit: 100) == Array("theirs".utf8))
        }
    }

    @Test(arguments: types, Seed.several(1))
    func `a file whose graph does not fit the model is refused, or read as it stands`(
        type: StoreType, seed: Seed
    ) throws {
        var random = seed.generator()
        try withTemporaryFolder { path in
            do { try fill(Bench(try open(path, type, model: Library.model()))) }
            let bytes = try Folder(at: path).read("Test.store", limit: 1 << 20)
            let content =
                type == .xml
                ? try XMLStoreReader.read(bytes, file: path) : try BinaryStoreReader.read(bytes, file: path)
            var (read, refused) = (0, 0)
            for _ in 0..<60 {
                var mutant = content
                for _ in 0..<Int.random(in: 1...3, using: &random) { Self.change(&mutant, &random) }
                try Folder(at: path).replace(
                    "Test.store", with: try BinaryStoreWriter.bytes(of: mutant, file: path))
                do throws(StoreError) {
                    var options = StoreOptions()
                    (options.type, options.isReadOnly) = (.binary, true)
                    let file = try StoreFile.open(
                        in: Self.folder(path), fileName: "Test.store", model: nil, options: options)
                    let problems = try file.integrityCheck(on: try file.makeReader())
                    #expect(problems.isEmpty, "\(problems), with the seed \(seed)")
                    read += 1
                } catch {
                    guard case .damaged = error else {
                        Issue.record("\(error), with the seed \(seed)")
                        continue
                    }
                    refused += 1
                }
            }
            #expect(read > 0 && refused > 0)
        }
    }

    private static func folder(_ path: String) throws(StoreError) -> Folder {
        do throws(LinuxError) { return try Folder(at: path) } catch { throw StoreError(error) }
    }

    /// Lets something of a graph be otherwise.
    private static func change(_ content: inout AtomicStoreContent, _ random: inout SeededGenerator) {
        let place = Int.random(in: content.objects.indices, using: &random)
        let other = content.objects[Int.random(in: content.objects.indices, using: &random)]
        switch Int.random(in: 0..<6, using: &random) {
        case 0: content.objects[place].entity = other.entity
        case 1: content.objects[place].id = "z\(Int.random(in: 1...20, using: &random))"
        case 2: content.objects[place].values.merge(other.values) { $1 }
        case 3: content.objects[place].references.merge(other.references) { $1 }
        case 4:
            for name in content.objects[place].references.keys {
                content.objects[place].references[name, default: []].append(other.id)
            }
        default:
            for name in content.objects[place].values.keys {
                content.objects[place].values[name] = Bool.random(using: &random) ? .integer(7) : .text("x")
            }
        }
    }
}
