/// Primary keys of the rows of one store, by the root of their inheritance tree.
package struct PrimaryKeySets: Sendable {
    /// By the index of the tree's root entity.
    private var sets: [PrimaryKeySet] = []
    /// How many keys there are.
    package private(set) var count = 0
    /// How many pages of 512 bytes there are.
    package private(set) var pageCount = 0

    /// No keys.
    package init() {}

    /// Adds keys, but none once there are more than `pageLimit` pages; `false` if that kept some out.
    @discardableResult
    package mutating func insert(_ keys: [Int64], tree: Int, pageLimit: Int = .max) -> Bool {
        while sets.count <= tree { sets.append(PrimaryKeySet()) }
        let limit = pageLimit == .max ? .max : max(0, pageLimit - pageCount + sets[tree].pageCount)
        return change(tree) { $0.insert(keys, pageLimit: limit) }
    }

    /// Takes keys out.
    package mutating func remove(_ keys: [Int64], tree: Int) {
        if tree < sets.count { change(tree) { $0.remove(keys) } }
    }

    /// Takes the keys of rows out, which have some.
    package mutating func remove(keysOf rows: PackedRows, tree: Int) {
        if tree < sets.count { change(tree) { $0.remove(keysOf: rows) } }
    }

    /// Whether a key is one of them.
    package func contains(_ key: Int64, tree: Int) -> Bool {
        tree < sets.count && sets[tree].contains(key)
    }

    /// Whether one of some keys is one of them.
    package func containsAny(of keys: [Int64], tree: Int) -> Bool {
        tree < sets.count && sets[tree].containsAny(of: keys)
    }

    /// Whether the key of one of some rows, which have some, is one of them.
    package func containsAny(keysOf rows: PackedRows, tree: Int) -> Bool {
        tree < sets.count && sets[tree].containsAny(keysOf: rows)
    }

    /// The keys of each tree that has some, ascending.
    package var keys: [(tree: Int, keys: [Int64])] {
        sets.indices.compactMap { sets[$0].isEmpty ? nil : ($0, sets[$0].keys) }
    }

    @inline(__always)
    private mutating func change<Result>(_ tree: Int, _ body: (inout PrimaryKeySet) -> Result) -> Result {
        let (keys, pages) = (sets[tree].count, sets[tree].pageCount)
        defer {
            count += sets[tree].count - keys
            pageCount += sets[tree].pageCount - pages
        }
        return body(&sets[tree])
    }
}
