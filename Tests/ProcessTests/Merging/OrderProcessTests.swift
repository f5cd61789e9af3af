import Coffer
import CofferModel
import TestSupport
import Testing

/// Moves in ordered relationships, through the service.
struct OrderProcessTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Item") {
                Field("name", .string).optional()
                One("list", "List", inverse: "items")
            }
            Entity("List") {
                Field("name", .string).optional()
                Many("items", "Item", inverse: "list", ordered: true)
            }
        }
    }

    private func names(_ list: ManagedObject) -> String {
        list.objects(forKey: "items").map { "\($0.value(forKey: "name"))".filter("abcdef".contains) }.joined()
    }

    @Test
    func `a move is pushed to other clients, and merges with theirs`() throws {
        try withService { service in
            // Two applications' connections: the store is one.
            let containers = try (0..<2).map { _ in
                try PersistentContainer(
                    name: "Lists", model: Self.model(), application: "org.coffer.Tests",
                    bus: .explicit(service.bus.address))
            }
            let contexts = try containers.map { container in
                try container.loadStores()
                return container.newContext()
            }
            let list = try contexts[0].insert(entityNamed: "List")
            var items: [ManagedObject] = []
            for letter in "abcd" {
                let item = try contexts[0].insert(entityNamed: "Item")
                try item.setValue(.string(String(letter)), forKey: "name")
                items.append(item)
            }
            try list.setObjects(items, forKey: "items")
            try contexts[0].save()
            let other = try #require(
                try contexts[1].fetch(FetchRequest<ManagedObject>(entityName: "List")).first)
            #expect(names(other) == "abcd")

            let own = list.members(of: ToMany<ManagedObject>("items"))
            let theirs = other.members(of: ToMany<ManagedObject>("items"))
            own.move(from: 3, to: 0)
            theirs.move(from: 0, to: 2)
            try contexts[0].save()
            try contexts[1].save()  // What was pushed is merged first.
            #expect(names(other) == "dbca")
            _ = try contexts[0].fetch(FetchRequest<ManagedObject>(entityName: "List"))
            #expect(names(list) == "dbca")
            #expect(try service.counter("Refusals", ofStore: "Lists") == 0)
        }
    }
}
