internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension SaveRun {
    /// Whom the store has at `other`'s end of a relationship.
    func storedEnd(_ other: LeafKey, _ property: EntityPlan.Property) throws(StoreError) -> LeafKey? {
        let plan = try writer.plan(other.entity)
        guard let inverse = property.inverse, let back = plan.end(inverse) else { return nil }
        return try translating { () throws(SQLiteError) in
            try writer.storedEnd(back, of: plan, other.key)
        }
    }
}

extension SaveRun {
    /// Writes a to-one relationship of a stored object that the request does not update, by a bound statement that returns the row's
    /// new version.
    func writeEnd(
        _ property: EntityPlan.Property, of plan: EntityPlan, _ object: LeafKey,
        _ statement: () throws(SQLiteError) -> SQLiteStatement
    ) throws(StoreError) {
        let version = try translating { () throws(SQLiteError) -> UInt32? in
            let statement = try statement()
            defer { statement.reset() }
            guard try statement.step() else { return nil }
            let next = try writer.version(statement)
            _ = try statement.step()
            return next
        }
        guard let version else { return }
        changes.addEnd(property, of: plan, object.key, version: version)
    }

    /// Notes the one-to-one relationships that a row is about to get by itself.
    mutating func noteWritten(_ columns: [Column], _ plan: EntityPlan, _ key: Int64) throws(SQLiteError) {
        for column in columns {
            guard let property = plan.properties[column.property], property.isPair else { continue }
            pairs.written.append(
                PairChanges.Written(
                    object: plan.object(key), property: property,
                    former: try writer.storedEnd(property, of: plan, key)))
        }
    }

    /// Makes the other ends of pairs that were written by themselves agree with them.
    mutating func settlePairs() throws(StoreError) {
        let written = pairs.written
        pairs.written = []
        changes.closeEnds()
        for end in written {
            let plan = try writer.plan(end.object.entity)
            if objects.isDeleted(end.object) { continue }
            guard let inverse = end.property.inverse else { continue }
            let now = try translating { () throws(SQLiteError) in
                try writer.storedEnd(end.property, of: plan, end.object.key)
            }
            if let now, let other = try objects.stored(now, end.property) {
                try pair(other, inverse, with: end.object, end.property)
            }
            if let former = end.former, former.key != now?.key,
                let other = try objects.stored(former, end.property)
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
            try writer.storedEnd(end, of: plan, other.key)
        }
        if present?.key == object.key { return }
        try set(end, of: plan, other, to: object)
        if let present, let former = try objects.stored(present, end) {
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
            try writer.storedEnd(end, of: plan, other.key)
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
