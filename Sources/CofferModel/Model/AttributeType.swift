/// What kind of value an attribute holds.
///
/// The raw values are those that Core Data writes into version hashes and model archives.
public enum AttributeType: UInt32, Sendable, Hashable, CaseIterable {
    /// A signed integer of 16 bits.
    case integer16 = 100
    /// A signed integer of 32 bits.
    case integer32 = 200
    /// A signed integer of 64 bits.
    case integer64 = 300
    /// An exact decimal number of up to 38 digits.
    case decimal = 400
    /// A binary floating point number of 64 bits.
    case double = 500
    /// A binary floating point number of 32 bits.
    case float = 600
    /// Unicode text.
    case string = 700
    /// True or false.
    case boolean = 800
    /// A point in time, kept as seconds since 2001-01-01 00:00 UTC.
    case date = 900
    /// Bytes.
    case binary = 1000
    /// A universally unique identifier, 16 bytes.
    case uuid = 1100
    /// A uniform resource identifier, kept as text.
    case uri = 1200
    /// A value that a transformer of the application turns into bytes and back.
    case transformable = 1800
}

extension AttributeType {
    /// The integers that fit into the type; `nil` if it is not an integer type.
    public var integerRange: ClosedRange<Int64>? {
        switch self {
        case .integer16: Int64(Int16.min)...Int64(Int16.max)
        case .integer32: Int64(Int32.min)...Int64(Int32.max)
        case .integer64: Int64.min...Int64.max
        case .decimal, .double, .float, .string, .boolean, .date, .binary, .uuid, .uri, .transformable: nil
        }
    }

    /// Whether it holds numbers that can be added up; a boolean does not count.
    package var isNumeric: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .decimal, .double, .float: true
        case .string, .boolean, .date, .binary, .uuid, .uri, .transformable: false
        }
    }
}

extension AttributeType {
    /// What Xcode calls the type in model files, and messages call it.
    package var name: String {
        switch self {
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binary: "Binary"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        }
    }
}
