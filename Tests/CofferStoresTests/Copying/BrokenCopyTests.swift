import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Copies on disks that fail.
@Suite struct BrokenCopyTests {
    private func bench(in path: String) throws -> Bench {
        let bench = try Bench(Gallery.open(in: path))
        try bench.save(inserts: [bench.insert("Album", count: 3)])
        try bench.save(inserts: [
            bench.pictures([Gallery.large(1), [2], nil] + (0..<200).map { [UInt8($0), 7] })
        ])
        return bench
    }

    @Test(arguments: [SQLiteFault.Effect.full, .ioError])
    func `a disk that fails at any step of SQLite leaves nothing of a copy`(_ kind: SQLiteFault.Effect) throws
    {
        try withTemporaryFolder { path in
            let bench = try bench(in: path)
            let before = try Folder(at: path).names().sorted()
            var (failures, isDone, skipping) = (0, false, 0)
            while !isDone {
                let vfs = try SQLiteVFS()
                vfs.inject(
                    SQLiteFault(kind, at: [.write, .sync, .truncate], skipping: skipping, repeats: true))
                var options = StoreCopy.Options()
                options.opening.vfs = vfs
                do {
                    _ = try StoreCopy(of: bench.file, as: .sqlite, options: options).run(
                        as: "Copy.sqlite", in: Folder(at: path))
                    isDone = vfs.faultCount == 0
                    #expect(isDone, "a failure was not noticed, at \(skipping)")
                } catch {
                    let left = try Folder(at: path).names().sorted()
                    #expect(left == before, "at \(skipping): \(left), \(error)")
                    failures += 1
                }
                skipping += max(1, skipping / 10)
            }
            #expect(failures > 10)
            let copy = try CopyHarness.open("Copy.sqlite", in: path)
            #expect(
                try ObjectGraph(reading: copy).differences(from: ObjectGraph(reading: bench.file)) == [])
        }
    }

    @Test(arguments: [StoreType.binary, .xml], AtomicStep.allCases)
    func `a disk that is full at any step of a whole file leaves nothing of a copy`(
        type: StoreType, step: AtomicStep
    ) throws {
        try withTemporaryFolder { path in
            let bench = try bench(in: path)
            let before = try Folder(at: path).names().sorted()
            var options = StoreCopy.Options()
            options.opening.atomicFault = { $0 == step ? 28 : nil }
            #expect(throws: StoreError.full(path: path + "/Copy.store")) {
                try StoreCopy(of: bench.file, as: type, options: options).run(
                    as: "Copy.store", in: Folder(at: path))
            }
            #expect(try Folder(at: path).names().sorted() == before)
        }
    }

    @Test func `what a process leaves that is killed within a copy goes with the next one`() throws {
        try withTemporaryFolder { path in
            try FileManager.default.createDirectory(atPath: path + "/live", withIntermediateDirectories: true)
            var calls = 0
            do {
                let bench = try bench(in: path + "/live")
                _ = try StoreCopy(of: bench.file, as: .sqlite).run(
                    as: "Copy.sqlite", in: Folder(at: path + "/live")
                ) { _, _ in
                    calls += 1
                    try? FileManager.default.copyItem(
                        atPath: path + "/live", toPath: path + "/left\(calls)")
                    return true
                }
            }
            #expect(calls > 3)
            for call in 1...calls {
                let left = path + "/left\(call)"
                #expect(!FileManager.default.fileExists(atPath: left + "/Copy.sqlite"))
                let file = try Gallery.open(in: left)
                let copy = try CopyHarness.copy(file, as: .sqlite, in: left)
                try CopyHarness.expectEqual(copy, to: file)
                let names = try Folder(at: left).names().filter { $0.contains(".new") }
                #expect(names == [])
            }
        }
    }
}
