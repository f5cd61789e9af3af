internal import CofferSQLite
internal import CofferWire

// The exact digits of decimals, which the column of a row cannot keep, in a table beside it.

extension StoreWriter {
    /// Writes the exact digits of a row's decimal, or removes former ones if its column keeps the value.
    func writeDigits(of column: Column, row: Int, to key: Int64, in plan: EntityPlan) throws(SQLiteError) {
        guard let property = plan.properties[column.property],
            case .attribute(let name, _) = property.stored, case .decimals(let bytes) = column.values
        else { return }
        let digits = column.isNull(row) ? nil : DecimalParts(bytes, row: row).digitsBesideDouble
        let statement = try connection.cached(
            digits == nil
                ? "DELETE FROM COFFER_DECIMAL WHERE relation = ?1 AND key = ?2 AND property = ?3"
                : "INSERT OR REPLACE INTO COFFER_DECIMAL(relation, key, property, digits) VALUES(?1, ?2, ?3, ?4)"
        )
        try statement.bind(plan.entity.table, at: 1)
        try statement.bind(key, at: 2)
        try statement.bind(name, at: 3)
        if let digits { try statement.bind(digits, at: 4) }
        try statement.run()
    }

    /// Removes the exact digits of all decimals of a row.
    func removeDigits(of key: Int64, _ plan: EntityPlan) throws(SQLiteError) {
        let statement = try connection.cached("DELETE FROM COFFER_DECIMAL WHERE relation = ?1 AND key = ?2")
        try statement.bind(plan.entity.table, at: 1)
        try statement.bind(key, at: 2)
        try statement.run()
    }
}
