extension RowBatch: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.RowBatch" }

    var aboutByteCount: Int {
        let identityByteCount = 4 * entities.count + 8 * primaryKeys.count + 4 * versions.count
        return 24 + identityByteCount + columns.aboutByteCount
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: rowCount = Int(try reader.number32(field))
            case 2: entity = Int(try reader.number32(field))
            case 3: try reader.append(field, to: &entities)
            case 4: try reader.append(field, to: &primaryKeys)
            case 5: try reader.append(field, to: &versions)
            case 6: try columns.append(field, from: &reader, "coffer.v1.RowBatch.columns")
            default: try reader.skip(field)
            }
        }
        try checkCounts()
    }

    private func checkCounts() throws(WireError) {
        guard rowCount <= Limits.rows else {
            throw .tooMany("coffer.v1.RowBatch.row_count", count: rowCount, limit: Limits.rows)
        }
        try check(entities.count, of: rowCount, "coffer.v1.RowBatch.entities", mayBeAbsent: true)
        try check(primaryKeys.count, of: rowCount, "coffer.v1.RowBatch.primary_keys", mayBeAbsent: true)
        try check(versions.count, of: rowCount, "coffer.v1.RowBatch.versions", mayBeAbsent: true)
        try columns.check(rowCount: rowCount)
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(rowCount))
        writer.put(2, number: UInt64(entity))
        writer.put(3, numbers: entities)
        writer.put(4, numbers: primaryKeys)
        writer.put(5, numbers: versions)
        try writer.put(6, messages: columns)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}

/// Refuses a repeated field that has not one element for each row.
func check(
    _ count: Int, of rowCount: Int, _ field: StaticString, mayBeAbsent: Bool = false
) throws(WireError) {
    guard count == rowCount || (mayBeAbsent && count == 0) else {
        throw .malformed("\(field): \(count) for \(rowCount) rows")
    }
}
