extension AttributeValue: CustomStringConvertible {
    /// The case with its value; of many bytes the first and how many there are, since whole they would fill
    /// the screen.
    public var description: String {
        switch self {
        case .null: "null"
        case .integer(let value): "integer(\(value))"
        case .boolean(let value): "boolean(\(value))"
        case .double(let value): "double(\(value))"
        case .float(let value): "float(\(value))"
        case .decimal(let value): "decimal(\(value))"
        case .string(let value): "string(\(value.debugDescription))"
        case .date(let value): "date(\(value))"
        case .binary(let bytes): "binary(\(Self.shown(bytes)))"
        case .uuid(let value): "uuid(\(value))"
        case .uri(let value): "uri(\(value.debugDescription))"
        case .transformable(let bytes): "transformable(\(Self.shown(bytes)))"
        case .object(let id): "object(\(id))"
        }
    }

    private static func shown(_ bytes: [UInt8]) -> String {
        if bytes.count <= 32 { return "\(bytes)" }
        return "\(bytes.count) bytes: [\(bytes.prefix(16).map(String.init).joined(separator: ", ")), …]"
    }
}
