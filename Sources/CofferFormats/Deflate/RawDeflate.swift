/// Compresses bytes into raw deflate (RFC 1951), as one block with fixed codes.
///
/// For what is written once and read seldom: quick and short to read, not the smallest. What repeats within 32 KB is written once.
package enum RawDeflate {
    /// The compressed form of `bytes`.
    ///
    /// - Complexity: O(bytes).
    package static func compress(_ bytes: [UInt8]) -> [UInt8] {
        var writer = BitWriter()
        writer.write(1, count: 1)  // The last block.
        writer.write(1, count: 2)  // With fixed codes.
        var last: [UInt32: Int] = [:]
        var place = 0
        while place < bytes.count {
            var length = 0
            var distance = 0
            if place + shortest <= bytes.count {
                let key =
                    UInt32(bytes[place]) << 16 | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2])
                if let former = last.updateValue(place, forKey: key), place - former <= farthest {
                    distance = place - former
                    length = agreement(bytes, former, place)
                }
            }
            if length >= shortest {
                writer.writeMatch(length: length, distance: distance)
                place += length
            } else {
                writer.writeSymbol(Int(bytes[place]))
                place += 1
            }
        }
        writer.writeSymbol(256)  // The end of the block.
        return writer.finish()
    }

    private static let shortest = 3
    private static let longest = 258
    private static let farthest = 32_768

    private static func agreement(_ bytes: [UInt8], _ former: Int, _ place: Int) -> Int {
        let limit = min(longest, bytes.count - place)
        var length = 0
        while length < limit, bytes[former + length] == bytes[place + length] { length += 1 }
        return length
    }
}

/// Puts bits one behind the other, the lowest of each byte first.
private struct BitWriter {
    private var bytes: [UInt8] = []
    private var waiting: UInt32 = 0
    private var count = 0

    mutating func write(_ value: Int, count bits: Int) {
        waiting |= UInt32(truncatingIfNeeded: value) << UInt32(count)
        count += bits
        while count >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: waiting))
            waiting >>= 8
            count -= 8
        }
    }

    /// A symbol by its fixed code, of which the highest bit comes first.
    mutating func writeSymbol(_ symbol: Int) {
        let (code, bits) =
            switch symbol {
            case ..<144: (0x30 + symbol, 8)
            case ..<256: (0x190 + symbol - 144, 9)
            case ..<280: (symbol - 256, 7)
            default: (0xC0 + symbol - 280, 8)
            }
        writeReversed(code, count: bits)
    }

    mutating func writeMatch(length: Int, distance: Int) {
        let lengths = DeflateTables.lengths
        let l = lengths.lastIndex { $0.base <= length } ?? 0
        writeSymbol(257 + l)
        write(length - lengths[l].base, count: lengths[l].extraBits)
        let distances = DeflateTables.distances
        let d = distances.lastIndex { $0.base <= distance } ?? 0
        writeReversed(d, count: 5)
        write(distance - distances[d].base, count: distances[d].extraBits)
    }

    private mutating func writeReversed(_ code: Int, count bits: Int) {
        for bit in (0..<bits).reversed() { write(code >> bit & 1, count: 1) }
    }

    mutating func finish() -> [UInt8] {
        if count > 0 { bytes.append(UInt8(truncatingIfNeeded: waiting)) }
        return bytes
    }
}
