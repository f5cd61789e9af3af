internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Finds out why uniqueness constraints forbid rows, and learns from it what the next attempt has to do
/// differently.
struct ConstraintPass: SavePass {
    let state: SaveState
    /// Which side wins if a uniqueness constraint is broken.
    let rule: MergeRule
    /// What earlier attempts and this one found out about constraints.
    private(set) var resolution: ConstraintResolution
    /// Whether this attempt has found something out: then it is to be undone and repeated.
    private(set) var hasLearned = false
    /// Whether a batch operation is executed: then broken constraints are conflicts under every policy.
    var isBatchRunning = false

    init(_ state: SaveState, rule: MergeRule, resolution: ConstraintResolution) {
        self.state = state
        self.rule = rule
        self.resolution = resolution
    }

    /// Finds which uniqueness constraint a row would break, and which stored object has the values.
    mutating func didForbid(
        _ row: Int, of columns: [Column], plan: EntityPlan, key: Int64, by forbidding: ForbiddingRule
    ) throws(SQLiteError) {
        guard outcome.takesConstraints else { return }
        let object = plan.object(key)
        for constraint in writer.uniquenessConstraints(of: plan) {
            guard let holder = try holder(of: constraint, columns: columns, row: row, in: plan, besides: key)
            else { continue }
            let properties = constraint.compactMap { plan.description.propertyIndex(named: $0) }
            if let other = holder.object, learn(object, properties, holder: other) { return }
            outcome.addConstraint(
                ConstraintConflictMessage(
                    object: inserted.reference(to: object), constraint: constraint,
                    existing: holder.object.map { inserted.reference(to: $0) }))
            return
        }
        // The index of another entity in the same table, or the key itself, forbids the row.
        guard let names = forbidding.uniqueColumns else {
            throw .constraint(extendedCode: forbidding.code, message: forbidding.message)
        }
        outcome.addConstraint(
            ConstraintConflictMessage(
                object: inserted.reference(to: object), constraint: names, existing: nil))
    }

    /// Learns how the policy decides about a row that must not have the values of `holder`; `properties` are
    /// the constraint's attributes.
    ///
    /// Returns `false` if the client has to decide.
    private mutating func learn(_ object: LeafKey, _ properties: [Int], holder: LeafKey) -> Bool {
        let decision = rule.decide(.contested)
        guard decision != .conflict, !isBatchRunning, resolution.round + 1 < Limits.constraintRounds
        else { return false }
        if let place = inserted.place(of: object) {
            // An object cannot change its entity.
            guard holder.entity == object.entity else { return false }
            resolution.merged[place] = inserted.place(of: holder).map { .place($0) } ?? .stored(holder)
        } else if decision == .wanted {
            // The request itself gives two objects the same values: nothing says which of them is meant.
            guard !inserted.contains(holder), !objects.isUpdated(holder) else { return false }
            resolution.replaced.append(holder)
        } else {
            guard !objects.isUpdated(holder) else { return false }
            let model = writer.file.schema.model
            let protected =
                rule.keepsWholeObjects
                ? Set(model.entities[object.entity].properties.indices) : Set(properties)
            resolution.protected[object.row(in: model), default: []].formUnion(protected)
        }
        hasLearned = true
        return true
    }

    /// The row that already has the values of a constraint.
    private struct Holder {
        /// `nil` if the row belongs to none of the model's objects, as in a damaged file.
        var object: LeafKey?
    }

    /// The row, other than the one with `key`, that has the same values for all of `constraint`.
    private func holder(
        of constraint: [String], columns: [Column], row: Int, in plan: EntityPlan, besides key: Int64
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
        let query = try writer.connection.cached(
            "SELECT Z_PK, Z_ENT FROM \(plan.entity.table) WHERE Z_PK <> ?1 AND "
                + conditions.joined(separator: " AND ") + " LIMIT 1")
        try query.bind(key, at: 1)
        for (place, property) in properties.enumerated() {
            guard let column = columns.first(where: { $0.property == property.index }) else { continue }
            try bind(column, row: row, of: property, to: query, at: place + 2)
        }
        guard try query.step() else { return nil }
        defer { query.reset() }
        let entity = writer.file.schema.entity(numbered: Int(query.int64(1)))
        return Holder(object: entity.map { LeafKey(entity: $0.index, key: query.int64(0)) })
    }

    private func bind(
        _ column: Column, row: Int, of property: EntityPlan.Property, to query: SQLiteStatement, at place: Int
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
        case .decimals(let bytes): try query.bind(DecimalParts(bytes, row: row).double, at: place)
        case .references(let keys, _): try query.bind(keys[row], at: place)
        }
    }
}

/// The rule of a table that forbids a row, as SQLite names it.
struct ForbiddingRule {
    let code: Int32
    let message: String

    init(_ rule: (code: Int32, message: String)) { (code, message) = rule }

    /// The columns whose values must be unique; `nil` if it is another kind of rule.
    var uniqueColumns: [String]? {
        guard message.contains("UNIQUE") else { return nil }
        let names = message.split(separator: ":").last?.split(separator: ",").map { part in
            String((part.split(separator: ".").last ?? part).drop { $0 == " " })
        }
        return names ?? []
    }
}

extension StoreWriter {
    /// The uniqueness constraints that objects of an entity must meet, including those of its ancestors.
    func uniquenessConstraints(of plan: EntityPlan) -> [[String]] {
        var constraints: [[String]] = []
        var ancestor: EntityDescription? = plan.description
        while let entity = ancestor {
            constraints += entity.definition.uniquenessConstraints
            ancestor = entity.superentityIndex.map { file.schema.model.entities[$0] }
        }
        return constraints
    }
}
