internal import CofferSQLite
internal import CofferWire

extension SaveRun {
    /// The version of a row as it is now; `nil` where there is none of this leaf entity.
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

    /// The version that the row of a statement begins with.
    ///
    /// - Throws: `SQLiteError.corrupt` where it is none that a request can name: whoever named it would be in conflict for ever.
    func version(_ row: SQLiteStatement) throws(SQLiteError) -> UInt32 {
        guard row.type(0) == .integer, let version = UInt32(exactly: row.int64(0)) else {
            throw unsoundVersion
        }
        return version
    }

    /// What is wrong with a file where a row cannot be found by the version that was read of it, or has no next one.
    var unsoundVersion: SQLiteError {
        .corrupt(path: writer.file.path, message: "a row has no version, or none that another can follow")
    }
}
