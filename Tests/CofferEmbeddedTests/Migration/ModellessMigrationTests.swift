import Coffer
import CofferEmbedded
import CofferFormats
import CofferLinux
import CofferModel
import CofferSQLite
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Stores of other programs that keep no model: which version they have is said, or told by their hashes.
@Suite struct ModellessMigrationTests {
    private static func model(_ fields: [(String, AttributeType)]) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Note") {
                for (name, type) in fields { Field(name, type).optional() }
            }
        }
    }

    private static func stages() throws -> [MigrationStage] {
        [
            MigrationStage(name: "1", model: try model([("title", .string)])),
            MigrationStage(name: "2", model: try model([("title", .string), ("stars", .integer16)])),
            MigrationStage(name: "3", model: try model([("title", .string), ("stars", .string)])),
        ]
    }

    /// Lends the path of a store with one note as Core Data left it before it kept models.
    private func withOldStore(_ model: ManagedObjectModel, _ body: (String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/old.sqlite"
            do {
                let coordinator = try EmbeddedCoordinator.open(
                    path: path, model: model, mustExist: false, application: "")
                let context = ManagedObjectContext(coordinator: coordinator)
                _ = try context.make("Note", ["title": "Milk"])
                try context.save()
            }
            do {
                let connection = try SQLiteConnection(path: path, mode: .readWrite)
                let names = try connection.prepare(
                    "SELECT name FROM sqlite_master WHERE (name GLOB 'COFFER_*' OR name = 'Z_MODELCACHE') "
                        + "AND type = 'table'")
                var tables: [String] = []
                while try names.step() { tables.append(names.text(0)) }
                names.reset()
                for table in tables { try connection.execute("DROP TABLE \(table)") }
                _ = try connection.pragma("journal_mode", "delete")
            }
            for suffix in [".lock", "-shm", "-wal"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
            try body(path)
        }
    }

    private func titles(_ path: String) throws -> [String] {
        let coordinator = try EmbeddedCoordinator.open(
            path: path, model: nil, mustExist: true, isReadOnly: true, application: "")
        let context = ManagedObjectContext(coordinator: coordinator)
        return try context.all("Note").map { $0["title"].text }
    }

    @Test func `the version that is said is the one that it is taken from`() throws {
        let stages = try Self.stages()
        try withOldStore(stages[0].model) { path in
            let before = try FolderSnapshot(of: (path as NSString).deletingLastPathComponent)
            #expect(throws: CofferError.self) {
                try EmbeddedCoordinator.migrate(path: path, to: stages[1].model, adopts: true)
            }
            let look = try EmbeddedCoordinator.migrate(
                path: path, to: stages[1].model, from: stages[0].model, onlyPlans: true)
            #expect(look.plan.obstacles.isEmpty && !look.plan.isIdle)
            // Another version is not taken for it.
            #expect(throws: CofferError.self) {
                try EmbeddedCoordinator.migrate(
                    path: path, to: stages[2].model, from: stages[1].model, adopts: true)
            }
            #expect(try FolderSnapshot(of: (path as NSString).deletingLastPathComponent) == before)
            let done = try EmbeddedCoordinator.migrate(
                path: path, to: stages[1].model, from: stages[0].model, adopts: true)
            #expect(done.number != nil)
            #expect(try titles(path) == ["Milk"])
        }
    }

    @Test(arguments: [0, 1])
    func `the version among stages is found by the hashes`(origin: Int) throws {
        let stages = try Self.stages()
        try withOldStore(stages[origin].model) { path in
            let look = try EmbeddedCoordinator.migrate(path: path, through: stages, onlyPlans: true)
            #expect(look.origin == stages[origin].name && look.steps.map(\.name) == [stages[origin + 1].name])
            let done = try EmbeddedCoordinator.migrate(path: path, through: stages, adopts: true)
            #expect(done.origin == stages[origin].name && done.steps.count == 2 - origin)
            #expect(try titles(path) == ["Milk"])
            let again = try EmbeddedCoordinator.migrate(path: path, through: stages)
            #expect(again.origin == "3" && again.steps.isEmpty)
        }
    }

    @Test func `a store of none of the versions is told so, and stays as it is`() throws {
        try withOldStore(Self.model([("title", .string), ("colour", .string)])) { path in
            let before = try FolderSnapshot(of: (path as NSString).deletingLastPathComponent)
            do {
                _ = try EmbeddedCoordinator.migrate(path: path, through: Self.stages(), adopts: true)
                Issue.record("it was migrated")
            } catch CofferError.refused(_, "unstaged", let text, _) {
                #expect(text.contains("not among the versions '1', '2', '3'"), "\(text)")
            }
            #expect(try FolderSnapshot(of: (path as NSString).deletingLastPathComponent) == before)
        }
    }

    @Test func `a mapping model is followed object by object`() throws {
        let stages = try Self.stages()
        try withOldStore(stages[0].model) { path in
            // Two objects of one are more than the file itself can be changed to.
            let mapping = MappingModel(entities: [
                .init("A", kind: .copy, source: "Note", destination: "Note"),
                .init("B", kind: .copy, source: "Note", destination: "Note"),
            ])
            let done = try EmbeddedCoordinator.migrate(
                path: path, to: stages[1].model, by: mapping, from: stages[0].model, adopts: true)
            #expect(done.number != nil)
            #expect(try titles(path) == ["Milk", "Milk"])
        }
    }

    @Test func `an XML file without a model is taken on by its hashes`() throws {
        let stages = try Self.stages()
        try withTemporaryFolder { folder in
            do {
                let container = try PersistentContainer.embedded(
                    name: "Notes", model: stages[0].model, folder: folder,
                    stores: [StoreDescription(name: "Notes", type: .xml)])
                try container.loadStores()
                let context = container.newContext()
                _ = try context.make("Note", ["title": "Milk"])
                try context.save()
            }
            let path = folder + "/Notes.xml"
            let url = URL(filePath: path)
            var text = try String(decoding: Data(contentsOf: url), as: UTF8.self)
            // Without Coffer's keys it is as Core Data writes it.
            while let start = text.range(of: "<key>Coffer"),
                let end = text.range(
                    of: "<key>",
                    range: start.upperBound..<(text.range(of: "</dict>")?.lowerBound ?? text.endIndex))
                    ?? text.range(of: "</dict>")
            {
                text.removeSubrange(start.lowerBound..<end.lowerBound)
            }
            try Data(text.utf8).write(to: url)
            let done = try EmbeddedCoordinator.migrate(path: path, through: stages, adopts: true)
            #expect(done.origin == "1" && done.steps.count == 2)
            #expect(try titles(path) == ["Milk"])
        }
    }
}

/// What Core Data left on old systems, with the model files of its application.
@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct ModellessFixtureTests {
    @Test func `an old store of Core Data's is taken on from the version that its hashes tell`() throws {
        try withTemporaryFolder { folder in
            let path = try folder + "/" + StoreFixtures.copy("stores/bookmigration/Model1.sqlite", to: folder)
            let bundle = try FixtureFolder.required() + "/stores/bookmigration/Model.xcdatamodeld"
            let versions = try ModelFile.versions(path: bundle)
            let stages = versions.map { MigrationStage(name: $0.name, model: $0.model) }
            let look = try EmbeddedCoordinator.migrate(
                path: path, through: Array(stages.prefix(2)), onlyPlans: true)
            #expect(look.origin == "Model1" && look.steps.map(\.name) == ["Model2"])
        }
    }
}
