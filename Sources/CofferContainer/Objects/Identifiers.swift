internal import CofferLinux
package import CofferMerge
internal import CofferModel

extension PeerID {
    /// A new peer's.
    package static func random() -> PeerID { PeerID(Randomness.words().0) }
}

/// The key that an object is sealed with: 8 random bytes.
package struct KeyID: Hashable, Sendable {
    /// The bytes as one number, the first the most significant.
    package let number: UInt64

    package init(number: UInt64) { self.number = number }

    /// What stands in the place of a key's id if an object is not encrypted.
    package static let plain = KeyID(number: 0)
}

extension KeyID: CustomStringConvertible {
    /// 16 hexadecimal digits.
    package var description: String { HexadecimalDigits.text(of: number) }
}

/// One container, or the root of an account's: 16 random bytes, which its marker says.
package struct ContainerID: Hashable, Sendable {
    /// The first 8 bytes as one number.
    package let high: UInt64
    /// The last 8 bytes as one number.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Its 16 bytes.
    package var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }

    /// A new container's.
    package static func random() -> ContainerID {
        let (high, low) = Randomness.words()
        return ContainerID(high: high, low: low)
    }
}

extension ContainerID: Comparable {
    package static func < (one: ContainerID, other: ContainerID) -> Bool {
        (one.high, one.low) < (other.high, other.low)
    }
}

extension ContainerID: CustomStringConvertible {
    /// 32 hexadecimal digits.
    package var description: String {
        HexadecimalDigits.text(of: high) + HexadecimalDigits.text(of: low)
    }
}
