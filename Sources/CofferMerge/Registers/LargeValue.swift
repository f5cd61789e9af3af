package import CofferModel

/// A value that is too large to stand among registers: which one it is, and not the value.
///
/// Its bytes lie in the container beside the registers, in pieces. Equal values of one kind have equal names,
/// so that two peers that set the same one write the same register.
package struct LargeValue: Sendable, Hashable {
    /// What kind of value it is.
    package let kind: Kind
    /// How many bytes it has.
    package let byteCount: UInt64
    /// What names its pieces, 20 bytes for each, in their order.
    package let hashes: [UInt8]

    /// The types whose values can be large.
    package enum Kind: UInt8, Sendable {
        case string = 1
        case binary
        case uri
        case transformable
    }

    /// A value of which only this is known.
    package init(_ kind: Kind, byteCount: UInt64, hashes: [UInt8]) {
        (self.kind, self.byteCount, self.hashes) = (kind, byteCount, hashes)
    }

    /// The type of attribute that it is a value of.
    package var type: AttributeType {
        switch kind {
        case .string: .string
        case .binary: .binary
        case .uri: .uri
        case .transformable: .transformable
        }
    }

    /// Whether an attribute of this type can hold it.
    package func fits(_ type: AttributeType) -> Bool { type == self.type }
}
