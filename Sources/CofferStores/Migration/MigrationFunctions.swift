internal import CofferModel
internal import CofferSQLite
internal import CofferWire
internal import FoundationEssentials

/// Functions that the SQL of a migration calls: they turn values into those of another type.
///
/// Confined with the connection that they are registered on.
enum MigrationFunctions {
    /// Makes those callable that read nothing but their arguments.
    ///
    /// What a mapping model has computed sees the time `now`, in seconds since the reference date.
    static func register(
        on connection: SQLiteConnection, for layout: MigrationLayout, now: Double
    ) throws(SQLiteError) {
        try registerMapped(on: connection, layout.expressions, Date(timeIntervalSinceReferenceDate: now))
        try connection.registerFunction(
            name: MigrationSQL.convert, arguments: 4, isDeterministic: true, isInnocuous: false
        ) { stored(converted($0)) }
        try connection.registerFunction(
            name: MigrationSQL.convertDigits, arguments: 4, isDeterministic: true, isInnocuous: false
        ) { arguments in
            converted(arguments).flatMap(SQLLiteral.exactDigits(of:)).map { .text($0) } ?? .null
        }
    }

    /// The value of the other type; `nil` if there is none that stands for the same.
    ///
    /// The arguments are the column, the exact digits beside it, and the two types.
    private static func converted(_ arguments: borrowing SQLiteFunctionArguments) -> AttributeValue? {
        guard let from = AttributeType(rawValue: UInt32(clamping: arguments.int64(2))),
            let to = AttributeType(rawValue: UInt32(clamping: arguments.int64(3))),
            let conversion = AttributeConversion(from: from, to: to)
        else { return nil }
        return conversion.convert(value(arguments, at: 0, from))
    }

    /// Those that compute what a mapping model says: the value, its exact digits, and whether there is any.
    ///
    /// The arguments are the place in `expressions`, and for each attribute that it reads the column and the
    /// exact digits beside it.
    private static func registerMapped(
        on connection: SQLiteConnection, _ expressions: [MappedExpression], _ now: Date
    ) throws(SQLiteError) {
        func mapped(_ arguments: borrowing SQLiteFunctionArguments) -> AttributeValue? {
            let place = Int(clamping: arguments.int64(0))
            guard expressions.indices.contains(place) else { return nil }
            var values: [AttributeValue] = []
            for (index, origin) in expressions[place].origins.enumerated() {
                values.append(value(arguments, at: 1 + 2 * index, origin.type))
            }
            return expressions[place].value(of: values, now: now)
        }
        let every = -1
        try connection.registerFunction(
            name: MigrationSQL.map, arguments: every, isDeterministic: true, isInnocuous: false
        ) { stored(mapped($0)) }
        try connection.registerFunction(
            name: MigrationSQL.mapDigits, arguments: every, isDeterministic: true, isInnocuous: false
        ) { arguments in
            mapped(arguments).flatMap(SQLLiteral.exactDigits(of:)).map { .text($0) } ?? .null
        }
        try connection.registerFunction(
            name: MigrationSQL.canMap, arguments: every, isDeterministic: true, isInnocuous: false
        ) { .integer(mapped($0) == nil ? 0 : 1) }
    }

    /// The value in an argument, with the exact digits in the next one.
    private static func value(
        _ arguments: borrowing SQLiteFunctionArguments, at place: Int, _ type: AttributeType
    ) -> AttributeValue {
        if arguments.isNull(place) { return .null }
        switch type {
        case .integer16, .integer32, .integer64: return .integer(arguments.int64(place))
        case .boolean: return .boolean(arguments.int64(place) != 0)
        case .double: return .double(arguments.double(place))
        case .float: return .float(Float(arguments.double(place)))
        case .decimal:
            if arguments.type(place) == .text { return .decimal(.nan) }
            let digits = arguments.isNull(place + 1) ? nil : arguments.text(place + 1)
            let parts =
                arguments.type(place) == .integer
                ? DecimalParts(integer: arguments.int64(place), digits: digits)
                : DecimalParts(number: arguments.double(place), digits: digits)
            return parts.flatMap { Decimal(exactText: $0.text) }.map { .decimal($0) } ?? .null
        case .string: return .string(arguments.text(place))
        case .uri: return .uri(arguments.text(place))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: arguments.double(place)))
        case .binary: return .binary(arguments.blob(place))
        case .transformable: return .transformable(arguments.blob(place))
        case .uuid: return SQLLiteral.uuid(arguments.blob(place)).map { .uuid($0) } ?? .null
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
