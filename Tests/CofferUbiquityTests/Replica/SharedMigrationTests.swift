import Coffer
import CofferCoordination
import CofferLinux
import CofferModel
import CofferStores
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

@Suite("Migrations of a shared store")
struct SharedMigrationTests {
    /// The first version: notes in folders, with labels.
    private static func first() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Note") {
                Field("title", .string)
                Field("stars", .integer32).default(0)
                Field("draft", .string).optional()
                One("folder", "Folder", inverse: "notes").optional()
                Many("labels", "Label", inverse: "notes")
            }
            Entity("Folder") {
                Field("name", .string)
                Many("notes", "Note", inverse: "folder", ordered: true)
            }
            Entity("Label") {
                Field("name", .string)
                Many("notes", "Note", inverse: "labels")
            }
        }
    }

    /// The second: an entity, attributes and relationships have other names, numbers are texts, an attribute
    /// is gone, one came, and one is another's name.
    private static func second() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Memo") {
                Field("name", .string).renamed(from: "title")
                Field("stars", .string).default("0")
                Field("color", .string).default("red")
                One("place", "Folder", inverse: "memos").optional().renamed(from: "folder")
                Many("marks", "Mark", inverse: "memos").renamed(from: "labels")
            }
            .renamed(from: "Note")
            Entity("Folder") {
                Field("name", .string)
                Many("memos", "Memo", inverse: "place", ordered: true).renamed(from: "notes")
            }
            Entity("Mark") {
                Field("name", .string)
                Many("memos", "Memo", inverse: "marks").renamed(from: "notes")
            }
            .renamed(from: "Label")
        }
    }

    private static let memos = ["Memo", "Folder", "Mark"]
    private static let notes = ["Note", "Folder", "Label"]

    /// Two notes in a folder, with a label, saved.
    private func fill(_ device: Device) throws {
        let context = device.context()
        let folder = try context.make("Folder", ["name": "home"])
        let label = try context.make("Label", ["name": "new"])
        for (name, stars) in [("one", 1), ("two", 2)] {
            let note = try context.make("Note", ["title": .string(name), "stars": .integer(Int64(stars))])
            try note.setObjects([folder], forKey: "folder")
            try note.setObjects([label], forKey: "labels")
        }
        try context.save()
    }

    /// Objects of a device that have only names, saved.
    private func make(_ device: Device?, _ entity: String, named names: [String]) throws {
        let context = try #require(device).context()
        for name in names { try context.make(entity, ["name": .string(name)]) }
        try context.save()
    }

    /// The device with a name, closed and opened again with a model.
    private func reopen(
        _ device: inout Device?, _ name: String, _ model: ManagedObjectModel, in shared: SharedFolder
    ) throws -> Device {
        try device?.close()
        device = nil
        return try shared.device(name, model)
    }

    private func set(
        _ device: Device, _ entity: String, named name: String, by key: String,
        _ values: [String: AttributeValue]
    ) throws {
        let context = device.context()
        let object = try #require(try context.all(entity).first { $0[key] == .string(name) })
        for (key, value) in values { try object.setValue(value, forKey: key) }
        try context.save()
    }

    @Test("Names change on one machine, and a day later on another: no edit is lost, and nothing comes twice")
    func namesChange() throws {
        try withSharedFolder { shared in
            var one: Device? = try shared.device("one", Self.first())
            var other: Device? = try shared.device("other", Self.first())
            try fill(#require(one))
            exchange([try #require(one), try #require(other)])
            // What is saved and not folded when the migration comes.
            try set(#require(one), "Note", named: "one", by: "title", ["stars": 10])
            let first = try reopen(&one, "one", Self.second(), in: shared)
            try set(first, "Memo", named: "one", by: "name", ["color": "blue"])
            first.run()
            // The other one edits other things, and the same one earlier and later.
            try set(#require(other), "Note", named: "two", by: "title", ["stars": 20, "title": "zwei"])
            try set(#require(other), "Note", named: "one", by: "title", ["title": "eins", "draft": "d"])
            shared.clock.pass(days: 1)
            let second = try reopen(&other, "other", Self.second(), in: shared)
            exchange([first, second])
            let seen = try contents(of: first, Self.memos)
            #expect(try contents(of: second, Self.memos) == seen)
            #expect(seen.count == 4)
            let view = first.context()
            let memos = try view.all("Memo").map {
                "\($0["name"].text) \($0["stars"].text) \($0["color"].text) "
                    + $0.objects(forKey: "place").map { $0["name"].text }.joined()
                    + $0.objects(forKey: "marks").map { $0["name"].text }.joined()
            }
            #expect(memos.sorted() == ["eins 10 blue homenew", "zwei 20 red homenew"])
            #expect([first, second].map(\.status.objectCount) == [4, 4])
            for device in [first, second] { #expect(try device.store.integrityCheck().isEmpty) }
        }
    }

    @Test("Machines of the old and of the new model exchange at once, and carry on what they do not know")
    func modelsMeet() throws {
        try withSharedFolder { shared in
            var one: Device? = try shared.device("one", Self.first())
            let old = try shared.device("old", Self.first())
            let third = try shared.device("third", Self.second())
            try fill(#require(one))
            exchange([try #require(one), old])
            let new = try reopen(&one, "one", Self.second(), in: shared)
            try set(new, "Memo", named: "one", by: "name", ["color": "blue", "stars": "11"])
            try set(old, "Note", named: "two", by: "title", ["draft": "words", "stars": 22])
            exchange([new, old])
            #expect(try old.context().texts("Note", "stars") == ["11", "22"])
            #expect(try new.context().texts("Memo", "stars") == ["11", "22"])
            // A word is seen as the default in a model that has numbers there, and is kept.
            try set(new, "Memo", named: "two", by: "name", ["stars": "many"])
            exchange([new, old])
            #expect(try old.context().texts("Note", "stars") == ["0", "11"])
            try set(old, "Note", named: "two", by: "title", ["title": "zwei"])
            // The third one has all from the old one, which knows no colours.
            let context = old.context()
            try context.make("Note", ["title": "three"])
            try context.save()
            exchange([old, third, new])
            #expect(try contents(of: third, Self.memos) == contents(of: new, Self.memos))
            #expect(try third.context().texts("Memo", "stars") == ["0", "11", "many"])
            #expect(try third.context().texts("Memo", "color") == ["blue", "red", "red"])
            #expect(try old.context().texts("Note", "title") == ["one", "three", "zwei"])
            #expect(try old.context().texts("Note", "draft").contains("words"))
        }
    }

    @Test("What a migration makes of values beats no edit, not even an earlier one")
    func migrationsYield() throws {
        let first = try ManagedObjectModel {
            Entity("Person") {
                Field("name", .string)
                Field("last", .string).optional()
            }
        }
        let second = try ManagedObjectModel {
            Entity("Person") {
                Field("name", .string)
                Field("last", .string).optional()
                Field("full", .string).optional()
            }
        }
        var person = MappingModel.Entity("Person", source: "Person", destination: "Person")
        person.attributes = [
            .init("name", .automatic), .init("last", .automatic), .init("full", .expression("$source.last")),
        ]
        let mapping = MappingModel(entities: [person])
        try withSharedFolder { shared in
            var one: Device? = try shared.device("one", first)
            var other: Device? = try shared.device("other", first)
            try make(one, "Person", named: ["Ada", "Bob"])
            try set(#require(one), "Person", named: "Ada", by: "name", ["last": "L"])
            try set(#require(one), "Person", named: "Bob", by: "name", ["last": "B"])
            exchange([try #require(one), try #require(other)])
            try one?.close()
            one = nil
            let new = try shared.device("one", second, by: mapping)
            #expect(try new.context().texts("Person", "full") == ["B", "L"])
            new.run()
            try set(new, "Person", named: "Ada", by: "name", ["full": "Ada Lovelace"])
            new.run()
            // The other one had another last name for a while, and migrates a day later.
            try set(#require(other), "Person", named: "Bob", by: "name", ["last": "C"])
            shared.clock.pass(days: 1)
            try other?.close()
            other = nil
            let late = try shared.device("other", second, by: mapping)
            #expect(try late.context().texts("Person", "full") == ["C", "L"])
            exchange([late, new])
            #expect(try contents(of: late, ["Person"]) == contents(of: new, ["Person"]))
            #expect(try new.context().texts("Person", "last") == ["C", "L"])
            #expect(try new.context().texts("Person", "full").contains("Ada Lovelace"))
        }
    }

    @Test("An entity that was renamed twice stays what it is, by its first name; by its second it is refused")
    func renamedTwice() throws {
        let entity = { (name: String, identifier: String?) throws in
            try ManagedObjectModel {
                Entity(name) { Field("name", .string) }.renamed(from: identifier ?? name)
            }
        }
        try withSharedFolder { shared in
            var one: Device? = try shared.device("one", entity("A", nil))
            try make(one, "A", named: ["x"])
            one?.run()
            var two: Device? = try reopen(&one, "one", entity("B", "A"), in: shared)
            two?.run()
            var three: Device? = try reopen(&two, "one", entity("C", "B"), in: shared)
            three?.work.run()
            let failure = try #require(three?.status.failure)
            #expect(failure.contains("'C'") && failure.contains("'A'"), "\(failure)")
            try set(#require(three), "C", named: "x", by: "name", ["name": "y"])
            let four = try reopen(&three, "one", entity("C", "A"), in: shared)
            let other = try shared.device("other", entity("A", nil))
            exchange([four, other])
            #expect(try other.context().texts("A", "name") == ["y"])
            #expect(four.status.objectCount == 1)
        }
    }

    @Test("An entity that is gone takes no object along, and comes back with all")
    func entitiesComeBack() throws {
        let full = try ManagedObjectModel {
            Entity("Note") { Field("name", .string) }
            Entity("Tag") { Field("name", .string) }
        }
        let small = try ManagedObjectModel { Entity("Note") { Field("name", .string) } }
        try withSharedFolder { shared in
            var one: Device? = try shared.device("one", full)
            let other = try shared.device("other", full)
            try make(one, "Tag", named: ["a", "b"])
            try make(one, "Note", named: ["n"])
            exchange([try #require(one), other])
            var without: Device? = try reopen(&one, "one", small, in: shared)
            exchange([try #require(without), other])
            #expect(try other.context().texts("Tag", "name") == ["a", "b"])
            try set(other, "Tag", named: "b", by: "name", ["name": "c"])
            exchange([other, try #require(without)])
            let again = try reopen(&without, "one", full, in: shared)
            exchange([again, other])
            #expect(try again.context().texts("Tag", "name") == ["a", "c"])
            #expect(try contents(of: again, ["Note", "Tag"]) == contents(of: other, ["Note", "Tag"]))
        }
    }

    @Test("What would make each machine's own objects of shared ones is refused, and nothing comes twice")
    func newObjectsAreRefused() throws {
        let first = try ManagedObjectModel { Entity("Note") { Field("name", .string) } }
        let second = try ManagedObjectModel { Entity("Memo") { Field("name", .string) } }
        try withSharedFolder { shared in
            var one: Device? = try shared.device("one", first)
            let other = try shared.device("other", first)
            try make(one, "Note", named: ["a"])
            exchange([try #require(one), other])
            try one?.close()
            one = nil
            let error = #expect(throws: StoreError.self) {
                try MigrationCopy(
                    of: "Store.sqlite", in: Folder.make(at: "\(shared.folder)/one"), to: StoreModel(second),
                    options: StoreOptions())
            }
            #expect(error.map { "\($0)" }?.contains("each machine would make its own") == true)
            one = try shared.device("one", first)
            exchange([try #require(one), other])
            try one?.close()
            one = nil
            var memo = MappingModel.Entity("Memo", source: "Note", destination: "Memo")
            memo.attributes = [.init("name", .automatic)]
            let new = try shared.device("one", second, by: MappingModel(entities: [memo]))
            new.work.run()
            #expect(new.status.failure?.contains("'Memo'") == true)
            #expect(try new.context().texts("Memo", "name") == ["a"])
            other.run()
            #expect(other.status.objectCount == 1)
        }
    }
}
