#if canImport(Glibc)
import Glibc  // malloc and free
#endif

/// Packs a `coffer.v1.RowBatch` into memory that is asked for once, and notes what lies where in it.
///
/// Safe in that it writes nothing beyond that memory, and `finish` gives it away.
@safe package struct PackedRowsBuilder: ~Copyable {
    private var layout = PackedLayout()
    private var columnsSoFar = 0
    private let looksAtText: Bool
    private let memory: UnsafeMutableRawPointer

    /// Room for columns whose values take at most `byteCount` bytes, identities of rows included.
    ///
    /// Text is checked as a whole unless it will probably not be read here; it still may be.
    ///
    /// - Throws: `WireError.tooLarge` if there is no memory.
    package init(rowCount: Int, entity: Int, columnCount: Int, byteCount: Int, looksAtText: Bool = true)
        throws(WireError)
    {
        self.looksAtText = looksAtText
        // Tags, numbers and lengths: of the batch, and of each column.
        let end = byteCount + Self.batchOverhead + Self.columnOverhead * columnCount
        layout.rowCount = rowCount
        layout.columnCount = columnCount
        layout.entity = entity
        layout.places = PackedLayout.places(after: end)
        guard layout.byteCount <= Int(UInt32.max), let memory = unsafe malloc(layout.byteCount) else {
            throw .tooLarge(what: "coffer.v1.RowBatch", byteCount: layout.byteCount, limit: Limits.message)
        }
        unsafe self.memory = unsafe memory
        append(1, number: UInt32(rowCount))
        append(2, number: UInt32(entity))
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

    /// Two numbers, and three runs besides their bytes.
    private static var batchOverhead: Int { 2 * 6 + 3 * 6 }
    /// The length, two numbers, and three runs besides their bytes.
    private static var columnOverhead: Int { 6 + 2 * 6 + 3 * 6 }
}

extension PackedRowsBuilder {
    @inline(__always)
    private mutating func append(byte: UInt8) {
        precondition(layout.messageByteCount < layout.places, "more bytes than were said")
        unsafe memory.storeBytes(of: byte, toByteOffset: layout.messageByteCount, as: UInt8.self)
        layout.messageByteCount += 1
    }

    @inline(__always)
    private mutating func append(varint: UInt32) {
        var rest = varint
        while rest > 0x7F {
            append(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(byte: UInt8(truncatingIfNeeded: rest))
    }

    /// A number that is not zero.
    @inline(__always)
    private mutating func append(_ field: UInt64, number: UInt32) {
        if number == 0 { return }
        append(byte: UInt8(truncatingIfNeeded: field << 3 | FieldReader.Form.varint.rawValue))
        append(varint: number)
    }

    /// Room for a run of so many bytes, which its maker writes; where it lies, 0 for none.
    @inline(__always)
    private mutating func reserve(_ field: UInt64, byteCount: Int) -> Int {
        if byteCount == 0 { return 0 }
        append(byte: UInt8(truncatingIfNeeded: field << 3 | FieldReader.Form.run.rawValue))
        append(varint: UInt32(byteCount))
        let place = layout.messageByteCount
        precondition(place + byteCount <= layout.places, "more bytes than were said")
        layout.messageByteCount = place + byteCount
        return place
    }

    /// A run that is not empty; where it lies, 0 for none.
    @inline(__always)
    private mutating func append(_ field: UInt64, _ bytes: RawSpan) -> Int {
        let place = reserve(field, byteCount: bytes.byteCount)
        let target = unsafe UnsafeMutableRawBufferPointer(start: memory + place, count: bytes.byteCount)
        unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
        return place
    }

    /// How many bytes a number takes with its tag.
    @inline(__always)
    private static func width(_ number: UInt32) -> Int {
        number == 0 ? 0 : 1 + lengthWidth(number)
    }

    /// How many bytes a run takes with its tag and length.
    @inline(__always)
    private static func width(ofRun byteCount: Int) -> Int {
        byteCount == 0 ? 0 : 1 + lengthWidth(UInt32(byteCount)) + byteCount
    }

    @inline(__always)
    private static func lengthWidth(_ number: UInt32) -> Int {
        number < 0x80 ? 1 : (38 - number.leadingZeroBitCount) / 7
    }
}

extension PackedRowsBuilder {
    /// A run of so many zeros, which others may take the places of; where it lies, 0 for none.
    mutating func reserveZeros(_ field: UInt64, byteCount: Int) -> Int {
        let place = reserve(field, byteCount: byteCount)
        unsafe UnsafeMutableRawBufferPointer(start: memory + place, count: byteCount)
            .initializeMemory(as: UInt8.self, repeating: 0)
        return place
    }

    /// Sets bit `row` of a run that begins at `offset`.
    @inline(__always)
    mutating func set(_ row: Int, in offset: UInt32) {
        let place = Int(offset) + row / 8
        precondition(place < layout.messageByteCount)
        let byte = unsafe memory.load(fromByteOffset: place, as: UInt8.self)
        unsafe memory.storeBytes(of: byte | 1 << UInt8(row % 8), toByteOffset: place, as: UInt8.self)
    }

    /// Puts number `row` into a run that begins at `offset`.
    @inline(__always)
    mutating func store<Number: BitwiseCopyable>(_ number: Number, _ row: Int, at offset: UInt32) {
        let place = Int(offset) + row * MemoryLayout<Number>.size
        precondition(place + MemoryLayout<Number>.size <= layout.messageByteCount)
        unsafe memory.storeBytes(of: number, toByteOffset: place, as: Number.self)
    }

    /// Puts bytes into a run.
    @inline(__always)
    mutating func copy(_ bytes: UnsafeRawBufferPointer, to place: Int) {
        precondition(place + bytes.count <= layout.messageByteCount)
        let target = unsafe UnsafeMutableRawBufferPointer(start: memory + place, count: bytes.count)
        unsafe target.copyMemory(from: bytes)
    }
}

extension PackedRowsBuilder {
    /// Adds what rows are known by, each 8, 4 and 4 bytes a row; empty for what there is not.
    mutating func add(keys: RawSpan, versions: RawSpan, entities: RawSpan) throws(WireError) {
        try check(
            entities, byteCount: 4 * layout.rowCount, width: 4, field: "coffer.v1.RowBatch.entities",
            mayBeAbsent: true)
        try check(
            keys, byteCount: 8 * layout.rowCount, width: 8, field: "coffer.v1.RowBatch.primary_keys",
            mayBeAbsent: true)
        try check(
            versions, byteCount: 4 * layout.rowCount, width: 4, field: "coffer.v1.RowBatch.versions",
            mayBeAbsent: true)
        layout.entities = append(3, entities)
        layout.keys = append(4, keys)
        layout.versions = append(5, versions)
    }

    /// Adds what rows are known by; empty for what there is not.
    package mutating func add(keys: [Int64], versions: [UInt32], entities: [UInt32]) throws(WireError) {
        try unsafe add(keys: keys.span.bytes, versions: versions.span.bytes, entities: entities.span.bytes)
    }

    /// Adds the next column.
    ///
    /// - Throws: `WireError.malformed` if it has not one value for each row.
    package mutating func add(_ column: borrowing Column) throws(WireError) {
        let property = UInt32(truncatingIfNeeded: column.property)
        let nulls = unsafe column.nulls.span.bytes
        switch column.values {
        case .integers(let numbers):
            try unsafe add(property, .integers, nulls: nulls, values: numbers.span.bytes)
        case .bits(let bytes): try unsafe add(property, .bits, nulls: nulls, values: bytes.span.bytes)
        case .doubles(let numbers):
            try unsafe add(property, .doubles, nulls: nulls, values: numbers.span.bytes)
        case .floats(let numbers): try unsafe add(property, .floats, nulls: nulls, values: numbers.span.bytes)
        case .bytes(let runs):
            try unsafe add(
                property, .bytes, nulls: nulls, values: runs.data.span.bytes, ends: runs.ends.span.bytes)
        case .uuids(let bytes): try unsafe add(property, .uuids, nulls: nulls, values: bytes.span.bytes)
        case .decimals(let bytes): try unsafe add(property, .decimals, nulls: nulls, values: bytes.span.bytes)
        case .references(let keys, let entities):
            try unsafe add(
                property, .references, nulls: nulls, values: keys.span.bytes, ends: entities.span.bytes)
        }
    }

    /// Adds the next column: `ends` has the ends of runs of bytes, or the entities of references.
    ///
    /// - Throws: `WireError.malformed` if it has not one value for each row.
    package mutating func add(
        _ property: UInt32, _ kind: ColumnKind, nulls: RawSpan, values: RawSpan,
        ends: RawSpan = RawSpan()
    ) throws(WireError) {
        let rowCount = layout.rowCount
        try check(nulls, byteCount: (rowCount + 7) / 8, field: "coffer.v1.Column.nulls", mayBeAbsent: true)
        if kind.endsField != 0 {
            try check(ends, byteCount: 4 * rowCount, width: 4, field: "coffer.v1.Column.ends")
        }
        var place = ColumnOffsets(property: property, kind: UInt8(truncatingIfNeeded: kind.rawValue))
        if let byteCount = kind.valueByteCount(rowCount: rowCount) {
            try check(values, byteCount: byteCount, field: "coffer.v1.Column.values")
        } else {
            guard PackedRuns.areSound(ends, of: values.byteCount) else {
                throw .malformed("coffer.v1.Column.ends: do not ascend, or lie beyond the data")
            }
            if looksAtText { place.text = PackedRuns.text(values, ends) }
        }
        begin(place, nulls: nulls.byteCount, values: values.byteCount, ends: ends.byteCount)
        place.nulls = UInt32(append(3, nulls))
        place.values = UInt32(append(kind.valuesField, values))
        place.ends = UInt32(append(kind.endsField, ends))
        end(place)
    }

    /// Begins the next column, whose runs take so many bytes and follow in this order.
    mutating func begin(_ column: ColumnOffsets, nulls: Int, values: Int, ends: Int) {
        precondition(columnsSoFar < layout.columnCount, "more columns than were said")
        let kind = UInt32(column.kind)
        let byteCount =
            Self.width(column.property) + Self.width(kind) + Self.width(ofRun: nulls)
            + Self.width(ofRun: values) + Self.width(ofRun: ends)
        append(byte: UInt8(6 << 3 | FieldReader.Form.run.rawValue))
        append(varint: UInt32(byteCount))
        append(1, number: column.property)
        append(2, number: kind)
    }

    /// Notes where the column lies that was begun last.
    mutating func end(_ column: ColumnOffsets) {
        let offset = layout.places + columnsSoFar * MemoryLayout<ColumnOffsets>.stride
        unsafe memory.storeBytes(of: column, toByteOffset: offset, as: ColumnOffsets.self)
        columnsSoFar += 1
    }

    /// Refuses a field that has not as many bytes.
    @inline(__always)
    private func check(
        _ bytes: RawSpan, byteCount: Int, width: Int = 1, field: @autoclosure () -> StaticString,
        mayBeAbsent: Bool = false
    ) throws(WireError) {
        let count = bytes.byteCount
        if count == byteCount || mayBeAbsent && count == 0 { return }
        throw wrong(count, width: width, field: field())
    }

    @inline(never)
    private func wrong(_ byteCount: Int, width: Int, field: StaticString) -> WireError {
        width > 1 && byteCount % width == 0
            ? .malformed("\(field): \(byteCount / width) for \(layout.rowCount) rows")
            : .malformed("\(field): \(byteCount) bytes for \(layout.rowCount) rows")
    }
}
