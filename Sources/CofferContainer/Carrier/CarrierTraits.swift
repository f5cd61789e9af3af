/// What a carrier is like to use.
package struct CarrierTraits: Equatable, Sendable {
    /// How many bytes an object has at best: larger ones are cut if they can be.
    package let goodObjectByteCount: Int
    /// Whether changes by others are told of; else only a listing finds them.
    package let tellsOfChanges: Bool

    package init(goodObjectByteCount: Int, tellsOfChanges: Bool) {
        self.goodObjectByteCount = goodObjectByteCount
        self.tellsOfChanges = tellsOfChanges
    }
}
