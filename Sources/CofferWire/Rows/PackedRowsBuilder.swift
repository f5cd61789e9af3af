internal import CCofferMessages

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
}

/// Lays the columns of a message out in one piece of memory.
@safe struct PackedRowsBuilder {
    @unsafe private struct Part {
        var source: UnsafeRawPointer
        var byteCount: Int
        var offset: Int
    }

    private var layout = PackedLayout()
    private var places: [ColumnPlace] = []
    private var parts: [Part] = unsafe []
    private var byteCount: Int

    /// A builder of the rows of `message`, whose memory outlives it.
    init(_ message: UnsafeMutablePointer<Coffer__V1__RowBatch>) throws(WireError) {
        let c = unsafe message.pointee
        let rowCount = unsafe Int(c.row_count)
        guard rowCount <= Limits.rows else {
            throw .tooMany("coffer.v1.RowBatch.row_count", count: rowCount, limit: Limits.rows)
        }
        let columnCount = unsafe c.n_columns
        guard columnCount <= Limits.columns else {
            throw .tooMany("coffer.v1.RowBatch.columns", count: columnCount, limit: Limits.columns)
        }
        try unsafe check(c.n_entities, of: rowCount, "coffer.v1.RowBatch.entities", mayBeAbsent: true)
        try unsafe check(c.n_primary_keys, of: rowCount, "coffer.v1.RowBatch.primary_keys", mayBeAbsent: true)
        try unsafe check(c.n_versions, of: rowCount, "coffer.v1.RowBatch.versions", mayBeAbsent: true)
        byteCount = max(1, columnCount) * MemoryLayout<ColumnPlace>.stride
        layout.rowCount = rowCount
        layout.columnCount = columnCount
        layout.entity = unsafe Int(c.entity)
        unsafe parts.reserveCapacity(3 + 3 * columnCount)
        places.reserveCapacity(columnCount)
        layout.keys = unsafe add(c.primary_keys, c.n_primary_keys)
        layout.versions = unsafe add(c.versions, c.n_versions)
        layout.entities = unsafe add(c.entities, c.n_entities)
        for index in 0..<columnCount {
            guard let column = unsafe c.columns?[index] else {
                throw .malformed("coffer.v1.RowBatch.columns: absent")
            }
            try unsafe add(column)
        }
    }

    /// The memory, filled.
    ///
    /// - Throws: `WireError.tooLarge` where there is none for it.
    func finish() throws(WireError) -> (PackedLayout, UnsafeMutableRawPointer) {
        guard byteCount <= Int(UInt32.max), let memory = unsafe malloc(byteCount) else {
            throw .tooLarge(what: "coffer.v1.RowBatch", byteCount: byteCount, limit: Limits.frame)
        }
        for index in unsafe parts.indices {
            let part = unsafe parts[index]
            unsafe (memory + part.offset).copyMemory(from: part.source, byteCount: part.byteCount)
        }
        for (index, place) in places.enumerated() {
            unsafe memory.storeBytes(
                of: place, toByteOffset: index * MemoryLayout<ColumnPlace>.stride, as: ColumnPlace.self)
        }
        return unsafe (layout, memory)
    }

    /// Makes room for numbers; where they will lie, 0 for none.
    private mutating func add<Number>(_ numbers: UnsafeMutablePointer<Number>?, _ count: Int) -> Int {
        guard let numbers = unsafe numbers, count > 0 else { return 0 }
        let size = MemoryLayout<Number>.size
        byteCount = (byteCount + size - 1) & ~(size - 1)
        defer { byteCount += count * size }
        unsafe parts.append(
            Part(source: UnsafeRawPointer(numbers), byteCount: count * size, offset: byteCount))
        return byteCount
    }
}

extension PackedRowsBuilder {
    private mutating func add(_ column: UnsafeMutablePointer<Coffer__V1__Column>) throws(WireError) {
        let c = unsafe column.pointee
        let kind: ColumnKind = try unsafe choice(c.kind.rawValue, "coffer.v1.Column.kind")
        var place = unsafe ColumnPlace(property: c.property, kind: UInt8(truncatingIfNeeded: kind.rawValue))
        let bitBytes = (layout.rowCount + 7) / 8
        try unsafe check(c.nulls.len, of: bitBytes, "coffer.v1.Column.nulls", mayBeAbsent: true)
        place.nulls = unsafe UInt32(clamping: add(c.nulls.data, c.nulls.len))
        switch kind {
        case .integers: place.values = try unsafe add(c.integers, c.n_integers, "coffer.v1.Column.integers")
        case .doubles: place.values = try unsafe add(c.doubles, c.n_doubles, "coffer.v1.Column.doubles")
        case .floats: place.values = try unsafe add(c.floats, c.n_floats, "coffer.v1.Column.floats")
        case .bits: place.values = try unsafe add(c.data, bitBytes)
        case .uuids: place.values = try unsafe add(c.data, 16 * layout.rowCount)
        case .decimals: place.values = try unsafe add(c.data, DecimalParts.byteCount * layout.rowCount)
        case .references:
            place.values = try unsafe add(c.integers, c.n_integers, "coffer.v1.Column.integers")
            place.ends = try unsafe add(c.entities, c.n_entities, "coffer.v1.Column.entities")
        case .bytes:
            place.ends = try unsafe add(c.ends, c.n_ends, "coffer.v1.Column.ends")
            let ends = unsafe UnsafeBufferPointer(start: c.ends, count: c.n_ends)
            let data = unsafe UnsafeBufferPointer(start: c.data.data, count: c.data.len)
            try unsafe checkEnds(ends, of: data)
            place.text = unsafe Self.text(data, ends)
            place.values = unsafe UInt32(clamping: add(c.data.data, c.data.len))
        }
        places.append(place)
    }

    private mutating func add<Number>(
        _ numbers: UnsafeMutablePointer<Number>?, _ count: Int, _ field: StaticString
    ) throws(WireError) -> UInt32 {
        try check(count, of: layout.rowCount, field)
        return unsafe UInt32(clamping: add(numbers, count))
    }

    private mutating func add(_ data: ProtobufCBinaryData, _ count: Int) throws(WireError) -> UInt32 {
        try unsafe check(data.len, of: count, "coffer.v1.Column.data")
        return unsafe UInt32(clamping: add(data.data, data.len))
    }

    private func checkEnds(
        _ ends: UnsafeBufferPointer<UInt32>, of data: UnsafeBufferPointer<UInt8>
    ) throws(WireError) {
        var previous: UInt32 = 0
        var isAscending = true
        for index in ends.indices {
            let end = unsafe ends[index]
            isAscending = isAscending && end >= previous
            previous = end
        }
        guard isAscending, Int(previous) <= data.count else {
            throw .malformed("coffer.v1.Column.ends: do not ascend, or lie beyond the data")
        }
    }

    /// Looks once at all text of a column, so that no value needs to be looked at when it is made a string.
    private static func text(
        _ data: UnsafeBufferPointer<UInt8>, _ ends: UnsafeBufferPointer<UInt32>
    ) -> ColumnPlace.Text {
        if unsafe isASCII(data) { return .ascii }
        guard (try? unsafe UTF8Span(validating: data.span)) != nil else { return .unknown }
        // Valid as a whole, and no run begins within a character: then each is valid.
        for index in ends.indices {
            let end = unsafe Int(ends[index])
            if end < data.count, unsafe data[end] & 0xC0 == 0x80 { return .unknown }
        }
        return .utf8
    }

    private static func isASCII(_ data: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = UnsafeRawBufferPointer(data)
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
        var arena = PackArena()
        let message = try unsafe arena.make(batch)
        let (layout, memory) = try unsafe PackedRowsBuilder(message).finish()
        unsafe self.init(layout, memory: memory)
        withExtendedLifetime(arena) {}
    }

    /// Reads a `coffer.v1.RowBatch`.
    convenience init(_ message: UnsafeMutablePointer<Coffer__V1__RowBatch>) throws(WireError) {
        let (layout, memory) = try unsafe PackedRowsBuilder(message).finish()
        unsafe self.init(layout, memory: memory)
    }
}
