#if canImport(Glibc)
import Glibc  // malloc and free
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

/// Lays columns out in one piece of memory, which is asked for once.
///
/// Safe in that it writes nothing beyond that memory, and `finish` gives it away.
@safe package struct PackedRowsBuilder: ~Copyable {
    private var layout = PackedLayout()
    private var columnsSoFar = 0
    private let capacity: Int
    private let memory: UnsafeMutableRawPointer

    /// Room for columns whose values take at most `byteCount` bytes, identities of rows included.
    ///
    /// - Throws: `WireError.tooLarge` where there is no memory.
    package init(rowCount: Int, entity: Int, columnCount: Int, byteCount: Int) throws(WireError) {
        let places = max(1, columnCount) * MemoryLayout<ColumnPlace>.stride
        // Each number begins at a multiple of its size: at most 7 bytes lie before it.
        capacity = places + byteCount + 7 * (3 + 2 * columnCount)
        guard capacity <= Int(UInt32.max), let memory = unsafe malloc(capacity) else {
            throw .tooLarge(what: "coffer.v1.RowBatch", byteCount: capacity, limit: Limits.message)
        }
        unsafe self.memory = unsafe memory
        layout.rowCount = rowCount
        layout.columnCount = columnCount
        layout.entity = entity
        layout.byteCount = places
    }

    deinit { unsafe free(memory) }

    /// The rows.
    package consuming func finish() -> PackedRows {
        let (layout, memory) = unsafe take()
        return unsafe PackedRows(layout, memory: memory)
    }

    /// What rows are made of; the memory is the caller's from now on.
    consuming func take() -> (PackedLayout, UnsafeMutableRawPointer) {
        precondition(columnsSoFar == layout.columnCount, "columns are missing")
        let result = unsafe (layout, memory)
        discard self
        return unsafe result
    }

    /// Lays bytes down; where they lie, 0 for none.
    private mutating func lay(_ bytes: RawSpan, alignment: Int = 1) -> Int {
        let count = bytes.byteCount
        if count == 0 { return 0 }
        let place = (layout.byteCount + alignment - 1) & ~(alignment - 1)
        precondition(place + count <= capacity, "more bytes than were said")
        let target = unsafe UnsafeMutableRawBufferPointer(start: memory + place, count: count)
        unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
        layout.byteCount = place + count
        return place
    }

    /// Lays numbers down, one a row.
    private mutating func lay(
        _ bytes: RawSpan, width: Int, _ field: @autoclosure () -> StaticString, mayBeAbsent: Bool = false
    ) throws(WireError) -> Int {
        let count = bytes.byteCount
        if count != width * layout.rowCount, !mayBeAbsent || count != 0 {
            guard count % width == 0 else { throw .malformed("\(field()): \(count) bytes are no numbers") }
            try check(count / width, of: layout.rowCount, field())
        }
        return lay(bytes, alignment: width)
    }
}

extension PackedRowsBuilder {
    /// Adds what rows are known by, each 8, 4 and 4 bytes a row; empty for what there is not.
    mutating func add(keys: RawSpan, versions: RawSpan, entities: RawSpan) throws(WireError) {
        layout.keys = try lay(keys, width: 8, "coffer.v1.RowBatch.primary_keys", mayBeAbsent: true)
        layout.versions = try lay(versions, width: 4, "coffer.v1.RowBatch.versions", mayBeAbsent: true)
        layout.entities = try lay(entities, width: 4, "coffer.v1.RowBatch.entities", mayBeAbsent: true)
    }

    /// Adds what rows are known by; empty for what there is not.
    package mutating func add(keys: [Int64], versions: [UInt32], entities: [UInt32]) throws(WireError) {
        try unsafe add(keys: keys.span.bytes, versions: versions.span.bytes, entities: entities.span.bytes)
    }

    /// Adds the next column.
    ///
    /// - Throws: `WireError.malformed` where it has not one value for each row.
    package mutating func add(_ column: borrowing Column) throws(WireError) {
        let property = UInt32(truncatingIfNeeded: column.property)
        let nulls = unsafe column.nulls.span.bytes
        switch column.values {
        case .integers(let numbers): try unsafe add(property, .integers, nulls, numbers.span.bytes)
        case .bits(let bytes): try unsafe add(property, .bits, nulls, bytes.span.bytes)
        case .doubles(let numbers): try unsafe add(property, .doubles, nulls, numbers.span.bytes)
        case .floats(let numbers): try unsafe add(property, .floats, nulls, numbers.span.bytes)
        case .bytes(let runs):
            try unsafe add(property, .bytes, nulls, runs.data.span.bytes, runs.ends.span.bytes)
        case .uuids(let bytes): try unsafe add(property, .uuids, nulls, bytes.span.bytes)
        case .decimals(let bytes): try unsafe add(property, .decimals, nulls, bytes.span.bytes)
        case .references(let keys, let entities):
            try unsafe add(property, .references, nulls, keys.span.bytes, entities.span.bytes)
        }
    }

    /// Adds the next column, of a message; `false` where its fields are not those of its kind alone.
    mutating func add(_ column: borrowing RawColumn) throws(WireError) -> Bool {
        let kind: ColumnKind = try choice(column.kind, "coffer.v1.Column.kind")
        let (values, ends) = (column.valuesField, column.endsField)
        guard values == 0 || values == kind.valuesField, ends == 0 || ends == kind.endsField else {
            return false
        }
        try unsafe add(
            column.property, kind, column.nulls.bytes.bytes, column.values.bytes.bytes,
            column.ends.bytes.bytes)
        return true
    }

    /// `ends` has the ends of runs of bytes, or the entities of references.
    private mutating func add(
        _ property: UInt32, _ kind: ColumnKind, _ nulls: RawSpan, _ values: RawSpan,
        _ ends: RawSpan = RawSpan()
    ) throws(WireError) {
        precondition(columnsSoFar < layout.columnCount, "more columns than were said")
        var place = ColumnPlace(property: property, kind: UInt8(truncatingIfNeeded: kind.rawValue))
        let bitBytes = (layout.rowCount + 7) / 8
        try check(nulls.byteCount, of: bitBytes, "coffer.v1.Column.nulls", mayBeAbsent: true)
        place.nulls = UInt32(lay(nulls))
        switch kind {
        case .integers: place.values = UInt32(try lay(values, width: 8, "coffer.v1.Column.integers"))
        case .doubles: place.values = UInt32(try lay(values, width: 8, "coffer.v1.Column.doubles"))
        case .floats: place.values = UInt32(try lay(values, width: 4, "coffer.v1.Column.floats"))
        case .bits: place.values = try lay(data: values, bitBytes)
        case .uuids: place.values = try lay(data: values, 16 * layout.rowCount)
        case .decimals: place.values = try lay(data: values, DecimalParts.byteCount * layout.rowCount)
        case .references:
            place.values = UInt32(try lay(values, width: 8, "coffer.v1.Column.integers"))
            place.ends = UInt32(try lay(ends, width: 4, "coffer.v1.Column.entities"))
        case .bytes:
            place.ends = UInt32(try lay(ends, width: 4, "coffer.v1.Column.ends"))
            try Self.checkEnds(ends, of: values.byteCount)
            place.text = Self.text(values, ends)
            place.values = UInt32(lay(values))
        }
        unsafe memory.storeBytes(
            of: place, toByteOffset: columnsSoFar * MemoryLayout<ColumnPlace>.stride, as: ColumnPlace.self)
        columnsSoFar += 1
    }

    private mutating func lay(data: RawSpan, _ count: Int) throws(WireError) -> UInt32 {
        try check(data.byteCount, of: count, "coffer.v1.Column.data")
        return UInt32(lay(data))
    }
}

extension PackedRowsBuilder {
    private static func checkEnds(_ ends: RawSpan, of byteCount: Int) throws(WireError) {
        var previous: UInt32 = 0
        var isAscending = true
        for offset in stride(from: 0, to: ends.byteCount, by: 4) {
            let end = unsafe ends.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
            isAscending = isAscending && end >= previous
            previous = end
        }
        guard isAscending, Int(previous) <= byteCount else {
            throw .malformed("coffer.v1.Column.ends: do not ascend, or lie beyond the data")
        }
    }

    /// Looks once at all text of a column, so that no value needs to be looked at when it is made a string.
    private static func text(_ data: RawSpan, _ ends: RawSpan) -> ColumnPlace.Text {
        if isASCII(data) { return .ascii }
        let isValid = unsafe data.withUnsafeBytes { bytes in
            unsafe bytes.withMemoryRebound(to: UInt8.self) { bytes in
                (try? unsafe UTF8Span(validating: bytes.span)) != nil
            }
        }
        if !isValid { return .unknown }
        // Valid as a whole, and no run begins within a character: then each is valid.
        for offset in stride(from: 0, to: ends.byteCount, by: 4) {
            let end = unsafe Int(ends.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
            if end == data.byteCount { continue }
            let byte = unsafe data.unsafeLoad(fromByteOffset: end, as: UInt8.self)
            if byte & 0xC0 == 0x80 { return .unknown }
        }
        return .utf8
    }

    private static func isASCII(_ bytes: RawSpan) -> Bool {
        var all: UInt64 = 0
        var index = 0
        while index + 8 <= bytes.byteCount {
            all |= unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.byteCount {
            all |= unsafe UInt64(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self))
            index += 1
        }
        return all & 0x8080_8080_8080_8080 == 0
    }
}
