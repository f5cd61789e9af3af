internal import CofferModel
internal import CofferSQLite

/// How many objects a to-many relationship may have, if the model bounds that.
struct BoundedCount {
    private let plan: EntityPlan
    let property: EntityPlan.Property
    private let relationship: RelationshipDescription
    private let sql: String

    /// `nil` if the model allows any number, or the relationship is not stored as one to many.
    init?(_ property: EntityPlan.Property, of plan: EntityPlan) {
        guard let relationship = property.relationship, relationship.isToMany,
            !relationship.isOptional || relationship.minimumCount > 1 || relationship.maximumCount > 0
        else { return nil }
        switch property.stored {
        case .toMany(let table, let foreignKey, _, _, _):
            sql = "SELECT count(*) FROM \(table) WHERE \(foreignKey) = ?1"
        case .manyToMany(let table, let own, _, _, _): sql = "SELECT count(*) FROM \(table) WHERE \(own) = ?1"
        case .attribute, .toOne, .unsupported: return nil
        }
        (self.plan, self.property, self.relationship) = (plan, property, relationship)
    }

    /// How many objects are in the relationship of the one with a key.
    func count(of key: Int64, byWriterOn connection: SQLiteConnection) throws(SQLiteError) -> Int {
        try count(of: key, plan.statement(.count(property.index), on: connection) { sql })
    }

    /// How many it had at the last commit, as another connection than the writer's sees it.
    func committedCount(of key: Int64, on connection: SQLiteConnection) throws(SQLiteError) -> Int {
        try count(of: key, connection.prepare(sql))
    }

    private func count(of key: Int64, _ query: SQLiteStatement) throws(SQLiteError) -> Int {
        try query.bind(key, at: 1)
        guard try query.step() else { return 0 }
        defer { query.reset() }
        return Int(query.int64(0))
    }

    /// By how many objects a number is too small, below 0, or too large.
    func excess(_ count: Int) -> Int {
        if count == 0, relationship.isOptional { return 0 }
        if count < least { return count - least }
        return relationship.maximumCount > 0 ? max(0, count - relationship.maximumCount) : 0
    }

    /// Why a number is refused, for people.
    func text(_ count: Int) -> String {
        let bound = excess(count) < 0 ? "needs \(least)" : "takes \(relationship.maximumCount)"
        return "'\(plan.name).\(property.name)' has \(count) objects, and \(bound)"
    }

    private var least: Int { max(relationship.minimumCount, relationship.isOptional ? 0 : 1) }
}
