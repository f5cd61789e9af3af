internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Collects one column of a batch, row by row, from the rows of a statement.
///
/// Only the room of its kind is ever filled. What another program put into the column as another type is
/// converted as SQLite converts it, or is null if there is no conversion.
struct ColumnFiller {
    /// How values are read and packed.
    enum Kind {
        case integers, computedIntegers, bits, doubles, floats, text, blobs, externalBlobs, uuids, decimals,
            decimalsWithDigits
        /// A key, and in the next column the number of one of these entities: what names another is null.
        case references(Range<UInt32>)
        /// A key of an object of the entity with this index.
        case referencesTo(UInt32)
    }

    private let kind: Kind
    private let property: Int
    private let column: Int
    private var nulls = NullBitmap()
    private var integers = ReusableBuffer<Int64>()
    private var doubles = ReusableBuffer<Double>()
    private var floats = ReusableBuffer<Float>()
    private var bytes = ReusableBuffer<UInt8>()
    private var ends = ReusableBuffer<UInt32>()

    /// A column for what stands in `column` of each row.
    init(_ kind: Kind, property: Int, column: Int) {
        (self.kind, self.property, self.column) = (kind, property, column)
    }
}

extension ColumnFiller.Kind {
    init(_ value: CompiledQuery.Value) {
        self =
            switch value.kind {
            case .reference(let entities, hasEntity: true):
                .references(UInt32(entities.lowerBound)..<UInt32(entities.upperBound))
            case .reference(let entities, hasEntity: false): .referencesTo(UInt32(entities.lowerBound))
            case .decimalWithDigits: .decimalsWithDigits
            case .computedInteger: .computedIntegers
            case .attribute(let type, let isExternal):
                switch type {
                case .integer16, .integer32, .integer64: .integers
                case .boolean: .bits
                case .double, .date: .doubles
                case .float: .floats
                case .string, .uri: .text
                case .uuid: .uuids
                case .decimal: .decimals
                case .binary, .transformable: isExternal ? .externalBlobs : .blobs
                }
            }
    }

    /// Bytes that each row takes, whatever its value.
    var fixedByteCount: Int {
        switch self {
        case .bits: 0  // A bit, which does not count.
        case .integers, .computedIntegers, .doubles: 8
        case .floats, .text, .blobs, .externalBlobs: 4
        case .uuids: 16
        case .decimals, .decimalsWithDigits: DecimalParts.byteCount
        case .references, .referencesTo: 12
        }
    }

    /// How many columns of a row it reads.
    var width: Int {
        switch self {
        case .references, .decimalsWithDigits: 2
        default: 1
        }
    }
}

extension ColumnFiller {
    /// Takes the value of the row that `statement` stands on; what it holds besides `fixedByteCount` is taken
    /// from `budget`.
    @inline(__always)
    mutating func append(
        _ row: Int, of statement: SQLiteStatement, in context: RowContext, within budget: inout ByteBudget
    ) throws(StoreError) {
        switch kind {
        case .integers:
            let value = statement.int64(column)
            integers.append(value)
            if value == 0, statement.isNull(column) { nulls.insert(row) }
        case .computedIntegers:
            if statement.type(column) == .real,
                Int64(exactly: statement.double(column).rounded(.towardZero)) == nil
            {
                throw .tooLarge("an integer that the fetch computes has more than 64 bits: ask for a double")
            }
            let value = statement.int64(column)
            integers.append(value)
            if value == 0, statement.isNull(column) { nulls.insert(row) }
        case .text:
            // A long text as it is: what is not UTF-8 becomes U+FFFD when it is read.
            let start = bytes.count
            bytes.append(textIn: column, of: statement)
            try endRun(from: start, at: row, of: statement, within: &budget)
        case .doubles:
            let value = statement.double(column)
            doubles.append(value)
            if value == 0, statement.isNull(column) { nulls.insert(row) }
        case .bits:
            let value = statement.int64(column)
            if row % 8 == 0 { bytes.append(0) }
            if value != 0 {
                bytes.last |= 1 << UInt8(row % 8)
            } else if statement.isNull(column) {
                nulls.insert(row)
            }
        case .floats:
            let value = statement.double(column)
            floats.append(Float(value))
            if value == 0, statement.isNull(column) { nulls.insert(row) }
        case .blobs:
            let start = bytes.count
            bytes.append(blobIn: column, of: statement)
            try endRun(from: start, at: row, of: statement, within: &budget)
        case .references, .referencesTo, .uuids, .decimals, .decimalsWithDigits, .externalBlobs:
            try appendRare(row, of: statement, in: context, within: &budget)
        }
    }

    @inline(never)
    private mutating func appendRare(
        _ row: Int, of statement: SQLiteStatement, in context: RowContext, within budget: inout ByteBudget
    ) throws(StoreError) {
        switch kind {
        case .references(let entities):
            let entity = context.entityIndex(statement.int64(column + 1))
            appendReference(row, of: statement, to: entity.flatMap { entities.contains($0) ? $0 : nil })
        case .referencesTo(let entity): appendReference(row, of: statement, to: entity)
        case .uuids:
            if statement.withBlob(column, { $0.byteCount }) == 16 {
                statement.withBlob(column) { bytes.append($0) }
            } else {
                bytes.append(zeros: 16)
                nulls.insert(row)
            }
        case .decimals: appendDecimal(row, statement, digits: nil)
        case .decimalsWithDigits:
            appendDecimal(
                row, statement, digits: statement.isNull(column + 1) ? nil : statement.text(column + 1))
        case .externalBlobs:
            let stored = statement.blob(column)
            let value = stored.isEmpty ? nil : try context.external(stored, row: row, property: property)
            guard let value else {
                nulls.insert(row)
                return try endRun(0, &budget)
            }
            unsafe bytes.append(value.span.bytes)
            try endRun(value.count, &budget)
        default: break
        }
    }

    /// Lays the column of the rows so far out; `mutating`, since it is large, and lending it otherwise copies
    /// it.
    mutating func add(to builder: inout PackedRowsBuilder, rowCount: Int) throws(WireError) {
        let property = UInt32(truncatingIfNeeded: property)
        nulls.fill(rowCount: rowCount)
        let nulls = unsafe nulls.bits.span.bytes
        switch kind {
        case .integers, .computedIntegers:
            try unsafe builder.add(
                property, .integers, nulls: nulls,
                values: integers.values.span.extracting(first: integers.count).bytes)
        case .bits:
            try unsafe builder.add(
                property, .bits, nulls: nulls, values: bytes.values.span.extracting(first: bytes.count).bytes)
        case .doubles:
            try unsafe builder.add(
                property, .doubles, nulls: nulls,
                values: doubles.values.span.extracting(first: doubles.count).bytes)
        case .floats:
            try unsafe builder.add(
                property, .floats, nulls: nulls,
                values: floats.values.span.extracting(first: floats.count).bytes)
        case .text, .blobs, .externalBlobs:
            try unsafe builder.add(
                property, .bytes, nulls: nulls,
                values: bytes.values.span.extracting(first: bytes.count).bytes,
                ends: ends.values.span.extracting(first: ends.count).bytes)
        case .uuids:
            try unsafe builder.add(
                property, .uuids, nulls: nulls, values: bytes.values.span.extracting(first: bytes.count).bytes
            )
        case .decimals, .decimalsWithDigits:
            try unsafe builder.add(
                property, .decimals, nulls: nulls,
                values: bytes.values.span.extracting(first: bytes.count).bytes)
        case .references, .referencesTo:
            try unsafe builder.add(
                property, .references, nulls: nulls,
                values: integers.values.span.extracting(first: integers.count).bytes,
                ends: ends.values.span.extracting(first: ends.count).bytes)
        }
    }

    /// About how many bytes the rows so far take.
    var byteCount: Int {
        8 * (integers.count + doubles.count) + 4 * (floats.count + ends.count) + bytes.count
    }

    /// About how many bytes it keeps room for.
    var capacity: Int {
        8 * (integers.capacity + doubles.capacity) + 4 * (floats.capacity + ends.capacity) + bytes.capacity
    }

    /// Forgets the rows so far.
    mutating func removeAll(keepingCapacity: Bool) {
        nulls.removeAll()
        switch kind {
        case .integers, .computedIntegers: integers.removeAll(keepingCapacity: keepingCapacity)
        case .doubles: doubles.removeAll(keepingCapacity: keepingCapacity)
        case .floats: floats.removeAll(keepingCapacity: keepingCapacity)
        case .bits, .uuids, .decimals, .decimalsWithDigits: bytes.removeAll(keepingCapacity: keepingCapacity)
        case .text, .blobs, .externalBlobs:
            bytes.removeAll(keepingCapacity: keepingCapacity)
            ends.removeAll(keepingCapacity: keepingCapacity)
        case .references, .referencesTo:
            integers.removeAll(keepingCapacity: keepingCapacity)
            ends.removeAll(keepingCapacity: keepingCapacity)
        }
    }
}

extension ColumnFiller {
    private mutating func appendReference(_ row: Int, of statement: SQLiteStatement, to entity: UInt32?) {
        let key = statement.int64(column)
        if let entity, key != 0 || !statement.isNull(column) {
            integers.append(key)
            ends.append(entity)
        } else {
            integers.append(0)
            ends.append(0)
            nulls.insert(row)
        }
    }

    private mutating func appendDecimal(_ row: Int, _ statement: SQLiteStatement, digits: String?) {
        if let value = DecimalParts(statement, column, digits: digits) {
            var packed: [UInt8] = []
            value.append(to: &packed)
            unsafe bytes.append(packed.span.bytes)
        } else {
            bytes.append(zeros: DecimalParts.byteCount)
            nulls.insert(row)
        }
    }

    /// Ends the run of a text or blob that began at `start`, and notes if the value is null.
    @inline(__always)
    private mutating func endRun(
        from start: Int, at row: Int, of statement: SQLiteStatement, within budget: inout ByteBudget
    ) throws(StoreError) {
        let count = bytes.count - start
        if count == 0, statement.isNull(column) { nulls.insert(row) }
        try endRun(count, &budget)
    }

    @inline(__always)
    private mutating func endRun(_ count: Int, _ budget: inout ByteBudget) throws(StoreError) {
        try budget.take(count)
        guard let end = UInt32(exactly: bytes.count) else {
            throw .tooLarge("a column of the answer passes 4 GiB: fetch fewer rows at once")
        }
        ends.append(end)
    }
}

/// Which rows of a column are null.
private struct NullBitmap {
    /// One bit a row, as far as there are nulls; empty if no row is null.
    private(set) var bits: [UInt8] = []

    mutating func removeAll() {
        if !bits.isEmpty { bits = [] }
    }

    mutating func insert(_ row: Int) {
        while bits.count <= row / 8 { bits.append(0) }
        bits[row / 8] |= 1 << UInt8(row % 8)
    }

    /// Makes room for a bit for each row, if any row is null.
    mutating func fill(rowCount: Int) {
        if bits.isEmpty { return }
        while bits.count < (rowCount + 7) / 8 { bits.append(0) }
    }
}
