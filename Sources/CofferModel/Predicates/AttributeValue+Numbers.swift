package import FoundationEssentials

extension AttributeValue {
    /// Whether it is a number or a truth value, which counts as 0 or 1.
    package var isNumber: Bool {
        switch self {
        case .integer, .boolean, .double, .float, .decimal: true
        case .null, .string, .date, .binary, .uuid, .uri, .transformable, .object: false
        }
    }

    /// Whether the value is not a number (NaN), which a store can keep only as null.
    package var isNaN: Bool {
        switch self {
        case .double(let value): value.isNaN
        case .float(let value): value.isNaN
        case .decimal(let value): value.isNaN
        case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
        default: false
        }
    }

    /// The text of a string or URI.
    package var textValue: String? {
        switch self {
        case .string(let text), .uri(let text): text
        default: nil
        }
    }

    /// The nearest double of a number.
    package var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .boolean(let value): value ? 1 : 0
        case .double(let value): value
        case .float(let value): Double(value)
        case .decimal(let value): Double(value.description)
        default: nil
        }
    }

    /// The decimal of a number, with the digits that it is written with.
    package var decimalValue: Decimal? {
        switch self {
        case .integer(let value): Decimal(value)
        case .boolean(let value): value ? 1 : 0
        case .double(let value): Decimal(exactText: "\(value)")
        case .float(let value): Decimal(exactText: "\(value)")
        case .decimal(let value): value
        default: nil
        }
    }
}

extension BinaryFloatingPoint where Self: LosslessStringConvertible {
    /// The number nearest to what a whole text says in decimal digits, or the infinity that it names; `nil`
    /// for hexadecimal digits, for what is not a number, and for what is beyond the greatest number.
    package static func plain(_ text: String) -> Self? {
        guard !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "x") }), let value = Self(text) else {
            return nil
        }
        let isNamed = text.utf8.contains { $0 | 0x20 == UInt8(ascii: "i") }
        return value.isFinite || value.isInfinite && isNamed ? value : nil
    }
}

extension Decimal {
    /// The decimal that a whole text is, `1.50` or `-2e-3`; `nil` if something else stands in it.
    package init?(exactText text: String) {
        let allowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default: false
            }
        }
        guard allowed, Double(text) != nil, let value = Decimal(string: text) else { return nil }
        self = value
    }
}
