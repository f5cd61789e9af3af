internal import CofferModel

/// One writing copy of a store: 8 random bytes, newly made for a copied or restored file.
package struct PeerID: Sendable, Hashable, Comparable {
    /// The bytes as one number, the first the most significant.
    package let number: UInt64

    /// The id whose bytes are those of `number`.
    package init(_ number: UInt64) { self.number = number }

    package static func < (left: PeerID, right: PeerID) -> Bool { left.number < right.number }
}

extension PeerID: CustomStringConvertible {
    /// 16 hexadecimal digits.
    package var description: String { HexadecimalDigits.text(of: number) }
}
