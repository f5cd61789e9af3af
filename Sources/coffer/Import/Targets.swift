import Coffer
import CofferModel

/// The rules of one relationship; the first that finds an object counts.
struct Relation {
    let description: RelationshipDescription
    let destination: EntityDescription
    let rules: [(rule: RelationRule, attribute: AttributeDescription)]

    /// The rules by relationship, in the order in which relationships are first named.
    static func all(
        _ rules: [RelationRule], of entity: EntityDescription, in model: ManagedObjectModel
    ) throws(ToolError) -> [Relation] {
        var relations: [Relation] = []
        for name in rules.map(\.relationship)
        where !relations.contains(where: { $0.description.name == name }) {
            guard let relationship = entity.property(named: name)?.relationship else {
                throw ToolError(.data, "'\(entity.name)' has no relationship '\(name)'.")
            }
            let destination = model.destination(of: relationship)
            var own: [(rule: RelationRule, attribute: AttributeDescription)] = []
            for rule in rules where rule.relationship == name {
                own.append((rule, try destination.importedAttribute(rule.attribute)))
            }
            relations.append(Relation(description: relationship, destination: destination, rules: own))
        }
        return relations
    }

    /// Whether a row names any object at all.
    func isNamed(by row: ImportFile.Row) -> Bool {
        rules.contains { !$0.rule.texts(for: row).isEmpty }
    }
}

/// The objects that rows are related to by one relationship, looked up together.
struct Targets {
    /// By the row's number.
    private var objects: [Int: [ManagedObject]] = [:]

    init(_ relation: Relation, for rows: [ImportFile.Row], in store: ToolStore) throws {
        for (rule, attribute) in relation.rules {
            let place = "\(rule.relationship).\(attribute.name)"
            var named: [(row: Int, value: AttributeValue)] = []
            for row in rows {
                for text in rule.texts(for: row) {
                    let value = try inRow(row.number) { () throws(ToolError) in
                        try ValueParser.value(text, of: attribute.type, place: place)
                    }
                    named.append((row.number, value))
                }
            }
            let found = try store.objects(
                of: relation.destination, whose: attribute, isOneOf: Set(named.map(\.value)))
            var own: [Int: [ManagedObject]] = [:]
            for (row, value) in named {
                if let object = found[value] { own[row, default: []].append(object) }
            }
            objects.merge(own) { first, _ in first }
        }
    }

    /// The objects that the first rule with any names.
    func objects(for row: ImportFile.Row) -> [ManagedObject] { objects[row.number] ?? [] }
}

extension ToolStore {
    /// The objects whose attribute has one of the values, by that value; where several have one, any of them.
    func objects(
        of entity: EntityDescription, whose attribute: AttributeDescription,
        isOneOf values: Set<AttributeValue>
    ) throws -> [AttributeValue: ManagedObject] {
        // A predicate may be of so many steps only, and a batch may be larger.
        let perFetch = 5_000
        let all = Array(values)
        var found: [AttributeValue: ManagedObject] = [:]
        for start in stride(from: 0, to: all.count, by: perFetch) {
            let some = Array(all[start..<min(start + perFetch, all.count)])
            let request = try FetchRequest<ManagedObject>(entityName: entity.name)
                .matching("%K IN %@", attribute.name, some)
            for object in try context.fetch(request) { found[object.value(forKey: attribute.name)] = object }
        }
        return found
    }
}

extension EntityDescription {
    /// An attribute that an import was told to use.
    func importedAttribute(_ name: String) throws(ToolError) -> AttributeDescription {
        if let attribute = property(named: name)?.attribute { return attribute }
        throw ToolError(.data, "'\(self.name)' has no attribute '\(name)'.")
    }
}
