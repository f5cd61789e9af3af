internal import CofferFormats
internal import CofferModel

/// What names an object by its content: the first 20 bytes of the SHA-256 of all its bytes; of a value, those
/// of its content alone, which is named before it is packed.
///
/// `sha256sum FILE` begins with it, so that anybody can check an object without us. 160 bits leave nobody a
/// second content for a name, and the name short.
package struct ObjectHash: Hashable, Sendable {
    package static let byteCount = 20

    /// The 20 bytes.
    package let bytes: [UInt8]

    /// The hash of an object's bytes, as they lie in the container.
    package init(of object: [UInt8]) {
        bytes = Array(SHA256.digest(of: object).prefix(Self.byteCount))
    }

    /// The hash with these bytes; `nil` where they are not 20.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The hash that `digits`, 40 hexadecimal ones in lower case, write; `nil` where they write none.
    package init?(digits: some StringProtocol) {
        guard let bytes = HexadecimalDigits.bytes(of: digits), bytes.count == Self.byteCount else {
            return nil
        }
        self.bytes = bytes
    }
}

extension ObjectHash: Comparable {
    package static func < (left: ObjectHash, right: ObjectHash) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension ObjectHash: CustomStringConvertible {
    /// 40 hexadecimal digits in lower case.
    package var description: String { HexadecimalDigits.text(of: bytes) }
}
