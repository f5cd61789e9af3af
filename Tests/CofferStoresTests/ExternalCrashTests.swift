import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Files of values when something goes wrong: a service that dies, a disk that fails, readers that stay.
@Suite struct ExternalCrashTests {
    /// A copy of a store and its files as they are now: what a process leaves that is killed at this moment.
    private func copy(_ path: String, to other: String) throws {
        try? FileManager.default.removeItem(atPath: other)
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where !name.hasSuffix(".lock") && !name.hasSuffix("-shm") {
            try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(other)/\(name)")
        }
    }

    #if DEBUG
    @Test(arguments: [ExternalStep.staged, .published, .committed])
    func `a service that dies on the way leaves no row without its file, and no file without its row`(
        step: ExternalStep
    ) throws {
        try withTemporaryFolder { holder in
            let (path, other) = ("\(holder)/a", "\(holder)/b")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            let bench = try Bench(Gallery.open(in: path))
            try bench.save(inserts: [bench.pictures([Gallery.large(1), Gallery.large(2)])])
            var copies = 0
            bench.writer.onExternalStep { reached in
                guard reached == step else { return }
                copies += 1
                do { try self.copy(path, to: other) } catch { Issue.record(error) }
            }
            try bench.save(
                inserts: [bench.pictures([Gallery.large(3)])],
                updates: [bench.update("Picture", 1, version: 1, [bench.bytes("data", [Gallery.large(4)])])],
                deletes: [bench.delete("Picture", [2])])
            #expect(copies == (step == .staged ? 2 : 1))
            try bench.expectWhole()
            let again = try Bench(Gallery.open(in: other))
            try again.expectWhole()
            let isSaved = step == .committed
            #expect(
                try again.data()
                    == (isSaved
                        ? [1: Gallery.large(4), 3: Gallery.large(3)]
                        : [1: Gallery.large(1), 2: Gallery.large(2)]))
            #expect(try again.query("SELECT count(*) FROM COFFER_EXTERNAL") == ["0"])
            try again.save(inserts: [again.pictures([Gallery.large(9)])])
            try again.expectWhole()
        }
    }
    #endif

    @Test(arguments: ["NORMAL", "normal", "FULL"])
    func `a replaced value's file goes once the disk has the commit, whatever the store was opened with`(
        synchronous: String
    ) throws {
        try withTemporaryFolder { path in
            let vfs = try SQLiteVFS()
            let bench = try Bench(
                Gallery.open(in: path) {
                    $0.vfs = vfs
                    $0.pragmas = ["synchronous": synchronous]
                })
            try bench.save(inserts: [bench.pictures([Gallery.large(1)])])
            vfs.startCounting()
            try bench.save(updates: [
                bench.update("Picture", 1, version: 1, [bench.bytes("data", [Gallery.large(2)])])
            ])
            #expect(vfs.count(.sync, on: .wal) == 1)
            try bench.expectWhole()
        }
    }

    @Test func `a reader keeps the files of the rows that it sees until it has ended`() throws {
        try withGallery { bench in
            try bench.save(inserts: [bench.pictures([Gallery.large(1), Gallery.large(2)])])
            let names = try bench.namesInRows()
            var pinned: StoreReader? = try reader(bench)
            _ = try pinned?.pin()
            try bench.save(
                updates: [bench.update("Picture", 1, version: 1, [bench.bytes("data", [Gallery.large(3)])])],
                deletes: [bench.delete("Picture", [2])])
            // One that began later does not hold them.
            let later = try reader(bench)
            _ = try later.pin()
            #expect(try Gallery.files(in: bench.file.folder.path).placed.isSuperset(of: names))
            let seen = try pinned.map { try Bench.data($0) }
            #expect(seen == [1: Gallery.large(1), 2: Gallery.large(2)])
            #expect(try Bench.data(later) == [1: Gallery.large(3)])
            #expect(try bench.query("SELECT count(*) FROM COFFER_EXTERNAL") == ["2"])
            pinned = nil
            try bench.expectWhole()
            // The notes go with the next files that are flushed.
            try bench.save(inserts: [bench.pictures([Gallery.large(4)])])
            #expect(try bench.query("SELECT count(*) FROM COFFER_EXTERNAL") == ["0"])
        }
    }

    private func reader(_ bench: Bench) throws -> StoreReader {
        var options = StoreReader.Options()
        options.externalBytes = { [file = bench.file] name throws(StoreError) in
            try file.externalBytes(name)
        }
        options.externalReads = bench.file.externalReads
        return try StoreReader(
            connection: bench.file.makeReader(), schema: bench.file.schema, options: options)
    }

    @Test(arguments: 0..<8)
    func `a commit that fails loses no file of a row, and none stays without one`(_ skipping: Int) throws {
        try withTemporaryFolder { path in
            let vfs = try SQLiteVFS()
            let bench = try Bench(Gallery.open(in: path) { $0.vfs = vfs })
            try bench.save(inserts: [bench.pictures([Gallery.large(1)])])
            vfs.inject(SQLiteFault(.ioError, at: [.write, .sync], on: .wal, skipping: skipping))
            let request = try bench.request(
                inserts: [bench.pictures([Gallery.large(2)])],
                updates: [bench.update("Picture", 1, version: 1, [bench.bytes("data", [Gallery.large(3)])])])
            let result = Result { try bench.execute(request) }
            vfs.clearFault()
            switch result {
            case .success: #expect(try bench.data() == [1: Gallery.large(3), 2: Gallery.large(2)])
            case .failure: #expect(try bench.data() == [1: Gallery.large(1)])
            }
            try bench.save(inserts: [bench.insert("Album")])
            try bench.expectWhole()
        }
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "mounting is not permitted here"))
    func `a full disk refuses the save and gets its space back at once`() throws {
        try withSmallDisk { path in
            let bench = try Bench(Gallery.open(in: path))
            try bench.save(inserts: [bench.pictures([Gallery.large(1, 1 << 20)])])
            let error = #expect(throws: StoreError.self) {
                try bench.save(inserts: [
                    bench.pictures([Gallery.large(2, 1 << 20), Gallery.large(3, 3 << 20)])
                ])
            }
            guard case .full? = error else { return #expect(Bool(false), "\(error as Any)") }
            try bench.expectWhole()
            try bench.save(inserts: [bench.pictures([Gallery.large(4, 1 << 20)])])
            #expect(try bench.data().count == 2)
            try bench.expectWhole()
        }
    }

    private func withSmallDisk(_ body: (String) throws -> Void) throws {
        try withTemporaryFolder { path in
            try SmallDisk.lend(at: path, kilobytes: 4_096) { try body(path) }
        }
    }

    @Test func `a check names the files that are missing`() throws {
        try withGallery { bench in
            try bench.save(inserts: [bench.pictures([Gallery.large(1), Gallery.large(2), [3]])])
            let name = try #require(bench.namesInRows().first)
            let place = "\(bench.file.folder.path)/.Test_SUPPORT/_EXTERNAL_DATA/\(name)"
            try FileManager.default.moveItem(atPath: place, toPath: place + "x")
            #expect(try bench.writer.integrityCheck() == ["the file '\(name)' of a value is missing"])
            try FileManager.default.moveItem(atPath: place + "x", toPath: place)
        }
    }

    @Test func `a vacuum changes nothing about files`() throws {
        try withGallery { bench in
            try bench.save(inserts: [bench.pictures([Gallery.large(1), Gallery.large(2)])])
            try bench.writer.vacuum()
            try bench.save(deletes: [bench.delete("Picture", [1])])
            try bench.expectWhole()
            #expect(try bench.data() == [2: Gallery.large(2)])
        }
    }

    @Test func `a folder that is a link leads nowhere`() throws {
        try withTemporaryFolder { holder in
            let (path, outside) = ("\(holder)/a", "\(holder)/outside")
            for folder in [path, outside] {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            }
            let bench = try Bench(Gallery.open(in: path))
            try FileManager.default.createSymbolicLink(
                atPath: "\(path)/.Test_SUPPORT", withDestinationPath: outside)
            #expect(throws: StoreError.self) {
                try bench.save(inserts: [bench.pictures([Gallery.large(1)])])
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == [])
            #expect(try bench.query("SELECT count(*) FROM ZPICTURE") == ["0"])
        }
    }

    @Test func `a file that takes a store's place inherits none of its values`() throws {
        try withTemporaryFolder { path in
            do {
                let bench = try Bench(Gallery.open(in: path))
                try bench.save(inserts: [bench.insert("Album")])
                try bench.writer.checkpointFully()
                try FileManager.default.copyItem(atPath: "\(path)/Test.sqlite", toPath: "\(path)/Copy")
                try bench.save(inserts: [bench.pictures([Gallery.large(1)])])
            }
            let support = "\(path)/.Test_SUPPORT"
            try FileManager.default.copyItem(atPath: support, toPath: "\(path)/kept")
            let folder = try Folder(at: path)
            let replacement = try StoreReplacement(
                folder.openBeneath("Copy"), of: "Test.sqlite", in: folder, model: nil,
                configuration: "Default")
            _ = try replacement.takePlace(now: 1)
            // As if the service had died before it could remove them.
            try FileManager.default.moveItem(atPath: "\(path)/kept", toPath: support)
            let bench = try Bench(Gallery.open(in: path))
            try bench.expectWhole()
            try bench.save(inserts: [bench.pictures([Gallery.large(2)])])
            try bench.expectWhole()
            let again = try bench.data()
            #expect(again.values.first == Gallery.large(2))
        }
    }

    @Test(arguments: Seed.several(4))
    func `whatever is saved, taken back and opened again, rows and files agree`(_ seed: Seed) throws {
        print("external values, seed \(seed)")
        var random = seed.generator()
        try withTemporaryFolder { path in
            var expected: [Int64: [UInt8]?] = [:]
            for _ in 0..<4 {
                let bench = try Bench(Gallery.open(in: path))
                try bench.expectWhole()
                for _ in 0..<15 { try step(bench, &expected, &random) }
                #expect(try bench.data() == expected.compactMapValues { $0 })
                #expect(try bench.writer.integrityCheck() == [])
            }
        }
    }

    private func step(
        _ bench: Bench, _ expected: inout [Int64: [UInt8]?], _ random: inout SeededGenerator
    ) throws {
        let versions = Dictionary(
            uniqueKeysWithValues: try bench.query("SELECT Z_PK, Z_OPT FROM ZPICTURE").map { row in
                let parts = row.split(separator: "|").compactMap { Int64($0) }
                return (parts[0], UInt32(parts[1]))
            })
        func value() -> [UInt8]? {
            let sizes = [0, 10, 100 * 1_024, 100 * 1_024 + 1, 200_000]
            guard Int.random(in: 0..<8, using: &random) > 0 else { return nil }
            return Gallery.large(
                UInt8.random(in: 0...255, using: &random), sizes.randomElement(using: &random) ?? 0)
        }
        let keys = versions.keys.sorted().shuffled(using: &random)
        var request = bench.request(
            policy: [MergePolicyMessage.objectTrump, .storeTrump][Int.random(in: 0..<2, using: &random)])
        var wanted = expected
        let inserted = (0..<Int.random(in: 0..<3, using: &random)).map { _ in value() }
        if !inserted.isEmpty { request.inserts.append(try bench.pictures(inserted)) }
        for key in keys.prefix(2) {
            let new = value()
            request.updates.append(
                try bench.update("Picture", key, version: versions[key] ?? 0, [bench.bytes("data", [new])]))
            wanted[key] = .some(new)
        }
        for key in keys.dropFirst(2).prefix(Int.random(in: 0..<3, using: &random)) {
            request.deletes.append(try bench.delete("Picture", [key], version: versions[key] ?? 0))
            wanted[key] = nil
        }
        try bench.writer.begin(mayStartAnew: Bool.random(using: &random))
        let execution = try bench.writer.execute(
            request, by: SaveOrigin(application: "a", process: "p", timestamp: 1))
        if Int.random(in: 0..<3, using: &random) == 0 {
            try bench.writer.rollback()
        } else {
            try bench.writer.commit()
            guard case .saved(let saved) = execution.reply else { throw StoreError.other("not saved") }
            for (row, value) in inserted.enumerated() {
                wanted[saved.firstKeys[0] + Int64(row)] = .some(value)
            }
            expected = wanted
        }
        try bench.expectWhole()
    }
}
