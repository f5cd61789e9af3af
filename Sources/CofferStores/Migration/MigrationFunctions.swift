internal import CofferModel
internal import CofferSQLite
internal import CofferWire
internal import FoundationEssentials

/// Functions that the SQL of a migration calls: they turn values into those of another type.
///
/// Confined with the connection that they are registered on.
enum MigrationFunctions {
    /// Makes those callable that read nothing but their arguments.
    static func register(on connection: SQLiteConnection) throws(SQLiteError) {
        try connection.registerFunction(
            name: MigrationSQL.convert, arguments: 4, isDeterministic: true, isInnocuous: false
        ) { stored(converted($0)) }
        try connection.registerFunction(
            name: MigrationSQL.convertDigits, arguments: 4, isDeterministic: true, isInnocuous: false
        ) { arguments in
            converted(arguments).flatMap(SQLLiteral.exactDigits(of:)).map { .text($0) } ?? .null
        }
    }

    /// The value of the other type; `nil` where there is none that stands for the same.
    ///
    /// The arguments are the column, the exact digits beside it, and the two types.
    private static func converted(_ arguments: borrowing SQLiteFunctionArguments) -> AttributeValue? {
        guard let from = AttributeType(rawValue: UInt32(clamping: arguments.int64(2))),
            let to = AttributeType(rawValue: UInt32(clamping: arguments.int64(3))),
            let conversion = AttributeConversion(from: from, to: to)
        else { return nil }
        return conversion.convert(value(arguments, from))
    }

    private static func value(
        _ arguments: borrowing SQLiteFunctionArguments, _ type: AttributeType
    ) -> AttributeValue {
        if arguments.isNull(0) { return .null }
        switch type {
        case .integer16, .integer32, .integer64: return .integer(arguments.int64(0))
        case .boolean: return .boolean(arguments.int64(0) != 0)
        case .double: return .double(arguments.double(0))
        case .float: return .float(Float(arguments.double(0)))
        case .decimal:
            let digits = arguments.isNull(1) ? nil : arguments.text(1)
            let parts =
                arguments.type(0) == .integer
                ? DecimalParts(integer: arguments.int64(0), digits: digits)
                : DecimalParts(number: arguments.double(0), digits: digits)
            return parts.flatMap { Decimal(exactText: $0.text) }.map { .decimal($0) } ?? .null
        case .string: return .string(arguments.text(0))
        case .uri: return .uri(arguments.text(0))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: arguments.double(0)))
        case .binary: return .binary(arguments.blob(0))
        case .transformable: return .transformable(arguments.blob(0))
        case .uuid: return SQLLiteral.uuid(arguments.blob(0)).map { .uuid($0) } ?? .null
        }
    }

    private static func stored(_ value: AttributeValue?) -> SQLiteFunctionResult {
        switch value {
        case .null, .object, nil: return .null
        case .integer(let number): return .integer(number)
        case .boolean(let value): return .integer(value ? 1 : 0)
        case .double(let number): return .real(number)
        case .float(let number): return .real(Double(number))
        case .decimal(let decimal): return decimal.isNaN ? .null : .real(DecimalParts(decimal).double)
        case .string(let text), .uri(let text): return .text(text)
        case .date(let date): return .real(date.timeIntervalSinceReferenceDate)
        case .binary(let bytes), .transformable(let bytes): return .blob(bytes)
        case .uuid(let id): return .blob(SQLLiteral.bytes(of: id))
        }
    }
}
