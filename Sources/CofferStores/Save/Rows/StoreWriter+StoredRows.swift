internal import CofferModel
internal import CofferSQLite
internal import CofferWire

// Stored rows and versions, as far as a save reads them row by row.

extension StoreWriter {
    /// One stored row; `nil` if there is none of this leaf entity.
    func storedRow(_ plan: EntityPlan, _ key: Int64) throws(StoreError) -> RowBatch? {
        try translating { () throws(SQLiteError) in
            var reader = try StoredRow(plan, on: connection)
            return try reader.append(key) ? reader.rows() : nil
        }
    }

    /// The present version of a row; `nil` if there is none of this leaf entity.
    func storedVersion(_ plan: EntityPlan, _ key: Int64) throws(StoreError) -> UInt32? {
        try translating { () throws(SQLiteError) in
            let query = try plan.statement(.version, on: connection) {
                "SELECT Z_OPT FROM \(plan.entity.table) WHERE Z_PK = ?1 AND Z_ENT = \(plan.entity.number)"
            }
            try query.bind(key, at: 1)
            guard try query.step() else { return nil }
            defer { query.reset() }
            return try version(query)
        }
    }

    /// The version in the first column of a statement's row.
    ///
    /// - Throws: `SQLiteError.corrupt` if no request can name the version: a client would be in conflict
    ///   about it for ever.
    func version(_ row: SQLiteStatement) throws(SQLiteError) -> UInt32 {
        guard row.type(0) == .integer, let version = UInt32(exactly: row.int64(0)) else {
            throw unsoundVersion
        }
        return version
    }

    /// The error for a file in which a row cannot be found by the version that was read of it, or has no next
    /// version.
    var unsoundVersion: SQLiteError {
        .corrupt(path: file.path, message: "a row has no version, or none that another can follow")
    }

    /// The object that a stored row's to-one relationship names.
    func storedEnd(
        _ property: EntityPlan.Property, of plan: EntityPlan, _ key: Int64
    ) throws(SQLiteError) -> LeafKey? {
        guard case .toOne(let column, let entityColumn, _) = property.stored else { return nil }
        let query = try plan.statement(.reference(property.index), on: connection) {
            "SELECT \(column), \(entityColumn ?? "NULL") FROM \(plan.entity.table) WHERE Z_PK = ?1"
        }
        try query.bind(key, at: 1)
        guard try query.step() else { return nil }
        defer { query.reset() }
        return query.isNull(0) ? nil : property.end(query.int64(0), entityNumber: query.int64(1))
    }

    /// The version of a row and the object at the other end of a relationship; `nil` if there is no row of
    /// this leaf entity.
    func storedPair(
        _ property: EntityPlan.Property, of plan: EntityPlan, _ key: Int64
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

    /// What a client sends besides what it changed, but for values that it took for null since their files
    /// are missing: the row goes on naming these.
    func leavingMissing(
        _ columns: [Column], row: Int, of plan: EntityPlan, key: Int64
    ) throws(StoreError) -> [Column] {
        guard let external else { return columns }
        var kept: [Column] = []
        for column in columns {
            if column.isNull(row), let property = plan.properties[column.property],
                property.attribute?.allowsExternalStorage ?? false, let name = property.columnName,
                try isMissing(name, of: plan, key: key, external)
            {
                continue
            }
            kept.append(column)
        }
        return kept
    }

    /// Whether a row names a file that is not there.
    private func isMissing(
        _ column: String, of plan: EntityPlan, key: Int64, _ external: ExternalWriter
    ) throws(StoreError) -> Bool {
        let stored = try translating { () throws(SQLiteError) in
            let query = try connection.cached(
                "SELECT \(column) FROM \(plan.entity.table) WHERE Z_PK = ?1 AND Z_ENT = \(plan.entity.number) "
                    + "AND \(ExternalData.isFile(column))")
            defer { query.reset() }
            try query.bind(key, at: 1)
            return try query.step() ? query.blob(0) : []
        }
        return try ExternalData.value(stored) { name throws(StoreError) in try external.bytes(named: name) }
            == nil
    }

    /// The plan of any entity that shares the table of `root`, which may not be in the configuration itself.
    func treePlan(_ root: Int) throws(StoreError) -> EntityPlan {
        let family = file.schema.model.entities[root].familyIndices
        return try plan(family.first { file.schema.entities[$0] != nil } ?? root)
    }
}
