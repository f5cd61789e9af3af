import CCofferMessages

/// Packs fields in forms that protobuf allows and no packer makes.
///
/// Fields come in any order and with unknown ones between them, values are given twice of which the last
/// counts, messages come in pieces, numbers of a list one by one or as several runs, and numbers take more
/// bytes than they need.
struct OddPacking {
    var dice: Dice
    /// Whether it does none of that.
    var isPlain = false
    /// Whether messages may come in pieces: libprotobuf-c 1.4 forgets the numbers of all but the last.
    var makesPieces = false

    /// The message that `fields` make.
    mutating func message(_ fields: [CField]) -> [UInt8] {
        var queues = fields.map { pieces(of: $0) }
        if isPlain { return queues.flatMap { $0.flatMap { $0 } } }
        var result: [UInt8] = []
        while !queues.isEmpty {
            if dice.below(4) == 0 { result += unknownField() }
            let place = dice.below(queues.count)
            guard let piece = queues[place].first else {
                queues.remove(at: place)
                continue
            }
            queues[place].removeFirst()
            result += piece
        }
        return result
    }

    /// What stands for a field, in order: others may come between.
    private mutating func pieces(of field: CField) -> [[UInt8]] {
        if field.isRepeated {
            return field.type.form == 2 ? field.values.map { single($0, field) } : lists(field)
        }
        guard let value = field.values.first else { return [] }
        if isPlain || dice.flag() { return [single(value, field)] }
        switch value {
        case .number: return [single(.number(1), field), single(value, field)]
        case .bytes(let bytes):
            return [single(.bytes([UInt8](repeating: 0, count: bytes.count)), field), single(value, field)]
        case .message(let fields):
            if field.isOneof || !makesPieces { return [single(value, field)] }
            let (first, second) = halves(fields)
            return [single(.message(first), field), single(.message(second), field)]
        }
    }

    /// A list of numbers: as one run, as two, or one by one.
    private mutating func lists(_ field: CField) -> [[UInt8]] {
        if isPlain { return [run(field.values[...], field)] }
        if dice.flag() { return field.values.map { single($0, field) } }
        let middle = dice.below(field.values.count + 1)
        return [run(field.values[..<middle], field), run(field.values[middle...], field)]
    }

    private mutating func run(_ values: ArraySlice<CValue>, _ field: CField) -> [UInt8] {
        let bytes = values.flatMap { content($0, field.type) }
        return varint(field.number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
    }

    private mutating func single(_ value: CValue, _ field: CField) -> [UInt8] {
        varint(field.number << 3 | field.type.form) + content(value, field.type)
    }

    private mutating func content(_ value: CValue, _ type: ProtobufCType) -> [UInt8] {
        switch value {
        case .number(let number):
            switch type.form {
            case 5: return (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
            case 1: return (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
            default:
                guard type == PROTOBUF_C_TYPE_SINT32 else { return varint(number, isLong: longs()) }
                let signed = Int32(truncatingIfNeeded: number)
                return varint(UInt64(UInt32(bitPattern: signed << 1 ^ signed >> 31)), isLong: longs())
            }
        case .bytes(let bytes): return varint(UInt64(bytes.count)) + bytes
        case .message(let fields):
            let bytes = message(fields)
            return varint(UInt64(bytes.count)) + bytes
        }
    }

    private mutating func longs() -> Bool { !isPlain && dice.below(4) == 0 }

    /// Each field in one of two halves, or in both if it has several values.
    private mutating func halves(_ fields: [CField]) -> ([CField], [CField]) {
        var first: [CField] = []
        var second: [CField] = []
        for field in fields {
            let middle = dice.below(field.values.count + 1)
            var part = field
            part.values = Array(field.values[..<middle])
            if middle > 0 { first.append(part) }
            part.values = Array(field.values[middle...])
            if middle < field.values.count { second.append(part) }
        }
        return (first, second)
    }

    private mutating func unknownField() -> [UInt8] {
        let number = UInt64(100 + dice.below(1_000)) << 3
        return switch dice.below(4) {
        case 0: varint(number) + varint(dice.number())
        case 1: varint(number | 1) + dice.bytes(8)
        case 2: varint(number | 2) + [3] + dice.bytes(3)
        default: varint(number | 5) + dice.bytes(4)
        }
    }

    /// A number in as few bytes as it needs, or in ten.
    private func varint(_ number: UInt64, isLong: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = number
        while rest > 0x7F || (isLong && bytes.count < 9) {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
