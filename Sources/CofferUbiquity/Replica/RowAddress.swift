/// Where the row of an object is: its leaf entity, by index in the model, and its key.
package struct RowAddress: Hashable, Sendable {
    package let entity: Int
    package let key: Int64
}

extension RowAddress: Comparable {
    package static func < (one: RowAddress, other: RowAddress) -> Bool {
        (one.entity, one.key) < (other.entity, other.key)
    }
}
