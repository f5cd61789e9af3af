import FoundationEssentials

/// Reads binary property lists (`bplist00`).
///
/// The bytes may come from anywhere: offsets, counts, depth, the number of values that references multiply to
/// and the bytes of those that overlap are checked.
package enum BinaryPropertyListReader {
    /// The value that `bytes` describe.
    ///
    /// - Throws: `FormatError.damagedPropertyList`, saying what is wrong.
    package static func read(_ bytes: [UInt8]) throws(FormatError) -> PropertyListValue {
        var run = try BinaryPropertyListRun(bytes)
        return try run.value(run.top, depth: 0)
    }

    /// Whether `bytes` begin like a binary property list.
    package static func recognises(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist".utf8) }
}

/// One reading of one property list.
private struct BinaryPropertyListRun {
    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let tableOffset: Int
    /// The number of the outermost object.
    let top: Int
    private var valueCount = 0
    /// Bytes of all texts and data; if none overlap, they are at most as many as those of the list.
    private var byteCount = 0
    /// Values without parts, by object: what is referred to often is in memory once.
    private var leaves: [Int: PropertyListValue] = [:]

    init(_ bytes: [UInt8]) throws(FormatError) {
        let trailerSize = 32
        guard bytes.count <= Limits.propertyList else { throw Self.damaged("it has \(bytes.count) bytes") }
        guard bytes.starts(with: "bplist0".utf8), bytes.count > 8 + trailerSize else {
            throw Self.damaged("it does not begin with 'bplist00'")
        }
        self.bytes = bytes
        let trailer = bytes.count - trailerSize
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        let objectCount = Self.number(bytes[trailer + 8..<trailer + 16])
        let top = Self.number(bytes[trailer + 16..<trailer + 24])
        let tableOffset = Self.number(bytes[trailer + 24..<trailer + 32])
        guard 1...8 ~= offsetSize, 1...8 ~= referenceSize, objectCount <= UInt64(trailer), top < objectCount,
            tableOffset >= 8, tableOffset <= UInt64(trailer),
            objectCount * UInt64(offsetSize) <= UInt64(trailer) - tableOffset
        else { throw Self.damaged("its trailer does not fit its size") }
        self.objectCount = Int(objectCount)
        self.top = Int(top)
        self.tableOffset = Int(tableOffset)
    }

    /// The value of one object, `depth` values inside the outermost.
    mutating func value(_ object: Int, depth: Int) throws(FormatError) -> PropertyListValue {
        valueCount += 1
        guard valueCount <= Limits.propertyListValues else { throw Self.damaged("it has too many values") }
        guard depth <= Limits.propertyListDepth else { throw Self.damaged("its values nest too deep") }
        if let leaf = leaves[object] { return leaf }
        let entry = tableOffset + object * offsetSize
        let offset = Self.number(bytes[entry..<entry + offsetSize])
        guard offset >= 8, offset < UInt64(tableOffset) else {
            throw Self.damaged("object \(object) lies outside")
        }
        let marker = bytes[Int(offset)]
        switch marker >> 4 {
        case 0xA, 0xC, 0xD: return try container(marker, at: Int(offset) + 1, depth: depth)
        default:
            let leaf = try leaf(marker, at: Int(offset) + 1)
            leaves[object] = leaf
            return leaf
        }
    }
}

extension BinaryPropertyListRun {
    private mutating func leaf(_ marker: UInt8, at offset: Int) throws(FormatError) -> PropertyListValue {
        let low = Int(marker & 0xF)
        switch (marker >> 4, low) {
        case (0x0, 0x0): return .null
        case (0x0, 0x8): return .boolean(false)
        case (0x0, 0x9): return .boolean(true)
        case (0x1, 0...4): return try integer(at: offset, count: 1 << low)
        case (0x2, 2): return .real(Double(Float(bitPattern: UInt32(try number(at: offset, count: 4)))))
        case (0x2, 3): return .real(Double(bitPattern: try number(at: offset, count: 8)))
        case (0x3, 3):
            let seconds = Double(bitPattern: try number(at: offset, count: 8))
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (0x4, _): return .data(Array(try run(marker, at: offset, unit: 1)))
        case (0x5, _), (0x7, _): return try utf8(try run(marker, at: offset, unit: 1))
        case (0x6, _): return try utf16(try run(marker, at: offset, unit: 2))
        case (0x8, 0...7): return .reference(try number(at: offset, count: low + 1))
        default: throw Self.damaged("it has an object of the unknown kind \(marker)")
        }
    }

    private mutating func container(
        _ marker: UInt8, at offset: Int, depth: Int
    ) throws(FormatError) -> PropertyListValue {
        let isDictionary = marker >> 4 == 0xD
        let (count, start) = try count(marker, at: offset)
        let all = try slice(at: start, count: count, unit: isDictionary ? referenceSize * 2 : referenceSize)
        guard isDictionary else {
            var values: [PropertyListValue] = []
            for i in 0..<count { values.append(try value(reference(i, in: all), depth: depth + 1)) }
            return .array(values)
        }
        var values: [String: PropertyListValue] = [:]
        for i in 0..<count {
            guard case .string(let key) = try value(reference(i, in: all), depth: depth + 1) else {
                throw Self.damaged("a dictionary has a key that is not a string")
            }
            values[key] = try value(reference(count + i, in: all), depth: depth + 1)
        }
        return .dictionary(values)
    }

    private func reference(_ i: Int, in references: ArraySlice<UInt8>) throws(FormatError) -> Int {
        let start = references.startIndex + i * referenceSize
        let object = Self.number(references[start..<start + referenceSize])
        guard object < UInt64(objectCount) else { throw Self.damaged("it refers to an object it lacks") }
        return Int(object)
    }

    /// The count in a marker or behind it, and where what is counted begins.
    private func count(_ marker: UInt8, at offset: Int) throws(FormatError) -> (Int, Int) {
        guard marker & 0xF == 0xF else { return (Int(marker & 0xF), offset) }
        let size = try number(at: offset, count: 1)
        guard size >> 4 == 0x1, size & 0xF <= 3 else { throw Self.damaged("a count is not an integer") }
        let width = 1 << Int(size & 0xF)
        let count = try number(at: offset + 1, count: width)
        guard count <= UInt64(bytes.count) else { throw Self.damaged("a count is larger than the file") }
        return (Int(count), offset + 1 + width)
    }

    private mutating func run(
        _ marker: UInt8, at offset: Int, unit: Int
    ) throws(FormatError) -> ArraySlice<UInt8> {
        let (count, start) = try count(marker, at: offset)
        let run = try slice(at: start, count: count, unit: unit)
        byteCount += run.count
        guard byteCount <= bytes.count else { throw Self.damaged("its values overlap") }
        return run
    }

    private func slice(at offset: Int, count: Int, unit: Int) throws(FormatError) -> ArraySlice<UInt8> {
        guard offset <= tableOffset, count <= (tableOffset - offset) / unit else {
            throw Self.damaged("an object does not fit into it")
        }
        return bytes[offset..<offset + count * unit]
    }

    private func number(at offset: Int, count: Int) throws(FormatError) -> UInt64 {
        Self.number(try slice(at: offset, count: count, unit: 1))
    }

    private func integer(at offset: Int, count: Int) throws(FormatError) -> PropertyListValue {
        // One, two and four bytes have no sign; eight have one; of sixteen the upper eight are its extension.
        guard count == 16 else {
            return .integer(Int64(bitPattern: try number(at: offset, count: count)))
        }
        let (upper, lower) = (try number(at: offset, count: 8), try number(at: offset + 8, count: 8))
        switch (upper, lower >> 63) {
        case (0, 0), (UInt64.max, 1): return .integer(Int64(bitPattern: lower))
        case (0, _): return .largeInteger(lower)
        default: throw Self.damaged("an integer needs more than 64 bits")
        }
    }

    private func utf8(_ text: ArraySlice<UInt8>) throws(FormatError) -> PropertyListValue {
        guard let text = String(validating: text, as: UTF8.self) else {
            throw Self.damaged("a string is not valid UTF-8")
        }
        return .string(text)
    }

    private func utf16(_ text: ArraySlice<UInt8>) throws(FormatError) -> PropertyListValue {
        let units = stride(from: text.startIndex, to: text.endIndex, by: 2).map {
            UInt16(text[$0]) << 8 | UInt16(text[$0 + 1])
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw Self.damaged("a string is not valid UTF-16")
        }
        return .string(text)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func damaged(_ reason: String) -> FormatError { .damagedPropertyList(reason: reason) }
}
