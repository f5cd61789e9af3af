import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Values in files beside a file that takes a store's place.
@Suite struct ReplacementValueTests {
    /// A folder with a store that has a picture of each byte, and a copy of it as backups are by default.
    private func withBackup(
        _ values: [UInt8], _ body: (_ path: String, _ backup: Folder, _ names: [String]) throws -> Void
    ) throws {
        try withTemporaryFolder { path in
            let backup = try Folder(at: path).makeFolders("backup")
            do {
                let bench = try Bench(Gallery.open(in: path))
                try bench.save(inserts: [bench.pictures(values.map { Gallery.large($0) })])
                #expect(try StoreBackup(of: bench.file, in: backup, as: "Copy.sqlite").run() != nil)
            }
            try body(path, backup, backup.folder(".Copy_SUPPORT/_EXTERNAL_DATA").names().sorted())
        }
    }

    private func replacement(_ path: String, _ backup: Folder, withValues: Bool = true) throws
        -> StoreReplacement
    {
        try StoreReplacement(
            backup.openBeneath("Copy.sqlite"),
            values: withValues ? backup.folder(".Copy_SUPPORT/_EXTERNAL_DATA") : nil, of: "Test.sqlite",
            in: Folder(at: path), model: nil, configuration: "Default")
    }

    @Test func `a copy with values beside it takes the store's place with all of them`() throws {
        try withBackup([1, 2, 3]) { path, backup, names in
            do {
                let bench = try Bench(Gallery.open(in: path))
                try bench.save(inserts: [bench.pictures([Gallery.large(9)])])
            }
            _ = try replacement(path, backup).takePlace(now: 1)
            let bench = try Bench(Gallery.open(in: path))
            #expect(try bench.data() == [1: Gallery.large(1), 2: Gallery.large(2), 3: Gallery.large(3)])
            #expect(try Gallery.files(in: path).placed == [], "they are in the rows now")
            #expect(try bench.writer.integrityCheck() == [])
            #expect(try backup.folder(".Copy_SUPPORT/_EXTERNAL_DATA").names().sorted() == names)
            // What is saved from now on has files again.
            try bench.save(inserts: [bench.pictures([Gallery.large(4)])])
            #expect(try Gallery.files(in: path).placed.count == 1)
        }
    }

    @Test func `a copy that lacks values takes no store's place, and leaves it as it is`() throws {
        try withBackup([1, 2]) { path, backup, names in
            func expectRefusal(_ isExpected: (StoreError) -> Bool, withValues: Bool = true) throws {
                let error = try #require(
                    #expect(throws: StoreError.self) {
                        try replacement(path, backup, withValues: withValues)
                    })
                #expect(isExpected(error), "\(error)")
                #expect(try !Folder(at: path).names().contains { $0.contains(".new") })
            }
            try expectRefusal({ if case .notAStore = $0 { true } else { false } }, withValues: false)
            let place = "\(backup.path)/.Copy_SUPPORT/_EXTERNAL_DATA/\(names[1])"
            try FileManager.default.removeItem(atPath: place)
            try expectRefusal { if case .damaged = $0 { true } else { false } }
            try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: "/etc/passwd")
            try expectRefusal { _ in true }
            let bench = try Bench(Gallery.open(in: path))
            #expect(try bench.data() == [1: Gallery.large(1), 2: Gallery.large(2)])
        }
    }
}
