import Coffer
import CofferModel

/// The rules of one relationship; the first that finds an object once the whole file is in the store counts.
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
                let present = entity.relationships.map(\.name).joined(separator: ", ")
                throw ToolError(
                    .data, "'\(entity.name)' has no relationship '\(name)'; it has \(present).")
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

    /// Whether a row says that there is no object, with a field that is null; not if the field is absent.
    func isNothing(in row: ImportFile.Row) -> Bool {
        rules.allSatisfy { $0.rule.texts(for: row).isEmpty } && rules.contains { $0.rule.isGiven(in: row) }
    }
}

/// The objects that rows are related to by one relationship, looked up together.
struct Targets {
    /// What is there of the objects that a row names.
    struct Answer {
        /// The objects of the first rule that finds any.
        let found: [ManagedObject]
        /// So many that the row names are not there.
        let missingCount: Int
        /// Whether nothing further on in the file can change it: all that the first rule names are there.
        let isFinal: Bool
    }

    /// By the row's number.
    private var answers: [Int: Answer] = [:]

    init(_ relation: Relation, for rows: [ImportFile.Row], in store: ToolStore) throws {
        let isToMany = relation.description.isToMany
        var undecided = rows
        for (rule, attribute) in relation.rules {
            let place = "\(rule.relationship).\(attribute.name)"
            var named: [(row: ImportFile.Row, values: [ExactValue])] = []
            for row in undecided {
                let values = try inRow(row.number) { () throws(ToolError) in
                    try rule.texts(for: row).map { text throws(ToolError) in
                        ExactValue(try ValueParser.value(text, of: attribute.type, place: place))
                    }
                }
                if !values.isEmpty { named.append((row, values.distinct)) }
            }
            let known = try store.objects(
                of: relation.destination, whose: attribute, isOneOf: Set(named.flatMap(\.values)))
            for (row, values) in named {
                let found = values.compactMap { known[$0] }.distinct
                let isFirst = answers[row.number] == nil
                if found.isEmpty && !isFirst { continue }
                let missingCount = values.count { known[$0] == nil }
                answers[row.number] = Answer(
                    found: isToMany ? found : Array(found.prefix(1)),
                    missingCount: isToMany ? missingCount : found.isEmpty ? 1 : 0,
                    isFinal: isFirst && missingCount == 0)
            }
            undecided.removeAll { !(answers[$0.number]?.found.isEmpty ?? true) }
        }
    }

    /// What is there of the objects that a row names; `nil` if it names none.
    func answer(for row: ImportFile.Row) -> Answer? { answers[row.number] }
}

extension Array where Element: Hashable {
    /// Each once, where it stood first.
    fileprivate var distinct: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

extension ToolStore {
    /// The objects whose attribute has one of the values, by that value; if several have the value, any of
    /// them.
    func objects(
        of entity: EntityDescription, whose attribute: AttributeDescription,
        isOneOf values: Set<ExactValue>
    ) throws -> [ExactValue: ManagedObject] {
        // A predicate may be of so many steps only, and a batch may be larger.
        let perFetch = 5_000
        let all = values.map(\.value)
        var found: [ExactValue: ManagedObject] = [:]
        for start in stride(from: 0, to: all.count, by: perFetch) {
            let some = Array(all[start..<min(start + perFetch, all.count)])
            let request = try FetchRequest<ManagedObject>(entityName: entity.name)
                .matching("%K IN %@", attribute.name, some)
            for object in try context.fetch(request) {
                found[ExactValue(object.value(forKey: attribute.name))] = object
            }
        }
        return found
    }
}

extension EntityDescription {
    /// An attribute that an import was told to use.
    func importedAttribute(_ name: String) throws(ToolError) -> AttributeDescription {
        if let attribute = property(named: name)?.attribute { return attribute }
        throw ToolError(
            .data,
            "'\(self.name)' has no attribute '\(name)'; it has \(attributes.map(\.name).joined(separator: ", "))."
        )
    }
}
