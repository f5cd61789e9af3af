package import CofferModel
package import FoundationEssentials

extension Column {
    /// The value of row `row`, of an attribute of `type`; null if the row is null or the column is of
    /// another kind.
    ///
    /// Text that is not UTF-8 is repaired; `check(_:)` refuses it.
    package func value(at row: Int, type: AttributeType) -> AttributeValue {
        if isNull(row) { return .null }
        return switch (values, type) {
        case (.integers(let numbers), .integer16), (.integers(let numbers), .integer32),
            (.integers(let numbers), .integer64):
            .integer(numbers[row])
        case (.bits, .boolean): .boolean(boolean(at: row) ?? false)
        case (.doubles(let numbers), .double): .double(numbers[row])
        case (.doubles(let numbers), .date): .date(Date(timeIntervalSinceReferenceDate: numbers[row]))
        case (.floats(let numbers), .float): .float(numbers[row])
        case (.bytes(let runs), .string): .string(runs.repairedText(row))
        case (.bytes(let runs), .uri): .uri(runs.repairedText(row))
        case (.bytes(let runs), .binary): .binary(runs.bytes(row))
        case (.bytes(let runs), .transformable): .transformable(runs.bytes(row))
        case (.uuids, .uuid): uuid(at: row).map { .uuid($0) } ?? .null
        case (.decimals(let bytes), .decimal):
            DecimalParts(row: row, of: bytes)?.decimal.map { .decimal($0) } ?? .null
        default: .null
        }
    }

    /// The integer of row `row`; `nil` if it is null or the column is of another kind.
    package func int64(at row: Int) -> Int64? {
        guard case .integers(let numbers) = values, !isNull(row) else { return nil }
        return numbers[row]
    }

    /// The double, or the date's seconds since 2001-01-01 UTC, of row `row`; `nil` if it is null or of
    /// another kind.
    package func double(at row: Int) -> Double? {
        guard case .doubles(let numbers) = values, !isNull(row) else { return nil }
        return numbers[row]
    }

    /// The float of row `row`; `nil` if it is null or the column is of another kind.
    package func float(at row: Int) -> Float? {
        guard case .floats(let numbers) = values, !isNull(row) else { return nil }
        return numbers[row]
    }

    /// The boolean of row `row`; `nil` if it is null or the column is of another kind.
    package func boolean(at row: Int) -> Bool? {
        guard case .bits(let bytes) = values, !isNull(row) else { return nil }
        return bytes[row / 8] & (1 << UInt8(row % 8)) != 0
    }

    /// The text of row `row`; `nil` if it is null, not UTF-8, or the column is of another kind.
    package func text(at row: Int) -> String? {
        guard case .bytes(let runs) = values, !isNull(row) else { return nil }
        return runs.text(row)
    }

    /// The bytes of row `row`; `nil` if it is null or the column is of another kind.
    package func bytes(at row: Int) -> [UInt8]? {
        guard case .bytes(let runs) = values, !isNull(row) else { return nil }
        return runs.bytes(row)
    }

    /// Lends the bytes of row `row`, without a copy, if it is not null and the column is of runs of bytes.
    package func withBytes<Result>(at row: Int, _ body: (Span<UInt8>) -> Result) -> Result? {
        guard case .bytes(let runs) = values, !isNull(row) else { return nil }
        return body(runs.data.span.extracting(runs.range(row)))
    }

    /// The UUID of row `row`; `nil` if it is null or the column is of another kind.
    package func uuid(at row: Int) -> UUID? {
        guard case .uuids(let bytes) = values, !isNull(row) else { return nil }
        return unsafe UUID(
            uuid: bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: 16 * row, as: uuid_t.self))
    }

    /// The object that row `row` refers to; `nil` if it is null or the column is of another kind.
    package func reference(at row: Int) -> (key: Int64, entity: Int)? {
        guard case .references(let keys, let entities) = values, !isNull(row) else { return nil }
        return (keys[row], Int(entities[row]))
    }
}

extension ByteRuns {
    /// The bytes of run `index`.
    package func bytes(_ index: Int) -> [UInt8] { Array(data[range(index)]) }

    /// Run `index` as text; `nil` if it is not UTF-8.
    package func text(_ index: Int) -> String? { String(validating: data[range(index)], as: UTF8.self) }

    /// Run `index` as text, with replacement characters where it is not UTF-8.
    package func repairedText(_ index: Int) -> String { String(decoding: data[range(index)], as: UTF8.self) }
}
