internal import CofferContainer
internal import CofferFormats

/// The digest of a store's registers as its file keeps it, so that opening it hashes none of them.
///
/// It holds for one state of the exchange: a program that changes registers, and does not know of it, changes
/// that too, and then it is made of all registers again.
struct KeptDigest {
    let digest: StateDigest

    init(_ digest: StateDigest) { self.digest = digest }

    /// The digest in bytes of a file; `nil` if they are of another state of the exchange.
    init?(bytes: [UInt8], of exchange: KeptExchange) throws(ObjectFault) {
        guard let digest = StateDigest(bytes: Array(bytes.prefix(StateDigest.byteCount))),
            try bytes == KeptDigest(digest).bytes(of: exchange)
        else { return nil }
        self.digest = digest
    }

    /// The digest, and a hash of the exchange.
    func bytes(of exchange: KeptExchange) throws(ObjectFault) -> [UInt8] {
        var hash = SHA256()
        hash.update(try exchange.vector.bytes())
        hash.update(exchange.peer.bytes)
        for number in [UInt64(exchange.hashes.count), exchange.lastBaseline] {
            hash.update((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) })
        }
        return digest.bytes + hash.digest()
    }
}
