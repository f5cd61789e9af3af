import Coffer
import CofferModel
import ContextSupport
import Testing

/// A list with items of its own, with an inverse or without, and tags, ordered from both sides.
enum Ordered {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Item", attributes: [AttributeDefinition("name", .string, isOptional: true)],
                relationships: [
                    RelationshipDefinition("list", to: "List", inverse: "items"),
                    RelationshipDefinition(
                        "tagged", to: "List", inverse: "tags", isToMany: true, isOrdered: true),
                ]),
            EntityDefinition(
                "List", attributes: [AttributeDefinition("name", .string, isOptional: true)],
                relationships: [
                    RelationshipDefinition(
                        "items", to: "Item", inverse: "list", isToMany: true, isOrdered: true),
                    RelationshipDefinition(
                        "tags", to: "Item", inverse: "tagged", isToMany: true, isOrdered: true),
                    RelationshipDefinition("loose", to: "Item", isToMany: true, isOrdered: true),
                ]),
        ])
    }

    static let sides = ["items", "tags", "loose"]
}

extension ManagedObject {
    func ordered(_ key: String) -> RelatedObjects<ManagedObject> {
        members(of: ToMany<ManagedObject>(key))
    }

    func names(_ key: String) -> String { ordered(key).map { $0["name"].text }.joined() }
}

extension PersistentContainer {
    /// The names as a context reads them that has read nothing yet.
    func stored(_ key: String) throws -> String {
        let context = newContext()
        return try withExtendedLifetime(context) { try context.list().names(key) }
    }
}

extension ManagedObjectContext {
    /// A list with an item for each letter.
    func makeList(_ key: String, _ names: String) throws -> ManagedObject {
        let list = try make("List", ["name": "list"])
        for name in names { list.ordered(key).insert(try item(name)) }
        return list
    }

    func item(_ name: Character) throws -> ManagedObject {
        try make("Item", ["name": .string(String(name))])
    }

    func list() throws -> ManagedObject { try #require(try all("List").first) }
}
