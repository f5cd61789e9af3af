import FoundationEssentials

/// Writes binary property lists (`bplist00`).
package enum BinaryPropertyListWriter {
    /// The bytes that describe `value`: equal for equal values, keys in order, strings only once.
    package static func bytes(of value: PropertyListValue) -> [UInt8] {
        var objects = ObjectTable()
        _ = objects.add(value)
        return objects.file()
    }
}

/// The objects of a property list, in the order of their numbers; the outermost is 0.
private struct ObjectTable {
    /// What an object holds: bytes ready to be written, or numbers of other objects.
    private enum Object {
        case leaf([UInt8])
        case container(kind: UInt8, count: Int, references: [Int])
    }

    private var objects: [Object] = []
    private var leaves: [[UInt8]: Int] = [:]
    /// The strings that are ASCII: their hash is a word's, and not each byte's.
    private var words: [String: Int] = [:]

    /// Adds a value and all inside it, and returns its number.
    mutating func add(_ value: PropertyListValue) -> Int {
        switch value {
        case .dictionary(let values):
            let number = reserve()
            let keys = values.keys.sorted()
            let names = keys.map { add(.string($0)) }
            let members = keys.compactMap { values[$0] }.map { add($0) }
            objects[number] = .container(kind: 0xD0, count: keys.count, references: names + members)
            return number
        case .array(let values):
            let number = reserve()
            objects[number] = .container(kind: 0xA0, count: values.count, references: values.map { add($0) })
            return number
        case .string(let text) where text.isASCII:
            if let known = words[text] { return known }
            objects.append(.leaf(Self.header(0x50, text.utf8.count) + Array(text.utf8)))
            words[text] = objects.count - 1
            return objects.count - 1
        default: return add(leaf: Self.leaf(value))
        }
    }

    /// The whole file.
    func file() -> [UInt8] {
        let referenceSize = Self.width(of: UInt64(objects.count))
        var file = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(file.count)
            switch object {
            case .leaf(let bytes): file += bytes
            case .container(let kind, let count, let references):
                file += Self.header(kind, count)
                for reference in references { file += Self.bytes(UInt64(reference), referenceSize) }
            }
        }
        let tableOffset = file.count
        let offsetSize = Self.width(of: UInt64(tableOffset))
        for offset in offsets { file += Self.bytes(UInt64(offset), offsetSize) }
        file += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        file += Self.bytes(UInt64(objects.count), 8) + Self.bytes(0, 8) + Self.bytes(UInt64(tableOffset), 8)
        return file
    }
}

extension ObjectTable {
    private mutating func reserve() -> Int {
        objects.append(.leaf([]))
        return objects.count - 1
    }

    private mutating func add(leaf bytes: [UInt8]) -> Int {
        if let known = leaves[bytes] { return known }
        objects.append(.leaf(bytes))
        leaves[bytes] = objects.count - 1
        return objects.count - 1
    }

    private static func leaf(_ value: PropertyListValue) -> [UInt8] {
        switch value {
        case .dictionary, .array, .null: [0x00]
        case .boolean(let flag): [flag ? 0x09 : 0x08]
        case .string(let text):
            header(0x60, text.utf16.count) + text.utf16.flatMap { bytes(UInt64($0), 2) }
        case .data(let bytes): header(0x40, bytes.count) + bytes
        case .date(let date): [0x33] + bytes(date.timeIntervalSinceReferenceDate.bitPattern, 8)
        case .real(let number): [0x23] + bytes(number.bitPattern, 8)
        case .integer(let number): integer(number)
        case .largeInteger(let number): [0x14] + bytes(0, 8) + bytes(number, 8)
        case .reference(let number): [0x80 | UInt8(width(of: number) - 1)] + bytes(number, width(of: number))
        }
    }

    private static func integer(_ number: Int64) -> [UInt8] {
        guard number >= 0 else { return [0x13] + bytes(UInt64(bitPattern: number), 8) }
        let width = width(of: UInt64(number))
        return [0x10 | UInt8(width.trailingZeroBitCount)] + bytes(UInt64(number), width)
    }

    private static func header(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind | UInt8(count)] : [kind | 0xF] + integer(Int64(count))
    }

    /// How many bytes, of 1, 2, 4 and 8, hold `number`.
    private static func width(of number: UInt64) -> Int {
        switch number {
        case 0...0xFF: 1
        case 0...0xFFFF: 2
        case 0...0xFFFF_FFFF: 4
        default: 8
        }
    }

    private static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
    }
}

extension String {
    /// Whether it is ASCII: then each unit of UTF-16 is one byte.
    fileprivate var isASCII: Bool { utf8.count == utf16.count }
}
