import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Stores that are taken to another type in their place.
@Suite struct StoreMoveTests {
    private static let types: [StoreType] = [.sqlite, .binary, .xml]
    private static let pairs = types.flatMap { old in types.filter { $0 != old }.map { (old, $0) } }

    private func make(_ type: StoreType, in path: String) throws {
        var options = StoreOptions()
        options.type = type
        let bench = try Bench(
            StoreFile.open(
                in: Folder(at: path), fileName: "Test\(type.fileSuffix)", model: StoreModel(Gallery.model()),
                options: options))
        try bench.save(inserts: [bench.pictures([Gallery.large(1), [2], nil], codes: ["a", "b", nil])])
        try bench.save(inserts: [bench.insert("Album", count: 2)])
    }

    private func move(
        _ old: StoreType, to new: StoreType, in path: String, options: StoreOptions = StoreOptions()
    ) throws -> StoreMove {
        try StoreMove(
            of: "Test", in: Folder(at: path), from: old, to: new,
            configuration: ManagedObjectModel.defaultConfiguration, options: options)
    }

    private func graph(_ type: StoreType, in path: String) throws -> ObjectGraph {
        try ObjectGraph(reading: CopyHarness.open("Test\(type.fileSuffix)", in: path))
    }

    @Test(arguments: pairs)
    func `the objects are in a store of the new type, and the old one is gone`(
        old: StoreType, new: StoreType
    ) throws {
        try withTemporaryFolder { path in
            try make(old, in: path)
            let before = try graph(old, in: path)
            let outcome = try move(old, to: new, in: path).run()
            let wanted = before.shifted(by: outcome.shift, in: try Gallery.model())
            #expect(try graph(new, in: path).differences(from: wanted) == [])
            let names = Set(try Folder(at: path).names())
            #expect(
                names.isSubset(of: ["Test\(new.fileSuffix)", "Test\(new.fileSuffix).lock", ".Test_SUPPORT"]))
            let back = try move(new, to: old, in: path).run()
            #expect(back.number > outcome.number || old == .sqlite)
            // Large values are in files beside the one type, and in the file of the others.
            let again = wanted.shifted(by: back.shift, in: try Gallery.model())
            #expect(try graph(old, in: path).differences(from: again) == [])
        }
    }

    @Test(arguments: pairs)
    func `what a process leaves that is killed within a move is the old store or the new one`(
        old: StoreType, new: StoreType
    ) throws {
        try withTemporaryFolder { path in
            try FileManager.default.createDirectory(atPath: path + "/live", withIntermediateDirectories: true)
            try make(old, in: path + "/live")
            let count = try graph(old, in: path + "/live").objects.count
            var places: [String] = []
            func leave(_ name: String) {
                places.append(name)
                try? FileManager.default.copyItem(atPath: path + "/live", toPath: path + "/" + name)
            }
            var calls = 0
            _ = try move(old, to: new, in: path + "/live").run(
                progress: { _, _ in
                    calls += 1
                    leave("progress\(calls)")
                    return true
                }, willSwitch: { leave("will") }, didSwitch: { leave("did") })
            for place in places {
                let left = path + "/" + place
                try StoreMove.finish("Test", in: Folder(at: left))
                let type = place == "did" ? new : old
                let other = place == "did" ? old : new
                #expect(try graph(type, in: left).objects.count == count, "\(place)")
                let names = try Folder(at: left).names()
                #expect(!names.contains("Test\(other.fileSuffix)"), "\(place): \(names)")
                #expect(!names.contains { $0.hasSuffix(".move") || $0.hasSuffix(".new") }, "\(names)")
                if place != "did" {
                    _ = try move(old, to: new, in: left).run()
                    #expect(try graph(new, in: left).objects.count == count, "\(place)")
                }
            }
        }
    }

    @Test(arguments: pairs)
    func `a move that is stopped, or whose values are missing, leaves the old store`(
        old: StoreType, new: StoreType
    ) throws {
        try withTemporaryFolder { path in
            try make(old, in: path)
            let before = try graph(old, in: path)
            // A reader leaves a log, be it empty.
            let logs = ["Test.sqlite-wal", "Test.sqlite-shm"]
            let names = try Set(Folder(at: path).names()).subtracting(logs)
            #expect(throws: StoreError.interrupted) {
                try move(old, to: new, in: path).run(progress: { copied, _ in copied == 0 })
            }
            #expect(throws: StoreError.interrupted) {
                try move(old, to: new, in: path).run(progress: { copied, total in copied < total })
            }
            #expect(try Set(Folder(at: path).names()).subtracting(logs) == names)
            #expect(try graph(old, in: path).differences(from: before) == [])
            guard old == .sqlite else { return }
            let values = path + "/.Test_SUPPORT/_EXTERNAL_DATA"
            for name in try FileManager.default.contentsOfDirectory(atPath: values) {
                try FileManager.default.removeItem(atPath: values + "/" + name)
            }
            let error = #expect(throws: StoreError.self) { try move(old, to: new, in: path).run() }
            #expect(error?.reason == "damaged", "\(error as Any)")
            #expect(try !Folder(at: path).exists("Test\(new.fileSuffix)"))
        }
    }

    /// Moves a store on a disk that fails as the options say; what is there is the old store then, and only
    /// it, and whether anything failed.
    private func moveFails(_ new: StoreType, in path: String, options: StoreOptions) throws -> Bool {
        let before = try graph(.sqlite, in: path)
        do {
            _ = try move(.sqlite, to: new, in: path, options: options).run()
            return false
        } catch let error as StoreError {
            try StoreMove.finish("Test", in: Folder(at: path))
            let names = try Folder(at: path).names()
            #expect(names.contains("Test.sqlite") && !names.contains("Test\(new.fileSuffix)"), "\(names)")
            #expect(!names.contains { $0.hasSuffix(".move") || $0.contains(".new") }, "\(names), \(error)")
            #expect(try graph(.sqlite, in: path).differences(from: before) == [], "\(error)")
            return true
        }
    }

    @Test(arguments: [StoreType.binary, .xml], AtomicStep.allCases)
    func `a disk that is full at any step of the new file leaves the old store`(
        new: StoreType, step: AtomicStep
    ) throws {
        try withTemporaryFolder { path in
            try make(.sqlite, in: path)
            var options = StoreOptions()
            options.atomicFault = { $0 == step ? 28 : nil }
            #expect(try moveFails(new, in: path, options: options))
            options.atomicFault = nil
            #expect(try !moveFails(new, in: path, options: options))
            #expect(try graph(new, in: path).objects.count == 5)
        }
    }

    @Test(.leftToAll, arguments: [StoreType.binary, .xml], [SQLiteFault.Effect.full, .ioError])
    func `a disk that fails at any write of a new database leaves the old store`(
        old: StoreType, effect: SQLiteFault.Effect
    ) throws {
        try withTemporaryFolder { path in
            try make(old, in: path)
            let before = try graph(old, in: path)
            var (failures, skipping) = (0, 0)
            while true {
                let vfs = try SQLiteVFS()
                vfs.inject(
                    SQLiteFault(effect, at: [.write, .sync, .truncate], skipping: skipping, repeats: true))
                var options = StoreOptions()
                options.vfs = vfs
                do {
                    let outcome = try move(old, to: .sqlite, in: path, options: options).run()
                    #expect(vfs.faultCount == 0, "a failure was not noticed, at \(skipping)")
                    let wanted = before.shifted(by: outcome.shift, in: try Gallery.model())
                    #expect(try graph(.sqlite, in: path).differences(from: wanted) == [])
                    break
                } catch {
                    try StoreMove.finish("Test", in: Folder(at: path))
                    let names = try Folder(at: path).names()
                    #expect(!names.contains("Test.sqlite"), "at \(skipping): \(names), \(error)")
                    #expect(!names.contains { $0.hasSuffix(".move") }, "at \(skipping): \(names)")
                    #expect(try graph(old, in: path).differences(from: before) == [], "at \(skipping)")
                    failures += 1
                }
                skipping += max(1, skipping / 10)
            }
            #expect(failures > 10)
        }
    }

    @Test func `a store that somebody has open is not moved, nor one to its own type`() throws {
        try withTemporaryFolder { path in
            try make(.sqlite, in: path)
            let file = try StoreFile.open(in: Folder(at: path), fileName: "Test.sqlite", model: nil)
            #expect(throws: StoreError.self) { try move(.sqlite, to: .xml, in: path).run() }
            withExtendedLifetime(file) {}
            #expect(throws: StoreError.self) { try move(.sqlite, to: .sqlite, in: path) }
            #expect(throws: StoreError.self) { try move(.sqlite, to: .memory, in: path) }
        }
    }
}
