internal import CofferModel

/// The column of a derived attribute, in the layout of the entity that declares it.
struct DerivedColumn {
    /// The entity that declares it.
    let entity: EntityDescription
    let attribute: AttributeDescription
    /// The table and column, ready to stand in SQL.
    let table: String
    let column: String
    let derivation: Derivation
    /// The numbers of the entity and those that inherit from it; `nil` if the table has no others.
    let numbers: [Int]?

    /// A condition that rows of the entity meet, `row` being `NEW.` or nothing; `nil` if all rows of the
    /// table do.
    func condition(_ row: String = "") -> String? {
        guard let numbers = numbers?.sorted(), let first = numbers.first, let last = numbers.last else {
            return nil
        }
        // Core Data's own text, with which the triggers of its stores are compared, for numbers without a
        // gap.
        if last - first == numbers.count - 1 { return "\(first) <= \(row)Z_ENT AND \(row)Z_ENT <= \(last)" }
        return "\(row)Z_ENT IN (\(numbers.map { "\($0)" }.joined(separator: ", ")))"
    }

    /// The condition, joined to one that is there already.
    var furtherCondition: String { condition().map { " AND \($0)" } ?? "" }

    /// An expression for the attribute's value, `row` being the owner's row: a prefix such as `NEW.`.
    func value(of row: String, in schema: SQLSchema) throws(StoreError) -> String {
        switch derivation.source {
        case .own(let other): return transformed(row + (try column(of: other, in: entity, schema)))
        case .related(let relationship, let other):
            let (place, key) = try toOne(relationship, schema)
            let value = transformed("r." + (try column(of: other, in: place, schema)))
            let table = schema.model.entities[place.index].rootName.uppercased()
            return "(SELECT \(value) FROM Z\(table) r WHERE r.Z_PK = \(row)\(key))"
        case .count(let relationship):
            switch try toMany(relationship, schema) {
            case .toMany(let table, let key, _, _, _):
                return "(SELECT IFNULL(COUNT(\(key)), 0) FROM \(table) WHERE \(key) = \(row)Z_PK)"
            case .manyToMany(let table, let own, _, _, _):
                return "(SELECT IFNULL(COUNT(\(own)), 0) FROM \(table) WHERE \(own) = \(row)Z_PK)"
            case .attribute, .toOne, .unsupported: throw unsupported
            }
        case .sum(let relationship, let other):
            let place = schema.model.destination(of: relationship)
            let number = try column(of: other, in: place, schema)
            switch try toMany(relationship, schema) {
            case .toMany(let table, let key, _, _, _):
                return "(SELECT IFNULL(SUM(m.\(number)), 0) FROM \(table) m WHERE m.\(key) = \(row)Z_PK)"
            case .manyToMany(let table, let own, let other, _, _):
                return
                    "(SELECT IFNULL(SUM(m.\(number)), 0) FROM \(table) j JOIN Z\(place.rootName.uppercased()) m "
                    + "ON m.Z_PK = j.\(other) WHERE j.\(own) = \(row)Z_PK)"
            case .attribute, .toOne, .unsupported: throw unsupported
            }
        case .now: return DerivedFunction.now.rawValue + "()"
        }
    }
}

extension DerivedColumn {
    /// Whether a trigger keeps an attribute up to date, by the names that Core Data uses.
    static func isKept(
        _ attribute: AttributeDescription, of entity: EntityDescription, byTriggerNamed name: String
    ) -> Bool {
        name.hasPrefix("Z_DA_") && name.contains("_\(entity.name)_\(attribute.name)_")
    }

    /// Whether a trigger keeps this attribute up to date, by its name.
    func isKept(byTriggerNamed name: String) -> Bool {
        Self.isKept(attribute, of: entity, byTriggerNamed: name)
    }

    /// The attribute's function applied to an expression.
    func transformed(_ value: String) -> String {
        switch derivation.transform {
        case .canonical: "\(DerivedFunction.canonical.rawValue)(\(value))"
        case .uppercase: "\(DerivedFunction.uppercase.rawValue)(\(value))"
        case .lowercase: "\(DerivedFunction.lowercase.rawValue)(\(value))"
        case nil: value
        }
    }

    /// The column of an attribute that others are derived from.
    func column(
        of other: AttributeDescription, in place: EntityDescription, _ schema: SQLSchema
    ) throws(StoreError) -> String {
        let family = place.familyIndices.compactMap { schema.entities[$0] }.first
        guard case .attribute(let column, _) = family?.columns[other.index] else { throw unsupported }
        return column
    }

    /// The entity at the other end of a to-one relationship, and the column of its key.
    func toOne(
        _ relationship: RelationshipDescription, _ schema: SQLSchema
    ) throws(StoreError) -> (EntityDescription, key: String) {
        guard case .toOne(let column, _, let destination) = stored(relationship, schema) else {
            throw unsupported
        }
        return (schema.model.entities[destination], column)
    }

    /// How a to-many relationship is stored.
    func toMany(_ relationship: RelationshipDescription, _ schema: SQLSchema) throws(StoreError)
        -> SQLProperty
    {
        guard let stored = stored(relationship, schema) else { throw unsupported }
        return stored
    }

    private func stored(_ relationship: RelationshipDescription, _ schema: SQLSchema) -> SQLProperty? {
        entity.familyIndices.compactMap { schema.entities[$0] }.first?.columns[relationship.index]
    }

    var unsupported: StoreError {
        .unsupported(
            entity: entity.name, property: attribute.name,
            detail: "what it is derived from is not kept in this store")
    }
}

extension SQLSchema {
    /// All derived attributes of the configuration, each where it is declared.
    ///
    /// An attribute whose expression we cannot read is left out if the file has triggers for it: Core Data
    /// made them, and can read it.
    /// - Parameter present: The names of the file's triggers.
    /// - Returns: The columns, in the order of the entities.
    /// - Throws: `StoreError.unsupported` for any other expression that cannot be read.
    /// - Complexity: O(properties of the model).
    func derivedColumns(present: Set<String> = []) throws(StoreError) -> [DerivedColumn] {
        var columns: [DerivedColumn] = []
        for entity in model.entities {
            for attribute in entity.derivedAttributes where attribute.declaringEntityIndex == entity.index {
                let family = entity.familyIndices.compactMap { entities[$0] }
                guard case .attribute(let column, _) = family.first?.columns[attribute.index] else {
                    continue
                }
                let derivation: Derivation
                do throws(StoreError) {
                    derivation = try self.derivation(of: attribute, in: entity)
                } catch {
                    let isKept = { DerivedColumn.isKept(attribute, of: entity, byTriggerNamed: $0) }
                    if present.contains(where: isKept) { continue }
                    throw error
                }
                columns.append(
                    DerivedColumn(
                        entity: entity, attribute: attribute, table: "Z" + entity.rootName.uppercased(),
                        column: column, derivation: derivation, numbers: numbers(of: entity)))
            }
        }
        return columns
    }

    private func derivation(
        of attribute: AttributeDescription, in entity: EntityDescription
    ) throws(StoreError) -> Derivation {
        do throws(ModelError) {
            return try Derivation(of: attribute, in: entity, of: model)
        } catch {
            guard case .invalidDerivation(let entity, let attribute, let reason) = error else {
                throw .other("\(error)")
            }
            throw .unsupported(entity: entity, property: attribute, detail: reason)
        }
    }

    private func numbers(of entity: EntityDescription) -> [Int]? {
        entity.superentityIndex == nil ? nil : numbers.known(of: entity.familyIndices)
    }
}
