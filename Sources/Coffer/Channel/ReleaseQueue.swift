internal import CofferWire

/// Rows of one store that a process holds no longer, and that the service was not told of yet.
struct ReleaseQueue: Sendable {
    /// Primary keys by the root of their inheritance tree.
    private var keys: [Int: PrimaryKeySet] = [:]

    /// How many there are.
    var count: Int { keys.values.reduce(0) { $0 + $1.count } }

    /// Adds rows.
    mutating func insert(_ primaryKeys: [Int64], tree: Int) {
        keys[tree, default: PrimaryKeySet()].insert(primaryKeys)
    }

    /// Takes out rows that are held again.
    mutating func remove(_ primaryKeys: [Int64], tree: Int) {
        guard let known = keys[tree], !known.isEmpty else { return }
        keys[tree]?.remove(primaryKeys)
    }

    /// Takes all, if they are enough to be worth a message.
    mutating func take(atLeast threshold: Int) -> [Int: [Int64]] {
        let count = count
        guard count > 0, count >= threshold else { return [:] }
        defer { self = ReleaseQueue() }
        return keys.filter { !$0.value.isEmpty }.mapValues(\.keys)
    }
}
