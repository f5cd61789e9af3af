extension PackedRows {
    /// The rows of a batch, laid out again.
    ///
    /// - Throws: `WireError.malformed` if the batch's columns have not one value for each row.
    package convenience init(_ batch: RowBatch) throws(WireError) {
        var builder = try PackedRowsBuilder(
            rowCount: batch.rowCount, entity: batch.entity, columnCount: batch.columns.count,
            byteCount: batch.aboutByteCount)
        try builder.add(keys: batch.primaryKeys, versions: batch.versions, entities: batch.entities)
        let columns = batch.columns.span  // Lends each column, where the array would copy it.
        for index in columns.indices { try builder.add(columns[index]) }
        let (layout, memory) = unsafe builder.take()
        unsafe self.init(layout, memory: memory)
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

    /// A copy of all primary keys, none for dictionaries; one row's is `primaryKey(_:)`.
    ///
    /// - Complexity: O(rows).
    package func makePrimaryKeys() -> [Int64] {
        unsafe Array(copying: bytes(UInt32(layout.keys), 8 * rowCount))
    }

    /// Bytes of the block; none if `offset` is 0.
    private func bytes(_ offset: UInt32, _ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(bytes(Int(offset), count: offset == 0 ? 0 : count))
    }
}

extension PackedRows: WireMessage, FieldMessage {
    static var name: StaticString { RowBatch.name }

    var aboutByteCount: Int { messageByteCount }

    /// Reads a `coffer.v1.RowBatch`: mostly it is laid out as ours are, and is copied as it lies.
    convenience init(reading reader: inout FieldReader) throws(WireError) {
        if let (layout, memory) = try unsafe RowBatchScan.block(of: reader.rest) {
            unsafe self.init(layout, memory: memory)
        } else {
            try self.init(RowBatch(reading: &reader))
        }
    }

    func write(to writer: inout FieldWriter) {
        unsafe writer.append(UnsafeRawBufferPointer(bytes(0, count: messageByteCount)))
    }

    package convenience init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }

    /// Whether both are the same message.
    package static func == (one: PackedRows, other: PackedRows) -> Bool {
        unsafe one === other
            || one.bytes(0, count: one.messageByteCount).elementsEqual(
                other.bytes(0, count: other.messageByteCount))
    }
}
