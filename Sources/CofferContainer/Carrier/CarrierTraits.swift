/// What a carrier is like to use.
package struct CarrierTraits: Equatable, Sendable {
    /// How many bytes an object has at best: larger ones are cut where they can be.
    package let goodObjectByteCount: Int
    /// Whether somebody else's changes are told of; else only a listing finds them.
    package let tellsOfChanges: Bool

    package init(goodObjectByteCount: Int, tellsOfChanges: Bool) {
        self.goodObjectByteCount = goodObjectByteCount
        self.tellsOfChanges = tellsOfChanges
    }
}
