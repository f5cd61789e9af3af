import Coffer
import CofferEmbedded
import CofferLinux
import CofferModel
import CofferStores
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Stores whose file is written as a whole, on their way to another model.
@Suite struct WholeFileMigrationTests {
    private static let types: [StoreType] = [.xml, .binary]

    private func withNotes(_ type: StoreType, _ body: (SplitNotes) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let notes = SplitNotes(folder: folder, type: type)
            try notes.fill()
            try body(notes)
        }
    }

    /// Notes with a rank in the place of stars, and a label that every note has.
    private static func ranked() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Folder") {
                Field("name", .string)
                Many("notes", "Note", inverse: "folder", ordered: true)
            }
            Entity("Note") {
                Field("title", .string).default("")
                Field("rank", .integer64).default(0).renamed(from: "stars")
                Field("label", .string).default("new")
                Field("isDraft", .boolean).default(false)
                One("folder", "Folder", inverse: "notes")
            }
        }
    }

    private func container(
        _ notes: SplitNotes, _ model: ManagedObjectModel, route: MigrationRoute = .inferred
    ) throws -> PersistentContainer {
        try PersistentContainer.embedded(
            name: "Notes", model: model, folder: notes.folder,
            stores: [StoreDescription(name: "Notes", migrationRoute: route, type: notes.type)])
    }

    @Test(arguments: types)
    func `opening takes a file on as the models tell, and objects keep their URIs`(type: StoreType) throws {
        try withNotes(type) { notes in
            let before = try notes.context(SplitNotes.old()).all("Note").map {
                "\($0["title"].text) \($0["stars"].text) \($0.objectID)"
            }
            do {
                let container = try container(notes, Self.ranked())
                try container.loadStores()
                let context = container.newContext()
                let after = try context.all("Note").map {
                    "\($0["title"].text) \($0["rank"].text) \($0.objectID)"
                }
                #expect(after.sorted() == before.sorted())
                #expect(try context.texts("Note", "label") == Array(repeating: "new", count: 9))
                let folder = try #require(try context.all("Folder").first)
                #expect(
                    folder.objects(forKey: "notes").map { String($0["title"].text.prefix(1)) }.joined()
                        == "cadb")
                // A new object has a number that none has, of whichever entity.
                let made = try context.make("Folder", ["name": "later"])
                try context.save()
                let keys = try context.all("Note").map(\.objectID.primaryKey)
                #expect(!keys.contains(made.objectID.primaryKey))
            }
            // Pictures are lost, so the old file is kept; and just opening the store with the old model does
            // not take it back.
            #expect(try notes.companions().filter { $0.contains(".backup-") }.count == 1)
            let old = try container(notes, SplitNotes.old())
            #expect(throws: CofferError.self) { try old.loadStores() }
            let again = try container(notes, Self.ranked())
            try again.loadStores()
            #expect(try again.newContext().all("Note").count == 9)
        }
    }

    private static let wanted = [
        "f0 4: C0 A0 B0 + d0", "f1 4: C1 A1 B1 + d1",
        "A0 double(1.5) f0 120000", "A1 double(1.5) f1 120000", "ALONE double(13.5) - ",
        "B0 double(4.5) f0 3", "B1 double(4.5) f1 3", "C0 double(0.0) f0 ", "C1 double(0.0) f1 ", "d0", "d1",
    ]

    @Test(arguments: types)
    func `a file follows a mapping model object by object, and no two objects have one number`(
        type: StoreType
    ) throws {
        try withNotes(type) { notes in
            let before = try notes.oldLines()
            let uuid = try notes.storeUUID(of: "Folder", SplitNotes.old())
            let plan = try notes.migrate(onlyPlans: true).plan
            #expect(
                plan.obstacles.isEmpty && plan.entities.contains { $0.name == "Memo" && $0.objectCount == 7 })
            #expect(try notes.oldLines() == before)
            let done = try notes.migrate()
            let backup = try #require(done.backup)
            #expect(try notes.newLines() == Self.wanted)
            #expect(
                try notes.storeUUID(of: "Memo", SplitNotes.new()) != uuid,
                "ids of before must not mean others")
            let context = try notes.context(SplitNotes.new())
            var keys: [Int64?] = []
            for name in ["Attachment", "Draft", "Memo", "Shelf"] {
                keys += try context.all(name).map(\.objectID.primaryKey)
            }
            #expect(Set(keys).count == keys.count)
            #expect(try notes.migrate().number == nil)
            try withTemporaryFolder { folder in
                let copy = SplitNotes(folder: folder, type: type)
                try FileManager.default.copyItem(atPath: backup, toPath: copy.path)
                #expect(try copy.oldLines() == before)
            }
        }
    }

    @Test(arguments: types)
    func `the old file is removed once it is old, or with its store`(type: StoreType) throws {
        let today = Date().timeIntervalSinceReferenceDate
        for days in [nil, 29.0, 32.0] {
            try withNotes(type) { notes in
                let backup = try #require(try notes.migrate().backup)
                let folder = try Folder(at: notes.folder)
                let name = URL(filePath: notes.path).lastPathComponent
                if let days {
                    var options = StoreOptions()
                    options.type = type
                    options.environment = StoreEnvironment(now: { today + days * 86_400 })
                    let file = try StoreFile.open(
                        in: folder, fileName: name, model: StoreModel(SplitNotes.new()), options: options)
                    #expect(try file.migrationBackups(on: file.makeReader()).count == (days < 30 ? 1 : 0))
                } else {
                    #expect(try StoreFile.remove(name, in: folder))
                }
                #expect(FileManager.default.fileExists(atPath: backup) == ((days ?? 30) < 30))
            }
        }
    }

    @Test(arguments: types)
    func `a copy that a killed migration left is taken for its own`(type: StoreType) throws {
        try withNotes(type) { notes in
            try withTemporaryFolder { folder in
                let other = SplitNotes(folder: folder, type: type)
                try FileManager.default.copyItem(atPath: notes.path, toPath: other.path)
                let name = URL(filePath: try #require(try other.migrate().backup)).lastPathComponent
                try FileManager.default.copyItem(
                    atPath: notes.path, toPath: "\(notes.folder)/\(name)")
                let backup = try #require(try notes.migrate().backup)
                #expect(URL(filePath: backup).lastPathComponent == name)
                #expect(try notes.companions().filter { $0.contains(".backup-") } == [name])
            }
        }
    }

    @Test(arguments: types)
    func `opening a file follows its route`(type: StoreType) throws {
        try withNotes(type) { notes in
            let container = try container(
                notes, SplitNotes.new(), route: .mapping(SplitNotes.mapping()))
            try container.loadStores()
            #expect(try container.newContext().all("Memo").count == 7)
        }
    }

    @Test(arguments: types, AtomicStep.allCases)
    func `whatever fails leaves the old file`(type: StoreType, step: AtomicStep) throws {
        try withNotes(type) { notes in
            let before = try Data(contentsOf: URL(filePath: notes.path))
            var opening = StoreOptions()
            opening.atomicFault = { $0 == step ? 28 : nil }
            #expect(throws: CofferError.self) { try notes.migrate(opening: opening) }
            let after = try Data(contentsOf: URL(filePath: notes.path))
            #expect(before == after)
            #expect(try notes.companions().allSatisfy { !$0.contains(".backup-") })
            try notes.migrate()
            #expect(try notes.newLines() == Self.wanted)
        }
    }

    @Test(arguments: types)
    func `what is in the way is told, and nothing is changed`(type: StoreType) throws {
        try withNotes(type) { notes in
            let strict = try ManagedObjectModel {
                Entity("Folder") {
                    Field("name", .string)
                    Many("notes", "Note", inverse: "folder", ordered: true)
                }
                Entity("Note") {
                    Field("title", .integer64).optional()
                    One("folder", "Folder", inverse: "notes")
                }
            }
            let before = try Data(contentsOf: URL(filePath: notes.path))
            do {
                try container(notes, strict).loadStores()
                Issue.record("it was opened")
            } catch CofferError.refused(_, "unmigratable", let text, _) {
                #expect(text.contains("Note.title"), "\(text)")
            }
            let after = try Data(contentsOf: URL(filePath: notes.path))
            #expect(before == after)
        }
    }
}

extension SplitNotes {
    /// The UUID of the store, as ids of its objects say it.
    fileprivate func storeUUID(of entity: String, _ model: ManagedObjectModel) throws -> UUID? {
        try context(model).all(entity).first?.objectID.storeUUID
    }
}
