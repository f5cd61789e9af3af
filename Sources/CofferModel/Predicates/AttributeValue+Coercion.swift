import FoundationEssentials

extension AttributeValue {
    /// The value as an attribute of `type` is compared with it; `nil` if the two cannot be compared.
    ///
    /// Numbers become the attribute's kind of number if that keeps their value (0 and 1 for a boolean
    /// attribute), text becomes a UUID, a URI, or the date that it says as ISO 8601 does. A number that an
    /// integer attribute cannot hold stays as it is: `age > 2.5` has a meaning.
    package func coerced(to type: AttributeType) -> AttributeValue? {
        switch type {
        case .integer16, .integer32, .integer64: coercedToInteger
        case .double: doubleValue.map { .double($0) }
        case .float: doubleValue.map { .float(Float($0)) }
        case .decimal: decimalValue.map { .decimal($0) }
        case .boolean: coercedToBoolean
        case .string: textValue.map { .string($0) }
        case .uri: textValue.map { .uri($0) }
        case .uuid: if case .uuid = self { self } else { QueryCast.uuid.cast(self) }
        case .date: if case .date = self { self } else { textValue.flatMap(DateText.date).map { .date($0) } }
        case .binary, .transformable:
            switch self {
            case .binary(let bytes), .transformable(let bytes):
                type == .binary ? .binary(bytes) : .transformable(bytes)
            default: nil
            }
        }
    }

    private var coercedToInteger: AttributeValue? {
        switch self {
        case .integer: self
        case .boolean(let value): .integer(value ? 1 : 0)
        case .decimal(let value): Int64("\(value)").map { .integer($0) } ?? self
        case .double, .float:
            doubleValue.flatMap { Int64(exactly: $0) }.map { .integer($0) } ?? self
        default: nil
        }
    }

    private var coercedToBoolean: AttributeValue? {
        switch self {
        case .boolean: self
        case .integer(0): .boolean(false)
        case .integer(1): .boolean(true)
        default: nil
        }
    }
}

extension AttributeType {
    /// What a value of the type is called in messages.
    package var valueName: String {
        switch self {
        case .integer16, .integer32, .integer64: "an integer"
        case .decimal: "a decimal number"
        case .double, .float: "a number"
        case .string: "text"
        case .boolean: "YES or NO"
        case .date: "a date such as \"2026-01-31T12:00:00Z\""
        case .binary: "bytes"
        case .uuid: "a UUID"
        case .uri: "a URI"
        case .transformable: "a transformable value"
        }
    }
}
