import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// Deletions that are saved and then undone, of objects whose relationships were never read.
@Suite struct UndoneDeleteTests {
    private static func model() throws -> ManagedObjectModel {
        func name() -> AttributeDefinition { AttributeDefinition("name", .string, isOptional: true) }
        func many(_ name: String, _ entity: String, _ inverse: String, _ rule: DeleteRule = .nullify)
            -> RelationshipDefinition
        {
            RelationshipDefinition(name, to: entity, inverse: inverse, isToMany: true, deleteRule: rule)
        }
        func one(_ name: String, _ entity: String, _ inverse: String, _ rule: DeleteRule = .nullify)
            -> RelationshipDefinition
        {
            RelationshipDefinition(name, to: entity, inverse: inverse, deleteRule: rule)
        }
        return try ManagedObjectModel(entities: [
            EntityDefinition("Team", attributes: [name()], relationships: [many("people", "Person", "team")]),
            EntityDefinition(
                "Person", attributes: [name()],
                relationships: [
                    one("team", "Team", "people"), many("notes", "Note", "person", .cascade),
                    one("photo", "Photo", "person", .cascade),
                ]),
            EntityDefinition(
                "Note", attributes: [name()],
                relationships: [one("person", "Person", "notes"), many("tags", "Tag", "notes")]),
            EntityDefinition("Tag", attributes: [name()], relationships: [many("notes", "Note", "tags")]),
            EntityDefinition(
                "Photo", attributes: [name()], relationships: [one("person", "Person", "photo")]),
        ])
    }

    private static let relationships = [
        "Team": ["people"], "Person": ["team", "notes", "photo"], "Note": ["person", "tags"],
        "Tag": ["notes"], "Photo": ["person"],
    ]

    /// All relationships, by the names of the objects at both ends.
    private func picture(of container: PersistentContainer) throws -> [String] {
        let context = container.newContext()
        return try Self.relationships.flatMap { entity, keys in
            try context.all(entity).flatMap { object in
                keys.map { key in
                    let ends = object.objects(forKey: key).map { $0["name"].text }.sorted()
                    return "\(object["name"].text).\(key): \(ends.joined(separator: " "))"
                }
            }
        }.sorted()
    }

    private func fill(_ context: ManagedObjectContext) throws {
        let team = try context.make("Team", ["name": "red"])
        let tags = try ["x", "y", "z"].map { try context.make("Tag", ["name": .string($0)]) }
        for name in ["ann", "ben"] {
            let person = try context.make("Person", ["name": .string(name)])
            try person.setObjects([team], forKey: "team")
            let photo = try context.make("Photo", ["name": .string("\(name)'s photo")])
            try person.setObjects([photo], forKey: "photo")
            for number in 1...3 {
                let note = try context.make("Note", ["name": .string("\(name) \(number)")])
                try note.setObjects([person], forKey: "person")
                try note.setObjects(Array(tags.prefix(number)), forKey: "tags")
            }
        }
        try context.save()
    }

    @Test(arguments: Backing.all(with: ["red", "ann", "ann 2", "y", "ann's photo"], [false, true]))
    func `an undone delete restores relationships of the object that were never read`(
        name: String, isSaved: Bool, on backing: Backing
    ) throws {
        try withContainer(Self.model(), on: backing) { container in
            try fill(container.newContext())
            let before = try picture(of: container)
            let context = container.newContext()
            context.undoManager = ContextUndoManager()
            let object = try #require(
                try Self.relationships.keys.lazy.compactMap { entity in
                    try context.fetch(
                        FetchRequest<ManagedObject>(entityName: entity).matching("name == %@", name)
                    ).first
                }.first)
            context.delete(object)
            if isSaved {
                try context.save()
                #expect(try picture(of: container) != before)
            }
            context.undo()
            try context.save()
            #expect(!context.hasChanges)
            #expect(try picture(of: container) == before)
            context.redo()
            try context.save()
            #expect(try picture(of: container) != before)
            context.undo()
            try context.save()
            #expect(try picture(of: container) == before)
        }
    }
}
