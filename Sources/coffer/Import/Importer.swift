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
        /// How many rows say what their objects are already.
        var unchanged = 0
        var transactions = 0
        /// How many objects that rows name were found, and how many do not exist, by relationship.
        var related: [String: Int] = [:]
        var unrelated: [String: Int] = [:]
    }

    /// An object whose counterpart may come later in the file.
    private struct Waiting {
        let object: ManagedObject
        let relation: Int
        let row: ImportFile.Row
        /// Whether a later row says otherwise.
        var isOverruled = false
    }

    /// An object, which `waiting` holds, and its relation.
    private struct Question: Hashable {
        let object: ObjectIdentifier
        let relation: Int
    }

    let store: ToolStore
    let entity: EntityDescription
    let key: AttributeDescription?
    let relations: [Relation]
    private let skipsUnknown: Bool
    private(set) var outcome = Outcome()
    private var waiting: [Waiting] = []
    /// Objects that rows of the present batch found by the key.
    private var found: [ManagedObject] = []
    /// The places of those in `waiting` that a later row with the same key may overrule.
    private var open: [Question: Int] = [:]
    /// So many rows are durable, from the first on.
    private var savedCount = 0
    /// The rows of the objects that the next save writes.
    private var numbers: [ManagedObjectID: Int] = [:]

    init(
        _ entity: EntityDescription, in store: ToolStore, key: String?, rules: [RelationRule],
        skipsUnknown: Bool
    ) throws {
        self.store = store
        self.entity = entity
        self.skipsUnknown = skipsUnknown
        self.key = try key.map { name throws(ToolError) in try entity.importedAttribute(name) }
        relations = try Relation.all(rules, of: entity, in: store.model)
    }

    /// Imports rows, so many in a transaction, and then relates those that name objects further on in the
    /// file.
    ///
    /// `told` hears of each batch once it is durable: how many rows are by then, and the number of the
    /// transaction, which is `nil` if nothing was to be saved. Between transactions `check` may throw, and so
    /// end it.
    ///
    /// - Throws: `ToolError`, which says which rows are durable whatever it was that failed, and names the
    ///   row at fault.
    func run(
        _ rows: [ImportFile.Row], batch: Int, unless check: () throws -> Void,
        told: (_ count: Int, _ transaction: UInt64?) throws -> Void
    ) throws(ToolError) {
        do {
            for start in stride(from: 0, to: rows.count, by: batch) {
                try check()
                let end = min(start + batch, rows.count)
                let lost = end - start == 1 ? "row \(end) was" : "rows \(start + 1) to \(end) were"
                let number = try naming("\(lost) not written") { try add(rows[start..<end]) }
                savedCount = end
                try told(end, number)
            }
            try naming("not all of them were related") { try relateWaiting(batch: batch, unless: check) }
        } catch {
            let failure = ToolError(any: error)
            if savedCount == 0, failure.status != .interrupted { throw failure }
            throw failure.adding(Self.saved(savedCount))
        }
    }

    /// A sentence that says how many rows are durable.
    static func saved(_ count: Int) -> String {
        switch count {
        case 0: "No row is in the store."
        case 1: "Row 1 is in the store."
        default: "Rows 1 to \(count) are in the store."
        }
    }

    /// Does what may fail with errors of the library, which name rows then and say what became of them.
    private func naming<Result>(_ outcome: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as CofferError {
            throw ToolError(error, outcome: outcome) { id in
                self.numbers[id].map { "row \($0)" } ?? id.shortName
            }
        }
    }
}

extension Importer {
    /// Imports one batch, in one transaction, whose number it gives; `nil` if nothing was to be saved.
    private func add(_ rows: ArraySlice<ImportFile.Row>) throws -> UInt64? {
        let rows = try rows.map { (row: $0, values: try values(of: $0)) }
        var known = try existing(rows.map(\.values))
        let targets = try relations.map { try Targets($0, for: rows.map(\.row), in: store) }
        for (row, values) in rows {
            let object = try object(with: values, among: &known)
            numbers[object.objectID] = row.number
            for (key, value) in values { try object.setValue(value, forKey: key) }
            for (index, relation) in relations.enumerated() {
                guard let answer = targets[index].answer(for: row) else {
                    // A repeated import must not leave in place what the file no longer says.
                    if key != nil, relation.isNothing(in: row) {
                        overruleWaiting(object, index)
                        try relate(object, relation, to: [])
                    }
                    continue
                }
                overruleWaiting(object, index)
                // What is there already is taken for now: the relationship may be one that objects must have.
                if !answer.found.isEmpty { try relate(object, relation, to: answer.found) }
                if answer.isFinal {
                    count(answer, relation)
                } else {
                    postpone(object, relation: index, row: row)
                }
            }
        }
        countFound()
        return try save()
    }

    /// Counts the objects that rows found by whether the rows change them; those with relations to come are
    /// taken as changed.
    private func countFound() {
        let related = Set(open.keys.map(\.object))
        for object in found {
            if object.hasPersistentChangedValues || object.isInserted
                || related.contains(ObjectIdentifier(object))
            {
                outcome.updated += 1
            } else {
                outcome.unchanged += 1
            }
        }
        found.removeAll(keepingCapacity: true)
    }

    /// Relates an object once the whole file is in the store.
    private func postpone(_ object: ManagedObject, relation: Int, row: ImportFile.Row) {
        if key != nil {
            open[Question(object: ObjectIdentifier(object), relation: relation)] = waiting.count
        }
        waiting.append(Waiting(object: object, relation: relation, row: row))
    }

    /// What the last row says of an object counts.
    private func overruleWaiting(_ object: ManagedObject, _ relation: Int) {
        let question = Question(object: ObjectIdentifier(object), relation: relation)
        if let place = open.removeValue(forKey: question) { waiting[place].isOverruled = true }
    }

    /// The object that has the key already, or a new one.
    private func object(
        with values: [(key: String, value: AttributeValue)],
        among known: inout [ExactValue: ManagedObject]
    ) throws -> ManagedObject {
        let keyValue = key.flatMap { key in values.first { $0.key == key.name } }.map { ExactValue($0.value) }
        if let keyValue, let found = known[keyValue] {
            self.found.append(found)
            return found
        }
        let object = try store.context.insert(entityNamed: entity.name)
        outcome.inserted += 1
        if let keyValue { known[keyValue] = object }
        return object
    }

    private func relateWaiting(batch: Int, unless check: () throws -> Void) throws {
        for start in stride(from: 0, to: waiting.count, by: batch) {
            do { try check() } catch { throw ToolError(any: error).adding("Not all rows are related yet.") }
            let slice = waiting[start..<min(start + batch, waiting.count)]
            for (index, relation) in relations.enumerated() {
                let members = slice.filter { $0.relation == index }
                let targets = try Targets(relation, for: members.map(\.row), in: store)
                for member in members {
                    guard let answer = targets.answer(for: member.row) else { continue }
                    defer { count(answer, relation) }
                    if member.isOverruled { continue }
                    numbers[member.object.objectID] = member.row.number
                    if key != nil || !answer.found.isEmpty {
                        try relate(member.object, relation, to: answer.found)
                    }
                }
            }
            _ = try save()
        }
        (waiting, open) = ([], [:])
    }

    private func relate(_ object: ManagedObject, _ relation: Relation, to found: [ManagedObject]) throws {
        try object.setObjects(found, forKey: relation.description.name)
    }

    private func count(_ answer: Targets.Answer, _ relation: Relation) {
        outcome.related[relation.description.name, default: 0] += answer.found.count
        outcome.unrelated[relation.description.name, default: 0] += answer.missingCount
    }

    private func save() throws -> UInt64? {
        // The objects of a relationship may be unknown only because they could not be read.
        if let error = store.context.lastFaultError { throw error }
        let number = try store.save()
        numbers.removeAll(keepingCapacity: true)
        guard let number else { return nil }
        outcome.transactions += 1
        return number
    }

    /// The attributes of a row.
    private func values(of row: ImportFile.Row) throws(ToolError) -> [(key: String, value: AttributeValue)] {
        try inRow(row.number) { () throws(ToolError) in
            var values: [(key: String, value: AttributeValue)] = []
            // In an order, so that a row is refused for the same reason each time.
            for (name, value) in row.fields.sorted(by: { $0.key < $1.key }) {
                guard let attribute = try attribute(named: name) else { continue }
                values.append((name, try Importer.value(value, of: attribute, "\(entity.name).\(name)")))
            }
            if let key, values.first(where: { $0.key == key.name })?.value.isNull ?? true {
                throw ToolError(
                    .data, "It has no '\(key.name)', by which --key tells whether the object exists already.")
            }
            return values
        }
    }

    /// The attribute that a field fills; `nil` if the field is for something else.
    private func attribute(named name: String) throws(ToolError) -> AttributeDescription? {
        if let attribute = entity.property(named: name)?.attribute { return attribute }
        let isUsed = relations.contains { $0.rules.contains { $0.rule.fields.contains(name) } }
        if skipsUnknown || isUsed { return nil }
        if relations.contains(where: { $0.description.name == name }) {
            throw ToolError(
                .data,
                "'\(entity.name).\(name)' is a relationship, and --relate finds its objects by other fields than '\(name)': name this "
                    + "one there as {\(name)}, or leave it out with --skip-unknown.")
        }
        if entity.property(named: name)?.relationship != nil {
            throw ToolError(
                .data,
                "'\(entity.name).\(name)' is a relationship: --relate says how it is found; --skip-unknown leaves it out."
            )
        }
        throw ToolError(
            .data,
            "'\(entity.name)' has no attribute '\(name)'; leave such fields out with --skip-unknown, or use the "
                + "field in --relate.")
    }

    private static func value(
        _ value: JSONValue, of attribute: AttributeDescription, _ place: String
    ) throws(ToolError) -> AttributeValue {
        if case .null = value { return .null }
        guard let text = value.scalarText else {
            throw ToolError(
                .data, "'\(place)' takes \(ValueParser.description(attribute.type)), not a list or object.")
        }
        return try ValueParser.value(text, of: attribute.type, place: place)
    }

    /// Objects that have the keys of rows already.
    private func existing(
        _ rows: [[(key: String, value: AttributeValue)]]
    ) throws -> [ExactValue: ManagedObject] {
        guard let key else { return [:] }
        let keys = Set(rows.compactMap { $0.first { $0.key == key.name } }.map { ExactValue($0.value) })
        return try store.objects(of: entity, whose: key, isOneOf: keys)
    }
}
