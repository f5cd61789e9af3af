internal import CofferModel

/// Where the value of one column comes from, for the rows of one entity.
struct ColumnRule: Hashable, Sendable {
    /// The value, of the row as it was.
    var value: RowExpression
    /// The column that it carries on; `nil` for what is new.
    var home: String?
    /// The exact digits of a decimal, of the row as it was, if there are any; `nil` for other types.
    var digits: RowExpression?

    /// Of what is new, or no more.
    static let empty = ColumnRule(value: .null, home: nil, digits: nil)
}

/// Finds where the values of the rows of each entity come from.
struct ColumnRules {
    private let source: SQLSchema
    private let destination: SQLSchema
    private let mapping: InferredMapping
    private let successors: [Int: Int]
    /// The to-one relationships whose columns are carried on.
    private let kept: Set<SchemaLayout.Place>
    /// The columns of to-many relationships without inverse that are carried on.
    private let ownerKeys: [KeptOwnerKey]
    /// Whether the file has exact digits beside its decimals.
    private let hasDigits: Bool

    init(
        source: SQLSchema, destination: SQLSchema, mapping: InferredMapping, successors: [Int: Int],
        kept: Set<SchemaLayout.Place>, ownerKeys: [KeptOwnerKey], hasDigits: Bool
    ) {
        self.ownerKeys = ownerKeys
        self.hasDigits = hasDigits
        self.source = source
        self.destination = destination
        self.mapping = mapping
        self.successors = successors
        self.kept = kept
    }

    /// By the columns of the table: where their values come from, for rows that become those of `entity`.
    func rules(of entity: Int) -> [String: ColumnRule] {
        let mapped = mapping.entities[entity]
        guard let origin = mapped.origin, let old = source.entities[origin],
            let new = destination.entities[entity]
        else { return [:] }
        var rules: [String: ColumnRule] = [:]
        let properties = destination.model.entities[entity].properties
        for (property, stored) in zip(properties, new.columns) {
            let move = mapped.properties[property.index]
            switch stored {
            case .attribute(let column, _):
                rules[column] = property.attribute.map { rule(for: $0, move, of: old) }
            case .toOne(let column, let entityColumn, _):
                guard let relationship = property.relationship, case .relationship(let place, _) = move,
                    kept.contains(
                        .init(entity: relationship.declaringEntityIndex, property: relationship.index))
                else { continue }
                let columns = ToOneColumns(
                    key: SQLName.ready(column), entity: entityColumn.map(SQLName.ready),
                    order: destination.orderColumn(of: relationship).map(SQLName.ready))
                add(columns, relationship, from: place, of: old, to: &rules)
            case .toMany, .manyToMany, .unsupported, nil: continue
            }
        }
        for kept in ownerKeys where kept.members.contains(entity) {
            for column in [kept.key, kept.order].compactMap(\.self) {
                let home = SQLName.ready(column.old)
                rules[SQLName.ready(column.new)] = ColumnRule(value: .column(home), home: home)
            }
        }
        return rules
    }
}

extension ColumnRules {
    private func rule(
        for new: AttributeDescription, _ move: PropertyMapping, of entity: SQLEntity
    ) -> ColumnRule {
        let isDerived = new.derivationExpression != nil
        let isMarked = new.allowsExternalStorage
        let initial = isDerived ? "NULL" : SQLLiteral.text(of: new.defaultValue, isMarked: isMarked)
        let initialDigits = SQLLiteral.exactDigits(of: new.defaultValue).map(SQLLiteral.string) ?? "NULL"
        let isDecimal = new.type == .decimal
        if case .computed(let expression) = move {
            return computed(expression, for: new, of: entity, instead: (initial, initialDigits))
        }
        guard case .attribute(let place, let conversion) = move,
            case .attribute(let column, _)? = entity.columns[place],
            let old = source.model.entities[entity.index].properties[place].attribute
        else {
            return ColumnRule(
                value: "\(initial)", home: nil, digits: isDecimal && !isDerived ? "\(initialDigits)" : nil)
        }
        let digits = MigrationSQL.digits(
            of: column, in: entity.table, isDecimal: hasDigits && old.type == .decimal)
        var rule = ColumnRule(value: .column(column), home: column, digits: isDecimal ? digits : nil)
        if !conversion.keepsStorage {
            rule.value = MigrationSQL.converted(column, digits: digits, by: conversion)
            if isDecimal { rule.digits = MigrationSQL.convertedDigits(column, by: conversion) }
        }
        if old.allowsExternalStorage != isMarked {
            rule.value = MigrationSQL.moved(column, toFiles: isMarked)
        }
        // If a value was required before, too, no null can have been saved.
        if !new.isOptional, old.isOptional, initial != "NULL" {
            rule.value = "IFNULL(\(rule.value), \(initial))"
            if let digits = rule.digits {
                rule.digits = "CASE WHEN \(column: column) IS NULL THEN \(initialDigits) ELSE \(digits) END"
            }
        }
        return rule
    }

    /// A value that a mapping model has computed; `instead` is the default and its exact digits.
    private func computed(
        _ expression: MappedExpression, for new: AttributeDescription, of entity: SQLEntity,
        instead: (value: String, digits: String)
    ) -> ColumnRule {
        let place = mapping.expressions.firstIndex(of: expression) ?? 0
        let value = MigrationSQL.mapped(expression, at: place, of: entity, hasDigits: hasDigits)
        var rule = ColumnRule(value: value, home: nil)
        if new.type == .decimal {
            rule.digits = MigrationSQL.mapped(
                expression, at: place, of: entity, hasDigits: hasDigits, by: MigrationSQL.mapDigits)
        }
        if !new.isOptional, instead.value != "NULL" {
            rule.value = "IFNULL(\(rule.value), \(instead.value))"
            if let digits = rule.digits {
                rule.digits = "CASE WHEN \(value) IS NULL THEN \(instead.digits) ELSE \(digits) END"
            }
        }
        return rule
    }

    /// The columns of one to-one relationship.
    private struct ToOneColumns {
        let key: String
        let entity: String?
        let order: String?
    }

    /// The columns of a to-one relationship that stays one: without the references to objects that go, or
    /// that may be at its end no more.
    private func add(
        _ columns: ToOneColumns, _ new: RelationshipDescription, from place: Int, of entity: SQLEntity,
        to rules: inout [String: ColumnRule]
    ) {
        guard case .toOne(let key, let entityKey, let end)? = entity.columns[place],
            let old = source.model.entities[entity.index].properties[place].relationship
        else { return }
        let (column, entityColumn) = (SQLName.ready(key), entityKey.map(SQLName.ready))
        let family = destination.model.entities[new.destinationIndex].familyIndices
        var numbers: [(old: Int, new: Int)] = []
        var lost: [Int] = []
        for index in source.model.entities[end].familyIndices {
            guard let number = source.entities[index]?.number else { continue }
            if let successor = successors[number], family.contains(successor) {
                numbers.append((number, destination.numbers[successor]))
            } else {
                lost.append(number)
            }
        }
        func unlessLost(_ value: RowExpression) -> RowExpression {
            guard let entityColumn else { return numbers.isEmpty ? .null : value }
            return lost.isEmpty
                ? value
                : "CASE WHEN \(column: entityColumn) IN (\(SQLName.list(lost))) THEN NULL ELSE \(value) END"
        }
        rules[columns.key] = ColumnRule(value: unlessLost(.column(column)), home: column)
        if let name = columns.entity {
            rules[name] = entityRule(of: column, entityColumn, numbers, isWhole: lost.isEmpty)
        }
        if let name = columns.order, let past = source.orderColumn(of: old).map(SQLName.ready) {
            rules[name] = ColumnRule(value: unlessLost(.column(past)), home: past)
        }
    }

    /// The column that says of which entity the other object is.
    private func entityRule(
        of key: String, _ entityColumn: String?, _ numbers: [(old: Int, new: Int)], isWhole: Bool
    ) -> ColumnRule {
        guard let entityColumn else {
            guard let number = numbers.first?.new else { return .empty }
            return ColumnRule(value: "CASE WHEN \(column: key) NOT NULL THEN \(String(number)) END")
        }
        if isWhole, numbers.allSatisfy({ $0.old == $0.new }) {
            return ColumnRule(value: .column(entityColumn), home: entityColumn)
        }
        let cases = numbers.map { " WHEN \($0.old) THEN \($0.new)" }.joined()
        return ColumnRule(
            value: numbers.isEmpty ? .null : "CASE \(column: entityColumn)\(cases) END", home: entityColumn)
    }
}

extension SQLSchema {
    /// The column in which the inverse of a to-one relationship keeps its order.
    func orderColumn(of relationship: RelationshipDescription) -> String? {
        guard let place = relationship.inverseIndex,
            let end = model.destination(of: relationship).familyIndices.compactMap({ entities[$0] }).first,
            case .toMany(_, _, _, let column, _)? = end.columns[place]
        else { return nil }
        return column
    }
}
