#if canImport(Glibc)
import Glibc  // malloc
#endif

/// Where one column of a block lies, in bytes from the block's beginning.
struct ColumnPlace: BitwiseCopyable {
    /// What its text is known to be.
    enum Text: UInt8, BitwiseCopyable {
        case unknown, utf8, ascii
    }

    var property: UInt32
    /// `ColumnKind`.
    var kind: UInt8
    var text = Text.unknown
    /// Null bits; 0 where no row is null.
    var nulls: UInt32 = 0
    /// The values.
    var values: UInt32 = 0
    /// Ends of runs of bytes, or the entities of references.
    var ends: UInt32 = 0
}

/// Where the parts of a block lie: 0 for what is not there, since a block begins with the places of its columns.
struct PackedLayout: Sendable {
    var rowCount = 0
    var columnCount = 0
    var entity = 0
    var keys = 0
    var versions = 0
    var entities = 0
    var byteCount = 0
}

/// Lays the columns of a message out in one piece of memory.
@safe struct PackedRowsBuilder {
    @unsafe private struct Part {
        var source: UnsafeRawBufferPointer
        var offset: Int
    }

    private var layout = PackedLayout()
    private var places: [ColumnPlace] = []
    private var parts: [Part] = unsafe []
    private var byteCount: Int

    /// A builder of `rows`, whose memory stays.
    init(_ rows: RawRows) throws(WireError) {
        let columnCount = rows.columns.count
        layout.rowCount = rows.rowCount
        layout.columnCount = columnCount
        layout.entity = rows.entity
        byteCount = max(1, columnCount) * MemoryLayout<ColumnPlace>.stride
        guard layout.rowCount <= Limits.rows else {
            throw .tooMany("coffer.v1.RowBatch.row_count", count: layout.rowCount, limit: Limits.rows)
        }
        unsafe parts.reserveCapacity(3 + 3 * columnCount)
        places.reserveCapacity(columnCount)
        layout.keys = try add(
            rows.primaryKeys, 8, "coffer.v1.RowBatch.primary_keys", mayBeAbsent: true)
        layout.versions = try add(rows.versions, 4, "coffer.v1.RowBatch.versions", mayBeAbsent: true)
        layout.entities = try add(rows.entities, 4, "coffer.v1.RowBatch.entities", mayBeAbsent: true)
        for index in 0..<columnCount { try add(rows.columns[index]) }
    }

    /// The memory, filled.
    ///
    /// - Throws: `WireError.tooLarge` where there is none for it.
    func finish() throws(WireError) -> (PackedLayout, UnsafeMutableRawPointer) {
        guard byteCount <= Int(UInt32.max), let memory = unsafe malloc(byteCount) else {
            throw .tooLarge(what: "coffer.v1.RowBatch", byteCount: byteCount, limit: Limits.message)
        }
        for index in unsafe parts.indices {
            let part = unsafe parts[index]
            let place = unsafe UnsafeMutableRawBufferPointer(
                start: memory + part.offset, count: part.source.count)
            unsafe place.copyMemory(from: part.source)
        }
        for (index, place) in places.enumerated() {
            unsafe memory.storeBytes(
                of: place, toByteOffset: index * MemoryLayout<ColumnPlace>.stride, as: ColumnPlace.self)
        }
        var layout = layout
        layout.byteCount = byteCount
        return unsafe (layout, memory)
    }

    /// Makes room for values of `width` bytes, one a row; where they will lie, 0 for none.
    private mutating func add(
        _ run: RawRows.Run, _ width: Int, _ field: StaticString, mayBeAbsent: Bool = false
    ) throws(WireError) -> Int {
        let count = unsafe run.bytes.count
        guard count % width == 0 else { throw .malformed("\(field): \(count) bytes are no numbers") }
        try check(count / width, of: layout.rowCount, field, mayBeAbsent: mayBeAbsent)
        return add(run, alignment: width)
    }

    private mutating func add(_ run: RawRows.Run, alignment: Int) -> Int {
        let count = unsafe run.bytes.count
        if count == 0 { return 0 }
        byteCount = (byteCount + alignment - 1) & ~(alignment - 1)
        defer { byteCount += count }
        unsafe parts.append(Part(source: run.bytes, offset: byteCount))
        return byteCount
    }
}

extension PackedRowsBuilder {
    private mutating func add(_ column: RawRows.RawColumn) throws(WireError) {
        let kind: ColumnKind = try choice(column.kind, "coffer.v1.Column.kind")
        var place = ColumnPlace(
            property: column.property, kind: UInt8(truncatingIfNeeded: kind.rawValue))
        let bitBytes = (layout.rowCount + 7) / 8
        try unsafe check(
            column.nulls.bytes.count, of: bitBytes, "coffer.v1.Column.nulls", mayBeAbsent: true)
        place.nulls = UInt32(clamping: add(column.nulls, alignment: 1))
        switch kind {
        case .integers: place.values = try numbers(column.integers, 8, "coffer.v1.Column.integers")
        case .doubles: place.values = try numbers(column.doubles, 8, "coffer.v1.Column.doubles")
        case .floats: place.values = try numbers(column.floats, 4, "coffer.v1.Column.floats")
        case .bits: place.values = try data(column.data, bitBytes)
        case .uuids: place.values = try data(column.data, 16 * layout.rowCount)
        case .decimals: place.values = try data(column.data, DecimalParts.byteCount * layout.rowCount)
        case .references:
            place.values = try numbers(column.integers, 8, "coffer.v1.Column.integers")
            place.ends = try numbers(column.entities, 4, "coffer.v1.Column.entities")
        case .bytes:
            place.ends = try numbers(column.ends, 4, "coffer.v1.Column.ends")
            try unsafe checkEnds(column.ends.bytes, of: column.data.bytes.count)
            place.text = unsafe Self.text(column.data.bytes, column.ends.bytes)
            place.values = UInt32(clamping: add(column.data, alignment: 1))
        }
        places.append(place)
    }

    private mutating func numbers(
        _ run: RawRows.Run, _ width: Int, _ field: StaticString
    ) throws(WireError) -> UInt32 {
        UInt32(clamping: try add(run, width, field))
    }

    private mutating func data(_ run: RawRows.Run, _ count: Int) throws(WireError) -> UInt32 {
        try unsafe check(run.bytes.count, of: count, "coffer.v1.Column.data")
        return UInt32(clamping: add(run, alignment: 1))
    }

    private func checkEnds(_ ends: UnsafeRawBufferPointer, of byteCount: Int) throws(WireError) {
        var previous: UInt32 = 0
        var isAscending = true
        for offset in stride(from: 0, to: ends.count, by: 4) {
            let end = unsafe ends.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            isAscending = isAscending && end >= previous
            previous = end
        }
        guard isAscending, Int(previous) <= byteCount else {
            throw .malformed("coffer.v1.Column.ends: do not ascend, or lie beyond the data")
        }
    }

    /// Looks once at all text of a column, so that no value needs to be looked at when it is made a string.
    private static func text(
        _ data: UnsafeRawBufferPointer, _ ends: UnsafeRawBufferPointer
    ) -> ColumnPlace.Text {
        if unsafe isASCII(data) { return .ascii }
        let isValid = unsafe data.withMemoryRebound(to: UInt8.self) { bytes in
            (try? unsafe UTF8Span(validating: bytes.span)) != nil
        }
        if !isValid { return .unknown }
        // Valid as a whole, and no run begins within a character: then each is valid.
        for offset in stride(from: 0, to: ends.count, by: 4) {
            let end = unsafe Int(ends.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            if end < data.count, unsafe data[end] & 0xC0 == 0x80 { return .unknown }
        }
        return .utf8
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var all: UInt64 = 0
        var index = 0
        while index + 8 <= bytes.count {
            all |= unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            all |= unsafe UInt64(bytes[index])
            index += 1
        }
        return all & 0x8080_8080_8080_8080 == 0
    }
}

extension PackedRows {
    /// The rows of a batch, laid out anew.
    ///
    /// - Throws: `WireError.malformed` where the batch's columns have not one value for each row.
    package convenience init(_ batch: RowBatch) throws(WireError) {
        let bytes = try batch.packed()
        try unsafe self.init(reading: bytes.span.bytes)
    }

    /// Reads a `coffer.v1.RowBatch`.
    convenience init(reading bytes: RawSpan) throws(WireError) {
        let (layout, memory) = try unsafe bytes.withUnsafeBytes { bytes throws(WireError) in
            let rows = try unsafe RawRows(bytes)
            if rows.isPlain { return try unsafe PackedRowsBuilder(rows).finish() }
            let packed = try unsafe RowBatch(readingFields: bytes.bytes).packed()
            return try unsafe packed.span.bytes.withUnsafeBytes { bytes throws(WireError) in
                try unsafe PackedRowsBuilder(RawRows(bytes)).finish()
            }
        }
        unsafe self.init(layout, memory: memory)
    }
}
