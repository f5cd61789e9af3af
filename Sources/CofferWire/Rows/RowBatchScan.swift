#if canImport(Glibc)
import Glibc  // malloc
#endif

/// Finds what lies where in a packed `coffer.v1.RowBatch` that is laid out as ours are.
///
/// That is: fields in the order of their numbers, repeated ones as one run, numbers no longer than need be,
/// nothing that is zero, empty or unknown. Whatever else a message holds, mistakes included, is left to
/// `RowBatch`, which reads it in any order and says what is wrong. Safe as long as the message's bytes stay,
/// which its maker sees to.
@safe struct RowBatchScan {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0
    private var layout = PackedLayout()

    private init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

    /// A copy of the message in memory that is the caller's, and what lies where in it; `nil` for one that is
    /// not as ours.
    ///
    /// - Throws: `WireError.tooLarge` if there is no memory.
    static func block(
        of message: UnsafeRawBufferPointer
    ) throws(WireError) -> (PackedLayout, UnsafeMutableRawPointer)? {
        // Each column has at least a tag, a length, and a kind with its tag.
        let most = min(Limits.columns, message.count / 4 + 1)
        return try unsafe withUnsafeTemporaryAllocation(of: ColumnOffsets.self, capacity: most) {
            places throws(WireError) in
            var scan = unsafe RowBatchScan(message)
            guard unsafe scan.read(into: places) else { return nil }
            return try unsafe scan.block(places)
        }
    }

    private func block(
        _ places: UnsafeMutableBufferPointer<ColumnOffsets>
    ) throws(WireError) -> (PackedLayout, UnsafeMutableRawPointer) {
        var layout = layout
        layout.messageByteCount = unsafe bytes.count
        layout.places = unsafe PackedLayout.places(after: bytes.count)
        guard layout.byteCount <= Int(UInt32.max), let memory = unsafe malloc(layout.byteCount) else {
            throw .tooLarge(what: "coffer.v1.RowBatch", byteCount: layout.byteCount, limit: Limits.message)
        }
        if let start = unsafe bytes.baseAddress {
            unsafe memory.copyMemory(from: start, byteCount: bytes.count)
        }
        if let start = places.baseAddress {
            unsafe (memory + layout.places).copyMemory(
                from: start, byteCount: layout.columnCount * MemoryLayout<ColumnOffsets>.stride)
        }
        return unsafe (layout, memory)
    }
}

extension RowBatchScan {
    /// Where a run of bytes lies; 0 for one that is empty.
    fileprivate struct Run {
        var start = 0
        var count = 0
    }

    /// The tag of a field whose number is below 16.
    private static func tag(_ field: UInt8, _ form: FieldReader.Form) -> UInt8 {
        field << 3 | UInt8(truncatingIfNeeded: form.rawValue)
    }

    /// Whether a field with this tag comes next, before `end`; passes over the tag then.
    @inline(__always)
    private mutating func has(_ tag: UInt8, before end: Int) -> Bool {
        guard place < end, unsafe bytes[place] == tag else { return false }
        place += 1
        return true
    }

    /// A number of at most 28 bits; `nil` if it is longer, ends early, or is longer than need be.
    @inline(__always)
    private mutating func number(before end: Int) -> Int? {
        var result = 0
        var shift = 0
        while place < end, shift < 28 {
            let byte = unsafe bytes[place]
            place += 1
            result |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return byte == 0 && shift > 0 ? nil : result }
            shift += 7
        }
        return nil
    }

    /// A run that ends no later than `end`.
    @inline(__always)
    private mutating func run(before end: Int) -> Run? {
        guard let count = number(before: end), count <= end - place else { return nil }
        if count == 0 { return Run() }
        defer { place += count }
        return Run(start: place, count: count)
    }

    /// The run of the field with this tag, empty if that does not come next.
    @inline(__always)
    private mutating func run(_ tag: UInt8, before end: Int) -> Run? {
        guard has(tag, before: end) else { return Run() }
        guard let run = run(before: end), run.count > 0 else { return nil }
        return run
    }

    /// The number of the field with this tag, 0 if that does not come next.
    @inline(__always)
    private mutating func number(_ field: UInt8, before end: Int) -> Int? {
        guard has(Self.tag(field, .varint), before: end) else { return 0 }
        guard let number = number(before: end), number > 0 else { return nil }
        return number
    }

    /// Where a run of one number a row lies, 0 if there is none; `nil` for one of another length.
    @inline(__always)
    private mutating func numbers(_ field: UInt8, width: Int, before end: Int) -> Int? {
        guard let run = run(Self.tag(field, .run), before: end) else { return nil }
        return run.count == width * layout.rowCount || run.count == 0 ? run.start : nil
    }

    /// Reads the message; `false` if it is not as ours.
    private mutating func read(into places: UnsafeMutableBufferPointer<ColumnOffsets>) -> Bool {
        let end = unsafe bytes.count
        guard let rowCount = number(1, before: end), rowCount <= Limits.rows else { return false }
        guard let entity = number(2, before: end) else { return false }
        (layout.rowCount, layout.entity) = (rowCount, entity)
        guard let entities = numbers(3, width: 4, before: end) else { return false }
        guard let keys = numbers(4, width: 8, before: end) else { return false }
        guard let versions = numbers(5, width: 4, before: end) else { return false }
        (layout.entities, layout.keys, layout.versions) = (entities, keys, versions)
        while has(Self.tag(6, .run), before: end) {
            guard let column = run(before: end), layout.columnCount < places.count else { return false }
            place = column.start
            guard let found = readColumn(before: column.start + column.count) else { return false }
            unsafe places.initializeElement(at: layout.columnCount, to: found)
            layout.columnCount += 1
        }
        return place == end
    }

    /// Reads a column that ends at `end`; `nil` if it is not as ours, or has not one value for each row.
    @inline(__always)
    private mutating func readColumn(before end: Int) -> ColumnOffsets? {
        guard let property = number(1, before: end) else { return nil }
        guard has(Self.tag(2, .varint), before: end), let number = number(before: end) else { return nil }
        guard let kind = ColumnKind(rawValue: UInt32(number)) else { return nil }
        var column = ColumnOffsets(property: UInt32(property), kind: UInt8(truncatingIfNeeded: number))
        guard let nulls = run(Self.tag(3, .run), before: end) else { return nil }
        guard nulls.count == 0 || nulls.count == (layout.rowCount + 7) / 8 else { return nil }
        let valuesTag = Self.tag(UInt8(truncatingIfNeeded: kind.valuesField), .run)
        guard let values = run(valuesTag, before: end) else { return nil }
        if kind.endsField != 0 {
            let endsTag = Self.tag(UInt8(truncatingIfNeeded: kind.endsField), .run)
            guard let ends = run(endsTag, before: end), ends.count == 4 * layout.rowCount else { return nil }
            column.ends = UInt32(ends.start)
            if kind == .bytes {
                let data = unsafe bytes[values].bytes
                let spans = unsafe bytes[ends].bytes
                guard PackedRuns.areSound(spans, of: values.count) else { return nil }
                column.text = PackedRuns.text(data, spans)
            }
        }
        if let byteCount = kind.valueByteCount(rowCount: layout.rowCount), byteCount != values.count {
            return nil
        }
        guard place == end else { return nil }
        column.nulls = UInt32(nulls.start)
        column.values = UInt32(values.start)
        return column
    }
}

extension UnsafeRawBufferPointer {
    fileprivate subscript(run: RowBatchScan.Run) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: self[run.start..<run.start + run.count])
    }
}
