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

    func fill(_ c: inout Coffer__V1__RowBatch, in arena: inout PackArena) throws(WireError) {
        unsafe c.row_count = UInt32(rowCount)
        unsafe c.entity = UInt32(entity)
        unsafe (c.n_entities, c.entities) = arena.numbers(entities)
        unsafe (c.n_primary_keys, c.primary_keys) = arena.numbers(primaryKeys)
        unsafe (c.n_versions, c.versions) = arena.numbers(versions)
        try unsafe (c.n_columns, c.columns) = arena.list(columns)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}

extension RowBatch: FieldMessage {
    static var name: StaticString { "coffer.v1.RowBatch" }

    var aboutByteCount: Int {
        let identityByteCount = 4 * entities.count + 8 * primaryKeys.count + 4 * versions.count
        return columns.reduce(24 + identityByteCount) { $0 + $1.aboutByteCount + 6 }
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
            case 6:
                if columns.isEmpty { columns.reserveCapacity(16) }
                try columns.append(
                    reader.message(field), "coffer.v1.RowBatch.columns", limit: Limits.columns)
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
        for index in columns.indices { try columns[index].check(rowCount: rowCount) }
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(rowCount))
        writer.put(2, number: UInt64(entity))
        writer.put(3, numbers: entities)
        writer.put(4, numbers: primaryKeys)
        writer.put(5, numbers: versions)
        for column in columns {
            try writer.put(6, about: column.aboutByteCount) { writer throws(WireError) in
                column.write(to: &writer)
            }
        }
    }
}

/// Refuses a repeated field that has not one element for each row.
func check(
    _ count: Int, of rowCount: Int, _ field: StaticString, mayBeAbsent: Bool = false
) throws(WireError) {
    guard count == rowCount || (mayBeAbsent && count == 0) else {
        throw .malformed("\(field): \(count) for \(rowCount) rows")
    }
}
