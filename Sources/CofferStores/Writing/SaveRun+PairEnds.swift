internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension SaveRun {
    /// Whether a property of an object stays as it is stored, whatever the request says.
    func isKept(_ object: RowKey, _ property: Int) -> Bool {
        kept.isEmpty ? false : kept[object]?.contains(property) ?? false
    }

    /// The version of a row and whom it has at the other end of a relationship; `nil` where there is none of this leaf entity.
    func storedPair(
        _ property: EntityPlan.Property, of plan: EntityPlan, key: Int64
    ) throws(SQLiteError) -> (version: UInt32, other: LeafKey?)? {
        guard case .toOne(let column, let entityColumn, _) = property.stored else { return nil }
        let query = try plan.statement(.pair(property.index), on: connection) {
            "SELECT Z_OPT, \(column), \(entityColumn ?? "NULL") FROM \(plan.entity.table) "
                + "WHERE Z_PK = ?1 AND Z_ENT = \(plan.entity.number)"
        }
        try query.bind(key, at: 1)
        guard try query.step() else { return nil }
        defer { query.reset() }
        let version = try version(query)
        if query.isNull(1) { return (version, nil) }
        return (version, property.end(query.int64(1), entityNumber: query.int64(2)))
    }

    /// Whom the store has at `other`'s end of a relationship.
    func storedEnd(_ other: LeafKey, _ property: EntityPlan.Property) throws(StoreError) -> LeafKey? {
        let plan = try writer.plan(other.entity)
        guard let inverse = property.inverse, let back = plan.end(inverse) else { return nil }
        return try translating { () throws(SQLiteError) in
            try reference(back, of: plan, key: other.key)
        }
    }
}

extension SaveRun {
    /// Notes the one-to-one relationships that a row is about to get by itself.
    mutating func noteWritten(_ columns: [Column], _ plan: EntityPlan, _ key: Int64) throws(SQLiteError) {
        for column in columns {
            guard let property = plan.properties[column.property], property.isPair else { continue }
            pairs.written.append(
                PairChanges.Written(
                    object: LeafKey(entity: plan.index, key: key), property: property,
                    former: try reference(property, of: plan, key: key)))
        }
    }

    /// Makes the other ends of pairs that were written by themselves agree with them.
    mutating func settlePairs() throws(StoreError) {
        let written = pairs.written
        pairs.written = []
        writtenEnds = WrittenEnds()
        for end in written {
            let plan = try writer.plan(end.object.entity)
            if deleted.contains(RowKey(root: plan.root, key: end.object.key)) { continue }
            guard let inverse = end.property.inverse else { continue }
            let now = try translating { () throws(SQLiteError) in
                try reference(end.property, of: plan, key: end.object.key)
            }
            if let now, let other = try stored(now, end.property) {
                try pair(other, inverse, with: end.object, end.property)
            }
            if let former = end.former, former.key != now?.key,
                let other = try stored(former, end.property)
            {
                try part(other, inverse, from: end.object)
            }
        }
    }

    /// Lets `other` have `object` at its end, and whom it had there nobody.
    private mutating func pair(
        _ other: LeafKey, _ inverse: EntityPlan.Inverse, with object: LeafKey,
        _ property: EntityPlan.Property
    ) throws(StoreError) {
        let plan = try writer.plan(other.entity)
        guard let end = plan.end(inverse), let back = end.inverse, back.owners.contains(object.entity) else {
            return
        }
        let present = try translating { () throws(SQLiteError) in
            try reference(end, of: plan, key: other.key)
        }
        if present?.key == object.key { return }
        try set(end, of: plan, other, to: object)
        if let present, let former = try stored(present, end) {
            try part(former, back, from: other)
        }
    }

    /// Lets `other` have nobody at its end, where that is `object`.
    private mutating func part(
        _ other: LeafKey, _ inverse: EntityPlan.Inverse, from object: LeafKey
    ) throws(StoreError) {
        let plan = try writer.plan(other.entity)
        guard let end = plan.end(inverse) else { return }
        let present = try translating { () throws(SQLiteError) in
            try reference(end, of: plan, key: other.key)
        }
        if present?.key == object.key { try nullify(other, inverse, isRule: false) }
    }

    private mutating func set(
        _ property: EntityPlan.Property, of plan: EntityPlan, _ object: LeafKey, to other: LeafKey
    ) throws(StoreError) {
        guard case .toOne(let column, let entityColumn, _) = property.stored else { return }
        try writeEnd(property, of: plan, object) { [connection] () throws(SQLiteError) in
            let statement = try plan.statement(.setEnd(property.index), on: connection) {
                "UPDATE \(plan.entity.table) SET \(column) = ?2, "
                    + (entityColumn.map { "\($0) = ?3, " } ?? "")
                    + "Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1 RETURNING Z_OPT"
            }
            try statement.bind(object.key, at: 1)
            try statement.bind(other.key, at: 2)
            if entityColumn != nil { try statement.bind(Int64(plan.numbers[other.entity]), at: 3) }
            return statement
        }
    }
}

extension EntityPlan.Property {
    /// Whether it is one end of a one-to-one relationship, of which both rows keep a half.
    var isPair: Bool {
        if case .toOne = stored, let inverse { !inverse.isToMany } else { false }
    }
}
