internal import CCofferMessages

extension RowBatch: WireMessage, @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RowBatch>) {
        unsafe coffer__v1__row_batch__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__RowBatch>) throws(WireError) {
        let c = unsafe message.pointee
        let rowCount = unsafe Int(c.row_count)
        guard rowCount <= Limits.rows else {
            throw .tooMany("coffer.v1.RowBatch.row_count", count: rowCount, limit: Limits.rows)
        }
        try unsafe check(c.n_entities, of: rowCount, "coffer.v1.RowBatch.entities", mayBeAbsent: true)
        try unsafe check(c.n_primary_keys, of: rowCount, "coffer.v1.RowBatch.primary_keys", mayBeAbsent: true)
        try unsafe check(c.n_versions, of: rowCount, "coffer.v1.RowBatch.versions", mayBeAbsent: true)
        try unsafe self.init(
            rowCount: rowCount, entity: Int(c.entity),
            entities: [UInt32](copying: c.entities, count: c.n_entities),
            primaryKeys: [Int64](copying: c.primary_keys, count: c.n_primary_keys),
            versions: [UInt32](copying: c.versions, count: c.n_versions),
            columns: readColumns(c.columns, c.n_columns, rowCount: rowCount, "coffer.v1.RowBatch.columns"))
    }

    func fill(_ c: inout Coffer__V1__RowBatch, in arena: PackArena) throws(WireError) {
        unsafe c.row_count = UInt32(rowCount)
        unsafe c.entity = UInt32(entity)
        unsafe (c.n_entities, c.entities) = arena.numbers(entities)
        unsafe (c.n_primary_keys, c.primary_keys) = arena.numbers(primaryKeys)
        unsafe (c.n_versions, c.versions) = arena.numbers(versions)
        try unsafe (c.n_columns, c.columns) = arena.list(columns)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

/// Refuses a repeated field that has not one element for each row.
func check(
    _ count: Int, of rowCount: Int, _ field: StaticString, mayBeAbsent: Bool = false
) throws(WireError) {
    guard count == rowCount || (mayBeAbsent && count == 0) else {
        throw .malformed("\(field): \(count) for \(rowCount) rows")
    }
}
