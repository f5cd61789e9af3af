import Coffer
import CofferLinux
import CofferModel
import CofferSQLite
import TestSupport
import Testing

/// Two entities, each in a configuration and so in a file of its own, which refer to each other.
private func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
        Entity("Draft") {
            Field("title", .string).default("")
            One("about", "Article", inverse: "drafts")
            One("next", "Draft", inverse: "previous")
            One("previous", "Draft", inverse: "next")
        }
        Entity("Article") {
            Field("title", .string).default("")
            Many("drafts", "Draft", inverse: "about")
        }
        Configuration("Local", "Draft")
        Configuration("Shared", "Article")
    }
}

extension ServiceUnderTest {
    /// A container of an application, with a file for each configuration.
    fileprivate func container() throws -> PersistentContainer {
        let container = try PersistentContainer(
            name: "Desk", model: try model(), application: "org.coffer.Tests",
            stores: ["Local", "Shared"].map { StoreDescription(name: "Desk", configuration: $0) },
            bus: .explicit(bus.address))
        try container.loadStores()
        return container
    }
}

@Test
func `one context works over two configurations in two files, whose objects do not refer to each other`()
    throws
{
    try withService { service in
        let context = try service.container().newContext(name: "writer", author: "")
        let (draft, next, article) = (
            try context.insert(entityNamed: "Draft"), try context.insert(entityNamed: "Draft"),
            try context.insert(entityNamed: "Article")
        )
        for (object, title) in [(draft, "draft"), (next, "next"), (article, "article")] {
            try object.setValue(.string(title), forKey: "title")
        }
        try draft.setObjects([next], forKey: "next")
        try context.save()

        let folder = try Folder(at: "\(service.data)/org.coffer.Tests")
        for (configuration, tables) in [("Local", "ZDRAFT"), ("Shared", "ZARTICLE")] {
            let file = try SQLiteConnection(
                path: "\(folder.path)/\(configuration)/Desk.sqlite", mode: .readOnly)
            let found = try file.prepare(
                "SELECT group_concat(name) FROM sqlite_schema WHERE name IN ('ZDRAFT', 'ZARTICLE')")
            #expect(try found.step() && found.text(0) == tables)
        }

        let other = try service.container().newContext(name: "reader", author: "")
        func titles(_ entity: String) throws -> [String] {
            let objects = try other.fetch(FetchRequest<ManagedObject>(entityName: entity))
            return objects.compactMap { object -> String? in
                if case .string(let text) = object.value(forKey: "title") { text } else { nil }
            }.sorted()
        }
        #expect(try titles("Draft") == ["draft", "next"])
        #expect(try titles("Article") == ["article"])

        try draft.setObjects([article], forKey: "about")
        let refusal = #expect(throws: CofferError.self) { try context.save() }
        guard case .crossStoreRelationship(let from, let to, let relationship) = refusal else {
            Issue.record("\(refusal as Any)")
            return
        }
        #expect(Set([from, to]) == Set([draft.objectID, article.objectID]))
        #expect(["about", "drafts"].contains(relationship))
        context.rollback()
        try article.setValue(.string("changed"), forKey: "title")
        try context.save()
        try service.kill9()
        #expect(try titles("Article") == ["changed"])
        #expect(try titles("Draft") == ["draft", "next"])
    }
}

@Test
func `a request over two files of one entity means objects of the file that they are in`() throws {
    try withService { service in
        let model = try ManagedObjectModel { Entity("Article") { Field("title", .string).default("") } }
        let container = try PersistentContainer(
            name: "Desk", model: model, application: "org.coffer.Tests",
            stores: [StoreDescription(name: "x"), StoreDescription(name: "y")],
            bus: .explicit(service.bus.address))
        try container.loadStores()
        let context = container.newContext()
        let articles = try ["x", "y"].map { name in
            let article = try context.insert(entityNamed: "Article")
            try article.setValue(.string(name), forKey: "title")
            try context.assign(article, toStoreNamed: name)
            return article
        }
        try context.save()
        #expect(articles[0].objectID.key == articles[1].objectID.key)

        let first = try QueryPredicate(format: "SELF IN {%@}", articles[0].objectID)
        let found = try context.fetch(FetchRequest<ManagedObject>(entityName: "Article", first))
        #expect(found.map(\.objectID) == [articles[0].objectID])
        try context.execute(BatchUpdate(entityName: "Article", first, set: ["title": "changed"]))
        func titles() throws -> [AttributeValue?] {
            try context.fetchDictionaries(FetchRequest<ManagedObject>(entityName: "Article")).map {
                $0["title"]
            }
        }
        #expect(try titles() == [.string("changed"), .string("y")])
        try context.execute(BatchDelete(entityName: "Article", first))
        #expect(try titles() == [.string("y")])
    }
}
