import Coffer
import CofferModel
import ContextSupport
import Testing

/// Binders with sheets that do not know their binder: to-many relationships without inverse, between two
/// entities that others inherit from.
enum Binders {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Binder", attributes: [AttributeDefinition("name", .string, isOptional: true)],
                relationships: [
                    RelationshipDefinition("sheets", to: "Sheet", isToMany: true),
                    RelationshipDefinition("drafts", to: "Sheet", isToMany: true, deleteRule: .cascade),
                    RelationshipDefinition(
                        "marks", to: "Mark", isToMany: true, maximumCount: 2, deleteRule: .deny),
                ]),
            EntityDefinition("Album", superentity: "Binder", attributes: []),
            EntityDefinition("Mark", attributes: []),
            EntityDefinition(
                "Sheet", attributes: [AttributeDefinition("name", .string, isOptional: true)]),
            EntityDefinition("Photo", superentity: "Sheet", attributes: []),
        ])
    }
}

/// Two contexts over binders; `mine` has read nothing of what `other` saves.
struct BinderWorld {
    let container: PersistentContainer
    let mine: ManagedObjectContext
    let other: ManagedObjectContext

    /// Names of the sheets that a binder has in the store.
    func stored(_ name: String, _ key: String = "sheets") throws -> String {
        let context = container.newContext()
        return try context.binder(name).sheetNames(key)
    }
}

func withBinders(on backing: Backing, _ body: (BinderWorld) throws -> Void) throws {
    try withContainer(Binders.model(), on: backing) { container in
        try body(
            BinderWorld(
                container: container, mine: container.newContext(), other: container.newContext()))
    }
}

extension ManagedObjectContext {
    func binder(_ name: String) throws -> ManagedObject {
        try #require(try all("Binder").first { $0["name"].text == name })
    }

    func sheet(_ name: String) throws -> ManagedObject {
        try #require(try all("Sheet").first { $0["name"].text == name })
    }

    /// A binder with a sheet for each letter, every other one a photo.
    @discardableResult
    func makeBinder(
        _ name: String, _ names: String, entity: String = "Binder", key: String = "sheets"
    ) throws -> ManagedObject {
        let binder = try make(entity, ["name": .string(name)])
        let sheets = try names.enumerated().map { place, letter in
            try make(place.isMultiple(of: 2) ? "Sheet" : "Photo", ["name": .string(String(letter))])
        }
        try binder.setObjects(sheets, forKey: key)
        return binder
    }
}

extension ManagedObject {
    func sheetNames(_ key: String = "sheets") -> String {
        objects(forKey: key).map { $0["name"].text }.sorted().joined()
    }
}
