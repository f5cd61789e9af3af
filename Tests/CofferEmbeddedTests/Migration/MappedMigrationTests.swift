import Coffer
import CofferEmbedded
import CofferModel
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Stores that follow a mapping model object by object.
@Suite struct MappedMigrationTests {
    private static let wanted = [
        "f0 4: C0 A0 B0 + d0", "f1 4: C1 A1 B1 + d1",
        "A0 double(1.5) f0 120000", "A1 double(1.5) f1 120000", "ALONE double(13.5) - ",
        "B0 double(4.5) f0 3", "B1 double(4.5) f1 3", "C0 double(0.0) f0 ", "C1 double(0.0) f1 ", "d0", "d1",
    ]

    private func withNotes(_ body: (SplitNotes) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let notes = SplitNotes(folder: folder)
            try notes.fill()
            try body(notes)
        }
    }

    @Test func `an entity becomes several, with values along key paths, orders and files`() throws {
        try withNotes { notes in
            let done = try notes.migrate()
            #expect(done.number != nil)
            #expect(try notes.newLines() == Self.wanted)
            let values = try notes.companions().filter { UUID(uuidString: String($0.suffix(36))) != nil }
            #expect(values.count == 2, "only the new store's files are left: \(values)")
        }
    }

    @Test func `what was there before is kept beside the store, and nothing else`() throws {
        try withNotes { notes in
            let before = try notes.oldLines()
            let backup = try #require(try notes.migrate().backup)
            #expect(backup.hasPrefix(notes.path + ".backup-"))
            _ = try notes.newLines()
            let others = try notes.companions().filter { $0.hasPrefix(".") }
            #expect(others.allSatisfy { $0.contains("_SUPPORT") }, "\(others)")
            let container = try PersistentContainer.embedded(
                name: "Notes", model: SplitNotes.new(), folder: notes.folder)
            try container.loadStores()
            #expect(try container.migrationBackups(ofEmbeddedStoreNamed: "Notes") == [backup])
            try withTemporaryFolder { folder in
                try FileManager.default.copyItem(atPath: backup, toPath: folder + "/Notes.sqlite")
                #expect(try SplitNotes(folder: folder).oldLines() == before)
            }
        }
        try withNotes { notes in
            let done = try notes.migrate(keepsBackup: false)
            #expect(done.backup == nil)
            #expect(try notes.companions().allSatisfy { !$0.contains("backup") })
        }
    }

    @Test func `a store that has the model needs nothing, and does not go back by itself`() throws {
        try withNotes { notes in
            try notes.migrate()
            #expect(try notes.migrate().number == nil)
            let container = try PersistentContainer.embedded(
                name: "Notes", model: SplitNotes.old(), folder: notes.folder)
            #expect(throws: CofferError.self) { try container.loadStores() }
            #expect(try notes.newLines() == Self.wanted)
        }
    }

    @Test func `a plan tells of each mapping and of what none takes, and changes nothing`() throws {
        try withNotes { notes in
            let before = try FolderSnapshot(of: notes.folder)
            let plan = try notes.migrate(
                SplitNotes.mapping { $0.entities.remove(at: 2) }, onlyPlans: true
            ).plan
            #expect(plan.obstacles.isEmpty && plan.dropsData)
            let memos = try #require(plan.entities.first { $0.name == "Memo" })
            #expect(memos.objectCount == 7 && memos.formerName == "Note" && memos.change == .converted)
            #expect(memos.properties.first { $0.name == "place" }?.detail == "$source.folder.name")
            #expect(plan.entities.first { $0.name == "Note" }?.objectCount == 2, "drafts: \(plan.entities)")
            #expect(plan.entities.first { $0.name == "Draft" }?.change == .added)
            #expect(try FolderSnapshot(of: notes.folder) == before)
        }
    }

    @Test func `calls of the migration may be parts of others`() throws {
        func call(_ method: String, _ objects: String) -> String {
            "FUNCTION($manager, \"\(method)\", \"NoteToMemo\", \(objects))"
        }
        let made = call("destinationInstancesForEntityMappingNamed:sourceInstances:", "$source")
        let back = call("sourceInstancesForEntityMappingNamed:destinationInstances:", made)
        let again = call("destinationInstancesForEntityMappingNamed:sourceInstances:", back)
        try withNotes { notes in
            try notes.migrate(
                SplitNotes.mapping { $0.entities[0].relationships = [.init("note", .expression(again))] })
            #expect(try notes.newLines() == Self.wanted)
        }
        // What is new was made of something, and nothing was made of it.
        let wrong = call("destinationInstancesForEntityMappingNamed:sourceInstances:", made)
        try withNotes { notes in
            let before = try notes.oldLines()
            do {
                try notes.migrate(
                    SplitNotes.mapping { $0.entities[0].relationships = [.init("note", .expression(wrong))] })
                Issue.record("it was migrated")
            } catch CofferError.refused(_, "unmigratable", let text, _) {
                #expect(text.contains("objects that are new"), "\(text)")
            }
            #expect(try notes.oldLines() == before)
        }
    }

    private static let mistakes: [(@Sendable (inout MappingModel) -> Void, String)] = [
        ({ $0.entities[1].attributes[0] = .init("colour", .automatic) }, "'colour' does not exist"),
        ({ $0.entities[1].predicate = "colour == 1" }, "'colour' is not a property of entity 'Note'"),
        ({ $0.entities[1].attributes[2] = .init("place", .expression("$source.folder.size")) }, "size"),
        ({ $0.entities[0].relationships[0].value = .mapped(by: "Nobody", objects: "$source") }, "'Nobody'"),
        ({ $0.entities[1].policyClassName = "Mine" }, "the class 'Mine' is to make its objects"),
        ({ $0.entities[1].sourceHash = [1] }, "it was made for another version of 'Note'"),
    ]

    @Test(arguments: mistakes.indices)
    func `what does not fit is told before anything is done`(_ place: Int) throws {
        let (change, words) = Self.mistakes[place]
        try withNotes { notes in
            let before = try notes.oldLines()
            do {
                try notes.migrate(SplitNotes.mapping(change))
                Issue.record("it was followed")
            } catch CofferError.refused(_, "unmigratable", let text, _) {
                #expect(text.contains(words), "\(text)")
            }
            #expect(try notes.oldLines() == before)
        }
    }

    @Test func `objects that break a rule of the new model stop it, and all is as it was`() throws {
        try withNotes { notes in
            let before = try notes.oldLines()
            let files = try notes.companions()
            do {
                try notes.migrate(
                    SplitNotes.mapping {
                        $0.entities[0].relationships = []
                        $0.entities[3].attributes.removeFirst()
                    })
                Issue.record("it was migrated")
            } catch CofferError.validation(let failures) {
                #expect(
                    Set(failures.map(\.property)) == ["note", "name"] && failures.count == 6, "\(failures)")
            }
            #expect(try notes.oldLines() == before)
            #expect(try notes.companions() == files)
        }
    }

    @Test func `a value that cannot be one of the attribute names its object`() throws {
        try withNotes { notes in
            do {
                try notes.migrate(
                    SplitNotes.mapping {
                        $0.entities[1].attributes[1] = .init("stars", .expression("$source.title"))
                    })
                Issue.record("it was migrated")
            } catch CofferError.refused(_, "unmigratable", let text, _) {
                #expect(
                    text.contains("'NoteToMemo.stars' gives no value of the type Double for Note/p"),
                    "\(text)")
            }
        }
    }
}
