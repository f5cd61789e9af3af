extension PackedRows {
    /// The rows of a batch, laid out anew.
    ///
    /// - Throws: `WireError.malformed` where the batch's columns have not one value for each row.
    package convenience init(_ batch: RowBatch) throws(WireError) {
        let (layout, memory) = try unsafe Self.laidOut(batch)
        unsafe self.init(layout, memory: memory)
    }

    /// Reads a `coffer.v1.RowBatch`.
    convenience init(reading bytes: RawSpan) throws(WireError) {
        let (layout, memory) = try unsafe bytes.withUnsafeBytes { buffer throws(WireError) in
            if let parts = try unsafe RowBatchScan.block(of: buffer) { return unsafe parts }
            return try unsafe Self.laidOut(RowBatch(readingFields: buffer.bytes))
        }
        unsafe self.init(layout, memory: memory)
    }

    private static func laidOut(
        _ batch: RowBatch
    ) throws(WireError) -> (PackedLayout, UnsafeMutableRawPointer) {
        var builder = try PackedRowsBuilder(
            rowCount: batch.rowCount, entity: batch.entity, columnCount: batch.columns.count,
            byteCount: batch.aboutByteCount)
        try builder.add(keys: batch.primaryKeys, versions: batch.versions, entities: batch.entities)
        let columns = batch.columns.span  // Lends each column, where the array would copy it.
        for index in columns.indices { try builder.add(columns[index]) }
        return unsafe builder.take()
    }
}

extension PackedRows {
    /// What the rows are known by.
    func withoutColumns() throws(WireError) -> PackedRows {
        var builder = try PackedRowsBuilder(
            rowCount: rowCount, entity: entity, columnCount: 0, byteCount: 16 * rowCount)
        try unsafe builder.add(
            keys: bytes(UInt32(layout.keys), 8 * rowCount).bytes,
            versions: bytes(UInt32(layout.versions), 4 * rowCount).bytes,
            entities: bytes(UInt32(layout.entities), 4 * rowCount).bytes)
        return builder.finish()
    }

    /// Writes a `coffer.v1.RowBatch` as a field.
    func write(to writer: inout FieldWriter, as field: UInt64) {
        unsafe writer.always(field, run: UnsafeRawBufferPointer(bytes(0, count: messageByteCount)))
    }

    /// A copy of all primary keys, none for dictionaries; one row's is `primaryKey(_:)`.
    ///
    /// - Complexity: O(rows).
    package func makePrimaryKeys() -> [Int64] { numbers(UInt32(layout.keys)) }

    /// A copy of the leaf entities of all rows, none where all are of `entity`; one row's is `leafEntity(_:)`.
    ///
    /// - Complexity: O(rows).
    package func makeLeafEntities() -> [UInt32] { numbers(UInt32(layout.entities)) }

    /// A copy of the rows as a batch.
    ///
    /// - Complexity: O(rows * columns).
    package func makeBatch() -> RowBatch {
        RowBatch(
            rowCount: rowCount, entity: entity, entities: makeLeafEntities(), primaryKeys: makePrimaryKeys(),
            versions: numbers(UInt32(layout.versions)),
            columns: (0..<columnCount).compactMap { column(place($0)) })
    }

    private func column(_ place: ColumnPlace) -> Column? {
        func data() -> [UInt8] { unsafe Array(bytes(place.values, valueByteCount(place))) }
        guard let kind = ColumnKind(rawValue: UInt32(place.kind)) else { return nil }
        let values: ColumnValues =
            switch kind {
            case .integers: .integers(numbers(place.values))
            case .bits: .bits(data())
            case .doubles: .doubles(numbers(place.values))
            case .floats: .floats(numbers(place.values))
            case .bytes: .bytes(ByteRuns(data: data(), ends: numbers(place.ends)))
            case .uuids: .uuids(data())
            case .decimals: .decimals(data())
            case .references: .references(keys: numbers(place.values), entities: numbers(place.ends))
            }
        let nulls = unsafe Array(bytes(place.nulls, bitByteCount))
        return Column(property: Int(place.property), nulls: nulls, values: values)
    }

    private var bitByteCount: Int { (rowCount + 7) / 8 }

    /// How many bytes the values of a column take.
    private func valueByteCount(_ place: ColumnPlace) -> Int {
        guard let kind = ColumnKind(rawValue: UInt32(place.kind)) else { return 0 }
        if let byteCount = kind.valueByteCount(rowCount: rowCount) { return byteCount }
        return rowCount == 0 ? 0 : Int(number(rowCount - 1, from: place.ends, as: UInt32.self))
    }

    /// Bytes of the block; none where `offset` is 0.
    private func bytes(_ offset: UInt32, _ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(bytes(Int(offset), count: offset == 0 ? 0 : count))
    }

    /// Numbers of the block, one a row; none where `offset` is 0.
    private func numbers<Number: BitwiseCopyable>(_ offset: UInt32) -> [Number] {
        if offset == 0 { return [] }
        return unsafe Array(copying: bytes(offset, rowCount * MemoryLayout<Number>.size))
    }
}
