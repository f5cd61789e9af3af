import CofferModel
import CofferWire

/// What dictionaries have under one name.
struct DictionaryColumn {
    /// What is found there.
    enum Kind {
        /// Values of a type.
        case value(AttributeType)
        /// Objects of some entities.
        case object(Range<Int>)
    }

    let name: String
    let kind: Kind
}

extension ManagedObjectContext {
    /// What the dictionaries of a fetch have; all stored properties if it names none.
    ///
    /// - Throws: `CofferError.predicate` if it names what the entity lacks.
    func dictionaryColumns(
        _ description: inout FetchDescription, _ entity: EntityDescription
    ) throws(CofferError) -> [DictionaryColumn] {
        if description.propertiesToFetch.isEmpty && description.expressions.isEmpty {
            let slots = registry.layout(entity.index).storedSlots
            description.propertiesToFetch = slots.map { entity.properties[$0].name }
        }
        do throws(QueryError) {
            var columns: [DictionaryColumn] = []
            for path in description.propertiesToFetch {
                let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                let resolved = try KeyPathResolver.resolve(keys, from: entity, in: model)
                let end = resolved.relationship.map { model.destination(of: $0) }
                columns.append(column(path, type: resolved.attributeType, end: end))
            }
            for named in description.expressions {
                let type = try named.valueType(for: entity, in: model)
                let end = type == nil ? named.destination(for: entity, in: model) : nil
                columns.append(column(named.name, type: type, end: end))
            }
            return columns
        } catch {
            throw .predicate(error)
        }
    }

    private func column(
        _ name: String, type: AttributeType?, end: EntityDescription?
    ) -> DictionaryColumn {
        DictionaryColumn(name: name, kind: type.map { .value($0) } ?? .object(end?.familyIndices ?? 0..<0))
    }

    /// Adds a dictionary for each row that a store found.
    ///
    /// - Throws: `CofferError.protocolViolation` if a row names an object that cannot be there.
    func append(
        _ rows: PackedRows, _ columns: [DictionaryColumn], of store: Int16,
        to result: inout [[String: AttributeValue]]
    ) throws(CofferError) {
        for row in 0..<rows.rowCount {
            var values: [String: AttributeValue] = [:]
            for column in 0..<rows.columnCount where rows.property(column) < columns.count {
                let wanted = columns[rows.property(column)]
                values[wanted.name] =
                    switch wanted.kind {
                    case .value(let type): rows.value(column, row, type: type)
                    case .object(let entities):
                        try object(
                            at: column, row: row, of: rows, named: wanted.name, entities: entities,
                            store: store)
                    }
            }
            result.append(values)
        }
    }

    private func object(
        at column: Int, row: Int, of rows: PackedRows, named name: String, entities: Range<Int>,
        store: Int16
    ) throws(CofferError) -> AttributeValue {
        guard let end = rows.reference(column, row) else { return .null }
        guard entities.contains(end.entity) else {
            throw .protocolViolation(
                "coffer.v1.Column.entities: '\(name)' names an object of another entity than may be there")
        }
        return .object(
            registry.id(registry.reference(store: store, entity: end.entity, key: end.key)))
    }
}
