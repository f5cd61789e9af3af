internal import CofferFormats
package import CofferMerge

/// What two states at one vector compare: the sum of a hash of the key and the stamp of each register.
///
/// It follows a state register by register, in any order; values are not in it, since what has a stamp was
/// written once. 128 bits: no accident makes two different states agree.
package struct StateDigest: Hashable, Sendable {
    /// How many bytes it has.
    package static let byteCount = 16

    private var sum: UInt128 = 0

    /// The digest of a state without registers.
    package init() {}

    /// The digest of a state with these registers, of which no two are of one key.
    package init(_ registers: some Sequence<Register>) {
        for register in registers { add(register) }
    }

    /// The digest with these bytes; `nil` if they are not 16.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        sum = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// Adds a register to what is counted.
    package mutating func add(_ register: Register) { sum &+= Self.hash(of: register) }

    /// Takes out a register that was deleted or superseded.
    package mutating func subtract(_ register: Register) { sum &-= Self.hash(of: register) }

    /// Adds the digest of a part of the state.
    package mutating func add(_ part: StateDigest) { sum &+= part.sum }

    /// Takes out the digest of a part of the state.
    package mutating func subtract(_ part: StateDigest) { sum &-= part.sum }

    /// The 16 bytes, the most significant first.
    package var bytes: [UInt8] {
        (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: sum >> (120 - 8 * UInt128($0))) }
    }

    private static func hash(of register: Register) -> UInt128 {
        SHA256.digest(of: register.identifyingBytes).prefix(byteCount).reduce(0) { $0 << 8 | UInt128($1) }
    }
}

extension StateDigest: CustomStringConvertible {
    /// 32 hexadecimal digits.
    package var description: String { String(sum, radix: 16).padded(to: 2 * Self.byteCount) }
}

extension String {
    /// The text with zeros before it.
    fileprivate func padded(to count: Int) -> String {
        String(repeating: "0", count: max(0, count - utf8.count)) + self
    }
}

extension Register {
    /// The bytes of its key and stamp: those of different ones differ.
    fileprivate var identifyingBytes: [UInt8] {
        var bytes = KeyBytes()
        switch self {
        case .life(let record, let life):
            bytes.append(kind: life.value.isBuried ? 6 : 1, record)
            bytes.append(life.stamp)
        case .cell(let record, let property, let cell):
            bytes.append(kind: 2, record)
            bytes.append(property)
            bytes.append(cell.stamp)
        case .pair(let key, let pair):
            bytes.append(kind: 3, key.first, with: key.second)
            bytes.append(key.relationship)
            bytes.append(pair.stamp)
        case .place(let key, let place):
            bytes.append(kind: 4, key.owner, with: key.member)
            bytes.append(key.relationship)
            bytes.append(place.stamp)
        case .same(let key, let stamp):
            bytes.append(kind: 5, key.first, with: key.second)
            bytes.append(stamp)
        }
        return bytes.bytes
    }
}

/// Bytes put together so that different parts give different bytes.
private struct KeyBytes {
    var bytes: [UInt8] = []

    mutating func append(kind: UInt8, _ record: RecordID, with other: RecordID? = nil) {
        bytes.append(kind)
        for record in [record, other].compactMap(\.self) {
            bytes += record.high.bigEndianBytes + record.low.bigEndianBytes
        }
    }

    mutating func append(_ text: String) { bytes += UInt64(text.utf8.count).bigEndianBytes + text.utf8 }

    mutating func append(_ relationship: RelationshipName) {
        append(relationship.entity)
        append(relationship.property)
    }

    mutating func append(_ stamp: Stamp) {
        bytes += UInt64(bitPattern: stamp.microseconds).bigEndianBytes
        bytes += stamp.peer.number.bigEndianBytes + stamp.fold.bigEndianBytes
    }
}
