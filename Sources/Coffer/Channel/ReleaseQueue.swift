/// Rows of one store that a process holds no longer, and that the service was not told of yet.
struct ReleaseQueue: Sendable {
    /// Primary keys by the root of their inheritance tree.
    private var keys: [Int: Set<Int64>] = [:]
    /// How many there are.
    private(set) var count = 0

    /// Adds rows.
    mutating func insert(_ primaryKeys: [Int64], tree: Int) {
        for key in primaryKeys where keys[tree, default: []].insert(key).inserted { count += 1 }
    }

    /// Takes out rows that are held again.
    mutating func remove(_ primaryKeys: [Int64], tree: Int) {
        guard count > 0, keys[tree]?.isEmpty == false else { return }
        for key in primaryKeys where keys[tree]?.remove(key) != nil { count -= 1 }
    }

    /// Takes all, if they are enough to be worth a message.
    mutating func take(atLeast threshold: Int) -> [Int: [Int64]] {
        guard count > 0, count >= threshold else { return [:] }
        defer { self = ReleaseQueue() }
        return keys.mapValues { $0.sorted() }
    }
}
