/// A hash function that takes bytes piece by piece.
///
/// Its implementations are values: a copy goes on by itself, so that texts with a common beginning hash that
/// beginning once.
package protocol HashFunction: Sendable {
    /// A hash of nothing so far.
    init()

    /// Adds `bytes` to what is hashed; how they are cut into pieces makes no difference.
    mutating func update(_ bytes: [UInt8])

    /// The digest of all bytes added so far; more can be added after it.
    func digest() -> [UInt8]
}

extension HashFunction {
    /// Adds `bytes` to what is hashed.
    package mutating func update(_ bytes: some Sequence<UInt8>) {
        update(Array(bytes))
    }

    /// The digest of `bytes`.
    package static func digest(of bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash = Self()
        hash.update((bytes as? [UInt8]) ?? Array(bytes))
        return hash.digest()
    }
}
