import Coffer
import CofferModel
import ContextSupport

/// People, each with a desk and a spouse, in teams that keep them in order.
enum Office {
    static func model() throws -> ManagedObjectModel {
        func pair(_ name: String, to entity: String, inverse: String) -> RelationshipDefinition {
            RelationshipDefinition(name, to: entity, inverse: inverse, deleteRule: .nullify)
        }
        return try ManagedObjectModel(entities: [
            EntityDefinition(
                "Person", attributes: [AttributeDefinition("name", .string, isOptional: true)],
                relationships: [
                    pair("desk", to: "Desk", inverse: "person"),
                    pair("spouse", to: "Person", inverse: "spouse"),
                    pair("team", to: "Team", inverse: "members"),
                    RelationshipDefinition(
                        "skills", to: "Skill", inverse: "people", isToMany: true, deleteRule: .nullify),
                ]),
            EntityDefinition(
                "Desk", attributes: [AttributeDefinition("name", .string, isOptional: true)],
                relationships: [pair("person", to: "Person", inverse: "desk")]),
            EntityDefinition(
                "Team", attributes: [AttributeDefinition("name", .string, isOptional: true)],
                relationships: [
                    RelationshipDefinition(
                        "members", to: "Person", inverse: "team", isToMany: true, isOrdered: true,
                        deleteRule: .nullify)
                ]),
            EntityDefinition(
                "Skill", attributes: [AttributeDefinition("name", .string, isOptional: true)],
                relationships: [
                    RelationshipDefinition(
                        "people", to: "Person", inverse: "skills", isToMany: true, deleteRule: .nullify)
                ]),
        ])
    }

    /// All relationships, by the names of the objects at both ends; a team's members in order.
    static func picture(of context: ManagedObjectContext) throws -> [String] {
        var lines: [String] = []
        for (entity, keys) in [
            ("Person", ["desk", "spouse", "team", "skills"]), ("Desk", ["person"]), ("Team", ["members"]),
            ("Skill", ["people"]),
        ] {
            for object in try context.all(entity) {
                for key in keys {
                    var ends = object.objects(forKey: key).map { $0["name"].text }
                    if key != "members" { ends.sort() }
                    lines.append("\(object["name"].text).\(key): \(ends.joined(separator: " "))")
                }
            }
        }
        return lines.sorted()
    }

    /// The ends of one-to-one relationships among `objects` of one context that the other end contradicts;
    /// fetches nothing.
    static func halfPairs(among objects: Set<ManagedObject>) -> [String] {
        var halves: [String] = []
        for object in objects where !object.isDeleted {
            for (key, inverse) in [("desk", "person"), ("person", "desk"), ("spouse", "spouse")] {
                func isHalf() -> Bool {
                    object.end(key).map { objects.contains($0) && $0.end(inverse) != object } ?? false
                }
                // Asking for the other end may have shown that the first is out of date.
                guard object.entity.property(named: key) != nil, isHalf(), isHalf(), let end = object.end(key)
                else { continue }
                halves.append("\(object["name"].text).\(key): \(end["name"].text)")
            }
        }
        return halves.sorted()
    }

    /// The ends of relationships in a `picture` that the other end contradicts.
    static func strayEnds(in context: ManagedObjectContext) throws -> [String] {
        let inverses = [
            "desk": "person", "person": "desk", "spouse": "spouse", "team": "members", "members": "team",
            "skills": "people", "people": "skills",
        ]
        var stray: [String] = []
        for object in try ["Person", "Desk", "Team", "Skill"].flatMap({ try context.all($0) }) {
            for (key, inverse) in inverses where object.entity.property(named: key) != nil {
                for end in object.objects(forKey: key) where !end.objects(forKey: inverse).contains(object) {
                    stray.append("\(object["name"].text).\(key): \(end["name"].text)")
                }
            }
        }
        return stray.sorted()
    }
}

extension ManagedObject {
    /// The object at the other end of a to-one relationship.
    func end(_ key: String) -> ManagedObject? { objects(forKey: key).first }

    /// Sets a relationship to the same objects in this object's context.
    func set(_ key: String, _ objects: ManagedObject?...) throws {
        guard let context else { return }
        try setObjects(objects.compactMap { $0.map { context.object(with: $0.objectID) } }, forKey: key)
    }
}
