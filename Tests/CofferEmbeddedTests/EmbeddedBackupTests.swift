import Coffer
import CofferEmbedded
import CofferModel
import ContextSupport
import Foundation
import Testing

@Suite struct EmbeddedBackupTests {
    @Test(arguments: [false, true])
    func `a store is copied while it is open, and the copy is a store with all values`(isOneFile: Bool) throws
    {
        try Album.with(photos: 3, on: .embedded) { container, files in
            let folder = URL(fileURLWithPath: files.path).deletingLastPathComponent()
                .deletingLastPathComponent()
            let place = folder.appendingPathComponent("copies").path
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let path = "\(place)/Test.sqlite"
            var told: [UInt64] = []
            let made = try container.backUpEmbeddedStore(
                named: "Test", toFileAt: path, asOneFile: isOneFile
            ) { copied, total in
                told.append(copied)
                return copied <= total
            }
            #expect(made.number == 1 && made.byteCount > 600_000 && !told.isEmpty)
            let context = container.newContext()
            try context.fetch(.photos)[0].setValue(Album.data(9), forKey: "data")
            try context.save()
            let refusal = #expect(throws: CofferError.self) {
                try container.backUpEmbeddedStore(named: "Test", toFileAt: path)
            }
            guard case .refused(_, "already_exists", _, _)? = refusal else {
                return #expect(Bool(false), "\(refusal as Any)")
            }
            let copy = try PersistentContainer.embedded(
                name: "Copy", model: Album.model(), folder: place, stores: [StoreDescription(name: "Test")])
            try copy.loadStores()
            let reader = copy.newContext()
            #expect(try reader.fetch(.photos).dataNumbers == [0, 1, 2])
        }
    }

    @Test func `a copy does not take the name of a file that belongs to another store`() throws {
        try Album.with(photos: 1, on: .embedded) { container, files in
            let place = URL(fileURLWithPath: files.path).deletingLastPathComponent().path
            let refusal = #expect(throws: CofferError.self) {
                try container.backUpEmbeddedStore(
                    named: "Test", toFileAt: "\(place)/Z.sqlite-wal", replacing: true)
            }
            guard case .refused(_, "unfit_target", _, _)? = refusal else {
                return #expect(Bool(false), "\(refusal as Any)")
            }
        }
    }

    @Test func `a copy that is stopped, or has no store or folder, leaves nothing`() throws {
        try Album.with(photos: 1, on: .embedded) { container, files in
            let folder = URL(fileURLWithPath: files.path).deletingLastPathComponent()
                .deletingLastPathComponent()
            let place = folder.appendingPathComponent("copies").path
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let stopped = #expect(throws: CofferError.self) {
                try container.backUpEmbeddedStore(named: "Test", toFileAt: "\(place)/A.sqlite") { _, _ in
                    false
                }
            }
            guard case .refused(_, "interrupted", _, _)? = stopped else {
                return #expect(Bool(false), "\(stopped as Any)")
            }
            #expect(throws: CofferError.self) {
                try container.backUpEmbeddedStore(named: "Other", toFileAt: "\(place)/A.sqlite")
            }
            #expect(throws: CofferError.self) {
                try container.backUpEmbeddedStore(named: "Test", toFileAt: "\(place)/none/A.sqlite")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [])
        }
    }
}
