import Coffer
import CofferEmbedded
import CofferLinux
import CofferModel
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Embedded stores that go on in another file.
@Suite struct EmbeddedMoveTests {
    private static let types: [StoreType] = [.sqlite, .binary, .xml]

    private func container(
        in folder: String, named name: String = "Test", type: StoreType? = nil
    ) throws -> PersistentContainer {
        let container = try PersistentContainer.embedded(
            name: "Test", model: Album.model(), folder: folder,
            stores: [StoreDescription(name: name, type: type)])
        try container.loadStores()
        return container
    }

    private func photos(_ context: ManagedObjectContext) throws -> [String] {
        try context.all("Photo").compactMap { photo in
            if case .string(let name) = photo["name"] { name } else { nil }
        }.sorted()
    }

    private func stores(in folder: String) throws -> [String] {
        try Folder(at: folder).names().filter { ["sqlite", "binary", "xml", "move"].contains(extension: $0) }
            .sorted()
    }

    @Test(arguments: types, types)
    func `contexts of all containers go on in a file elsewhere, and the old one stays as it was`(
        old: StoreType, new: StoreType
    ) throws {
        try withTemporaryFolder { folder in
            let place = folder + "/elsewhere"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let (one, two) = (try container(in: folder, type: old), try container(in: folder))
            try Album.fill(one, photos: 4)
            let (left, right) = (one.newContext(), two.newContext())
            let photo = try #require(try left.all("Photo").first { $0["name"] == "1" })
            let same = try #require(try right.all("Photo").first { $0["name"] == "1" })
            let id = photo.objectID
            #expect(same.objectID == id)
            var changes: [ObjectIDChange] = []
            let token = right.onNotification { notification in
                if case .didChangeIDs(let change) = notification { changes.append(change) }
            }
            let path = "\(place)/Moved\(new == .sqlite ? ".sqlite" : "." + new.rawValue)"
            let made = try one.migratePersistentStore(named: "Test", to: path, type: new)
            #expect(made.objectCount == 5 && made.formerUUID == id.storeUUID)
            left.mergePendingChanges()
            right.mergePendingChanges()
            #expect(changes.count == 1 && changes.first?.newID(of: id) == photo.objectID)
            #expect(photo.objectID == same.objectID && photo.objectID.storeUUID == made.uuid)
            #expect(photo["data"] == Album.data(1) && same["name"] == "1")
            photo["name"] = "changed"
            try left.save()
            right.mergePendingChanges()
            #expect(same["name"] == "changed")
            try same.setValue(.string("again"), forKey: "name")
            try right.make("Photo", ["name": "new"]).setObjects(right.all("Album"), forKey: "album")
            try right.save()
            #expect(try photos(left) == ["0", "2", "3", "again", "new"])
            #expect(try photos(container(in: folder).newContext()) == ["0", "1", "2", "3"])
            withExtendedLifetime(token) {}
        }
    }

    @Test(arguments: types, types)
    func `what was not saved goes along, with what it names`(old: StoreType, new: StoreType) throws {
        try withTemporaryFolder { folder in
            let place = folder + "/elsewhere"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let container = try container(in: folder, type: old)
            try Album.fill(container, photos: 4)
            let context = container.newContext()
            var losses = 0
            let token = context.onNotification { notification in
                if case .didLoseChanges = notification { losses += 1 }
            }
            let photos = try context.all("Photo").sorted { $0["name"].text < $1["name"].text }
            let album = try #require(try context.all("Album").first)
            photos[0]["name"] = "changed"
            try photos[1].setObjects([], forKey: "album")
            context.delete(photos[2])
            let named = try context.make("Photo", ["name": "named"])
            try named.setObjects([album], forKey: "album")
            try context.obtainPermanentIDs(for: [named])
            let path = "\(place)/Moved\(new == .sqlite ? ".sqlite" : "." + new.rawValue)"
            try container.migratePersistentStore(named: "Test", to: path, type: new)
            // In the same turn, before the context has looked at what it was told.
            try context.make("Photo", ["name": "new"]).setObjects([album], forKey: "album")
            try context.save()
            #expect(losses == 0)
            for context in [context, container.newContext()] {
                let photos = try context.all("Photo")
                #expect(photos.map(\.["name"].text).sorted() == ["1", "3", "changed", "named", "new"])
                let album = try #require(try context.all("Album").first)
                #expect(
                    album.objects(forKey: "photos").map(\.["name"].text).sorted()
                        == ["3", "changed", "named", "new"])
            }
            withExtendedLifetime(token) {}
        }
    }

    @Test(arguments: types)
    func `of two moves in a row nothing is lost, and what others saved before is in conflict`(
        type: StoreType
    ) throws {
        try withTemporaryFolder { folder in
            let container = try container(in: folder, type: .sqlite)
            try Album.fill(container, photos: 3)
            let (context, other) = (container.newContext(), container.newContext())
            let photos = try context.all("Photo").sorted { $0["name"].text < $1["name"].text }
            for photo in photos { photo["name"] = .string("mine " + photo["name"].text) }
            let theirs = try #require(try other.all("Photo").first { $0["name"] == "1" })
            theirs["name"] = "theirs"
            try other.save()
            for name in ["Once", "Twice"] {
                let path = "\(folder)/\(name)\(type == .sqlite ? ".sqlite" : "." + type.rawValue)"
                try container.migratePersistentStore(named: "Test", to: path, type: type)
            }
            let error = #expect(throws: CofferError.self) { try context.save() }
            guard case .conflicts(let conflicts) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(conflicts.map(\.objectID) == [photos[1].objectID])
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            #expect(try self.photos(container.newContext()) == ["mine 0", "mine 1", "mine 2"])
        }
    }

    @Test(arguments: types, types.filter { $0 != .xml })
    func `in its own folder with its own name the old file goes`(old: StoreType, new: StoreType) throws {
        guard old != new else { return }
        try withTemporaryFolder { folder in
            do {
                let container = try container(in: folder, type: old)
                try Album.fill(container, photos: 4)
                let context = container.newContext()
                let photo = try #require(try context.all("Photo").first { $0["name"] == "1" })
                try container.migratePersistentStore(named: "Test", type: new)
                #expect(try stores(in: folder) == ["Test.\(new.rawValue)"])
                context.mergePendingChanges()
                #expect(photo["data"] == Album.data(1))
                photo["name"] = "changed"
                try context.save()
                let refusal = #expect(throws: CofferError.self) {
                    try container.migratePersistentStore(named: "Test", type: new)
                }
                #expect(refusal?.reason == "malformed_request")
            }
            let again = try container(in: folder).newContext()
            #expect(try photos(again) == ["0", "2", "3", "changed"])
            #expect(try again.all("Photo").map { $0["data"] }.count { $0 == Album.data(1) } == 1)
        }
    }

    @Test(arguments: [nil, "Moved.xml"])
    func `a move that fails leaves the store and its contexts as they were`(name: String?) throws {
        try withTemporaryFolder { folder in
            let container = try container(in: folder)
            try Album.fill(container, photos: 2)
            let path = name.map { "\(folder)/\($0)" }
            let context = container.newContext()
            let photo = try #require(try context.all("Photo").first)
            let (id, names) = (photo.objectID, try Folder(at: folder).names().sorted())
            let stopped = #expect(throws: CofferError.self) {
                try container.migratePersistentStore(named: "Test", to: path, type: .xml) { _, _ in false }
            }
            #expect(stopped?.reason == "interrupted")
            #expect(try Folder(at: folder).names().sorted() == names)
            let file = path ?? "\(folder)/Test.xml"
            try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
            let taken = #expect(throws: CofferError.self) {
                try container.migratePersistentStore(named: "Test", to: path, type: .xml)
            }
            #expect(taken?.reason == "already_exists")
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data("mine".utf8))
            photo["name"] = "changed"
            try context.save()
            #expect(photo.objectID == id && photo["data"] == Album.data(0))
        }
    }

    @Test func `what a background context saves when it is told is in the new file`() throws {
        try withTemporaryFolder { folder in
            let container = try container(in: folder)
            try Album.fill(container, photos: 1)
            let background = try container.newBackgroundContext(name: "background")
            let told = ConditionLock<[String]>([])
            try background.performAndWait { context in
                try context.make("Photo", ["name": "last"]).setObjects(context.all("Album"), forKey: "album")
                let box = TokenBox()
                box.token = context.onNotification { [unowned context] notification in
                    withExtendedLifetime(box) {}
                    switch notification {
                    case .storesWillChange:
                        let result = Result { try context.save() }
                        told.withLock { $0.append("\(result)") }
                    case .storesDidChange: told.withLock { $0.append("did") }
                    default: return
                    }
                    told.broadcast()
                }
            }
            try container.migratePersistentStore(
                named: "Test", to: folder + "/Moved.sqlite", type: .sqlite, wait: .seconds(60))
            let all = told.wait(timeout: .seconds(60)) { $0.contains("did") ? $0 : nil }
            #expect(all == ["success()", "did"])
            #expect(try photos(container.newContext()) == ["0", "last"])
        }
    }

    @Test func `of saves while the store is moved none is lost that was acknowledged`() throws {
        try withTemporaryFolder { folder in
            let container = try container(in: folder)
            try Album.fill(container, photos: 50, bytes: 1_000)
            let saved = ConditionLock<(names: [String], refusals: [String], isOver: Bool)>(([], [], false))
            let writer = try WorkerThread(name: "writer") {
                let context = container.newContext()
                var number = 0
                while !saved.withLock({ $0.isOver }) {
                    number += 1
                    do {
                        // A fetch takes in that the store was moved, which loses what is not saved.
                        let albums = try context.all("Album")
                        try context.make("Photo", ["name": .string("w\(number)")])
                            .setObjects(albums, forKey: "album")
                        try context.save()
                        saved.withLock { $0.names.append("w\(number)") }
                        saved.broadcast()
                    } catch {
                        saved.withLock { $0.refusals.append("\(error)") }
                        context.rollback()
                    }
                }
            }
            for type in [StoreType.binary, .sqlite] {
                let count = saved.withLock { $0.names.count }
                _ = saved.wait { $0.names.count > count + 3 ? true : nil }
                try container.migratePersistentStore(named: "Test", type: type)
            }
            let count = saved.withLock { $0.names.count }
            _ = saved.wait { $0.names.count > count + 3 ? true : nil }
            saved.withLock { $0.isOver = true }
            writer.join()
            let refusals = saved.withLock { $0.refusals }
            #expect(refusals.allSatisfy { $0.contains("fetch again") }, "\(refusals)")
            let wanted = saved.withLock { $0.names } + (0..<50).map(String.init)
            let found = try photos(container.newContext())
            #expect(found.count == Set(found).count)
            let lost = Set(wanted).subtracting(found)
            #expect(lost.isEmpty, "\(lost.count) of \(wanted.count) are lost: \(lost)")
            let refused = Set(found).subtracting(wanted)
            #expect(refused.isEmpty, "\(refused.count) were saved and refused: \(refused)")
        }
    }

    @Test func `what a process leaves that is killed within a move in place is opened by its name`() throws {
        try withTemporaryFolder { folder in
            let live = folder + "/live"
            try FileManager.default.createDirectory(atPath: live, withIntermediateDirectories: true)
            let lefts = ConditionLock<[String]>([])
            do {
                let container = try container(in: live)
                try Album.fill(container, photos: 3)
                try container.migratePersistentStore(named: "Test", type: .binary) { _, _ in
                    let left = lefts.withLock { lefts in
                        lefts.append("\(folder)/left\(lefts.count)")
                        return lefts[lefts.count - 1]
                    }
                    try? FileManager.default.copyItem(atPath: live, toPath: left)
                    return true
                }
            }
            let all = lefts.withLock { $0 }
            #expect(all.count > 1)
            for left in all {
                let container = try container(in: left)
                #expect(try photos(container.newContext()) == ["0", "1", "2"])
                #expect(try stores(in: left) == ["Test.sqlite"])
                try container.migratePersistentStore(named: "Test", type: .binary)
                #expect(try stores(in: left) == ["Test.binary"])
            }
        }
    }
}

/// Keeps a handler's token with the handler.
private final class TokenBox {
    var token: NotificationToken?
}

extension [String] {
    fileprivate func contains(extension name: String) -> Bool {
        contains(name.split(separator: ".").last.map(String.init) ?? "")
    }
}

extension CofferError {
    fileprivate var reason: String {
        if case .refused(_, let reason, _, _) = self { reason } else { "\(self)" }
    }
}
