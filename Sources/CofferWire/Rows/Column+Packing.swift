/// `coffer.v1.ColumnKind`.
package enum ColumnKind: UInt32 {
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

    /// The values of a kind, of what was gathered for any.
    @inline(__always)
    init(
        _ kind: ColumnKind, integers: [Int64], doubles: [Double], floats: [Float], data: [UInt8],
        ends: [UInt32], entities: [UInt32]
    ) {
        self =
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

    /// Reads a column; the code that knows the number of rows checks it.
    init(reading reader: inout FieldReader) throws(WireError) {
        // Variables, not a structure of them: the compiler would copy that whole.
        var (property, kind) = (UInt32(0), UInt32(0))
        var (nulls, data): ([UInt8], [UInt8]) = ([], [])
        var (ends, entities): ([UInt32], [UInt32]) = ([], [])
        var integers: [Int64] = []
        var doubles: [Double] = []
        var floats: [Float] = []
        while let field = try reader.nextField() {
            switch field.number {
            case 1: property = try reader.number32(field)
            case 2: kind = try reader.number32(field)
            case 3: nulls = try reader.bytes(field)
            case 4: try reader.append(field, to: &integers)
            case 5: try reader.append(field, to: &doubles)
            case 6: try reader.append(field, to: &floats)
            case 7: data = try reader.bytes(field)
            case 8: try reader.append(field, to: &ends)
            case 9: try reader.append(field, to: &entities)
            default: try reader.skip(field)
            }
        }
        let values = try ColumnValues(
            choice(kind, "coffer.v1.Column.kind"), integers: integers, doubles: doubles, floats: floats,
            data: data, ends: ends, entities: entities)
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

extension [Column] {
    /// Adds a column of a repeated field; `name` is the field's, for errors.
    mutating func append(
        _ field: FieldReader.Field, from reader: inout FieldReader, _ name: StaticString
    ) throws(WireError) {
        if isEmpty { reserveCapacity(8) }
        try append(reader.message(field), name, limit: Limits.columns)
    }

    /// Refuses columns that have not `rowCount` rows each.
    func check(rowCount: Int) throws(WireError) {
        for index in indices { try self[index].check(rowCount: rowCount) }
    }
}
