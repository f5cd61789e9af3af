import Coffer
import CofferModel

/// Makes objects of rows, batch by batch, and relates them.
///
/// Confined with its store.
final class Importer {
    /// What came of an import.
    struct Outcome {
        var inserted = 0
        var updated = 0
        var transactions = 0
        /// How many objects were related, and how many named an object that does not exist, by relationship.
        var related: [String: Int] = [:]
        var unrelated: [String: Int] = [:]
    }

    /// The rules of one relationship; the first that finds an object counts.
    struct Relation {
        let description: RelationshipDescription
        let destination: EntityDescription
        let rules: [(rule: RelationRule, attribute: AttributeDescription)]
    }

    /// An object whose counterpart may come later in the file.
    struct Waiting {
        let object: ManagedObject
        let relation: Int
        let row: ImportFile.Row
        let number: Int
    }

    let store: ToolStore
    let entity: EntityDescription
    let key: AttributeDescription?
    let relations: [Relation]
    private let skipsUnknown: Bool
    private(set) var outcome = Outcome()
    private var waiting: [Waiting] = []
    /// The rows that are durable: all before this one, counted from 0.
    private var end = 0
    /// The rows of the objects that the next save writes.
    private var numbers: [ManagedObjectID: Int] = [:]

    init(
        _ entity: EntityDescription, in store: ToolStore, key: String?, rules: [RelationRule],
        skipsUnknown: Bool
    ) throws {
        self.store = store
        self.entity = entity
        self.skipsUnknown = skipsUnknown
        self.key = try key.map { name throws(ToolError) in try Importer.attribute(name, of: entity) }
        relations = try Importer.relations(rules, entity, store.model)
    }

    /// Imports one batch, in one transaction, whose number it gives; `nil` where nothing was to be saved.
    ///
    /// - Throws: `ToolError`, which names the row and says which rows are durable.
    func add(_ rows: ArraySlice<ImportFile.Row>) throws -> UInt64? {
        do {
            let number = try addAll(rows)
            end = rows.endIndex
            return number
        } catch {
            throw explained(
                error, outcome: "rows \(rows.startIndex + 1) to \(rows.endIndex) were not written")
        }
    }

    private func addAll(_ rows: ArraySlice<ImportFile.Row>) throws -> UInt64? {
        let rows = try zip(rows.indices, rows).map {
            (number: $0 + 1, row: $1, values: try values(of: $1, $0 + 1))
        }
        var known = try existing(rows.map(\.values))
        let targets = try relations.map { relation in
            try Targets(relation, for: rows.map { ($0.number, $0.row) }, in: store)
        }
        for (number, row, values) in rows {
            let keyValue = key.flatMap { key in values.first { $0.key == key.name }?.value }
            let object: ManagedObject
            if let keyValue, let found = known[keyValue] {
                object = found
                outcome.updated += 1
            } else {
                object = try store.context.insert(entityNamed: entity.name)
                outcome.inserted += 1
                if let keyValue { known[keyValue] = object }
            }
            numbers[object.objectID] = number
            for (key, value) in values { try object.setValue(value, forKey: key) }
            for (index, relation) in relations.enumerated() where targets[index].names(row) {
                if try relate(object, row, relation, targets[index]) { continue }
                waiting.append(Waiting(object: object, relation: index, row: row, number: number))
            }
        }
        return try save()
    }

    /// Relates what had to wait for objects further on in the file, so many in a transaction.
    ///
    /// - Throws: `ToolError`, as `add` does.
    func finish(batch: Int) throws {
        do {
            try relateWaiting(batch: batch)
        } catch {
            throw explained(error, outcome: "not all of them were related")
        }
    }

    private func relateWaiting(batch: Int) throws {
        for start in stride(from: 0, to: waiting.count, by: batch) {
            let slice = waiting[start..<min(start + batch, waiting.count)]
            for (index, relation) in relations.enumerated() {
                let members = slice.filter { $0.relation == index }
                let targets = try Targets(relation, for: members.map { ($0.number, $0.row) }, in: store)
                for member in members {
                    numbers[member.object.objectID] = member.number
                    if try relate(member.object, member.row, relation, targets) { continue }
                    outcome.unrelated[relation.description.name, default: 0] += 1
                }
            }
            _ = try save()
        }
        waiting = []
    }

    private func relate(
        _ object: ManagedObject, _ row: ImportFile.Row, _ relation: Relation, _ targets: Targets
    ) throws -> Bool {
        let found = targets.objects(for: row)
        guard !found.isEmpty else { return false }
        let members = relation.description.isToMany ? found : Array(found.prefix(1))
        try object.setObjects(members, forKey: relation.description.name)
        outcome.related[relation.description.name, default: 0] += 1
        return true
    }

    private func save() throws -> UInt64? {
        let number = try store.save()
        numbers.removeAll(keepingCapacity: true)
        guard let number else { return nil }
        outcome.transactions += 1
        return number
    }

    /// The error with the rows that it is about, and those that are durable all the same.
    private func explained(_ error: any Error, outcome: String) -> any Error {
        let failure: ToolError
        switch error {
        case let error as ToolError: failure = error
        case let error as CofferError:
            failure = ToolError(error, outcome: outcome) { id in
                self.numbers[id].map { "row \($0)" } ?? id.shortName
            }
        default: return error
        }
        if end == 0 { return failure }
        let rows = end == 1 ? "Row 1 is" : "Rows 1 to \(end) are"
        return ToolError(failure.status, failure.text + "\n\(rows) in the store.")
    }
}

extension Importer {
    /// The attributes of a row.
    private func values(
        of row: ImportFile.Row, _ number: Int
    ) throws -> [(key: String, value: AttributeValue)] {
        var values: [(key: String, value: AttributeValue)] = []
        for (name, value) in row {
            guard let attribute = entity.property(named: name)?.attribute else {
                let isUsed = relations.contains { $0.rules.contains { $0.rule.fields.contains(name) } }
                if skipsUnknown || isUsed { continue }
                throw ToolError(
                    .data,
                    "Row \(number): '\(entity.name)' has no attribute '\(name)'; leave such fields out with "
                        + "--skip-unknown, or use the field in --relate.")
            }
            let place = "\(entity.name).\(name)"
            switch value {
            case .null: values.append((name, .null))
            case .list, .object:
                throw ToolError(
                    .data,
                    "Row \(number): '\(place)' takes \(ValueParser.description(attribute.type)), no list or object."
                )
            case .text, .number, .boolean:
                let text = value.scalarText ?? ""
                values.append(
                    (name, try ValueParser.value(text, of: attribute.type, place: place, row: number)))
            }
        }
        return values
    }

    /// Objects that have the keys of rows already.
    private func existing(_ rows: [[(key: String, value: AttributeValue)]]) throws -> [AttributeValue:
        ManagedObject]
    {
        guard let key else { return [:] }
        let keys = Set(rows.compactMap { $0.first { $0.key == key.name }?.value }.filter { !$0.isNull })
        return try store.objects(of: entity, whose: key, isOneOf: keys)
    }

    private static func attribute(
        _ name: String, of entity: EntityDescription
    ) throws(ToolError) -> AttributeDescription {
        if let attribute = entity.property(named: name)?.attribute { return attribute }
        throw ToolError(.data, "'\(entity.name)' has no attribute '\(name)'.")
    }

    private static func relations(
        _ rules: [RelationRule], _ entity: EntityDescription, _ model: ManagedObjectModel
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
                own.append((rule, try attribute(rule.attribute, of: destination)))
            }
            relations.append(Relation(description: relationship, destination: destination, rules: own))
        }
        return relations
    }
}

/// The objects that a batch of rows may be related to by one relationship, looked up together.
struct Targets {
    private let relation: Importer.Relation
    /// What each rule found, by the attribute's value.
    private var found: [[AttributeValue: ManagedObject]] = []

    init(
        _ relation: Importer.Relation, for rows: [(number: Int, row: ImportFile.Row)], in store: ToolStore
    ) throws {
        self.relation = relation
        for (rule, attribute) in relation.rules {
            let values = try rows.flatMap { try Targets.values($0.row, $0.number, rule, attribute) }
            found.append(try store.objects(of: relation.destination, whose: attribute, isOneOf: Set(values)))
        }
    }

    /// Whether a row names any object at all.
    func names(_ row: ImportFile.Row) -> Bool {
        relation.rules.contains { !$0.rule.texts(for: row).isEmpty }
    }

    /// The objects that the first rule with any names.
    func objects(for row: ImportFile.Row) -> [ManagedObject] {
        for (index, entry) in relation.rules.enumerated() {
            // What does not fit the attribute was found out when the values were looked up.
            let values = (try? Targets.values(row, 0, entry.rule, entry.attribute)) ?? []
            let objects = values.compactMap { found[index][$0] }
            if !objects.isEmpty { return objects }
        }
        return []
    }

    private static func values(
        _ row: ImportFile.Row, _ number: Int, _ rule: RelationRule, _ attribute: AttributeDescription
    ) throws -> [AttributeValue] {
        let place = "\(rule.relationship).\(attribute.name)"
        return try rule.texts(for: row).map { text in
            try ValueParser.value(text, of: attribute.type, place: place, row: number)
        }
    }
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
