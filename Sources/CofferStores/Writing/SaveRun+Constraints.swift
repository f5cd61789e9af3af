internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension SaveRun {
    /// Finds which uniqueness constraint a row would break, and which stored object has the values.
    mutating func noteConstraint(
        _ plan: EntityPlan, _ key: Int64, _ columns: [Column], _ row: Int, _ code: Int32, _ message: String
    ) throws(SQLiteError) {
        guard outcome.takesConstraints else { return }
        for constraint in constraints(of: plan) {
            if let holder = try holder(of: constraint, plan, key, columns, row) {
                let properties = constraint.compactMap { plan.description.propertyIndex(named: $0) }
                let object = plan.object(key)
                if let other = holder.object, learn(object, properties, holder: other) { return }
                outcome.addConstraint(
                    ConstraintConflictMessage(
                        object: inserted.reference(to: plan.object(key)), constraint: constraint,
                        existing: holder.object.map { inserted.reference(to: $0) }))
                return
            }
        }
        // An index of another entity in the same table, or the key itself.
        guard message.contains("UNIQUE") else {
            throw .constraint(extendedCode: code, message: message)
        }
        let parts = message.split(separator: ":").last?.split(separator: ",").map { part in
            String(part.split(separator: ".").last ?? part).trimmingSpaces
        }
        outcome.addConstraint(
            ConstraintConflictMessage(
                object: inserted.reference(to: plan.object(key)), constraint: parts ?? [], existing: nil))
    }

    /// The uniqueness constraints that objects of an entity must keep, its ancestors' included.
    func constraints(of plan: EntityPlan) -> [[String]] {
        var constraints: [[String]] = []
        var ancestor: EntityDescription? = plan.description
        while let entity = ancestor {
            constraints += entity.definition.uniquenessConstraints
            ancestor = entity.superentityIndex.map { writer.file.schema.model.entities[$0] }
        }
        return constraints
    }

    /// A row that has the values that a constraint allows once.
    private struct Holder {
        /// `nil` where the row is none of the model's objects, as in a damaged file.
        var object: LeafKey?
    }

    /// The row, other than the one of `key`, that has the same values for all of `constraint`.
    private func holder(
        of constraint: [String], _ plan: EntityPlan, _ key: Int64, _ columns: [Column], _ row: Int
    ) throws(SQLiteError) -> Holder? {
        let properties = constraint.compactMap { name in
            plan.description.propertyIndex(named: name).flatMap { plan.properties[$0] }
        }
        guard properties.count == constraint.count else { return nil }
        let conditions = properties.enumerated().map { place, property in
            let column = property.columnName ?? "NULL"
            if columns.contains(where: { $0.property == property.index }) {
                return "\(column) = ?\(place + 2)"
            }
            return "\(column) = (SELECT \(column) FROM \(plan.entity.table) WHERE Z_PK = ?1)"
        }
        let query = try connection.cached(
            "SELECT Z_PK, Z_ENT FROM \(plan.entity.table) WHERE Z_PK <> ?1 AND "
                + conditions.joined(separator: " AND ") + " LIMIT 1")
        try query.bind(key, at: 1)
        for (place, property) in properties.enumerated() {
            guard let column = columns.first(where: { $0.property == property.index }) else { continue }
            try bind(column, row, property, to: query, at: place + 2)
        }
        guard try query.step() else { return nil }
        defer { query.reset() }
        let entity = writer.file.schema.entity(numbered: Int(query.int64(1)))
        return Holder(object: entity.map { LeafKey(entity: $0.index, key: query.int64(0)) })
    }

    private func bind(
        _ column: Column, _ row: Int, _ property: EntityPlan.Property, to query: SQLiteStatement,
        at place: Int
    ) throws(SQLiteError) {
        if column.isNull(row) { return try query.bindNull(at: place) }
        switch column.values {
        case .integers(let values): try query.bind(values[row], at: place)
        case .bits(let bits): try query.bind(Int64(bits[row / 8] >> UInt8(row % 8) & 1), at: place)
        case .doubles(let values): try query.bind(values[row], at: place)
        case .floats(let values): try query.bind(Double(values[row]), at: place)
        case .bytes(let runs):
            let type = property.attribute?.type
            if type == .string || type == .uri {
                try query.bindText(runs.data, range: runs.range(row), at: place)
            } else {
                try query.bindBlob(runs.data, range: runs.range(row), at: place)
            }
        case .uuids(let bytes): try query.bindBlob(bytes, range: (16 * row)..<(16 * row + 16), at: place)
        case .decimals(let bytes): try query.bind(StoredDecimal(bytes, row: row).double, at: place)
        case .references(let keys, _): try query.bind(keys[row], at: place)
        }
    }
}

extension String {
    fileprivate var trimmingSpaces: String { String(drop { $0 == " " }) }
}
