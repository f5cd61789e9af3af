/// The codes of RFC 1951 for lengths and distances: where each begins, and how many bits follow it.
enum DeflateTables {
    /// Lengths, from the symbol 257 on.
    static let lengths =
        table(
            extraBits: [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5],
            from: 3)
        + [(base: 258, extraBits: 0)]
    /// Distances, from the symbol 0 on.
    static let distances = table(
        extraBits: [
            0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
        ], from: 1)

    private static func table(extraBits: [Int], from first: Int) -> [(base: Int, extraBits: Int)] {
        var base = first
        return extraBits.map { bits in
            defer { base += 1 << bits }
            return (base, bits)
        }
    }

    /// How many bits each symbol of a block with fixed codes has.
    static let fixedLengths: [Int] = (0..<288).map { symbol in
        switch symbol {
        case ..<144: 8
        case ..<256: 9
        case ..<280: 7
        default: 8
        }
    }
}
