import Coffer
import CofferEmbedded
import CofferModel
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Stores that go through the versions of a model, with work of the application's between.
@Suite struct StagedMigrationTests {
    private struct Refusal: Error {}

    private static func model(_ fields: (String, AttributeType)...) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Note") {
                for (name, type) in fields { Field(name, type).optional() }
            }
        }
    }

    /// One text is taken apart into two, which no version alone can do.
    private func stages(failing: Bool = false, _ told: @escaping (String) -> Void = { _ in }) throws
        -> [MigrationStage]
    {
        let first = MigrationStage(name: "1", model: try Self.model(("name", .string)))
        var second = MigrationStage(
            name: "2", model: try Self.model(("name", .string), ("first", .string), ("last", .string)))
        second.willMigrate = { container in
            told("before 2")
            let context = container.newContext()
            for note in try context.all("Note") { note["name"] = .string(note["name"].text + "!") }
            try context.save()
        }
        second.didMigrate = { container in
            told("after 2")
            let context = container.newContext()
            for note in try context.all("Note") {
                let parts = note["name"].text.split(separator: " ")
                note["first"] = .string(parts.first.map { String($0) } ?? "")
                note["last"] = .string(parts.last.map { String($0) } ?? "")
            }
            try context.save()
            if failing { throw Refusal() }
        }
        let third = MigrationStage(
            name: "3", model: try Self.model(("first", .string), ("last", .string)))
        return [first, second, third]
    }

    private func fill(_ path: String, _ model: ManagedObjectModel, _ values: [String: AttributeValue]) throws
    {
        let coordinator = try EmbeddedCoordinator.open(
            path: path, model: model, mustExist: false, application: "")
        let context = ManagedObjectContext(coordinator: coordinator)
        _ = try context.make("Note", values)
        try context.save()
    }

    private func values(_ path: String, _ model: ManagedObjectModel) throws -> [String] {
        let coordinator = try EmbeddedCoordinator.open(
            path: path, model: model, mustExist: true, application: "")
        let container = PersistentContainer(
            name: path, coordinator: coordinator, stores: [StoreDescription(name: path)], openStore: { _ in })
        #expect(try container.metadata(ofStore: path).values.keys.allSatisfy { !$0.hasPrefix("Coffer") })
        return try container.newContext().all("Note").map { "\($0["first"].text) \($0["last"].text)" }
    }

    @Test func `a store of any version reaches the last one in one call, with the work between`() throws {
        try withTemporaryFolder { folder in
            var told: [String] = []
            let stages = try stages { told.append($0) }
            let path = folder + "/one.db"
            try fill(path, stages[0].model, ["name": "Ada Lovelace"])
            let done = try PersistentContainer.migrateEmbeddedStore(atPath: path, through: stages)
            #expect(done.origin == "1" && done.steps.map(\.name) == ["2", "3"])
            #expect(told == ["before 2", "after 2"])
            #expect(try values(path, stages[2].model) == ["Ada Lovelace!"])
            let again = try PersistentContainer.migrateEmbeddedStore(atPath: path, through: stages)
            #expect(again.origin == "3" && again.steps.isEmpty && told.count == 2)

            let later = folder + "/two.db"
            try fill(later, stages[1].model, ["first": "Bea", "last": "B"])
            try PersistentContainer.migrateEmbeddedStore(atPath: later, through: stages)
            #expect(try values(later, stages[2].model) == ["Bea B"] && told.count == 2)
        }
    }

    @Test func `work after a stage that threw is done by the next call, and nothing is skipped`() throws {
        try withTemporaryFolder { folder in
            var told: [String] = []
            let path = folder + "/one.db"
            try fill(path, try stages()[0].model, ["name": "Ada Lovelace"])
            do {
                try PersistentContainer.migrateEmbeddedStore(
                    atPath: path, through: stages(failing: true) { told.append($0) })
                Issue.record("it went on")
            } catch CofferError.refused(_, "stage", let text, _) {
                #expect(text.contains("after '2'"), "\(text)")
            }
            let stages = try stages { told.append($0) }
            let done = try PersistentContainer.migrateEmbeddedStore(atPath: path, through: stages)
            #expect(done.origin == "2" && done.steps.map(\.name) == ["3"])
            #expect(told == ["before 2", "after 2", "after 2"])
            #expect(try values(path, stages[2].model) == ["Ada Lovelace!"])
        }
    }

    @Test(arguments: [1, 2])
    func `work that no stage has any more keeps nobody from the store`(stagesLeft: Int) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/one.db"
            try fill(path, try stages()[0].model, ["name": "Ada Lovelace"])
            #expect(throws: CofferError.self) {
                try PersistentContainer.migrateEmbeddedStore(
                    atPath: path, through: self.stages(failing: true))
            }
            var stages = try self.stages()
            (stages[1].willMigrate, stages[1].didMigrate) = (nil, nil)
            let done = try PersistentContainer.migrateEmbeddedStore(
                atPath: path, through: Array(stages.prefix(stagesLeft + 1)))
            #expect(done.origin == "2" && done.steps.count == stagesLeft - 1)
            #expect(try values(path, stages[stagesLeft].model) == ["Ada Lovelace!"])
        }
    }

    @Test func `a store of none of the versions is told so, and stays as it is`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/one.db"
            try fill(path, try Self.model(("colour", .string)), ["colour": "red"])
            let before = try FolderSnapshot(of: folder)
            do {
                try PersistentContainer.migrateEmbeddedStore(atPath: path, through: stages())
                Issue.record("it was migrated")
            } catch CofferError.refused(_, "unstaged", let text, _) {
                #expect(text.contains("not among the versions '1', '2', '3'"), "\(text)")
            }
            #expect(try FolderSnapshot(of: folder) == before)
        }
    }

    @Test func `a stage follows a mapping model with policies object by object`() throws {
        try withTemporaryFolder { folder in
            let notes = SplitNotes(folder: folder)
            try notes.fill()
            var told = 0
            let stages = [
                MigrationStage(name: "old", model: try SplitNotes.old()),
                MigrationStage(
                    name: "new", model: try SplitNotes.new(), mapping: SplitNotes.mapping(),
                    didMigrate: { container in told = try container.newContext().all("Memo").count }),
            ]
            try PersistentContainer.migrateEmbeddedStore(atPath: notes.path, through: stages)
            #expect(try notes.newLines().count == 11 && told == 7)
        }
    }
}
