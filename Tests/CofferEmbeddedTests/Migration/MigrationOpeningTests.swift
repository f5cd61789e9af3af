import Coffer
import CofferEmbedded
import CofferModel
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Embedded stores whose application has a new model.
@Suite struct MigrationOpeningTests {
    private func container(
        in folder: String, _ model: ManagedObjectModel, migrates: Bool = true
    ) throws -> PersistentContainer {
        let container = try PersistentContainer.embedded(
            name: "Notes", model: model, folder: folder,
            stores: [StoreDescription(name: "Notes", migratesAutomatically: migrates)])
        try container.loadStores()
        return container
    }

    private func old() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Note") {
                Field("title", .string).default("")
                Field("draft", .string)
            }
        }
    }

    private func new() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Note") {
                Field("title", .string).default("")
                Field("rank", .integer64).default(3)
            }
        }
    }

    private func fill(_ folder: String) throws {
        let context = try container(in: folder, old()).newContext()
        _ = try context.make("Note", ["title": "a", "draft": "lost"])
        try context.save()
    }

    @Test func `a store follows the model when it is opened, and a copy of lost values stays`() throws {
        try withTemporaryFolder { folder in
            try fill(folder)
            do {
                let container = try container(in: folder, new())
                let copies = try container.migrationBackups(ofEmbeddedStoreNamed: "Notes")
                #expect(copies == [folder + "/Notes.sqlite.backup-1"])
                let context = container.newContext()
                let note = try #require(try context.all("Note").first)
                #expect(note["title"] == "a" && note["rank"] == 3)
                note["rank"] = 4
                try context.save()
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.contains("Notes.sqlite.backup-1"))
            let copy = try EmbeddedCoordinator.open(
                path: folder + "/Notes.sqlite.backup-1", model: nil, mustExist: true, onlyReads: true,
                application: "")
            let context = ManagedObjectContext(coordinator: copy)
            #expect(try context.all("Note").map { $0["draft"] } == ["lost"])
        }
    }

    @Test func `a store stays as it is where it may not be migrated automatically`() throws {
        try withTemporaryFolder { folder in
            try fill(folder)
            do {
                _ = try container(in: folder, new(), migrates: false)
                Issue.record("opened")
            } catch CofferError.incompatibleModel(let differing, [], [], let changes) {
                #expect(differing == ["Note"] && !changes.isEmpty)
            }
            #expect(try container(in: folder, old()).newContext().all("Note").count == 1)
        }
    }

    @Test func `an older version of the application does not take the store back`() throws {
        try withTemporaryFolder { folder in
            try fill(folder)
            _ = try container(in: folder, new())
            do {
                _ = try container(in: folder, old())
                Issue.record("opened")
            } catch CofferError.incompatibleModel(["Note"], [], [], let changes) {
                #expect(changes.contains { $0.contains("Note.rank is gone") })
            }
            let note = try #require(try container(in: folder, new()).newContext().all("Note").first)
            #expect(note["title"] == "a" && note["rank"] == 3)
        }
    }

    @Test func `obstacles to a migration are reported, and the store stays as it is`() throws {
        let model = try ManagedObjectModel {
            Entity("Note") {
                Field("title", .integer64).default(0)
                Field("draft", .string)
            }
        }
        try withTemporaryFolder { folder in
            try fill(folder)
            do {
                _ = try container(in: folder, model)
                Issue.record("opened")
            } catch CofferError.refused(_, "unmigratable", let text, _) {
                #expect(text.contains("1 value of 'Note.title' cannot be turned from String into Integer 64"))
            }
            #expect(try container(in: folder, old()).newContext().all("Note").count == 1)
        }
    }
}
