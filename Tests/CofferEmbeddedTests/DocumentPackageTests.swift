import Coffer
import CofferEmbedded
import CofferLinux
import CofferModel
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Documents that are folders with a store.
@Suite struct DocumentPackageTests {
    private func container(in folder: String, named name: String) throws -> PersistentContainer {
        let container = try PersistentContainer.embedded(
            name: "Test", model: Album.model(), folder: folder, stores: [StoreDescription(name: name)])
        try container.loadStores()
        return container
    }

    private func open(_ path: String, mustExist: Bool = true) throws -> ManagedObjectContext {
        ManagedObjectContext(
            coordinator: try EmbeddedCoordinator.open(
                path: path, model: mustExist ? nil : Album.model(), mustExist: mustExist, application: ""))
    }

    private func names(_ context: ManagedObjectContext) throws -> Set<AttributeValue> {
        Set(try context.all("Photo").map { $0["name"] })
    }

    @Test(arguments: [StoreType.sqlite, .binary, .xml])
    func `a store is moved into a package, which is moved as one and has all values`(type: StoreType) throws {
        try withTemporaryFolder { folder in
            let package = folder + "/Novel.coffer"
            do {
                let container = try container(in: folder, named: "Draft")
                try Album.fill(container, photos: 3)
                let context = container.newContext()
                try container.migratePersistentStore(named: "Draft", to: package, type: type)
                try #require(context.all("Photo").first { $0["name"] == "1" })["name"] = "changed"
                try context.save()
            }
            let inside = try Folder(at: package).names()
            #expect(inside.contains("Store.\(type.rawValue)"), "\(inside)")
            #expect(inside.contains(".Store_SUPPORT") == (type == .sqlite), "\(inside)")
            let other = folder + "/Other.coffer"
            try FileManager.default.moveItem(atPath: package, toPath: other)
            do {
                let context = try open(other)
                #expect(try names(context) == ["0", "changed", "2"])
                #expect(try context.all("Photo").contains { $0["data"] == Album.data(2) })
                try #require(context.all("Photo").first { $0["name"] == "2" })["name"] = "again"
                try context.save()
            }
            #expect(
                try names(container(in: other, named: "Store").newContext()) == ["0", "changed", "again"])
            #expect(try EmbeddedCoordinator.remove(path: other))
            #expect(!FileManager.default.fileExists(atPath: other))
        }
    }

    @Test func `a package is made by opening and by copying, and a copy that fails leaves none`() throws {
        try withTemporaryFolder { folder in
            let package = folder + "/New.coffer"
            #expect(throws: CofferError.self) { try open(package) }
            #expect(!FileManager.default.fileExists(atPath: package))
            let context = try open(package, mustExist: false)
            try context.make("Album", ["name": "album"])
            try context.save()
            #expect(try Folder(at: package).names().contains("Store.sqlite"))
            let container = try container(in: folder, named: "Draft")
            try Album.fill(container, photos: 2)
            let copy = folder + "/Copy.coffer/"
            #expect(throws: CofferError.self) {
                try container.copyEmbeddedStore(named: "Draft", toFileAt: copy, type: .xml) { _, _ in false }
            }
            #expect(!FileManager.default.fileExists(atPath: copy))
            _ = try container.copyEmbeddedStore(named: "Draft", toFileAt: copy, type: .xml)
            #expect(try names(open(copy)) == ["0", "1"])
            let again = #expect(throws: CofferError.self) {
                try container.copyEmbeddedStore(named: "Draft", toFileAt: package, type: .sqlite)
            }
            guard case .refused(_, "already_exists", _, _)? = again else {
                return #expect(Bool(false), "\(again as Any)")
            }
        }
    }
}
