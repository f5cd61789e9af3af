internal import CCofferMessages

/// `coffer.v1.ColumnKind`.
enum ColumnKind: UInt32 {
    case integers = 1
    case bits = 2
    case doubles = 3
    case floats = 4
    case bytes = 5
    case uuids = 6
    case decimals = 7
    case references = 8
}

extension ColumnValues {
    /// Which case it is.
    var kind: ColumnKind {
        switch self {
        case .integers: .integers
        case .bits: .bits
        case .doubles: .doubles
        case .floats: .floats
        case .bytes: .bytes
        case .uuids: .uuids
        case .decimals: .decimals
        case .references: .references
        }
    }
}

extension Column: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Column>) {
        unsafe coffer__v1__column__init(message)
    }

    /// Reads a column; whoever knows the number of rows checks it.
    init(_ message: UnsafeMutablePointer<Coffer__V1__Column>) throws(WireError) {
        let c = unsafe message.pointee
        let kind: ColumnKind = try unsafe choice(c.kind.rawValue, "coffer.v1.Column.kind")
        let values: ColumnValues =
            switch kind {
            case .integers: unsafe .integers([Int64](copying: c.integers, count: c.n_integers))
            case .bits: unsafe .bits(c.data.array())
            case .doubles: unsafe .doubles([Double](copying: c.doubles, count: c.n_doubles))
            case .floats: unsafe .floats([Float](copying: c.floats, count: c.n_floats))
            case .bytes:
                unsafe .bytes(ByteRuns(data: c.data.array(), ends: [UInt32](copying: c.ends, count: c.n_ends)))
            case .uuids: unsafe .uuids(c.data.array())
            case .decimals: unsafe .decimals(c.data.array())
            case .references:
                unsafe .references(
                    keys: [Int64](copying: c.integers, count: c.n_integers),
                    entities: [UInt32](copying: c.entities, count: c.n_entities))
            }
        unsafe self.init(property: Int(c.property), nulls: c.nulls.array(), values: values)
    }

    func fill(_ c: inout Coffer__V1__Column, in arena: PackArena) {
        unsafe c.property = UInt32(property)
        unsafe c.kind = Coffer__V1__ColumnKind(rawValue: values.kind.rawValue)
        unsafe c.nulls = arena.data(nulls)
        switch values {
        case .integers(let numbers): unsafe (c.n_integers, c.integers) = arena.numbers(numbers)
        case .doubles(let numbers): unsafe (c.n_doubles, c.doubles) = arena.numbers(numbers)
        case .floats(let numbers): unsafe (c.n_floats, c.floats) = arena.numbers(numbers)
        case .bits(let bytes), .uuids(let bytes), .decimals(let bytes): unsafe c.data = arena.data(bytes)
        case .bytes(let runs):
            unsafe c.data = arena.data(runs.data)
            unsafe (c.n_ends, c.ends) = arena.numbers(runs.ends)
        case .references(let keys, let entities):
            unsafe (c.n_integers, c.integers) = arena.numbers(keys)
            unsafe (c.n_entities, c.entities) = arena.numbers(entities)
        }
    }
}

/// Reads a repeated column field, each column having `rowCount` rows.
func readColumns(
    _ start: UnsafeMutablePointer<UnsafeMutablePointer<Coffer__V1__Column>?>?, _ count: Int, rowCount: Int,
    _ field: StaticString
) throws(WireError) -> [Column] {
    let columns = try unsafe messages(start, count, field, limit: Limits.columns, as: Column.self)
    for column in columns { try column.check(rowCount: rowCount) }
    return columns
}
