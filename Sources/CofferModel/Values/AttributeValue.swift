public import FoundationEssentials

/// One value of an attribute or to-one relationship, or a constant of a predicate.
///
/// Texts are equal if their bytes are, as in stores; Swift's strings are equal even if they only look
/// alike.
public enum AttributeValue: Sendable, Hashable {
    /// No value.
    case null
    /// Of an integer attribute of any width.
    case integer(Int64)
    /// Of a boolean attribute.
    case boolean(Bool)
    /// Of a double attribute.
    case double(Double)
    /// Of a float attribute.
    case float(Float)
    /// Of a decimal attribute.
    case decimal(Decimal)
    /// Of a string attribute.
    case string(String)
    /// Of a date attribute.
    case date(Date)
    /// Of a binary attribute.
    case binary([UInt8])
    /// Of a UUID attribute.
    case uuid(UUID)
    /// Of a URI attribute, as text.
    case uri(String)
    /// Of a transformable attribute: the bytes that its transformer made.
    case transformable([UInt8])
    /// Of a to-one relationship; kept apart, so that all others take 24 bytes instead of 56.
    indirect case object(ManagedObjectID)
}

extension AttributeValue {
    /// Whether it is the null value.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// Whether an attribute of `type` may hold the value; null always may.
    public func fits(_ type: AttributeType) -> Bool {
        guard case .integer(let number) = self else { return isOfKind(type) }
        return type.integerRange?.contains(number) ?? false
    }

    /// Whether the value is of the kind that attributes of `type` hold, be it within their range or not.
    package func isOfKind(_ type: AttributeType) -> Bool {
        switch (self, type) {
        case (.null, _): true
        case (.integer, .integer16), (.integer, .integer32), (.integer, .integer64), (.boolean, .boolean),
            (.double, .double), (.float, .float), (.decimal, .decimal),
            (.string, .string), (.date, .date), (.binary, .binary), (.uuid, .uuid), (.uri, .uri),
            (.transformable, .transformable):
            true
        default: false
        }
    }
}
