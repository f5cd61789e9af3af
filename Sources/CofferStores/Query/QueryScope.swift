internal import CofferModel

/// The tables of one SELECT: where its rows come from, and what was joined to them.
///
/// Confined to one compilation; several key paths that begin alike share their joins.
final class QueryScope {
    /// What all selects of one query share.
    final class Aliases {
        private var count = 0

        /// A name that no other table of the query has.
        func next() throws(QueryError) -> String {
            // SQLite joins at most 64 tables; the whole query stays below.
            guard count < Limits.joins else {
                throw .tooComplex("its key paths join more than \(Limits.joins) tables")
            }
            defer { count += 1 }
            return "t\(count)"
        }
    }

    let aliases: Aliases
    /// What the objects at the other end of one ordered relationship are ordered by; empty for all else.
    private(set) var order: [SQLFragment] = []
    /// The select around; `nil` for the outermost one.
    private(set) var outer: QueryScope?
    /// One table after the first.
    private struct Join {
        var table: SQLFragment
        /// Whether each row of the scope has a row of the table; else the columns are null if there is no
        /// such row.
        var isInner: Bool
    }

    private let source: SQLFragment
    private var joins: [Join] = []
    /// The aliases and places among `joins` of the rows of to-one relationships.
    private var rows: [String: (alias: String, place: Int)] = [:]
    /// What ties the rows to those around, and what else is demanded of them.
    private(set) var conditions: [SQLFragment] = []

    init(aliases: Aliases, source: SQLFragment) {
        self.aliases = aliases
        self.source = source
    }

    /// The rows of `entity`'s table, along a list of its sort keys if one is given.
    static func rows(
        of entity: SQLEntity, aliases: Aliases, along list: Int64? = nil
    ) throws(QueryError) -> (QueryScope, ReachedObject) {
        let alias = try aliases.next()
        // SQLite never puts the second table of a CROSS JOIN first.
        let first: SQLFragment = list == nil ? "" : "\(name: SortKeyTables.keys) k CROSS JOIN "
        let scope = QueryScope(aliases: aliases, source: "\(first)\(name: entity.table) \(name: alias)")
        if let list {
            scope.demand("k.list = \(number: Int(list))")
            scope.demand("\(name: alias).Z_PK = k.object")
        }
        return (scope, ReachedObject(scope: scope, entity: entity, alias: alias))
    }

    /// The objects at the other end of a to-many relationship of `owner`, in a select of their own.
    static func elements(
        of owner: ReachedObject, through property: SQLProperty, to entity: SQLEntity
    ) throws(QueryError) -> (QueryScope, ReachedObject) {
        let aliases = owner.scope.aliases
        let alias = try aliases.next()
        switch property {
        case .toMany(let table, let foreignKey, _, let orderColumn, _):
            let scope = QueryScope(aliases: aliases, source: "\(name: table) \(name: alias)")
            scope.demand("\(name: alias).\(name: foreignKey) = \(owner.key)")
            scope.outer = owner.scope
            scope.order = orderColumn.map { ["\(name: alias).\(name: $0)", "\(name: alias).Z_PK"] } ?? []
            return (scope, ReachedObject(scope: scope, entity: entity, alias: alias))
        case .manyToMany(let table, let ownColumn, let otherColumn, let orderColumn, _):
            let scope = QueryScope(aliases: aliases, source: "\(name: table) \(name: alias)")
            scope.demand("\(name: alias).\(name: ownColumn) = \(owner.key)")
            scope.outer = owner.scope
            scope.order =
                orderColumn.map { ["\(name: alias).\(name: $0)", "\(name: alias).\(name: otherColumn)"] }
                ?? []
            return (
                scope, ReachedObject(scope: scope, entity: entity, key: "\(name: alias).\(name: otherColumn)")
            )
        case .attribute, .toOne, .unsupported:
            preconditionFailure("only a to-many relationship has elements")
        }
    }

    /// `FROM … [WHERE …]`, to be asked for once nothing is joined any more.
    var text: SQLFragment {
        var rows: SQLFragment = "FROM \(source)"
        for join in joins { rows.append(join.isInner ? " JOIN \(join.table)" : " LEFT JOIN \(join.table)") }
        if conditions.isEmpty { return rows }
        return "\(rows) WHERE \(SQLFragment.joined(conditions, by: "AND", whenEmpty: "1"))"
    }

    /// Adds a condition on the rows.
    func demand(_ condition: SQLFragment) { conditions.append(condition) }

    /// The alias of the row of `table` whose key is `key`, for which there is no row if the key is null.
    ///
    /// A row that is required is there, since the scope's conditions hold for none without it: so SQLite may
    /// begin with its table.
    func join(_ table: String, key: SQLFragment, isRequired: Bool) throws(QueryError) -> String {
        // Keys of the same text may have different parameters, if a `TERNARY` chooses the object.
        let name = "\(table) \(key.text) \(key.parameters)"
        if let known = rows[name] {
            if isRequired { joins[known.place].isInner = true }
            return known.alias
        }
        let alias = try aliases.next()
        rows[name] = (alias, joins.count)
        joins.append(
            Join(
                table: "\(name: table) \(name: alias) ON \(name: alias).Z_PK = \(key)", isInner: isRequired))
        return alias
    }

    /// Joins the objects at the other end of a to-many relationship of `owner`, which is of this scope.
    func multiply(
        _ owner: ReachedObject, through property: SQLProperty, to entity: SQLEntity
    ) throws(QueryError) -> ReachedObject {
        let alias = try aliases.next()
        order = []
        switch property {
        case .toMany(let table, let foreignKey, _, _, _):
            multiply(
                "\(name: table) \(name: alias) ON \(name: alias).\(name: foreignKey) = \(owner.key)")
            return ReachedObject(scope: self, entity: entity, alias: alias)
        case .manyToMany(let table, let ownColumn, let otherColumn, _, _):
            multiply(
                "\(name: table) \(name: alias) ON \(name: alias).\(name: ownColumn) = \(owner.key)")
            return ReachedObject(scope: self, entity: entity, key: "\(name: alias).\(name: otherColumn)")
        case .attribute, .toOne, .unsupported:
            preconditionFailure("only a to-many relationship has elements")
        }
    }
}

extension QueryScope {
    private func multiply(_ table: SQLFragment) { joins.append(Join(table: table, isInner: true)) }
}

/// An object that a query can reach: the fetched one, or one at the end of relationships.
struct ReachedObject {
    /// The select that its row belongs to.
    let scope: QueryScope
    /// Its entity, as far as the model tells.
    let entity: SQLEntity
    /// Its primary key, null if there is no object.
    let key: SQLFragment
    private let alias: String?

    /// The object that `alias` is the row of.
    init(scope: QueryScope, entity: SQLEntity, alias: String) {
        self.scope = scope
        self.entity = entity
        self.alias = alias
        key = "\(name: alias).Z_PK"
    }

    /// The object with `key`, whose row is joined when a column of it is asked for.
    init(scope: QueryScope, entity: SQLEntity, key: SQLFragment) {
        self.scope = scope
        self.entity = entity
        self.key = key
        alias = nil
    }

    /// A column of its row, which exists if `isRequired`.
    func column(_ name: String, isRequired: Bool = false) throws(QueryError) -> SQLFragment {
        if let alias { return "\(name: alias).\(name: name)" }
        return "\(name: try scope.join(entity.table, key: key, isRequired: isRequired)).\(name: name)"
    }
}
