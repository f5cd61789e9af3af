internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Counts the places in ordered relationships, so that new rows come behind their owners' other objects.
struct PlaceCounter {
    /// A property of an entity, and an owner's key.
    private struct Owner: Hashable {
        var entity: Int
        var property: Int
        var key: Int64
    }

    /// The last place given out for an owner.
    private var lastPlaces: [Owner: Int64] = [:]

    /// Binds the row's next places in those inverses of its to-one relationships that are ordered.
    mutating func bindPlaces(
        of columns: [Column], row: Int, to statement: ColumnStatement, in plan: EntityPlan,
        on connection: SQLiteConnection
    ) throws(SQLiteError) {
        for (index, part) in statement.parts.enumerated() {
            guard let parameter = part.orderParameter else { continue }
            guard case .references(let keys, _) = columns[index].values, !columns[index].isNull(row) else {
                try statement.statement.bindNull(at: parameter)
                continue
            }
            let place = try nextPlace(part.property, of: plan, owner: keys[row], on: connection)
            try statement.statement.bind(place, at: parameter)
        }
    }

    private mutating func nextPlace(
        _ property: EntityPlan.Property, of plan: EntityPlan, owner: Int64, on connection: SQLiteConnection
    ) throws(SQLiteError) -> Int64 {
        let declaring = property.relationship?.declaringEntityIndex ?? plan.index
        let counted = Owner(entity: declaring, property: property.index, key: owner)
        var last = lastPlaces[counted]
        if last == nil, let order = property.orderColumn, case .toOne(let column, _, _) = property.stored {
            let query = try plan.statement(.lastPlace(property.index), on: connection) {
                "SELECT max(\(order)) FROM \(plan.entity.table) WHERE \(column) = ?1"
            }
            try query.bind(owner, at: 1)
            if try query.step(), !query.isNull(0) { last = query.int64(0) }
            query.reset()
        }
        let place = OrderPositions.next(after: last)
        lastPlaces[counted] = place
        return place
    }
}
