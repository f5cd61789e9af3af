internal import CofferFormats
internal import CofferModel

/// What names an object by its content: the first 20 bytes of the SHA-256 of all its bytes; of a value, those
/// of its content alone, which is named before it is packed.
///
/// `sha256sum FILE` begins with it, so that anybody can check an object without us. 160 bits are enough
/// that no second content can be found for a name, and keep the name short.
package struct ObjectHash: Hashable, Sendable {
    package static let byteCount = 20

    // In place, since there are many, and each is compared often.
    private let high: UInt64
    private let middle: UInt64
    private let low: UInt32

    /// The 20 bytes.
    package var bytes: [UInt8] {
        high.bigEndianBytes + middle.bigEndianBytes + (UInt64(low) << 32).bigEndianBytes.prefix(4)
    }

    /// The hash of an object's bytes, as they lie in the container.
    package init(of object: [UInt8]) { self.init(first: SHA256.digest(of: object).prefix(Self.byteCount)) }

    /// The hash with these bytes; `nil` if they are not 20.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(first: bytes[...])
    }

    private init(first bytes: ArraySlice<UInt8>) {
        high = UInt64(bigEndianBytes: bytes.prefix(8))
        middle = UInt64(bigEndianBytes: bytes.dropFirst(8).prefix(8))
        low = UInt32(truncatingIfNeeded: UInt64(bigEndianBytes: bytes.dropFirst(16)))
    }

    /// The hash that `digits`, 40 hexadecimal ones in lower case, write; `nil` if they write none.
    package init?(digits: some StringProtocol) {
        guard let bytes = HexadecimalDigits.bytes(of: digits) else { return nil }
        self.init(bytes: bytes)
    }
}

extension ObjectHash: Comparable {
    package static func < (left: ObjectHash, right: ObjectHash) -> Bool {
        (left.high, left.middle, left.low) < (right.high, right.middle, right.low)
    }
}

extension ObjectHash: CustomStringConvertible {
    /// 40 hexadecimal digits in lower case.
    package var description: String {
        HexadecimalDigits.text(of: high) + HexadecimalDigits.text(of: middle)
            + HexadecimalDigits.text(of: UInt64(low) << 32).prefix(8)
    }
}
