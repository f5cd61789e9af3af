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
                unsafe .bytes(
                    ByteRuns(data: c.data.array(), ends: [UInt32](copying: c.ends, count: c.n_ends)))
            case .uuids: unsafe .uuids(c.data.array())
            case .decimals: unsafe .decimals(c.data.array())
            case .references:
                unsafe .references(
                    keys: [Int64](copying: c.integers, count: c.n_integers),
                    entities: [UInt32](copying: c.entities, count: c.n_entities))
            }
        unsafe self.init(property: Int(c.property), nulls: c.nulls.array(), values: values)
    }

    func fill(_ c: inout Coffer__V1__Column, in arena: inout PackArena) {
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

extension Column: FieldMessage {
    static var name: StaticString { "coffer.v1.Column" }

    var aboutByteCount: Int {
        let count =
            switch values {
            case .integers(let numbers): 8 * numbers.count
            case .doubles(let numbers): 8 * numbers.count
            case .floats(let numbers): 4 * numbers.count
            case .bits(let bytes), .uuids(let bytes), .decimals(let bytes): bytes.count
            case .bytes(let runs): runs.data.count + 4 * runs.ends.count
            case .references(let keys, _): 12 * keys.count
            }
        return 8 + nulls.count + count
    }

    /// Reads a column; whoever knows the number of rows checks it.
    init(reading reader: inout FieldReader) throws(WireError) {
        var property: UInt32 = 0
        var kind: UInt32 = 0
        var nulls: [UInt8] = []
        var parts = ColumnParts()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: property = try reader.number32(field)
            case 2: kind = try reader.number32(field)
            case 3: nulls = try reader.bytes(field)
            case 4: try reader.append(field, to: &parts.integers)
            case 5: try reader.append(field, to: &parts.doubles)
            case 6: try reader.append(field, to: &parts.floats)
            case 7: parts.data = try reader.bytes(field)
            case 8: try reader.append(field, to: &parts.ends)
            case 9: try reader.append(field, to: &parts.entities)
            default: try reader.skip(field)
            }
        }
        let values = parts.values(try choice(kind, "coffer.v1.Column.kind"))
        self.init(property: Int(property), nulls: nulls, values: values)
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, number: UInt64(property))
        writer.put(2, number: UInt64(values.kind.rawValue))
        writer.put(3, bytes: nulls)
        switch values {
        case .integers(let numbers): writer.put(4, numbers: numbers)
        case .doubles(let numbers): writer.put(5, numbers: numbers)
        case .floats(let numbers): writer.put(6, numbers: numbers)
        case .bits(let bytes), .uuids(let bytes), .decimals(let bytes): writer.put(7, bytes: bytes)
        case .bytes(let runs):
            writer.put(7, bytes: runs.data)
            writer.put(8, numbers: runs.ends)
        case .references(let keys, let entities):
            writer.put(4, numbers: keys)
            writer.put(9, numbers: entities)
        }
    }
}

/// What a column's fields held, whatever its kind.
private struct ColumnParts {
    var integers: [Int64] = []
    var doubles: [Double] = []
    var floats: [Float] = []
    var data: [UInt8] = []
    var ends: [UInt32] = []
    var entities: [UInt32] = []

    consuming func values(_ kind: ColumnKind) -> ColumnValues {
        switch kind {
        case .integers: .integers(integers)
        case .bits: .bits(data)
        case .doubles: .doubles(doubles)
        case .floats: .floats(floats)
        case .bytes: .bytes(ByteRuns(data: data, ends: ends))
        case .uuids: .uuids(data)
        case .decimals: .decimals(data)
        case .references: .references(keys: integers, entities: entities)
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
