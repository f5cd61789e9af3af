public import FoundationEssentials

/// A value that an application keeps about a store: of any kind that a property list has.
///
/// ```swift
/// try store.metadata(setting: ["source": "iso-codes 4.15", "imported": .date(Date()), "rows": 7_910])
/// ```
public indirect enum MetadataValue: Sendable, Hashable {
    /// Text.
    case string(String)
    /// An integer.
    case integer(Int64)
    /// A floating point number.
    case real(Double)
    /// True or false.
    case boolean(Bool)
    /// A point in time.
    case date(Date)
    /// Bytes.
    case data([UInt8])
    /// Values in order.
    case array([MetadataValue])
    /// Values by key.
    case dictionary([String: MetadataValue])
}

extension MetadataValue {
    /// The value as text, in the form that sets it again; `nil` if it is bytes, an array or a dictionary.
    public var text: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .boolean(let truth): truth ? "true" : "false"
        case .date(let date): DateText.text(of: date)
        case .data, .array, .dictionary: nil
        }
    }
}

extension MetadataValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A floating point number.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Values in order.
    public init(arrayLiteral elements: MetadataValue...) { self = .array(elements) }
    /// Values by key; of two with one key the later one.
    public init(dictionaryLiteral elements: (String, MetadataValue)...) {
        self = .dictionary(Dictionary(elements) { $1 })
    }
}
