internal import CofferModel

/// Which columns of one table of a store become which of its copy's.
///
/// Names differ if the two stores know their entities by other numbers, or if one was made by older rules.
struct CopyTable {
    /// What a column holds.
    enum Kind: Equatable {
        /// What is the same in both.
        case value
        /// A value that may be in a file beside the store, of this attribute.
        case external(String)
        /// The key of an object in the tree of the entity with this index.
        case reference(Int)
        /// The number of an entity.
        case entityNumber
    }

    /// A column.
    struct Field: Equatable {
        var source: String
        var target: String
        var kind: Kind
    }

    /// The root of its tree, by index in the model.
    let root: Int
    /// Its name, in both stores.
    let name: String
    /// Whether several entities have rows in it.
    let hasSeveralEntities: Bool
    private(set) var fields: [Field] = []

    init(_ table: SQLTable) {
        (root, name, hasSeveralEntities) = (table.root, table.name, table.hasSeveralEntities)
    }

    /// Adds a column, which entities may share.
    mutating func add(_ kind: Kind, from source: String, to target: String) {
        if fields.contains(where: { $0.source == source }) { return }
        fields.append(Field(source: source, target: target, kind: kind))
    }
}

/// Which table of a many-to-many relationship becomes which.
struct CopyJoin {
    let source: String
    let target: String
    /// The columns of the keys, and the entities whose trees they are of.
    let ends: [(source: String, target: String, entity: Int)]
    /// The columns that keep an order.
    fileprivate(set) var orders: [(source: String, target: String)] = []
}

/// The tables of a store and of its copy.
struct CopyTables {
    private(set) var tables: [CopyTable]
    private(set) var joins: [CopyJoin] = []
    /// A relationship that the copy cannot have.
    struct Crossing {
        /// `Entity.relationship`.
        let name: String
        let reason: String
        /// Asks for a row that has it.
        let sql: String
    }

    /// Relationships that the copy's configuration leads out of.
    private(set) var crossings: [Crossing] = []
    /// What the store itself cannot keep, each a sentence.
    private(set) var leftOut: [String] = []

    init(from source: SQLSchema, to target: SQLSchema) {
        let roots = Set(target.tables.map(\.root))
        tables = source.tables.filter { roots.contains($0.root) }.map(CopyTable.init)
        let model = source.model
        for case (let entity?, let copy?) in zip(source.entities, target.entities) {
            for (property, stored) in zip(
                model.entities[entity.index].properties, zip(entity.columns, copy.columns))
            {
                guard let (from, to) = stored.0.flatMap({ from in stored.1.map { (from, $0) } }) else {
                    continue
                }
                add(property, of: entity, from: from, to: to, in: model)
            }
        }
    }

    private mutating func add(
        _ property: PropertyDescription, of entity: SQLEntity, from: SQLProperty, to: SQLProperty,
        in model: ManagedObjectModel
    ) {
        let name = "\(model.entities[entity.index].name).\(property.name)"
        switch (from, to) {
        case (.attribute(let column, _), .attribute(let target, _)):
            let isExternal = property.attribute?.allowsExternalStorage ?? false
            add(isExternal ? .external(property.name) : .value, to: entity.table, from: column, as: target)
        case (.toOne(let column, let entityColumn, let end), .toOne(let target, let targetColumn, _)):
            add(.reference(end), to: entity.table, from: column, as: target)
            if let entityColumn, let targetColumn {
                add(.entityNumber, to: entity.table, from: entityColumn, as: targetColumn)
            }
        case (
            .toMany(let table, let key, _, let order, _), .toMany(_, let targetKey, _, let targetOrder, _)
        ):
            if let relationship = property.relationship, model.inverse(of: relationship) == nil {
                add(.reference(entity.index), to: table, from: key, as: targetKey)
            }
            if let order, let targetOrder { add(.value, to: table, from: order, as: targetOrder) }
        case (
            .manyToMany(let table, let own, let other, let order, let end),
            .manyToMany(let target, let targetOwn, let targetOther, let targetOrder, _)
        ):
            var join =
                joins.firstIndex { $0.source == table }.map { joins.remove(at: $0) }
                ?? CopyJoin(
                    source: table, target: target,
                    ends: [(own, targetOwn, entity.index), (other, targetOther, end)])
            if let order, let targetOrder, !join.orders.contains(where: { $0.source == order }) {
                join.orders.append((order, targetOrder))
            }
            joins.append(join)
        case (.unsupported(let reason), _): leftOut.append("'\(name)' is left out: \(reason)")
        case (_, .unsupported(let reason)):
            guard let sql = Self.asking(for: from, of: entity) else { return }
            crossings.append(Crossing(name: name, reason: reason, sql: sql))
        default: leftOut.append("'\(name)' is left out: the copy keeps it otherwise")
        }
    }

    private mutating func add(
        _ kind: CopyTable.Kind, to table: String, from source: String, as target: String
    ) {
        guard let index = tables.firstIndex(where: { $0.name == table }) else { return }
        tables[index].add(kind, from: source, to: target)
    }

    private static func asking(for property: SQLProperty, of entity: SQLEntity) -> String? {
        switch property {
        case .toOne(let column, _, _):
            "SELECT 1 FROM \(entity.table) WHERE \(column) NOT NULL AND Z_ENT = \(entity.number) LIMIT 1"
        case .toMany(let table, let key, _, _, _): "SELECT 1 FROM \(table) WHERE \(key) NOT NULL LIMIT 1"
        case .manyToMany(let table, _, _, _, _): "SELECT 1 FROM \(table) LIMIT 1"
        case .attribute, .unsupported: nil
        }
    }
}
