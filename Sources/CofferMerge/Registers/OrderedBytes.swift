/// Bytes put together from parts, so that different parts give different bytes.
struct OrderedBytes {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    /// Highest byte first.
    mutating func append(_ word: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
    }

    /// Its length, then its bytes.
    mutating func append(_ text: String) {
        append(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ texts: [String]) {
        append(UInt64(texts.count))
        for text in texts { append(text) }
    }

    mutating func append(_ record: RecordID) {
        append(record.high)
        append(record.low)
    }
}
