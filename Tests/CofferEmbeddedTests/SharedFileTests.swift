import Coffer
import CofferEmbedded
import CofferLinux
import CofferModel
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Several coordinators of one process over one store file.
@Suite struct SharedFileTests {
    private func container(
        in folder: String, model: ManagedObjectModel? = nil, pragmas: [String: String] = [:]
    ) throws -> PersistentContainer {
        let store = StoreDescription(name: "Test", pragmas: pragmas)
        let container = try PersistentContainer.embedded(
            name: "Test", model: model ?? Garage.model(), folder: folder, stores: [store])
        try container.loadStores()
        return container
    }

    @Test func `coordinators of one file see each other's saves, and keep unsaved changes`() throws {
        try withTemporaryFolder { folder in
            let (one, two) = (try container(in: folder), try container(in: folder))
            let (left, right) = (one.newContext(name: "left"), two.newContext(name: "right"))
            let car = try left.make("Car", ["numberPlate": "A", "maker": "FIAT"])
            try left.save()
            let same = try #require(try right.all("Car").first)
            #expect(same.objectID == car.objectID && same["maker"] == "FIAT")
            car["maker"] = "FCA"
            same["speed"] = 7.0
            try left.save()
            // The first save of each coordinator: neither mistakes the other's for its own.
            right.mergePendingChanges()
            #expect(same["maker"] == "FCA" && same["speed"] == 7.0 && same.hasChanges)
            try right.save()
            left.mergePendingChanges()
            #expect(car["speed"] == 7.0)
            #expect(try left.fetchHistory().map(\.contextName) == ["left", "left", "right"])
        }
    }

    @Test func `a stale snapshot is a conflict between coordinators of one file`() throws {
        try withTemporaryFolder { folder in
            let (one, two) = (try container(in: folder), try container(in: folder))
            let (left, right) = (one.newContext(), two.newContext())
            let car = try left.make("Car", ["numberPlate": "A", "maker": "FIAT"])
            try left.save()
            right.automaticallyMergesChanges = false
            let same = try #require(try right.all("Car").first)
            #expect(same["maker"] == "FIAT")
            car["maker"] = "FCA"
            try left.save()
            same["maker"] = "Lancia"
            let error = #expect(throws: CofferError.self) { try right.save() }
            guard case .conflicts(let conflicts)? = error else {
                return #expect(Bool(false), "\(error as Any)")
            }
            #expect(conflicts.first?.stored?["maker"] == "FCA")
        }
    }

    @Test func `a file is open as long as one of its coordinators exists`() throws {
        try withTemporaryFolder { folder in
            var one: PersistentContainer? = try container(in: folder)
            let two = try container(in: folder)
            let context = two.newContext()
            try context.make("Car", ["numberPlate": "A"])
            one = nil
            try context.save()
            #expect(one == nil)
            #expect(try container(in: folder).newContext().all("Car").count == 1)
        }
    }

    @Test func `a second coordinator of a file gets the options of the first, and cannot have another model`()
        throws
    {
        try withTemporaryFolder { folder in
            let one = try container(in: folder, pragmas: ["cache_size": "100"])
            #expect(throws: CofferError.self) { try container(in: folder, model: Album.model()) }
            #expect(throws: CofferError.self) { try container(in: folder, pragmas: ["nonsense": "1"]) }
            let two = try container(in: folder, pragmas: ["cache_size": "200"])
            let three = try container(in: folder)
            for (number, container) in [one, two, three].enumerated() {
                let context = container.newContext()
                try context.make("Car", ["numberPlate": .string("\(number)")])
                try context.save()
                #expect(try context.all("Car").count == number + 1)
            }
        }
    }

    @Test func `a file that is refused beside an open store keeps SQLite's locks`() throws {
        try withTemporaryFolder { path in
            let one = try container(in: path)
            let context = one.newContext()
            try context.make("Car", ["numberPlate": "A"])
            try context.save()
            let folder = try Folder(at: path)
            let inode = try #require(try folder.facts(of: "Test.sqlite")).inode
            // Which processes hold which locks, as the kernel reports it: a process loses its locks on a file
            // when it closes that file anywhere.
            func locks() throws -> Int {
                // Foundation reads one page of it.
                try String(decoding: Folder(at: "/proc").read("locks", limit: 1 << 24), as: UTF8.self)
                    .split(separator: "\n")
                    .count { $0.contains("POSIX") && $0.contains(":\(inode) ") }
            }
            let before = try locks()
            #expect(before > 0)
            #expect(throws: CofferError.self) { try container(in: path, model: Album.model()) }
            for isReadOnly in [true, false] {
                #expect(throws: CofferError.self) {
                    try EmbeddedCoordinator.open(
                        path: path + "/Test.sqlite", model: isReadOnly ? nil : Album.model(), mustExist: true,
                        isReadOnly: isReadOnly, application: "")
                }
            }
            // Its external values would be in the same folder: it is checked whether the file beside it is a
            // store.
            do {
                _ = try EmbeddedCoordinator.open(
                    path: path + "/Test.other", model: Garage.model(), mustExist: false, application: "")
            }
            _ = try folder.makeFolders(".Test_SUPPORT/_EXTERNAL_DATA")
            #expect(throws: Never.self) { try EmbeddedCoordinator.remove(path: path + "/Test.other") }
            #expect(try folder.exists(".Test_SUPPORT"))
            #expect(try locks() == before)
            #expect(try context.all("Car").count == 1)
        }
    }
}
