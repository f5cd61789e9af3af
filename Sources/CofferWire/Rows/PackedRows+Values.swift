package import CofferModel
package import FoundationEssentials

extension PackedRows {
    /// Whether a value is null.
    package func isNull(_ column: Int, _ row: Int) -> Bool { isNull(place(column), row) }

    /// An integer; `nil` if it is null or the column is of another kind.
    package func int64(_ column: Int, _ row: Int) -> Int64? {
        guard let place = place(column, row, kind: .integers) else { return nil }
        return number(row, from: place.values, as: Int64.self)
    }

    /// A double, or a date's seconds since 2001-01-01 UTC; `nil` if it is null or of another kind.
    package func double(_ column: Int, _ row: Int) -> Double? {
        guard let place = place(column, row, kind: .doubles) else { return nil }
        return number(row, from: place.values, as: Double.self)
    }

    /// A float; `nil` if it is null or of another kind.
    package func float(_ column: Int, _ row: Int) -> Float? {
        guard let place = place(column, row, kind: .floats) else { return nil }
        return number(row, from: place.values, as: Float.self)
    }

    /// A boolean; `nil` if it is null or of another kind.
    package func boolean(_ column: Int, _ row: Int) -> Bool? {
        guard let place = place(column, row, kind: .bits) else { return nil }
        return bit(row, from: place.values)
    }

    /// A text, repaired where it is not UTF-8; `nil` if it is null or of another kind.
    ///
    /// Whether the column is UTF-8 was found out when the block was made.
    package func text(_ column: Int, _ row: Int) -> String? {
        guard let place = place(column, row, kind: .bytes) else { return nil }
        let run = unsafe run(place, row)
        if place.text == .unknown { return unsafe String(decoding: run, as: UTF8.self) }
        return unsafe String(
            copying: UTF8Span(unchecked: run.span, isKnownASCII: place.text == .ascii))
    }

    /// Bytes; `nil` if they are null or the column is of another kind.
    package func bytes(_ column: Int, _ row: Int) -> [UInt8]? {
        guard let place = place(column, row, kind: .bytes) else { return nil }
        return unsafe Array(run(place, row))
    }

    /// A UUID; `nil` if it is null or of another kind.
    package func uuid(_ column: Int, _ row: Int) -> UUID? {
        guard let place = place(column, row, kind: .uuids) else { return nil }
        return UUID(uuid: number(row, from: place.values, as: uuid_t.self))
    }

    /// A decimal; `nil` if it is null, not a decimal, or of another kind.
    package func decimal(_ column: Int, _ row: Int) -> Decimal? {
        guard let place = place(column, row, kind: .decimals) else { return nil }
        let start = Int(place.values) + row * DecimalParts.byteCount
        let bytes = unsafe Array(bytes(start, count: DecimalParts.byteCount))
        return DecimalParts(row: 0, of: bytes)?.decimal
    }

    /// The object that a row refers to; `nil` if it is null or the column is of another kind.
    package func reference(_ column: Int, _ row: Int) -> (key: Int64, entity: Int)? {
        guard let place = place(column, row, kind: .references) else { return nil }
        return (
            number(row, from: place.values, as: Int64.self),
            Int(number(row, from: place.ends, as: UInt32.self))
        )
    }

    /// A value of an attribute of `type`; null if it is null or the column is of another kind.
    package func value(_ column: Int, _ row: Int, type: AttributeType) -> AttributeValue {
        let value: AttributeValue? =
            switch type {
            case .integer16, .integer32, .integer64: int64(column, row).map { .integer($0) }
            case .boolean: boolean(column, row).map { .boolean($0) }
            case .double: double(column, row).map { .double($0) }
            case .date: double(column, row).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            case .float: float(column, row).map { .float($0) }
            case .string: text(column, row).map { .string($0) }
            case .uri: text(column, row).map { .uri($0) }
            case .binary: bytes(column, row).map { .binary($0) }
            case .transformable: bytes(column, row).map { .transformable($0) }
            case .uuid: uuid(column, row).map { .uuid($0) }
            case .decimal: decimal(column, row).map { .decimal($0) }
            }
        return value ?? .null
    }

    /// Where a run of bytes lies.
    @inline(__always)
    func run(_ place: ColumnOffsets, _ row: Int) -> UnsafeBufferPointer<UInt8> {
        let start = row == 0 ? 0 : Int(number(row - 1, from: place.ends, as: UInt32.self))
        let end = Int(number(row, from: place.ends, as: UInt32.self))
        return unsafe bytes(Int(place.values) + start, count: end - start)
    }
}
