internal import CofferWire

/// Rows of one store that a process holds no longer, and that the service was not told of yet.
struct ReleaseQueue: Sendable {
    private var keys = PrimaryKeySets()

    /// How many there are.
    var count: Int { keys.count }

    /// Adds rows.
    mutating func insert(_ primaryKeys: [Int64], tree: Int) { keys.insert(primaryKeys, tree: tree) }

    /// Takes out rows that are held again.
    mutating func remove(_ rows: PackedRows, tree: Int) {
        if count > 0, rows.hasKeys { keys.remove(keysOf: rows, tree: tree) }
    }

    /// Takes all, if they are enough to be worth a message.
    mutating func take(atLeast threshold: Int) -> [(tree: Int, keys: [Int64])] {
        guard count > 0, count >= threshold else { return [] }
        defer { keys = PrimaryKeySets() }
        return keys.keys
    }
}
