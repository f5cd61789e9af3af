/// What a register may hold: it has an order of its own, for equal stamps.
package protocol RegisterValue: Sendable, Hashable {
    /// Values of a higher rank stay, whatever the stamps.
    var rank: Int { get }
    /// Bytes that differ if values do; of equal stamps the value with the greater bytes stays.
    var orderedBytes: [UInt8] { get }
}

extension RegisterValue {
    package var rank: Int { 0 }
}

extension Bool: RegisterValue {
    /// In is above out.
    package var orderedBytes: [UInt8] { [self ? 1 : 0] }
}

/// A value with its writer's stamp.
package struct Stamped<Value: RegisterValue>: Sendable, Hashable {
    /// What was written.
    package let value: Value
    /// When and by which peer it was written.
    package let stamp: Stamp

    /// A value written with a stamp.
    package init(_ value: Value, _ stamp: Stamp) {
        self.value = value
        self.stamp = stamp
    }

    /// Whether it stays if both were written to one register.
    ///
    /// A total order of what differs, so that the greatest of any number does not depend on their order.
    package func isGreater(than other: Stamped) -> Bool {
        if value.rank != other.value.rank { return value.rank > other.value.rank }
        if stamp != other.stamp { return stamp > other.stamp }
        if value == other.value { return false }
        return other.value.orderedBytes.lexicographicallyPrecedes(value.orderedBytes)
    }
}
