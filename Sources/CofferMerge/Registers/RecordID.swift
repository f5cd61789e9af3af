internal import CofferModel

/// The global id of a record: the same on every peer.
///
/// 16 bytes, the milliseconds of birth and then random ones; ids are ordered by their bytes.
package struct RecordID: Sendable, Hashable {
    /// The first eight bytes, the first one highest.
    package let high: UInt64
    /// The last eight bytes.
    package let low: UInt64

    /// The id with these bytes.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

extension RecordID: Comparable {
    package static func < (left: RecordID, right: RecordID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension RecordID: CustomStringConvertible {
    /// The bytes as 32 hexadecimal digits.
    package var description: String { HexadecimalDigits.text(of: high) + HexadecimalDigits.text(of: low) }
}
