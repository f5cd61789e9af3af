import FoundationEssentials

/// A type that `CAST` makes a value of.
package enum QueryCast: String, Sendable, Hashable, CaseIterable {
    /// From seconds since 2001-01-01 00:00 UTC.
    case date = "NSDate"
    /// From its text.
    case uuid = "NSUUID"
    /// From its text.
    case uri = "NSURL"
    /// From its text or another number.
    case decimal = "NSDecimalNumber"
    /// From hexadecimal digits.
    case binary = "NSData"
    /// From hexadecimal digits.
    case transformable = "Transformable"
    /// From a number.
    case float = "Float"
    /// From a number or its text (so infinity and what is not a number can be written).
    case double = "Double"
    /// From a number, or its text; from a date, the seconds since 2001-01-01 00:00 UTC.
    case number = "NSNumber"
    /// From anything but bytes.
    case string = "NSString"

    /// The type with a name, in any case, with or without `NS`.
    package init?(name: String) {
        let wanted = name.lowercased()
        let found = Self.allCases.first { type in
            let known = type.rawValue.lowercased()
            return known == wanted || (known.hasPrefix("ns") && known.dropFirst(2) == wanted)
        }
        guard let found else { return nil }
        self = found
    }

    /// The value as a value of the type; `nil` if it cannot be one, null for null.
    package func cast(_ value: AttributeValue) -> AttributeValue? {
        if value.isNull { return .null }
        return switch self {
        case .date:
            value.isDate ? value : value.doubleValue.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .uuid:
            value.textValue.flatMap { UUID(uuidString: $0) }.map { .uuid($0) } ?? value.kept { $0.isUUID }
        case .uri: value.textValue.map { .uri($0) }
        case .decimal:
            (value.textValue.flatMap(Decimal.init(exactText:)) ?? value.decimalValue
                ?? value.seconds.flatMap { Decimal(exactText: "\($0)") }).map { .decimal($0) }
        case .binary: value.textValue.flatMap(Self.bytes).map { .binary($0) } ?? value.kept { $0.isBinary }
        case .transformable: value.textValue.flatMap(Self.bytes).map { .transformable($0) }
        case .float:
            (value.textValue.flatMap(Float.init) ?? (value.doubleValue ?? value.seconds).map(Float.init))
                .map { .float($0) }
        case .double:
            (value.textValue.flatMap(Double.init) ?? value.doubleValue ?? value.seconds).map { .double($0) }
        case .number:
            value.isNumber ? value : value.textValue.flatMap(Self.number) ?? value.seconds.map { .double($0) }
        case .string: value.plainText.map { .string($0) }
        }
    }

    private static func number(_ text: String) -> AttributeValue? {
        Int64(text).map { .integer($0) } ?? Double(text).map { .double($0) }
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8).map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 != nil }) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8((digits[$0] ?? 0) * 16 + (digits[$0 + 1] ?? 0))
        }
    }
}

extension AttributeValue {
    fileprivate var isDate: Bool { if case .date = self { true } else { false } }
    /// Of a date, since 2001-01-01 00:00 UTC.
    fileprivate var seconds: Double? {
        if case .date(let date) = self { date.timeIntervalSinceReferenceDate } else { nil }
    }

    fileprivate var isUUID: Bool { if case .uuid = self { true } else { false } }
    fileprivate var isBinary: Bool { if case .binary = self { true } else { false } }

    fileprivate func kept(_ condition: (AttributeValue) -> Bool) -> AttributeValue? {
        condition(self) ? self : nil
    }

    /// The text that a cast to text makes.
    private var numberText: String? {
        switch self {
        case .integer(let value): "\(value)"
        case .boolean(let value): value ? "1" : "0"
        case .double(let value): "\(value)"
        case .float(let value): "\(value)"
        case .decimal(let value): value.description
        default: nil
        }
    }

    fileprivate var plainText: String? {
        if case .uuid(let value) = self { return value.uuidString }
        return textValue ?? numberText
    }
}
