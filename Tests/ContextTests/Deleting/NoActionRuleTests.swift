import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// What a relationship without a delete rule leaves behind.
@Suite struct NoActionRuleTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Shelf", attributes: [AttributeDefinition("label", .string)],
                relationships: [
                    RelationshipDefinition(
                        "books", to: "Book", inverse: "shelf", isToMany: true, deleteRule: .noAction)
                ]),
            EntityDefinition(
                "Book", attributes: [AttributeDefinition("title", .string)],
                relationships: [
                    RelationshipDefinition("shelf", to: "Shelf", inverse: "books", deleteRule: .noAction)
                ]),
        ])
    }

    @Test(arguments: [false, true], Backing.all)
    func `a delete without a rule leaves a reference to a deleted object, which is an error`(
        isRegistered: Bool, on backing: Backing
    ) throws {
        try withContainer(model(), on: backing) { container in
            let context = container.newContext()
            let shelf = try context.make("Shelf", ["label": "A"])
            let book = try context.make("Book", ["title": "B"])
            try book.setObjects([shelf], forKey: "shelf")
            try context.save()
            let id = shelf.objectID
            // Once with the book in the context that deletes, once with a context that has never seen the
            // book.
            let deleting = isRegistered ? context : container.newContext()
            deleting.delete(try deleting.existingObject(with: id))
            try deleting.save()

            let other = container.newContext()
            let found = try #require(try other.all("Book").first)
            #expect(try other.all("Shelf").isEmpty)
            #expect(found["title"] == "B", "the book itself is as it was")
            #expect(throws: CofferError.self) { try other.existingObject(with: id) }
            if let left = found.objects(forKey: "shelf").first {
                #expect(left.objectID == id)
                #expect(left["label"] == "" || left["label"] == .null, "\(left["label"])")
            }
            // The book can be changed, moved and saved all the same.
            try found.setValue("C", forKey: "title")
            let next = try other.make("Shelf", ["label": "N"])
            try found.setObjects([next], forKey: "shelf")
            try other.save()
            let last = container.newContext()
            #expect(try last.all("Book").first?.objects(forKey: "shelf").first?["label"] == "N")
        }
    }
}
