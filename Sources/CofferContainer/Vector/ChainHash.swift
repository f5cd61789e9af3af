internal import CofferFormats
package import CofferMerge
internal import CofferModel

/// What a peer's folds up to one of them hash to: two copies of a store that go on apart differ from the
/// first fold on that differs.
///
/// The first 16 bytes of the SHA-256 of the hash before, the fold's number (8 bytes, the most significant
/// first) and the fold's registers as `coffer.v1.ContainerRegisters`.
package struct ChainHash: Hashable, Sendable {
    static let byteCount = 16

    // In place, since there are many.
    private let high: UInt64
    private let low: UInt64

    /// The hash before the first fold: zeros.
    package static let start = ChainHash(high: 0, low: 0)

    private init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// The hash with these bytes; `nil` if they are not 16.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(high: UInt64(bigEndianBytes: bytes.prefix(8)), low: UInt64(bigEndianBytes: bytes.suffix(8)))
    }

    /// The 16 bytes.
    package var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }

    /// The hash after one more fold, of which these are the registers.
    package func following(fold: UInt64, _ registers: [Register]) throws(ObjectFault) -> ChainHash {
        let content = try RegisterContent.bytes(of: registers)
        let digest = SHA256.digest(of: bytes + fold.bigEndianBytes + content)
        return ChainHash(
            high: UInt64(bigEndianBytes: digest.prefix(8)), low: UInt64(bigEndianBytes: digest[8..<16]))
    }

    /// The id of the peer whose chain begins to differ from another's with this hash.
    package var branch: PeerID { PeerID(high) }
}

extension ChainHash: Comparable {
    package static func < (left: ChainHash, right: ChainHash) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension ChainHash: CustomStringConvertible {
    /// 32 hexadecimal digits.
    package var description: String { HexadecimalDigits.text(of: bytes) }
}

/// The hashes of adjacent folds of one peer.
package struct ChainSegment: Hashable, Sendable {
    /// The number of the first fold.
    package let first: UInt64
    /// The hash before the first fold.
    package let before: ChainHash
    /// The hash after each fold; one at least.
    package let hashes: [ChainHash]

    /// The hashes from `first` on; `nil` if there are none, or fold numbers would end.
    package init?(first: UInt64, before: ChainHash, hashes: [ChainHash]) {
        guard first > 0, !hashes.isEmpty, UInt64(hashes.count - 1) <= UInt64.max - first else { return nil }
        // Nothing comes before the first fold.
        guard first > 1 || before == .start else { return nil }
        self.first = first
        self.before = before
        self.hashes = hashes
    }

    /// The folds.
    package var folds: ClosedRange<UInt64> { first...first + UInt64(hashes.count - 1) }

    /// The hash after the last fold.
    package var last: ChainHash { hashes[hashes.count - 1] }

    /// The hash after a fold, or before the first one; `nil` if it is not known.
    package func hash(after fold: UInt64) -> ChainHash? {
        if folds.contains(fold) { return hashes[Int(fold - first)] }
        return fold == first - 1 ? before : nil
    }
}
