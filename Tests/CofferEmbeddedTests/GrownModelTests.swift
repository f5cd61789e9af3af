import Coffer
import CofferEmbedded
import CofferModel
import CofferSQLite
import TestSupport
import Testing

/// A model of which one configuration gained entities, and the store of another.
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

            // Draft would be 2, Label 4, Source 6 and Web 7.
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
            for draft in drafts { context.delete(draft) }
            try context.save()
            #expect(try query(numbers) == made)
            #expect(try query("SELECT Z_ENT || ' ' || Z_PK FROM ZSOURCE ORDER BY Z_PK") == ["4 1", "4 2"])
            #expect(try query("SELECT count(*) FROM Z_1LABELS") == ["0"])
        }
    }
}
