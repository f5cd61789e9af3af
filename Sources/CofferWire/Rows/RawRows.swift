/// The fields of a packed `coffer.v1.RowBatch`, where they lie.
///
/// Safe as long as the message's bytes stay, which its maker sees to. Each repeated field must be one run, as ours always are: what another packer laid out otherwise is read through `RowBatch`.
@safe struct RawRows {
    /// The bytes of one field.
    @safe struct Run {
        var bytes = unsafe UnsafeRawBufferPointer(start: nil, count: 0)

        /// Takes a field's bytes; `false` where they are not one run.
        mutating func take(_ field: FieldReader.Field, _ reader: inout FieldReader) throws(WireError) -> Bool
        {
            guard field.form == .run, unsafe bytes.isEmpty else { return false }
            unsafe bytes = try reader.run(field)
            return true
        }
    }

    var rowCount = 0
    var entity = 0
    var entities = Run()
    var primaryKeys = Run()
    var versions = Run()
    var columnCount = 0
    /// Whether every repeated field was one run.
    var isPlain = true
    private let bytes: UnsafeRawBufferPointer

    /// Reads the fields but those of the columns; `bytes` must stay.
    init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        unsafe self.bytes = bytes
        var reader = unsafe FieldReader(RowBatch.name, bytes)
        while isPlain, let field = try reader.nextField() {
            switch field.number {
            case 1: rowCount = Int(try reader.number32(field))
            case 2: entity = Int(try reader.number32(field))
            case 3: isPlain = try entities.take(field, &reader)
            case 4: isPlain = try primaryKeys.take(field, &reader)
            case 5: isPlain = try versions.take(field, &reader)
            case 6:
                columnCount += 1
                try reader.skip(field)
            default: try reader.skip(field)
            }
        }
        guard columnCount <= Limits.columns else {
            throw .tooMany("coffer.v1.RowBatch.columns", count: columnCount, limit: Limits.columns)
        }
        guard rowCount <= Limits.rows else {
            throw .tooMany("coffer.v1.RowBatch.row_count", count: rowCount, limit: Limits.rows)
        }
    }

    /// How many bytes the message has.
    var byteCount: Int { unsafe bytes.count }

    /// The columns, one after the other.
    var columns: Columns { unsafe Columns(reader: FieldReader(RowBatch.name, bytes)) }

    /// Reads columns where they lie.
    struct Columns {
        fileprivate var reader: FieldReader

        /// Reads the next column into `column`; `false` at the end.
        mutating func next(into column: inout RawColumn) throws(WireError) -> Bool {
            while let field = try reader.nextField() {
                if field.number == 6 {
                    column = RawColumn()
                    try unsafe column.read(reader.run(field))
                    return true
                }
                try reader.skip(field)
            }
            return false
        }
    }
}

/// The fields of a packed `coffer.v1.Column`, where they lie; safe as `RawRows` is.
@safe struct RawColumn {
    var property: UInt32 = 0
    var kind: UInt32 = 0
    var nulls = RawRows.Run()
    /// Numbers or bytes, and the field that has them.
    var values = RawRows.Run()
    var valuesField: UInt64 = 0
    /// Ends of runs of bytes, or entities of references, and the field that has them.
    var ends = RawRows.Run()
    var endsField: UInt64 = 0
    /// Whether every repeated field was one run, and there was one of values and of ends at most.
    var isPlain = true

    fileprivate mutating func read(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        var reader = unsafe FieldReader(Column.name, bytes)
        while isPlain, let field = try reader.nextField() {
            switch field.number {
            case 1: property = try reader.number32(field)
            case 2: kind = try reader.number32(field)
            case 3: isPlain = try nulls.take(field, &reader)
            case 4, 5, 6, 7:
                isPlain = try values.take(field, &reader)
                valuesField = field.number
            case 8, 9:
                isPlain = try ends.take(field, &reader)
                endsField = field.number
            default: try reader.skip(field)
            }
        }
    }
}

extension ColumnKind {
    /// The field of a `coffer.v1.Column` that has the values.
    var valuesField: UInt64 {
        switch self {
        case .integers, .references: 4
        case .doubles: 5
        case .floats: 6
        case .bits, .bytes, .uuids, .decimals: 7
        }
    }

    /// The field of a `coffer.v1.Column` that has the ends of runs, or the entities of references; 0 for other kinds.
    var endsField: UInt64 {
        switch self {
        case .bytes: 8
        case .references: 9
        case .integers, .bits, .doubles, .floats, .uuids, .decimals: 0
        }
    }
}
