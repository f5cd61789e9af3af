internal import CofferModel

extension SQLSchema {
    /// The statements that make all tables and indexes of a new store, and number its entities.
    ///
    /// - Complexity: O(properties of the model); the result is not cached.
    package var creationStatements: [String] {
        tables.map(creation) + joinTables.map(creation) + indexStatements
            + trees.flatMap { $0.tree.statements(on: $0.table, filling: false) } + FixedTables.system
            + FixedTables.history + FixedTables.coffer + numbering
    }

    /// Makes the indexes of all tables.
    var indexStatements: [String] {
        var names = UniqueNames()
        return tables.flatMap { indexes(on: $0, &names) } + joinTables.map(index)
    }

    /// Makes a table of entities.
    func creation(of table: SQLTable) -> String {
        var parts = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
        parts += table.columns.map { SQLName.quoted($0.name) + " " + $0.type }
        return "CREATE TABLE \(table.name) ( " + parts.joined(separator: ", ") + " )"
    }

    /// Makes the table of a many-to-many relationship.
    func creation(of table: SQLJoinTable) -> String {
        let columns = ([table.first, table.second] + table.orderColumns).map { $0 + " INTEGER, " }.joined()
        return "CREATE TABLE \(table.identifier) ( \(columns)PRIMARY KEY (\(table.first), \(table.second)) )"
    }

    private func index(on table: SQLJoinTable) -> String {
        "CREATE INDEX \(SQLName.bareOrQuoted("\(table.name)_\(table.second)_INDEX")) ON \(table.identifier) "
            + "(\(table.second), \(table.first))"
    }

    /// The index on a column for another object's key.
    static func index(on column: SQLTable.Column, of table: SQLTable) -> String {
        "CREATE INDEX \(table.name)_\(column.name)_INDEX ON \(table.name) (\(column.name))"
    }

    /// The indexes of a table; those that models name get a unique name.
    private func indexes(on table: SQLTable, _ names: inout UniqueNames) -> [String] {
        let family = model.entities[model.entities[table.root].familyIndices]
        var statements = table.columns.filter(\.isReference).map { Self.index(on: $0, of: table) }
        if table.hasSeveralEntities {
            statements.append("CREATE INDEX \(table.name)_Z_ENT_INDEX ON \(table.name) (Z_ENT)")
        }
        for entity in family {
            statements += attributeIndexes(of: entity, on: table, &names)
            for index in entity.definition.indexes {
                // What is refused is refused when a store is made.
                guard
                    case .index(let name, let columns, let condition) = IndexForm(index, of: entity, in: self),
                    !columns.isEmpty
                else { continue }
                statements.append(
                    "CREATE INDEX \(SQLName.quoted(names.name(name))) ON \(table.name) ("
                        + columns.joined(separator: ", ") + ")" + (condition.map { " WHERE  \($0)" } ?? ""))
            }
        }
        return statements + family.flatMap { uniqueIndexes(of: $0, on: table) }
    }

    /// The r-trees of all tables, each with its table.
    var trees: [(tree: IndexTree, table: String)] {
        tables.flatMap { table in
            let family = model.entities[model.entities[table.root].familyIndices]
            return family.flatMap { entity in
                entity.definition.indexes.compactMap { index -> (tree: IndexTree, table: String)? in
                    guard case .tree(let tree) = IndexForm(index, of: entity, in: self) else { return nil }
                    return (tree, table.name)
                }
            }
        }
    }

    /// Refuses indexes for which it is not known how a store keeps them.
    ///
    /// - Throws: `StoreError.unfitModel`, which names the first.
    func requireIndexes() throws(StoreError) {
        for table in tables {
            for entity in model.entities[model.entities[table.root].familyIndices] {
                for index in entity.definition.indexes {
                    guard case .refused(let reason) = IndexForm(index, of: entity, in: self) else { continue }
                    throw .unfitModel(
                        detail: "the index '\(index.name)' of '\(entity.name)' cannot be kept: \(reason)")
                }
            }
        }
    }

    private func uniqueIndexes(of entity: EntityDescription, on table: SQLTable) -> [String] {
        var made: Set<[String]> = []
        return entity.definition.uniquenessConstraints.compactMap { constraint in
            let columns = constraint.compactMap { indexedColumn($0, of: entity) }
            guard columns.count == constraint.count, !columns.isEmpty, made.insert(constraint).inserted else {
                return nil
            }
            let elements = columns.map { $0 + " COLLATE BINARY ASC" }.joined(separator: ", ")
            return "CREATE UNIQUE INDEX Z_\(entity.name)_UNIQUE_" + constraint.joined(separator: "_")
                + " ON \(table.name) (\(elements))"
        }
    }

    /// The column of a property that an index can contain, whether or not the entity is in the configuration.
    func indexedColumn(_ name: String, of entity: EntityDescription) -> String? {
        guard let index = entity.propertyIndex(named: name) else { return nil }
        let family = entity.familyIndices.compactMap { entities[$0] }.first
        switch family?.columns[index] {
        case .attribute(let column, _): return column
        case .toOne(let column, _, _): return column
        case .toMany, .manyToMany, .unsupported, nil: return nil
        }
    }

    /// The indexes of attributes that are marked as indexed in the old way; not repeated if an index of the
    /// new way has the attribute alone.
    private func attributeIndexes(
        of entity: EntityDescription, on table: SQLTable, _ names: inout UniqueNames
    ) -> [String] {
        let alone = Set(
            entity.definition.indexes.filter { $0.isPlain && $0.elements.count == 1 }.map {
                $0.elements[0].property
            })
        return entity.attributes.compactMap { attribute in
            guard attribute.isIndexed, attribute.declaringEntityIndex == entity.index,
                !alone.contains(attribute.name), let column = indexedColumn(attribute.name, of: entity)
            else { return nil }
            let name = SQLName.quoted(names.name("Z_\(entity.name)_\(attribute.name)"))
            return "CREATE INDEX \(name) ON \(table.name) (\(column) COLLATE BINARY ASC)"
        }
    }

    /// One row of `Z_PRIMARYKEY` for each entity of the model, and three for history.
    private var numbering: [String] { entityNumbering() + FixedTables.historyNumbering }

    /// One row of `Z_PRIMARYKEY` for each entity of the model; the keys of a tree continue after `lastKey`,
    /// by the index of its root.
    func entityNumbering(lastKey: (_ root: Int) -> Int64 = { _ in 0 }) -> [String] {
        let own = numbers.sorted(model.entities.indices).map { model.entities[$0] }.map { entity in
            (
                numbers[entity.index], entity.name, entity.superentityIndex.map { numbers[$0] } ?? 0,
                entity.superentityIndex == nil ? lastKey(entity.index) : 0
            )
        }
        return own.map { number, name, parent, lastKey in
            "INSERT INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) "
                + "VALUES(\(number), '\(name)', \(parent), \(lastKey))"
        }
    }
}
