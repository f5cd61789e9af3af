public import CofferModel
public import FoundationEssentials

extension Date: AttributeConvertible {
    public init?(attributeValue: AttributeValue) {
        guard case .date(let date) = attributeValue else { return nil }
        self = date
    }

    public var attributeValue: AttributeValue { .date(self) }
    /// 2001-01-01 00:00 UTC.
    public static var valueForNull: Date { Date(timeIntervalSinceReferenceDate: 0) }

    public static func decode(_ cell: AttributeCell) -> Date? {
        cell.double.map { Date(timeIntervalSinceReferenceDate: $0) }
    }
}

extension UUID: AttributeConvertible {
    public init?(attributeValue: AttributeValue) {
        guard case .uuid(let uuid) = attributeValue else { return nil }
        self = uuid
    }

    public var attributeValue: AttributeValue { .uuid(self) }
    /// Sixteen zero bytes.
    public static var valueForNull: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
    public static func decode(_ cell: AttributeCell) -> UUID? { cell.uuid }
}

extension Decimal: AttributeConvertible {
    public init?(attributeValue: AttributeValue) {
        guard case .decimal(let decimal) = attributeValue else { return nil }
        self = decimal
    }

    public var attributeValue: AttributeValue { .decimal(self) }
    public static var valueForNull: Decimal { 0 }
}

extension URL: AttributeConvertible {
    public init?(attributeValue: AttributeValue) {
        guard case .uri(let text) = attributeValue else { return nil }
        self.init(string: text)
    }

    public var attributeValue: AttributeValue { .uri(absoluteString) }
    /// `about:blank`.
    public static var valueForNull: URL { URL(string: "about:blank") ?? URL(filePath: "/") }
}

extension Data: AttributeConvertible {
    public init?(attributeValue: AttributeValue) {
        switch attributeValue {
        case .binary(let bytes), .transformable(let bytes): self.init(bytes)
        default: return nil
        }
    }

    public var attributeValue: AttributeValue { .binary([UInt8](self)) }
    public static var valueForNull: Data { Data() }
}

extension [UInt8]: AttributeConvertible {
    public init?(attributeValue: AttributeValue) {
        switch attributeValue {
        case .binary(let bytes), .transformable(let bytes): self = bytes
        default: return nil
        }
    }

    public var attributeValue: AttributeValue { .binary(self) }
    public static var valueForNull: [UInt8] { [] }
    public static func decode(_ cell: AttributeCell) -> [UInt8]? { cell.bytes }
}

extension AttributeValue: AttributeConvertible {
    public init?(attributeValue: AttributeValue) { self = attributeValue }
    public var attributeValue: AttributeValue { self }
    public static var valueForNull: AttributeValue { .null }
}
