internal import CofferModel
internal import CofferSQLite
internal import FoundationEssentials

/// `COFFER_CAST(value, cast, type)`: casts a stored value as `QueryCast` does in memory.
enum StoredValueCast {
    /// The second argument is the place of the cast among all, the third that of the value's type, -1 if that
    /// is not known.
    static func cast(_ arguments: borrowing SQLiteFunctionArguments) -> SQLiteFunctionResult {
        let (target, source) = (Int(arguments.int64(1)), Int(arguments.int64(2)))
        guard QueryCast.allCases.indices.contains(target) else { return .null }
        let type = AttributeType.allCases.indices.contains(source) ? AttributeType.allCases[source] : nil
        guard let result = QueryCast.allCases[target].cast(value(arguments, type)) else { return .null }
        return stored(result)
    }

    private static func value(
        _ arguments: borrowing SQLiteFunctionArguments, _ type: AttributeType?
    ) -> AttributeValue {
        if arguments.isNull(0) { return .null }
        switch type {
        case .boolean: return .boolean(arguments.int64(0) != 0)
        case .float: return .float(Float(arguments.double(0)))
        case .decimal: return QueryCast.decimal.cast(.double(arguments.double(0))) ?? .null
        case .date: return .date(Date(timeIntervalSinceReferenceDate: arguments.double(0)))
        case .uri: return .uri(arguments.text(0))
        case .transformable: return .transformable(arguments.blob(0))
        case .uuid: return uuid(arguments.blob(0)).map { .uuid($0) } ?? .null
        case .double: return .double(arguments.double(0))
        case .integer16, .integer32, .integer64, .string, .binary, nil: break
        }
        switch arguments.type(0) {
        case .integer: return .integer(arguments.int64(0))
        case .real: return .double(arguments.double(0))
        case .text: return .string(arguments.text(0))
        case .blob: return .binary(arguments.blob(0))
        case .null: return .null
        }
    }

    private static func uuid(_ bytes: [UInt8]) -> UUID? {
        guard bytes.count == 16 else { return nil }
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8],
                bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }

    private static func stored(_ value: AttributeValue) -> SQLiteFunctionResult {
        switch value {
        case .null, .object: return .null
        case .integer(let value): return .integer(value)
        case .boolean(let value): return .integer(value ? 1 : 0)
        case .double, .float, .decimal: return value.doubleValue.map { .real($0) } ?? .null
        case .string(let text), .uri(let text): return .text(text)
        case .date(let date): return .real(date.timeIntervalSinceReferenceDate)
        case .binary(let bytes), .transformable(let bytes): return .blob(bytes)
        case .uuid(let value):
            let b = value.uuid
            return .blob([
                b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15,
            ])
        }
    }
}
