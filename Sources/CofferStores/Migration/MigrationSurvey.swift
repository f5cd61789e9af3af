internal import CofferModel
internal import CofferSQLite

/// Counts what a migration does to the objects of a store; writes nothing.
///
/// Confined with its connection, which is of the file as it is before.
struct MigrationSurvey {
    let layout: MigrationLayout
    let connection: SQLiteConnection

    /// What becomes of each entity of either model that is in the configuration.
    func entities() throws(SQLiteError) -> [MigrationPlan.Entity] {
        var entities: [MigrationPlan.Entity] = []
        for mapping in layout.mapping.entities where layout.destination.entities[mapping.entity] != nil {
            let entity = layout.destination.model.entities[mapping.entity]
            guard let origin = mapping.origin, let stored = layout.source.entities[origin] else {
                entities.append(
                    .init(name: entity.name, change: .added, objectCount: 0, properties: []))
                continue
            }
            let former = layout.source.model.entities[origin].name
            entities.append(
                .init(
                    name: entity.name, formerName: former == entity.name ? nil : former, change: .kept,
                    objectCount: try count(in: stored), properties: try properties(mapping, stored)))
        }
        for number in layout.removedNumbers {
            guard let stored = layout.source.entity(numbered: number) else { continue }
            entities.append(
                .init(
                    name: layout.source.model.entities[stored.index].name, change: .removed,
                    objectCount: try count(in: stored), properties: []))
        }
        return entities
    }

    private func count(in entity: SQLEntity, where condition: String = "1") throws(SQLiteError) -> Int {
        try count(
            "SELECT count(*) FROM main.\(entity.table) WHERE Z_ENT = \(entity.number) AND \(condition)")
    }

    private func count(_ sql: String) throws(SQLiteError) -> Int {
        let statement = try connection.prepare(sql)
        return try statement.step() ? Int(statement.int64(0)) : 0
    }
}

extension MigrationSurvey {
    /// What becomes of the properties of an entity's objects.
    private func properties(
        _ mapping: EntityMapping, _ stored: SQLEntity
    ) throws(SQLiteError) -> [MigrationPlan.Property] {
        let entity = layout.destination.model.entities[mapping.entity]
        let old = layout.source.model.entities[stored.index]
        var properties: [MigrationPlan.Property] = []
        var used: Set<Int> = []
        for property in entity.properties where !property.isTransient {
            let found: MigrationPlan.Property?
            switch (property, mapping.properties[property.index]) {
            case (.attribute(let new), .attribute(let place, let conversion)):
                used.insert(place)
                found = try kept(new, from: place, by: conversion, of: stored)
            case (.relationship(let new), .relationship(let place, _)):
                used.insert(place)
                found = try kept(new, from: place, of: stored)
            case (.attribute(let new), .computed(let expression)):
                let same = expression.origins.first { $0.name == new.name }
                if let same { used.insert(same.index) }
                found = try computed(new, expression, of: stored)
            case (_, .added): found = try added(property, stored)
            default: found = nil
            }
            if let found { properties.append(found) }
        }
        for property in old.properties where !property.isTransient && !used.contains(property.index) {
            properties.append(try removed(property, stored))
        }
        return properties
    }

    private func added(
        _ property: PropertyDescription, _ stored: SQLEntity
    ) throws(SQLiteError) -> MigrationPlan.Property {
        var added = MigrationPlan.Property(name: property.name, change: .added, detail: "")
        guard let attribute = property.attribute else { return added }
        if attribute.derivationExpression != nil {
            added.detail = "computed"
        } else if !attribute.defaultValue.isNull {
            added.detail = "the default"
            added.defaultedCount = try count(in: stored)
        }
        return added
    }

    private func computed(
        _ new: AttributeDescription, _ expression: MappedExpression, of stored: SQLEntity
    ) throws(SQLiteError) -> MigrationPlan.Property {
        var computed = MigrationPlan.Property(
            name: new.name, change: .converted, detail: "computed: \(expression.expression.format)")
        if let first = expression.origins.first, case .attribute(let column, _)? = stored.columns[first.index]
        {
            try note("1", showing: column, of: stored, in: &computed, \.changedCount)
        } else {
            computed.changedCount = try count(in: stored)
        }
        return computed
    }

    private func removed(
        _ property: PropertyDescription, _ stored: SQLEntity
    ) throws(SQLiteError) -> MigrationPlan.Property {
        var removed = MigrationPlan.Property(name: property.name, change: .removed, detail: "")
        switch stored.columns[property.index] {
        case .attribute(let column, _):
            // What is derived can be computed at any time.
            if property.attribute?.derivationExpression != nil { break }
            try note("\(column) NOT NULL", showing: column, of: stored, in: &removed, \.droppedCount)
        case .toOne(let column, _, _):
            removed.droppedCount = try count(in: stored, where: "\(SQLName.ready(column)) NOT NULL")
        case .toMany, .manyToMany:
            if let relationship = property.relationship {
                removed.droppedCount = try links(of: relationship, stored.number)
            }
        case .unsupported, nil: break
        }
        return removed
    }

    private func kept(
        _ new: AttributeDescription, from place: Int, by conversion: AttributeConversion, of stored: SQLEntity
    ) throws(SQLiteError) -> MigrationPlan.Property? {
        guard let past = layout.source.model.entities[stored.index].properties[place].attribute,
            case .attribute(let column, _)? = stored.columns[place]
        else { return nil }
        var kept = MigrationPlan.Property(
            name: new.name, formerName: past.name == new.name ? nil : past.name, change: .kept, detail: "")
        if past.type != new.type {
            kept.change = .converted
            kept.detail = "\(past.type.name) becomes \(new.type.name)"
            if !conversion.keepsStorage {
                try note("\(column) NOT NULL", showing: column, of: stored, in: &kept, \.changedCount)
            }
        }
        if past.allowsExternalStorage != new.allowsExternalStorage {
            kept.change = .converted
            kept.detail = new.allowsExternalStorage ? "large values move to files" : "values move into rows"
            kept.changedCount = try count(in: stored, where: "\(column) NOT NULL")
        }
        if past.derivationExpression == nil, new.derivationExpression != nil {
            kept.change = .converted
            kept.detail = "computed from now on"
            try note("\(column) NOT NULL", showing: column, of: stored, in: &kept, \.droppedCount)
        }
        if past.isOptional, !new.isOptional, !new.defaultValue.isNull, new.derivationExpression == nil {
            kept.defaultedCount = try count(in: stored, where: "\(column) IS NULL")
            if kept.detail.isEmpty { kept.detail = "the default if there is no value" }
        }
        let broken = try countOutOfBounds(new, past, in: column, of: stored)
        if broken > 0 {
            let text = "\(broken) values that the new bounds forbid stay until they are changed"
            kept.detail += kept.detail.isEmpty ? text : "; " + text
        }
        let isWorthTelling = kept.change != .kept || kept.formerName != nil || kept.defaultedCount > 0
        return isWorthTelling || broken > 0 ? kept : nil
    }

    /// How many values of an attribute that keeps its type are outside of bounds that are narrower than
    /// before.
    private func countOutOfBounds(
        _ new: AttributeDescription, _ past: AttributeDescription, in column: String, of stored: SQLEntity
    ) throws(SQLiteError) -> Int {
        let (rule, former) = (new.validation, past.validation)
        guard new.type == past.type, new.derivationExpression == nil else { return 0 }
        let minimum = rule.minimum == former.minimum ? nil : rule.minimum
        let maximum = rule.maximum == former.maximum ? nil : rule.maximum
        if minimum == nil, maximum == nil { return 0 }
        let measuresText = new.type == .string || new.type == .uri
        let values = try connection.prepare(
            "SELECT \(column) FROM main.\(stored.table) WHERE Z_ENT = \(stored.number) AND \(column) NOT NULL"
        )
        var count = 0
        while try values.step() {
            let measure = measuresText ? Double(values.text(0).utf16.count) : values.double(0)
            if minimum.map({ measure < $0 }) ?? false || maximum.map({ measure > $0 }) ?? false { count += 1 }
        }
        return count
    }

    private func kept(
        _ new: RelationshipDescription, from place: Int, of stored: SQLEntity
    ) throws(SQLiteError) -> MigrationPlan.Property? {
        guard let past = layout.source.model.entities[stored.index].properties[place].relationship else {
            return nil
        }
        var kept = MigrationPlan.Property(
            name: new.name, formerName: past.name == new.name ? nil : past.name, change: .kept, detail: "")
        let (was, becomes) = (Self.kind(of: past), Self.kind(of: new))
        if was != becomes {
            kept.change = .converted
            kept.detail = "\(was) becomes \(becomes)"
        }
        kept.droppedCount = try lostLinks(of: new, past, stored.number)
        return kept.change == .kept && kept.formerName == nil && kept.droppedCount == 0 ? nil : kept
    }

    private static func kind(of relationship: RelationshipDescription) -> String {
        relationship.isToMany ? (relationship.isOrdered ? "ordered to-many" : "to-many") : "to-one"
    }

    /// Counts rows in a field of what becomes of a property, and shows the first.
    private func note(
        _ condition: String, showing column: String, of stored: SQLEntity,
        in property: inout MigrationPlan.Property, _ field: WritableKeyPath<MigrationPlan.Property, Int>
    ) throws(SQLiteError) {
        let count = try count(in: stored, where: condition)
        property[keyPath: field] = count
        if count == 0 { return }
        let statement = try connection.prepare(
            "SELECT Z_PK, \(MigrationSQL.shown(column)) FROM main.\(stored.table) "
                + "WHERE Z_ENT = \(stored.number) AND \(condition) ORDER BY Z_PK LIMIT \(Limits.migrationExamples)"
        )
        let entity = layout.source.model.entities[stored.index].name
        while try statement.step() {
            property.examples.append(
                .init(
                    entity: entity, key: statement.int64(0),
                    value: statement.isNull(1) ? nil : statement.text(1)))
        }
    }
}

// MARK: Links

extension MigrationSurvey {
    /// The links of a relationship that objects with `number` have.
    private func links(of relationship: RelationshipDescription, _ number: Int) throws(SQLiteError) -> Int {
        let source = LinkSource(
            relationship: relationship, numbers: [number],
            ends: layout.source.familyNumbers(of: relationship.destinationIndex), isReversed: false)
        return try source.sql(in: layout.source).map { sql throws(SQLiteError) in
            try count("SELECT count(*) FROM (\(sql))")
        } ?? 0
    }

    /// The links of objects with `number` that a relationship does not have any more: to objects that go or
    /// may be there no more, and those that it or its inverse has no room for.
    private func lostLinks(
        of new: RelationshipDescription, _ past: RelationshipDescription, _ number: Int
    ) throws(SQLiteError) -> Int {
        let all = try links(of: past, number)
        if all == 0 { return 0 }
        guard let pair = layout.pairs.first(where: { $0.hasEnd(new) }) else { return all }
        let family = layout.destination.model.entities[new.destinationIndex].familyIndices
        let ends = layout.source.familyNumbers(of: past.destinationIndex).filter { number in
            layout.successors[number].map(family.contains) ?? false
        }
        if !pair.isRelinked {
            let source = LinkSource(relationship: past, numbers: [number], ends: ends, isReversed: false)
            let left = try source.sql(in: layout.source).map { sql throws(SQLiteError) in
                try count("SELECT count(*) FROM (\(sql))")
            }
            return all - (left ?? 0)
        }
        // By all links of the pair: which of them stay depends on one another.
        let parts = pair.sources.compactMap { $0.sql(in: layout.source) }
        guard !parts.isEmpty else { return all }
        let links = "WITH l(a, b, pa, pb) AS (\(parts.joined(separator: " UNION "))) "
        let isOwner =
            pair.owner.index == new.index
            && pair.owner.declaringEntityIndex == new.declaringEntityIndex
        let choice = MigrationRun.choice(of: pair, from: "l")
        guard let table = layout.source.entity(numbered: number)?.table else { return all }
        let left = try count(
            "\(links)SELECT count(*) FROM (\(choice)) c JOIN main.\(table) o ON o.Z_PK = c.\(isOwner ? "a" : "b") "
                + "AND o.Z_ENT = \(number)")
        return max(0, all - left)
    }
}

extension PairMigration {
    /// Whether a relationship is one of its ends.
    func hasEnd(_ relationship: RelationshipDescription) -> Bool {
        [owner, other?.relationship].contains { end in
            end?.index == relationship.index
                && end?.declaringEntityIndex == relationship.declaringEntityIndex
        }
    }
}
