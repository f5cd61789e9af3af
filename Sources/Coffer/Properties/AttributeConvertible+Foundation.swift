public import CofferModel
public import FoundationEssentials

extension Date: AttributeConvertible {
    /// The value that an attribute's value stands for; `nil` if it is of another kind.
    public init?(attributeValue: AttributeValue) {
        guard case .date(let date) = attributeValue else { return nil }
        self = date
    }

    /// What an attribute holds for the value.
    public var attributeValue: AttributeValue { .date(self) }
    /// 2001-01-01 00:00 UTC.
    public static var valueForNull: Date { Date(timeIntervalSinceReferenceDate: 0) }

    /// The value of a cell; `nil` if it is null or of another kind.
    public static func decode(_ cell: AttributeCell) -> Date? {
        cell.double.map { Date(timeIntervalSinceReferenceDate: $0) }
    }
}

extension UUID: AttributeConvertible {
    /// The value that an attribute's value stands for; `nil` if it is of another kind.
    public init?(attributeValue: AttributeValue) {
        guard case .uuid(let uuid) = attributeValue else { return nil }
        self = uuid
    }

    /// What an attribute holds for the value.
    public var attributeValue: AttributeValue { .uuid(self) }
    /// Sixteen zero bytes.
    public static var valueForNull: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
    /// The value of a cell; `nil` if it is null or of another kind.
    public static func decode(_ cell: AttributeCell) -> UUID? { cell.uuid }
}

extension Decimal: AttributeConvertible {
    /// The value that an attribute's value stands for; `nil` if it is of another kind.
    public init?(attributeValue: AttributeValue) {
        guard case .decimal(let decimal) = attributeValue else { return nil }
        self = decimal
    }

    /// What an attribute holds for the value.
    public var attributeValue: AttributeValue { .decimal(self) }
    /// What a null reads as.
    public static var valueForNull: Decimal { 0 }
}

extension URL: AttributeConvertible {
    /// The value that an attribute's value stands for; `nil` if it is of another kind.
    public init?(attributeValue: AttributeValue) {
        guard case .uri(let text) = attributeValue else { return nil }
        self.init(string: text)
    }

    /// What an attribute holds for the value.
    public var attributeValue: AttributeValue { .uri(absoluteString) }
    /// `about:blank`.
    public static var valueForNull: URL { URL(string: "about:blank") ?? URL(filePath: "/") }
}

extension Data: AttributeConvertible {
    /// The value that an attribute's value stands for; `nil` if it is of another kind.
    public init?(attributeValue: AttributeValue) {
        switch attributeValue {
        case .binary(let bytes), .transformable(let bytes): self.init(bytes)
        default: return nil
        }
    }

    /// What an attribute holds for the value.
    public var attributeValue: AttributeValue { .binary([UInt8](self)) }
    /// What a null reads as.
    public static var valueForNull: Data { Data() }
}

extension [UInt8]: AttributeConvertible {
    /// The value that an attribute's value stands for; `nil` if it is of another kind.
    public init?(attributeValue: AttributeValue) {
        switch attributeValue {
        case .binary(let bytes), .transformable(let bytes): self = bytes
        default: return nil
        }
    }

    /// What an attribute holds for the value.
    public var attributeValue: AttributeValue { .binary(self) }
    /// What a null reads as.
    public static var valueForNull: [UInt8] { [] }
    /// The value of a cell; `nil` if it is null or of another kind.
    public static func decode(_ cell: AttributeCell) -> [UInt8]? { cell.bytes }
}

extension AttributeValue: AttributeConvertible {
    /// The value that an attribute's value stands for; `nil` if it is of another kind.
    public init?(attributeValue: AttributeValue) { self = attributeValue }
    /// What an attribute holds for the value.
    public var attributeValue: AttributeValue { self }
    /// What a null reads as.
    public static var valueForNull: AttributeValue { .null }
}
