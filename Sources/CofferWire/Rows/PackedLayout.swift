/// Where one column of a block lies, in bytes from the block's beginning.
struct ColumnOffsets: BitwiseCopyable {
    /// What its text is known to be.
    enum Text: UInt8, BitwiseCopyable {
        case unknown, utf8, ascii
    }

    var property: UInt32
    /// `ColumnKind`.
    var kind: UInt8
    var text = Text.unknown
    /// Null bits; 0 if no row is null.
    var nulls: UInt32 = 0
    /// The values.
    var values: UInt32 = 0
    /// Ends of runs of bytes, or the entities of references.
    var ends: UInt32 = 0
}

/// Where the parts of a block lie: 0 for what is not there, since no message begins with a value.
struct PackedLayout: Sendable {
    var rowCount = 0
    var columnCount = 0
    var entity = 0
    var keys = 0
    var versions = 0
    var entities = 0
    /// The packed `coffer.v1.RowBatch`, with which the block begins.
    var messageByteCount = 0
    /// The columns' `ColumnOffsets`s, behind it.
    var places = 0

    /// How much memory is asked for.
    var byteCount: Int { places + max(1, columnCount) * MemoryLayout<ColumnOffsets>.stride }

    /// Where places lie that must begin after `end`.
    static func places(after end: Int) -> Int {
        let alignment = MemoryLayout<ColumnOffsets>.alignment
        return (end + alignment - 1) & ~(alignment - 1)
    }
}

extension ColumnKind {
    /// How many bytes the values of a column take; `nil` if each has its own length.
    @inline(__always)
    func valueByteCount(rowCount: Int) -> Int? {
        switch self {
        case .integers, .doubles, .references: 8 * rowCount
        case .floats: 4 * rowCount
        case .bits: (rowCount + 7) / 8
        case .uuids: 16 * rowCount
        case .decimals: DecimalParts.byteCount * rowCount
        case .bytes: nil
        }
    }

    /// The field of a `coffer.v1.Column` that has the values.
    @inline(__always)
    var valuesField: UInt64 {
        switch self {
        case .integers, .references: 4
        case .doubles: 5
        case .floats: 6
        case .bits, .bytes, .uuids, .decimals: 7
        }
    }

    /// The field of a `coffer.v1.Column` that has the ends of runs, or the entities of references; 0 for
    /// other kinds.
    @inline(__always)
    var endsField: UInt64 {
        switch self {
        case .bytes: 8
        case .references: 9
        case .integers, .bits, .doubles, .floats, .uuids, .decimals: 0
        }
    }
}
