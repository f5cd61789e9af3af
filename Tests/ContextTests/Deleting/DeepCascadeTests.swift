import Coffer
import CofferModel
import ContextSupport
import Testing

/// Deletes along chains that are longer than any stack is deep.
@Suite struct DeepCascadeTests {
    private static let length = 3_000

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Link", attributes: [AttributeDefinition("place", .integer32)],
                relationships: [
                    RelationshipDefinition("next", to: "Link", inverse: "last", deleteRule: .cascade),
                    RelationshipDefinition("last", to: "Link", inverse: "next"),
                ])
        ])
    }

    private func makeChain(in context: ManagedObjectContext) throws -> [ManagedObject] {
        var links: [ManagedObject] = []
        for place in 0..<Self.length {
            let link = try context.make("Link", ["place": .integer(Int64(place))])
            if let last = links.last { try last.setObjects([link], forKey: "next") }
            links.append(link)
        }
        return links
    }

    @Test(arguments: Backing.all)
    func `a delete cascades along a chain of thousands of unsaved objects`(on backing: Backing) throws {
        try withContainer(Self.model(), on: backing) { container in
            let context = container.newContext()
            let links = try makeChain(in: context)
            context.delete(links[1])
            #expect(links.dropFirst().allSatisfy { $0.isDeleted })
            #expect(links[0].objects(forKey: "next").isEmpty)
            try context.save()
            #expect(try context.all("Link").count == 1)
        }
    }

    @Test(arguments: Backing.all)
    func `a delete that cascades along thousands of stored objects is undone whole`(
        on backing: Backing
    ) throws {
        try withContainer(Self.model(), on: backing) { container in
            let writer = container.newContext()
            _ = try makeChain(in: writer)
            try writer.save()
            let context = container.newContext()
            context.undoManager = ContextUndoManager()
            let first = try #require(
                try context.fetch(
                    FetchRequest<ManagedObject>(entityName: "Link").matching("place == 0")
                ).first)
            context.delete(first)
            try context.save()
            #expect(try writer.count(for: FetchRequest<ManagedObject>(entityName: "Link")) == 0)
            context.undo()
            try context.save()
            let reader = container.newContext()
            let links = try reader.fetch(FetchRequest<ManagedObject>(entityName: "Link").sorted(by: "place"))
            #expect(links.count == Self.length)
            let next = links.map { $0.objects(forKey: "next") }
            #expect(next == links.dropFirst().map { [$0] } + [[]])
        }
    }
}
