internal import CofferModel
internal import CofferWire
internal import FoundationEssentials

/// Values as they stand in SQL, in the form that columns have them.
enum SQLLiteral {
    /// A value of an attribute; `NULL` for one that no column can keep.
    static func text(of value: AttributeValue, isMarked: Bool = false) -> String {
        if value.isNull || value.isNaN { return "NULL" }
        switch value {
        case .null, .object: return "NULL"
        case .integer(let number): return String(number)
        case .boolean(let value): return value ? "1" : "0"
        case .double, .float: return value.doubleValue.map(number) ?? "NULL"
        case .decimal(let decimal): return number(DecimalParts(decimal).double)
        case .string(let text), .uri(let text): return string(text)
        case .date(let date): return number(date.timeIntervalSinceReferenceDate)
        case .binary(let bytes), .transformable(let bytes):
            return blob((isMarked ? ExternalData.inlineMark : []) + bytes)
        case .uuid(let id): return blob(bytes(of: id))
        }
    }

    /// The exact digits of a decimal, if the column does not say them; else `nil`.
    static func exactDigits(of value: AttributeValue) -> String? {
        guard case .decimal(let decimal) = value, !decimal.isNaN else { return nil }
        return DecimalParts(decimal).digitsBesideDouble
    }

    /// A text: by its bytes if SQL would end it early.
    static func string(_ text: String) -> String {
        if text.utf8.contains(0) { return "CAST(\(blob(Array(text.utf8))) AS TEXT)" }
        let pieces = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + pieces.joined(separator: "''") + "'"
    }

    static func blob(_ bytes: [UInt8]) -> String {
        "x'" + HexadecimalDigits.text(of: bytes) + "'"
    }

    private static func number(_ number: Double) -> String {
        if number.isInfinite { return number < 0 ? "-9e999" : "9e999" }
        return "\(number)"
    }

    /// The 16 bytes of a UUID, as columns have them.
    static func bytes(of id: UUID) -> [UInt8] {
        let b = id.uuid
        return [
            b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15,
        ]
    }

    /// The UUID of 16 bytes.
    static func uuid(_ b: [UInt8]) -> UUID? {
        guard b.count == 16 else { return nil }
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
                b[15]
            ))
    }
}
