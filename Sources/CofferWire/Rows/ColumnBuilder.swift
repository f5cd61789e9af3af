package import CofferModel
package import FoundationEssentials

/// Makes a column row by row.
///
/// Each append adds one row. The typed appends are for callers that know the column's kind: another kind
/// is a mistake of the caller. A caller that appends runs of bytes watches `byteCount`, since a column of
/// more than `Limits.message` cannot travel.
package struct ColumnBuilder: Sendable {
    /// Index of the property in the batch's entity.
    package let property: Int
    /// Rows so far.
    package private(set) var rowCount = 0
    private let kind: ColumnKind
    private var nulls: [UInt8] = []
    private var hasNulls = false
    private var integers: [Int64] = []
    private var doubles: [Double] = []
    private var floats: [Float] = []
    private var data: [UInt8] = []
    private var ends: [UInt32] = []
    private var entities: [UInt32] = []

    /// A column of an attribute of `type`, with room for `capacity` rows.
    package init(property: Int, type: AttributeType, capacity: Int = 0) {
        self.init(property: property, kind: ColumnKind(type), capacity: capacity)
    }

    /// A column of a to-one relationship, with room for `capacity` rows.
    package init(referencesOf property: Int, capacity: Int = 0) {
        self.init(property: property, kind: .references, capacity: capacity)
    }

    private init(property: Int, kind: ColumnKind, capacity: Int) {
        self.property = property
        self.kind = kind
        switch kind {
        case .integers: integers.reserveCapacity(capacity)
        case .bits: data.reserveCapacity((capacity + 7) / 8)
        case .doubles: doubles.reserveCapacity(capacity)
        case .floats: floats.reserveCapacity(capacity)
        case .bytes: ends.reserveCapacity(capacity)
        case .uuids: data.reserveCapacity(16 * capacity)
        case .decimals: data.reserveCapacity(DecimalParts.byteCount * capacity)
        case .references:
            integers.reserveCapacity(capacity)
            entities.reserveCapacity(capacity)
        }
    }

    /// Bytes of values so far.
    package var byteCount: Int {
        8 * (integers.count + doubles.count) + 4 * (floats.count + ends.count + entities.count) + data.count
    }

    /// The column; its nulls are empty if no row is null.
    package consuming func finish() -> Column {
        let values = ColumnValues(
            kind, integers: integers, doubles: doubles, floats: floats, data: data, ends: ends,
            entities: entities)
        if hasNulls { nulls.append(contentsOf: repeatElement(0, count: (rowCount + 7) / 8 - nulls.count)) }
        return Column(property: property, nulls: nulls, values: values)
    }
}

extension ColumnBuilder {
    /// Appends a null row.
    package mutating func appendNull() {
        hasNulls = true
        let byte = rowCount / 8
        if nulls.count <= byte { nulls.append(contentsOf: repeatElement(0, count: byte + 1 - nulls.count)) }
        nulls[byte] |= 1 << UInt8(rowCount % 8)
        switch kind {
        case .integers: append(0 as Int64)
        case .bits: append(false)
        case .doubles: append(0 as Double)
        case .floats: append(0 as Float)
        case .bytes: appendRun { _ in }
        case .uuids: appendZeros(16)
        case .decimals: appendZeros(DecimalParts.byteCount)
        case .references: append(reference: 0, entity: 0)
        }
    }

    private mutating func appendZeros(_ count: Int) {
        data.append(contentsOf: repeatElement(0, count: count))
        rowCount += 1
    }

    /// Appends an integer.
    package mutating func append(_ number: Int64) {
        precondition(kind == .integers, "the column holds no integers")
        integers.append(number)
        rowCount += 1
    }

    /// Appends a double, or a date as seconds since 2001-01-01 UTC.
    package mutating func append(_ number: Double) {
        precondition(kind == .doubles, "the column holds no doubles")
        doubles.append(number)
        rowCount += 1
    }

    /// Appends a float.
    package mutating func append(_ number: Float) {
        precondition(kind == .floats, "the column holds no floats")
        floats.append(number)
        rowCount += 1
    }

    /// Appends a boolean.
    package mutating func append(_ flag: Bool) {
        precondition(kind == .bits, "the column holds no booleans")
        if rowCount % 8 == 0 { data.append(0) }
        if flag { data[rowCount / 8] |= 1 << UInt8(rowCount % 8) }
        rowCount += 1
    }

    /// Appends a run of bytes: whatever `body` appends to the bytes of the runs before, which it leaves
    /// alone.
    package mutating func appendRun<Failure: Error>(
        _ body: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(kind == .bytes, "the column holds no runs of bytes")
        try body(&data)
        ends.append(UInt32(clamping: data.count))
        rowCount += 1
    }

    /// Appends a run of bytes.
    package mutating func append(bytes: [UInt8]) {
        appendRun { $0.append(contentsOf: bytes) }
    }

    /// Appends a run of bytes, a slice of others.
    package mutating func append(bytes: ArraySlice<UInt8>) {
        appendRun { $0.append(contentsOf: bytes) }
    }

    /// Appends text.
    package mutating func append(text: String) {
        appendRun { $0.append(contentsOf: text.utf8) }
    }

    /// Appends a UUID.
    package mutating func append(uuid: UUID) {
        precondition(kind == .uuids, "the column holds no UUIDs")
        unsafe withUnsafeBytes(of: uuid.uuid) { unsafe data.append(contentsOf: $0) }
        rowCount += 1
    }

    /// Appends a decimal number.
    package mutating func append(decimal: Decimal) {
        append(decimal: DecimalParts(decimal))
    }

    /// Appends a decimal number.
    package mutating func append(decimal: DecimalParts) {
        precondition(kind == .decimals, "the column holds no decimals")
        decimal.append(to: &data)
        rowCount += 1
    }

    /// Appends a reference: a primary key, or -(1 + place) of an object that the same save inserts, and the
    /// leaf entity's index.
    package mutating func append(reference key: Int64, entity: UInt32) {
        precondition(kind == .references, "the column holds no references")
        integers.append(key)
        entities.append(entity)
        rowCount += 1
    }
}

extension ColumnBuilder {
    /// Appends a value.
    ///
    /// - Throws: `WireError.malformed` if the column holds other values, or the object is not saved: the
    ///   column is unchanged.
    package mutating func append(_ value: AttributeValue) throws(WireError) {
        switch (value, kind) {
        case (.null, _): appendNull()
        case (.integer(let number), .integers): append(number)
        case (.boolean(let flag), .bits): append(flag)
        case (.double(let number), .doubles): append(number)
        case (.date(let date), .doubles): append(date.timeIntervalSinceReferenceDate)
        case (.float(let number), .floats): append(number)
        case (.string(let text), .bytes), (.uri(let text), .bytes): append(text: text)
        case (.binary(let bytes), .bytes), (.transformable(let bytes), .bytes): append(bytes: bytes)
        case (.uuid(let uuid), .uuids): append(uuid: uuid)
        case (.decimal(let decimal), .decimals): append(decimal: decimal)
        case (.object(let id), .references):
            guard let key = id.primaryKey else {
                throw .malformed("coffer.v1.Column.integers: property \(property) names an object not saved")
            }
            append(reference: key, entity: UInt32(id.entity.index))
        default: throw .malformed("coffer.v1.Column.kind: property \(property) holds \(kind)")
        }
    }
}
