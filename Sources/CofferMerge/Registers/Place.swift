/// Where a member stands among those of its owner: a string that sorts between its neighbours'.
package struct Place: Sendable, Hashable {
    /// The string's bytes.
    package let bytes: [UInt8]

    /// The place with these bytes.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether it is longer than what is written.
    var isLong: Bool { bytes.count > Limits.placeByteCount }
}

extension Place: Comparable {
    package static func < (left: Place, right: Place) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension Place: RegisterValue {
    package var orderedBytes: [UInt8] { bytes }
}
