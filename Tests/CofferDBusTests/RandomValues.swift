import CofferDBus
import TestSupport

/// Values of any type but descriptors, equal for equal seeds.
struct RandomValues {
    var generator: SeededGenerator

    init(seed: Seed) { generator = seed.generator() }

    mutating func value(depth: Int) -> DBusValue { value(of: type(depth: depth), depth: depth) }

    /// One complete type.
    private mutating func type(depth: Int) -> String {
        let basic = Array("ybnqiuxtdsog").map(String.init)
        let code = number(below: depth < 4 ? 18 : 12)
        switch code {
        case 0..<12: return basic[code]
        case 12, 13: return "v"
        case 14: return "a" + type(depth: depth + 1)
        case 15: return "a{" + basic[number(below: 12)] + type(depth: depth + 1) + "}"
        case 16: return "ay"
        default: return "(" + (0...number(below: 3)).map { _ in type(depth: depth + 1) }.joined() + ")"
        }
    }

    private mutating func value(of type: String, depth: Int) -> DBusValue {
        let bits = generator.next()
        let inner = String(type.dropFirst())
        switch type.first {
        case "y": return .byte(UInt8(truncatingIfNeeded: bits))
        case "b": return .boolean(bits & 1 == 1)
        case "n": return .int16(Int16(truncatingIfNeeded: bits))
        case "q": return .uint16(UInt16(truncatingIfNeeded: bits))
        case "i": return .int32(Int32(truncatingIfNeeded: bits))
        case "u": return .uint32(UInt32(truncatingIfNeeded: bits))
        case "x": return .int64(Int64(bitPattern: bits))
        case "t": return .uint64(bits)
        case "d": return .double(Double(bits))
        case "s": return .string(String(bits, radix: 36) + "\u{E9}")
        case "o": return .objectPath(DBusPath.path("/", String(bits)))
        case "g": return .signature(self.type(depth: 3))
        case "v": return .variant(value(depth: depth + 1))
        case "(": return .structure(members(of: String(inner.dropLast()), depth: depth + 1))
        default: return array(of: inner, depth: depth + 1)
        }
    }

    private mutating func array(of element: String, depth: Int) -> DBusValue {
        let count = number(below: 4)
        if element == "y" { return .bytes((0..<count).map { _ in UInt8(number(below: 256)) }) }
        guard element.first == "{" else {
            return .array(element, (0..<count).map { _ in value(of: element, depth: depth) })
        }
        let key = String(element.dropFirst().prefix(1))
        let content = String(element.dropFirst(2).dropLast())
        let entries = (0..<count).map { _ in
            DBusValue.Entry(value(of: key, depth: depth), value(of: content, depth: depth))
        }
        return .dictionary(key, content, entries)
    }

    private mutating func members(of signature: String, depth: Int) -> [DBusValue] {
        let types = (try? DBusSignature.types(in: signature)) ?? []
        return types.map { value(of: $0, depth: depth) }
    }

    private mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
}
