internal import CofferModel
internal import CofferSQLite

/// Looks for what in a file is in the way of a migration; writes nothing.
///
/// Confined with its connection, which is of the file as it is before.
struct MigrationCheck {
    let layout: MigrationLayout
    let connection: SQLiteConnection

    /// All that is in the way.
    ///
    /// - Complexity: A scan of a table for each column of it that is converted, required or unique from now
    ///   on; nothing if there is no such column.
    func obstacles() throws(StoreError) -> [MigrationObstacle] {
        try translating { () throws(SQLiteError) in
            var obstacles: [MigrationObstacle] = []
            for table in layout.tables where table.origin != nil {
                obstacles += try strays(in: table)
                obstacles += try abstract(in: table)
                for (old, _) in table.numbers {
                    obstacles += try values(of: old)
                    obstacles += try links(of: old, in: table)
                }
                obstacles += try duplicates(in: table)
            }
            for pair in layout.pairs where !pair.isStored { obstacles += try unstorable(pair) }
            return obstacles
        }
    }

    func count(_ sql: String) throws(SQLiteError) -> Int {
        let statement = try connection.prepare(sql)
        return try statement.step() ? Int(statement.int64(0)) : 0
    }
}

// MARK: Rows

extension MigrationCheck {
    /// Rows of no entity, which would be lost, or taken for those of another one.
    private func strays(in table: TableMigration) throws(SQLiteError) -> [MigrationObstacle] {
        guard let origin = table.origin, table.movesRows || table.way == .copied else { return [] }
        let known = layout.source.entities.compactMap { $0 }.filter { $0.table == origin.name }.map(\.number)
        let count = try count(
            "SELECT count(*) FROM main.\(origin.name) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(SQLName.list(known)))"
        )
        return count > 0 ? [.stray(table: origin.name, count: count)] : []
    }

    private func abstract(in table: TableMigration) throws(SQLiteError) -> [MigrationObstacle] {
        guard let origin = table.origin else { return [] }
        var obstacles: [MigrationObstacle] = []
        for (old, _) in table.numbers {
            guard let successor = layout.successors[old] else { continue }
            let entity = layout.destination.model.entities[successor]
            guard entity.isAbstract else { continue }
            let count = try count("SELECT count(*) FROM main.\(origin.name) WHERE Z_ENT = \(old)")
            if count > 0 { obstacles.append(.abstract(entity: entity.name, count: count)) }
        }
        return obstacles
    }

    private func unstorable(_ pair: PairMigration) throws(SQLiteError) -> [MigrationObstacle] {
        var sum = 0
        for links in pair.sources.compactMap({ $0.sql(in: layout.source) }) {
            sum += try count("SELECT count(*) FROM (\(links))")
        }
        if sum == 0 { return [] }
        let entity = layout.destination.model.entities[pair.owner.declaringEntityIndex].name
        return [.unstorable(entity: entity, relationship: pair.owner.name, count: sum)]
    }
}

// MARK: Values

extension MigrationCheck {
    /// Values of the objects whose rows have `number` that cannot become what they are to be.
    private func values(of number: Int) throws(SQLiteError) -> [MigrationObstacle] {
        guard let mapping = layout.mapping(of: number), let old = layout.origin(of: number),
            let stored = layout.source.entity(numbered: number)
        else { return [] }
        let entity = layout.destination.model.entities[mapping.entity]
        var obstacles: [MigrationObstacle] = []
        for property in entity.properties {
            guard let new = property.attribute, !new.isTransient, new.derivationExpression == nil else {
                continue
            }
            let place = AttributePlace(
                entity: entity.name, formerEntity: old.name, attribute: new.name, number: number,
                table: stored.table)
            if case .attribute(let origin, let conversion) = mapping.properties[new.index],
                !conversion.keepsStorage, case .attribute(let column, _) = stored.columns[origin]
            {
                obstacles += try unconvertible(place, in: column, by: conversion)
            }
            if case .computed(let expression) = mapping.properties[new.index] {
                obstacles += try uncomputable(place, expression, of: stored)
            }
            if isRequiredAnew(new, mapping.properties[new.index], in: old) {
                obstacles += try missing(place, from: mapping.properties[new.index], in: stored)
            }
        }
        return obstacles
    }

    /// To-one relationships that are required from now on, and are empty in objects whose rows have `number`.
    private func links(
        of number: Int, in table: TableMigration
    ) throws(SQLiteError) -> [MigrationObstacle] {
        guard let mapping = layout.mapping(of: number), let old = layout.origin(of: number),
            let stored = layout.source.entity(numbered: number),
            let columns = layout.destination.entities[mapping.entity]?.columns
        else { return [] }
        let entity = layout.destination.model.entities[mapping.entity]
        var obstacles: [MigrationObstacle] = []
        for property in entity.properties {
            guard let new = property.relationship, !new.isToMany, !new.isOptional, !property.isTransient,
                case .toOne(let column, _, _)? = columns[new.index],
                // Links that are made from others come once the rows are there.
                !layout.pairs.contains(where: { $0.isRelinked && $0.has(new) })
            else { continue }
            let rule = table.columns.first { $0.name == SQLName.ready(column) }?
                .rules.first { $0.number == number }?.rule
            var condition: String
            switch mapping.properties[new.index] {
            case .relationship(let origin, _):
                guard let rule, case .toOne(let former, _, _)? = stored.columns[origin] else { continue }
                condition = "\(rule.value.sql()) IS NULL"
                // What a merge took away before does not become worse.
                if old.properties[origin].relationship?.isOptional == false {
                    condition += " AND \(SQLName.ready(former)) NOT NULL"
                }
            case .added: condition = "1"
            case .attribute, .computed, .none: continue
            }
            let place = AttributePlace(
                entity: entity.name, formerEntity: old.name, attribute: new.name, number: number,
                table: stored.table)
            let (count, examples) = try find(condition, showing: "NULL", at: place)
            if count == 0 { continue }
            obstacles.append(
                .missing(entity: entity.name, property: new.name, count: count, examples: examples))
        }
        return obstacles
    }

    /// One property of the objects of one entity.
    private struct AttributePlace {
        let entity: String
        let formerEntity: String
        let attribute: String
        let number: Int
        let table: String
    }

    private func isRequiredAnew(
        _ new: AttributeDescription, _ move: PropertyMapping, in old: EntityDescription
    ) -> Bool {
        guard !new.isOptional, new.defaultValue.isNull else { return false }
        guard case .attribute(let origin, _) = move else { return true }
        return old.properties[origin].attribute.map { $0.isOptional } ?? true
    }

    private func unconvertible(
        _ place: AttributePlace, in column: String, by conversion: AttributeConversion
    ) throws(SQLiteError) -> [MigrationObstacle] {
        let digits = MigrationSQL.digits(
            of: column, in: place.table, isDecimal: layout.hasDigits && conversion.source == .decimal)
        let value = MigrationSQL.converted(column, digits: digits, by: conversion).sql()
        let (count, examples) = try find(
            "\(column) NOT NULL AND \(value) IS NULL", showing: column, at: place)
        if count == 0 { return [] }
        return [
            .unconvertible(
                entity: place.entity, attribute: place.attribute, from: conversion.source.name,
                to: conversion.destination.name, count: count, examples: examples)
        ]
    }

    /// Objects for which an expression of a mapping model gives no value of the type.
    private func uncomputable(
        _ place: AttributePlace, _ expression: MappedExpression, of stored: SQLEntity
    ) throws(SQLiteError) -> [MigrationObstacle] {
        var column = "NULL"
        if let first = expression.origins.first, case .attribute(let name, _)? = stored.columns[first.index] {
            column = name
        }
        let (count, examples) = try find(
            "NOT \(mapped(expression, of: stored, by: MigrationSQL.canMap))", showing: column, at: place)
        if count == 0 { return [] }
        return [
            .unconvertible(
                entity: place.entity, attribute: place.attribute, from: "'\(expression.expression.format)'",
                to: expression.type.name, count: count, examples: examples)
        ]
    }

    private func mapped(_ expression: MappedExpression, of stored: SQLEntity, by function: String) -> String {
        let place = layout.expressions.firstIndex(of: expression) ?? 0
        return MigrationSQL.mapped(
            expression, at: place, of: stored, hasDigits: layout.hasDigits, by: function
        ).sql()
    }

    private func missing(
        _ place: AttributePlace, from move: PropertyMapping, in stored: SQLEntity
    ) throws(SQLiteError) -> [MigrationObstacle] {
        var condition = "1"
        if case .attribute(let origin, _) = move, case .attribute(let column, _) = stored.columns[origin] {
            condition = "\(column) IS NULL"
        }
        if case .computed(let expression) = move {
            condition = "\(mapped(expression, of: stored, by: MigrationSQL.map)) IS NULL"
        }
        let (count, examples) = try find(condition, showing: "NULL", at: place)
        if count == 0 { return [] }
        return [
            .missing(
                entity: place.entity, property: place.attribute, count: count, examples: examples)
        ]
    }

    /// How many rows of an entity meet a condition, and the first of them.
    private func find(
        _ condition: String, showing column: String, at place: AttributePlace
    ) throws(SQLiteError) -> (Int, [MigrationObstacle.Example]) {
        let rows = "FROM main.\(place.table) WHERE Z_ENT = \(place.number) AND \(condition)"
        let count = try count("SELECT count(*) \(rows)")
        if count == 0 { return (0, []) }
        let statement = try connection.prepare(
            "SELECT Z_PK, \(MigrationSQL.shown(column)) \(rows) ORDER BY Z_PK LIMIT \(Limits.migrationExamples)"
        )
        var examples: [MigrationObstacle.Example] = []
        while try statement.step() {
            examples.append(
                .init(
                    entity: place.formerEntity, key: statement.int64(0),
                    value: statement.isNull(1) ? nil : statement.text(1)))
        }
        return (count, examples)
    }
}

// MARK: Constraints

extension MigrationCheck {
    /// Objects that agree in values that have to be unique from now on.
    private func duplicates(in table: TableMigration) throws(SQLiteError) -> [MigrationObstacle] {
        guard let origin = table.origin else { return [] }
        let past = Set(layout.source.uniqueColumns(of: origin))
        var obstacles: [MigrationObstacle] = []
        for (entity, constraint, names) in layout.destination.uniqueConstraints(on: table.table) {
            let columns = names.compactMap { name in table.columns.first { $0.name == name } }
            guard columns.count == names.count else { continue }
            let homes = columns.map { $0.homes.first ?? "" }
            let isKept = columns.allSatisfy { $0.homes.count == 1 && $0.changedNumbers.isEmpty }
            if isKept, past.contains(homes) { continue }
            let values = columns.map { $0.value.sql() }
            let groups = try groups(of: values, among: table.numbers.map(\.old), in: origin.name)
            if groups.count > 0 {
                obstacles.append(
                    .duplicates(
                        entity: entity.name, constraint: constraint, count: groups.count, groups: groups.first
                    ))
            }
        }
        return obstacles
    }

    /// Groups of rows that agree in `values`, of which none is null.
    func groups(
        of values: [String], among numbers: [Int], in table: String
    ) throws(SQLiteError) -> (count: Int, first: [MigrationObstacle.Duplicates]) {
        if numbers.isEmpty { return (0, []) }
        let names = values.indices.map { "v\($0)" }
        let list = zip(values, names).map { "\($0) AS \($1)" }.joined(separator: ", ")
        let agreeing =
            "SELECT \(names.joined(separator: ", ")), count(*) AS n, min(Z_PK) AS k FROM "
            + "(SELECT Z_PK, \(list) FROM main.\(table) WHERE Z_ENT IN (\(SQLName.list(numbers)))) "
            + "WHERE \(names.map { "\($0) NOT NULL" }.joined(separator: " AND ")) "
            + "GROUP BY \(names.joined(separator: ", ")) HAVING n > 1"
        let total = try count("SELECT count(*) FROM (\(agreeing))")
        if total == 0 { return (0, []) }
        let shown = names.map { MigrationSQL.shown("g.\($0)") }.joined(separator: ", ")
        let equal = zip(values, names).map { "(\($0)) = g.\($1)" }.joined(separator: " AND ")
        let keys =
            "(SELECT group_concat(Z_PK) FROM (SELECT Z_PK FROM main.\(table) WHERE "
            + "Z_ENT IN (\(SQLName.list(numbers))) AND \(equal) "
            + "ORDER BY Z_PK LIMIT \(Limits.migrationExamples)))"
        let statement = try connection.prepare(
            "SELECT n, \(keys), \(shown) FROM (\(agreeing)) g ORDER BY k LIMIT \(Limits.migrationExamples)")
        var groups: [MigrationObstacle.Duplicates] = []
        while try statement.step() {
            groups.append(
                .init(
                    values: names.indices.map { statement.text($0 + 2) }, count: Int(statement.int64(0)),
                    keys: statement.text(1).split(separator: ",").compactMap { Int64($0) }))
        }
        return (total, groups)
    }
}

extension SQLSchema {
    /// The constraints of the entities of a table, each with its columns.
    func uniqueConstraints(
        on table: SQLTable
    ) -> [(entity: EntityDescription, constraint: [String], columns: [String])] {
        model.entities[model.entities[table.root].familyIndices].flatMap { entity in
            entity.definition.uniquenessConstraints.compactMap { constraint in
                let columns = constraint.compactMap { indexedColumn($0, of: entity) }
                return columns.count == constraint.count && !columns.isEmpty
                    ? (entity, constraint, columns.map(SQLName.ready)) : nil
            }
        }
    }

    /// The columns in which no two rows of a table agree.
    func uniqueColumns(of table: SQLTable) -> [[String]] { uniqueConstraints(on: table).map(\.columns) }
}
