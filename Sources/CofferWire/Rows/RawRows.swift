/// The fields of a packed `coffer.v1.RowBatch`, where they lie.
///
/// Safe as long as the message's bytes stay, which its maker sees to. Each repeated field must be one run, as ours always are: what another packer laid out otherwise is read through `RowBatch`.
@safe struct RawRows {
    /// The fields of a `coffer.v1.Column`.
    @safe struct RawColumn {
        var property: UInt32 = 0
        var kind: UInt32 = 0
        var nulls = Run()
        var integers = Run()
        var doubles = Run()
        var floats = Run()
        var data = Run()
        var ends = Run()
        var entities = Run()
    }

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
    var columns: [RawColumn] = []
    /// Whether every repeated field was one run.
    var isPlain = true

    /// Reads the fields; `bytes` must stay.
    init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        var reader = unsafe FieldReader(RowBatch.name, bytes)
        columns.reserveCapacity(16)
        while isPlain, let field = try reader.nextField() {
            switch field.number {
            case 1: rowCount = Int(try reader.number32(field))
            case 2: entity = Int(try reader.number32(field))
            case 3: isPlain = try entities.take(field, &reader)
            case 4: isPlain = try primaryKeys.take(field, &reader)
            case 5: isPlain = try versions.take(field, &reader)
            case 6:
                guard columns.count < Limits.columns else {
                    throw .tooMany(
                        "coffer.v1.RowBatch.columns", count: columns.count + 1, limit: Limits.columns)
                }
                columns.append(try unsafe column(reader.run(field)))
            default: try reader.skip(field)
            }
        }
    }

    private mutating func column(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> RawColumn {
        var column = RawColumn()
        var reader = unsafe FieldReader(Column.name, bytes)
        while isPlain, let field = try reader.nextField() {
            switch field.number {
            case 1: column.property = try reader.number32(field)
            case 2: column.kind = try reader.number32(field)
            case 3: isPlain = try column.nulls.take(field, &reader)
            case 4: isPlain = try column.integers.take(field, &reader)
            case 5: isPlain = try column.doubles.take(field, &reader)
            case 6: isPlain = try column.floats.take(field, &reader)
            case 7: isPlain = try column.data.take(field, &reader)
            case 8: isPlain = try column.ends.take(field, &reader)
            case 9: isPlain = try column.entities.take(field, &reader)
            default: try reader.skip(field)
            }
        }
        return column
    }
}
