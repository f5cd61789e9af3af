package import CofferModel

/// Where the objects of one configuration of a model are stored: tables, columns and numbers as Core Data has
/// them.
///
/// Immutable. In a new store entity numbers come from the whole model, so that two stores of one model agree.
package final class SQLSchema: Sendable {
    /// The model that it was made for.
    package let model: ManagedObjectModel
    /// The model's configuration that the store keeps.
    package let configuration: String
    /// The entities by their index in the model; `nil` if one is not in the configuration.
    package let entities: [SQLEntity?]
    /// One table for each inheritance tree with an entity in the configuration, in the order of their roots.
    package let tables: [SQLTable]
    /// The tables of many-to-many relationships.
    package let joinTables: [SQLJoinTable]
    /// The columns whose values may be in files beside the store.
    package let externalColumns: [SQLExternalColumn]
    /// The numbers by which the store knows the entities.
    let numbers: EntityNumbers

    /// Lays out the entities of a configuration for a new store.
    ///
    /// - Throws: `StoreError.unknownConfiguration`.
    package convenience init(model: ManagedObjectModel, configuration: String) throws(StoreError) {
        try self.init(model: model, configuration: configuration, numbers: EntityNumbers(of: model))
    }

    /// Lays out the entities of a configuration for a store with these entity numbers, whose tables have the
    /// columns `present`.
    ///
    /// - Throws: `StoreError.unknownConfiguration`, `.unfitModel`.
    init(
        model: ManagedObjectModel, configuration: String, numbers: EntityNumbers,
        present: [String: [String]] = [:]
    ) throws(StoreError) {
        guard let members = model.entities(in: configuration) else {
            throw .unknownConfiguration(configuration)
        }
        let layout = SchemaLayout(
            model: model, members: Set(members.map(\.index)), numbers: numbers, present: present)
        self.numbers = numbers
        self.model = model
        self.configuration = configuration
        entities = layout.entities
        tables = layout.tables
        joinTables = layout.joinTables
        externalColumns = SQLExternalColumn.all(of: model, in: layout.entities)
        try checkTables()
    }

    /// Checks that each tree of entities has a table of its own: table names are the names of entities in
    /// upper case.
    private func checkTables() throws(StoreError) {
        var roots: [[UInt8]: String] = [:]
        for table in tables {
            let name = model.entities[table.root].name
            guard let other = roots.updateValue(name, forKey: Array(table.name.utf8)) else { continue }
            throw .unfitModel(
                detail:
                    "the entities '\(other)' and '\(name)' would share a table, whose name does not distinguish upper from lower case: rename one"
            )
        }
    }
}

/// How the objects of one entity are stored.
package struct SQLEntity: Sendable {
    /// The index into `model.entities`.
    package let index: Int
    /// Its number in the store, in column `Z_ENT`.
    package let number: Int
    /// The table of its inheritance tree.
    package let table: String
    /// Whether other entities have rows in the table: then queries are restricted by `Z_ENT`.
    package let tableHasSeveralEntities: Bool
    /// The numbers of the entity and all that inherit from it.
    package let familyNumbers: [Int]
    /// The properties by index; `nil` if one is transient.
    package let columns: [SQLProperty?]
}

/// How one property is stored; names are ready to stand in SQL.
package enum SQLProperty: Sendable, Equatable {
    /// In a column.
    case attribute(column: String, type: AttributeType)
    /// As the other object's key, and its entity's number if entities may differ.
    case toOne(column: String, entityColumn: String?, destination: Int)
    /// As the inverse of a to-one relationship, or without inverse in a column of its own: rows of `table`
    /// whose `foreignKey` is the object's key.
    case toMany(
        table: String, foreignKey: String, foreignEntityColumn: String?, orderColumn: String?,
        destination: Int)
    /// In a table of its own.
    case manyToMany(
        table: String, ownColumn: String, otherColumn: String, orderColumn: String?, destination: Int)
    /// Not at all: writing is refused, for `reason`.
    case unsupported(reason: String)
}

extension SQLProperty {
    /// The column that keeps a to-many relationship's order; `nil` if nothing has one.
    var orderColumn: String? {
        switch self {
        case .toMany(_, _, _, let column, _), .manyToMany(_, _, _, let column, _): column
        case .attribute, .toOne, .unsupported: nil
        }
    }
}

/// The table of one inheritance tree.
package struct SQLTable: Sendable {
    /// One column: its name, its declared type, and whether it holds another object's key.
    package struct Column: Sendable, Equatable {
        package let name: String
        package let type: String
        package let isReference: Bool
        /// Whether it holds the owner's key, or the order, of a to-many relationship without inverse.
        package var isOwnerKey = false
    }

    /// Its name.
    package let name: String
    /// The root of the tree, by index in the model.
    package let root: Int
    /// Whether several entities have rows in it.
    package let hasSeveralEntities: Bool
    /// Its columns in order, without `Z_PK`, `Z_ENT` and `Z_OPT`.
    package let columns: [Column]
}

/// The table of one many-to-many relationship.
package struct SQLJoinTable: Sendable {
    /// Its name, as the file has it.
    package let name: String
    /// The first column of its key.
    package let first: String
    /// The second column of its key.
    package let second: String
    /// The columns that keep an order.
    package let orderColumns: [String]

    /// Its name as it stands in SQL.
    package var identifier: String { SQLName.bareOrQuoted(name) }
}

/// A column whose values may be in files beside the store.
package struct SQLExternalColumn: Sendable, Hashable {
    /// Its table.
    package let table: String
    /// Its name.
    package let name: String

    /// The columns, each once, though entities share their parents' columns.
    static func all(of model: ManagedObjectModel, in entities: [SQLEntity?]) -> [SQLExternalColumn] {
        var columns: [SQLExternalColumn] = []
        for case let entity? in entities {
            for (property, stored) in zip(model.entities[entity.index].properties, entity.columns) {
                guard property.attribute?.allowsExternalStorage ?? false,
                    case .attribute(let name, _) = stored
                else { continue }
                let column = SQLExternalColumn(table: entity.table, name: name)
                if !columns.contains(column) { columns.append(column) }
            }
        }
        return columns
    }
}

extension SQLSchema {
    /// The names of the tables of entities and of many-to-many relationships.
    var tableNames: [String] { tables.map(\.name) + joinTables.map(\.name) }

    /// The entity with a number of this store; `nil` if the configuration has none.
    package func entity(numbered number: Int) -> SQLEntity? {
        numbers.index(of: number).flatMap { entities[$0] }
    }

    /// Where an entity's objects are stored.
    ///
    /// - Throws: `StoreError.unknownEntity` if no entity of the model has the index, or it is not in the
    ///   configuration.
    package func entity(at index: Int) throws(StoreError) -> SQLEntity {
        guard entities.indices.contains(index), let entity = entities[index] else {
            throw .unknownEntity(
                model.entities.indices.contains(index) ? model.entities[index].name : "#\(index)")
        }
        return entity
    }
}
