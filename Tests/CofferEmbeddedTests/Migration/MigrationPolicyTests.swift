import Coffer
import CofferEmbedded
import CofferModel
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Policies in Swift that take part in a migration.
@Suite struct MigrationPolicyTests {
    private struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// What the policies of a migration did, in order.
    private final class Diary {
        var lines: [String] = []
        var kept: MigrationManager?
    }

    /// The methods of a policy, in the order in which they are called.
    private enum Moment: String, CaseIterable {
        case begin, create, endCreation, relate, endRelations, validate, end
    }

    /// Notes all that it is asked, does what the mapping says, and throws at a moment.
    private class NotingPolicy: EntityMigrationPolicy {
        let diary: Diary
        let failing: Moment?

        init(_ diary: Diary, failing: Moment? = nil) { (self.diary, self.failing) = (diary, failing) }

        func note(_ moment: Moment, _ mapping: MappingModel.Entity) throws {
            let line = "\(mapping.name) \(moment)"
            if diary.lines.last != line { diary.lines.append(line) }
            if moment == failing { throw Refusal(description: "no \(moment) today") }
        }

        func begin(_ mapping: MappingModel.Entity, with manager: MigrationManager) throws {
            try note(.begin, mapping)
        }

        func createDestinationInstances(
            for source: ManagedObject, in mapping: MappingModel.Entity, with manager: MigrationManager
        ) throws {
            try note(.create, mapping)
            try manager.createDestinationInstance(for: source, in: mapping)
        }

        func endInstanceCreation(for mapping: MappingModel.Entity, with manager: MigrationManager) throws {
            try note(.endCreation, mapping)
        }

        func createRelationships(
            for destination: ManagedObject, in mapping: MappingModel.Entity, with manager: MigrationManager
        ) throws {
            try note(.relate, mapping)
            try manager.createMappedRelationships(for: destination, in: mapping)
        }

        func endRelationshipCreation(
            for mapping: MappingModel.Entity, with manager: MigrationManager
        ) throws {
            try note(.endRelations, mapping)
        }

        func performCustomValidation(
            for mapping: MappingModel.Entity, with manager: MigrationManager
        ) throws {
            try note(.validate, mapping)
        }

        func end(_ mapping: MappingModel.Entity, with manager: MigrationManager) throws {
            try note(.end, mapping)
        }
    }

    private func withNotes(_ body: (SplitNotes) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let notes = SplitNotes(folder: folder)
            try notes.fill()
            try body(notes)
        }
    }

    @Test func `policies are asked in three passes over the mappings, and only those that are given`() throws
    {
        try withNotes { notes in
            let diary = Diary()
            try notes.migrate(
                SplitNotes.mapping { $0.entities[3].policyClassName = "ShelfPolicy" },
                policies: [
                    "NoteToMemo": { NotingPolicy(diary) }, "ShelfPolicy": { NotingPolicy(diary) },
                ])
            let names = ["NoteToMemo", "FolderToShelf"]
            let passes: [[Moment]] = [
                [.begin, .create, .endCreation], [.relate, .endRelations], [.validate], [.end],
            ]
            #expect(
                diary.lines
                    == passes.flatMap { pass in names.flatMap { name in pass.map { "\(name) \($0)" } } })
            #expect(try notes.newLines().contains("f0 4: C0 A0 B0 + d0"))
        }
    }

    @Test(arguments: Moment.allCases.map(\.rawValue))
    func `what a policy throws ends the migration, and all is as it was`(moment: String) throws {
        try withNotes { notes in
            let before = try notes.oldLines()
            let files = try notes.companions()
            let diary = Diary()
            do {
                try notes.migrate(policies: [
                    "FolderToShelf": { NotingPolicy(diary, failing: Moment(rawValue: moment)) }
                ])
                Issue.record("it was migrated")
            } catch CofferError.refused(_, "policy", let text, "FolderToShelf") {
                #expect(text.hasSuffix("no \(moment) today"), "\(text)")
            }
            #expect(diary.lines.last == "FolderToShelf \(moment)")
            #expect(try notes.oldLines() == before)
            #expect(try notes.companions() == files)
            // And it can be done again.
            try notes.migrate()
            #expect(try notes.newLines().count == 11)
        }
    }

    /// Makes of a note an attachment for each letter of its title, and a memo with the number of them.
    private final class LetterPolicy: EntityMigrationPolicy {
        func begin(_ mapping: MappingModel.Entity, with manager: MigrationManager) throws {
            let shelf = try manager.destinationContext.insert(entityNamed: "Shelf")
            shelf["name"] = "letters"
            manager.userInfo["shelf"] = shelf
        }

        func createDestinationInstances(
            for source: ManagedObject, in mapping: MappingModel.Entity, with manager: MigrationManager
        ) throws {
            guard case .string(let title) = source["title"], !title.hasPrefix("d") else { return }
            let memo = try manager.createDestinationInstance(for: source, in: mapping)
            memo["stars"] = .double(Double(title.count))
            for letter in title {
                let attachment = try manager.destinationContext.insert(entityNamed: "Attachment")
                attachment["data"] = .binary(Array(String(letter).utf8))
                attachment["label"] = "letter"
                try manager.associate(
                    sourceInstance: source, withDestinationInstance: attachment, for: mapping)
            }
        }

        func createRelationships(
            for destination: ManagedObject, in mapping: MappingModel.Entity, with manager: MigrationManager
        ) throws {
            guard destination.entity.name == "Attachment" else {
                let shelf = try #require(manager.userInfo["shelf"] as? ManagedObject)
                return try destination.setObjects([shelf], forKey: "shelf")
            }
            let sources = try manager.sourceInstances(
                forEntityMappingNamed: mapping.name, destinationInstances: [destination])
            let made = try manager.destinationInstances(
                forEntityMappingNamed: mapping.name, sourceInstances: sources)
            try destination.setObjects(made.filter { $0.entity.name == "Memo" }, forKey: "note")
        }

        func value(
            calling method: String, with arguments: [MigrationValue], manager: MigrationManager
        ) throws -> MigrationValue {
            guard method == "signed:by:manager:", case .value(.string(let title)) = arguments[0],
                case .manager = arguments[2]
            else { throw Refusal(description: "\(method) with \(arguments)") }
            guard case .objects(let folders) = arguments[1] else { return .value(.string("\(title) alone")) }
            return .value(.string("\(title) by \(folders.map { $0["name"].text })"))
        }
    }

    @Test func `a policy makes several objects of one, and objects of nothing`() throws {
        let mapping = SplitNotes.mapping {
            $0.entities = [$0.entities[1]]
            $0.entities[0].predicate = nil
            $0.entities[0].policyClassName = "LetterPolicy"
            $0.entities[0].attributes[2] = .init(
                "place",
                .expression(
                    "FUNCTION($entityPolicy, \"signed:by:manager:\", $source.title, $source.folder, $manager)"
                ))
        }
        try withNotes { notes in
            try notes.migrate(mapping, policies: ["LetterPolicy": { LetterPolicy() }])
            let context = try notes.context(SplitNotes.new())
            let shelf = try #require(try context.all("Shelf").first)
            #expect(shelf["name"] == "letters" && shelf.objects(forKey: "memos").count == 7)
            let places = try context.texts("Memo", "place")
            #expect(places.contains("a0 by [\"f0\"]") && places.contains("alone alone"), "\(places)")
            for memo in try context.all("Memo") {
                let attachments = memo.objects(forKey: "attachments")
                #expect(memo["stars"] == .double(Double(attachments.count)))
            }
            #expect(try context.all("Attachment").count == 6 * 2 + 5)
        }
    }

    /// Makes a tag for each word of a note's keywords, and one only for each word.
    private final class KeywordPolicy: EntityMigrationPolicy {
        private var tags: [Substring: ManagedObject] = [:]

        func createDestinationInstances(
            for source: ManagedObject, in mapping: MappingModel.Entity, with manager: MigrationManager
        ) throws {
            let note = try manager.createDestinationInstance(for: source, in: mapping)
            guard case .string(let keywords) = source["keywords"] else { return }
            let found = try keywords.split(separator: " ").map { word in
                if let tag = tags[word] { return tag }
                let tag = try manager.destinationContext.insert(entityNamed: "Tag")
                tag["name"] = .string(String(word))
                tags[word] = tag
                return tag
            }
            try note.setObjects(found, forKey: "tags")
        }
    }

    @Test func `objects that a policy holds are related to those of all pieces`() throws {
        let old = try ManagedObjectModel {
            Entity("Note") { Field("keywords", .string).optional() }
        }
        let new = try ManagedObjectModel {
            Entity("Note") {
                Field("keywords", .string).optional()
                Many("tags", "Tag", inverse: "notes")
            }
            Entity("Tag") {
                Field("name", .string)
                Many("notes", "Note", inverse: "tags")
                Unique("name")
            }
        }
        try withTemporaryFolder { folder in
            let path = folder + "/Notes.sqlite"
            do {
                let coordinator = try EmbeddedCoordinator.open(
                    path: path, model: old, mustExist: false, application: "")
                let context = ManagedObjectContext(coordinator: coordinator)
                for number in 0..<1_200 {
                    _ = try context.make("Note", ["keywords": .string("all t\(number % 3)")])
                }
                try context.save()
            }
            let mapping = MappingModel(entities: [
                .init("NoteToNote", kind: .copy, source: "Note", destination: "Note")
            ])
            try PersistentContainer.migrateEmbeddedStore(
                atPath: path, to: new, by: mapping, policies: ["NoteToNote": { KeywordPolicy() }])
            let coordinator = try EmbeddedCoordinator.open(
                path: path, model: new, mustExist: true, application: "")
            let context = ManagedObjectContext(coordinator: coordinator)
            let tags = try context.all("Tag").map {
                "\($0["name"].text) \($0.objects(forKey: "notes").count)"
            }
            #expect(tags.sorted() == ["all 1200", "t0 400", "t1 400", "t2 400"])
        }
    }

    @Test func `a policy that keeps the migration ends it`() throws {
        final class KeepingPolicy: EntityMigrationPolicy {
            let diary: Diary
            init(_ diary: Diary) { self.diary = diary }
            func end(_ mapping: MappingModel.Entity, with manager: MigrationManager) { diary.kept = manager }
        }
        try withNotes { notes in
            let before = try notes.oldLines()
            let diary = Diary()
            do {
                try notes.migrate(policies: ["NoteToMemo": { KeepingPolicy(diary) }])
                Issue.record("it was migrated")
            } catch CofferError.refused(_, _, let text, _) {
                #expect(text.contains("keeps a context"), "\(text)")
            }
            diary.kept = nil
            #expect(try notes.oldLines() == before)
        }
    }

    @Test func `nothing can be saved into the store as it was, and a migration can be cancelled`() throws {
        final class MeddlingPolicy: EntityMigrationPolicy {
            let error: any Error
            init(_ error: any Error) { self.error = error }
            func begin(_ mapping: MappingModel.Entity, with manager: MigrationManager) throws {
                let folders = FetchRequest<ManagedObject>(entityName: "Folder")
                for folder in try manager.sourceContext.fetch(folders) { folder["name"] = "changed" }
                #expect(throws: CofferError.self) { try manager.sourceContext.save() }
                manager.sourceContext.rollback()
                manager.cancelMigration(with: error)
            }
        }
        try withNotes { notes in
            let before = try notes.oldLines()
            do {
                try notes.migrate(policies: [
                    "NoteToMemo": { MeddlingPolicy(Refusal(description: "enough")) }
                ])
                Issue.record("it was migrated")
            } catch CofferError.refused(_, "policy", let text, _) {
                #expect(text.hasSuffix("enough"), "\(text)")
            }
            #expect(try notes.oldLines() == before)
        }
    }
}
