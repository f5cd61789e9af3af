import Coffer
import CofferEmbedded
import CofferModel
import CofferSQLite
import ContextSupport
import TestSupport
import Testing

/// A model one of whose configurations gained entities, and the store of another configuration.
@Suite struct GrownModelTests {
    private func model(_ others: String...) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Draft") {
                Field("title", .string).default("")
                One("source", "Source", inverse: "drafts")
                Many("labels", "Label", inverse: "drafts")
            }
            Entity("Label") { Many("drafts", "Draft", inverse: "labels") }
            Entity("Source") { Many("drafts", "Draft", inverse: "source") }
            Entity("Web", parent: "Source")
            for other in others { Entity(other) }
            Configuration("Local", "Draft", "Label", "Source", "Web")
            Configuration("Shared", others)
        }
    }

    private func container(in folder: String, _ model: ManagedObjectModel) throws -> PersistentContainer {
        let container = try PersistentContainer.embedded(
            name: "Desk", model: model, folder: folder,
            stores: [StoreDescription(name: "Local", configuration: "Local")])
        try container.loadStores()
        return container
    }

    /// A draft of a page of the web, with a label.
    private func addDraft(_ title: AttributeValue, in context: ManagedObjectContext) throws {
        let draft = try context.make("Draft", ["title": title])
        try draft.setObjects([try context.make("Web", [:])], forKey: "source")
        try draft.setObjects([try context.make("Label", [:])], forKey: "labels")
        try context.save()
    }

    /// The answer to a save names, by the right entities, also the objects of rows that another context
    /// changed.
    private func expectRowsOfConflicts(in container: PersistentContainer) throws {
        let (mine, theirs) = (container.newContext(), container.newContext())
        mine.automaticallyMergesChanges = false
        mine.mergePolicy = .mergeByPropertyStoreTrump
        let draft = try #require(try mine.all("Draft").first)
        #expect(draft["title"] != .null)
        let same = theirs.object(with: draft.objectID)
        let page = try theirs.make("Web", [:])
        try same.setObjects([page], forKey: "source")
        same["title"] = "theirs"
        try theirs.save()
        draft["title"] = "mine"
        try mine.save()
        #expect(draft["title"] == "theirs")
        #expect(draft.objects(forKey: "source").map(\.objectID) == [page.objectID])
        theirs.delete(page)
        try theirs.save()
    }

    /// Entities whose family is not numbered consecutively, and one that the store does not know.
    @Test func `subentities in another configuration leave those of the store in their tables`() throws {
        func model(grown: Bool) throws -> ManagedObjectModel {
            try ManagedObjectModel {
                if !grown {
                    Entity("Ape")
                    Entity("Bee")
                }
                Entity("Root") { Many("notes", "Note", inverse: "root") }
                Entity("Mid", parent: "Root") {
                    Field("count", .integer64).derived(from: "notes.@count").optional()
                }
                Entity("Sub", parent: "Mid")
                if grown { Entity("Leaf", parent: "Sub") }
                Entity("Note") { One("root", "Root", inverse: "notes") }
                Entity("TRANSACTION")
                Configuration("Local", "Root", "Mid", "Sub", "Note", "TRANSACTION")
                Configuration("Shared", grown ? ["Leaf"] : ["Ape", "Bee"])
            }
        }
        try withTemporaryFolder { folder in
            for (round, grown) in [false, true, false].enumerated() {
                let context = try container(in: folder, model(grown: grown)).newContext()
                for _ in 0..<2 {
                    let sub = try context.make("Sub", [:])
                    try context.make("Note", [:]).setObjects([sub], forKey: "root")
                }
                try context.make("Root", [:])
                try context.save()
                context.reset()
                #expect(
                    try context.count(for: FetchRequest<ManagedObject>(entityName: "Sub")) == 2 * (round + 1))
                #expect(
                    try context.all("Mid").map { $0["count"] } == Array(repeating: 1, count: 2 * (round + 1)))
                #expect(try context.all("Root").count == 3 * (round + 1))
            }
        }
    }

    @Test func `a store keeps the numbers of its entities`() throws {
        try withTemporaryFolder { folder in
            func query(_ sql: String) throws -> [String] {
                let file = try SQLiteConnection(path: folder + "/Local.sqlite", mode: .readOnly)
                let statement = try file.prepare(sql)
                var rows: [String] = []
                while try statement.step() { rows.append(statement.text(0)) }
                return rows
            }
            let numbers = "SELECT Z_NAME || Z_ENT FROM Z_PRIMARYKEY ORDER BY Z_ENT"
            try addDraft("old", in: container(in: folder, model("Zebra")).newContext())
            let made = try query(numbers)
            #expect(made.prefix(5) == ["Draft1", "Label2", "Source3", "Web4", "Zebra5"])

            // By the model, Draft would be 2, Label 4, Source 6 and Web 7.
            let container = try container(in: folder, model("Ape", "Gnu", "Mole", "Zebra"))
            let context = container.newContext()
            try addDraft("new", in: context)
            context.reset()
            let drafts = try context.all("Draft")
            #expect(Set(drafts.map { $0["title"] }) == ["old", "new"])
            for draft in drafts {
                #expect(draft.objects(forKey: "source").map(\.entity.name) == ["Web"])
                #expect(draft.objects(forKey: "labels").count == 1)
            }
            #expect(try context.all("Source").count == 2)
            let changes = try context.fetchHistory().flatMap { $0.changes ?? [] }.map(\.objectID.entity.name)
            #expect(changes.sorted() == ["Draft", "Draft", "Label", "Label", "Web", "Web"])
            try expectRowsOfConflicts(in: container)
            for draft in drafts { context.delete(draft) }
            try context.save()
            #expect(try query(numbers) == made)
            #expect(try query("SELECT Z_ENT || ' ' || Z_PK FROM ZSOURCE ORDER BY Z_PK") == ["4 1", "4 2"])
            #expect(try query("SELECT count(*) FROM Z_1LABELS") == ["0"])
        }
    }
}
