import CofferWire

/// Which rows of a store a client holds, as bits by inheritance tree and primary key.
///
/// Ten thousand rows with adjacent keys take 1.3 KB.
struct Holdings: Sendable {
    /// The rows by the root of their inheritance tree.
    private(set) var trees: [Int: PrimaryKeySet] = [:]
    /// Past the limit nothing is forgotten any more: every row counts as held.
    private(set) var isEverything = false

    /// Notes that rows are held.
    mutating func insert(_ primaryKeys: [Int64], tree: Int) {
        if isEverything { return }
        let others = trees.reduce(0) { $0 + ($1.key == tree ? 0 : $1.value.pageCount) }
        let limit = max(0, Limits.heldPages - others)
        if !trees[tree, default: PrimaryKeySet()].insert(primaryKeys, pageLimit: limit) {
            isEverything = true
            trees = [:]
        }
    }

    /// Notes that rows are not held any more.
    mutating func remove(_ primaryKeys: [Int64], tree: Int) {
        trees[tree]?.remove(primaryKeys)
    }

    /// Whether a row is held.
    func contains(_ primaryKey: Int64, tree: Int) -> Bool {
        isEverything || trees[tree]?.contains(primaryKey) ?? false
    }

    /// Whether one of some rows is held.
    func containsAny(of primaryKeys: [Int64], tree: Int) -> Bool {
        isEverything || trees[tree]?.containsAny(of: primaryKeys) ?? false
    }
}
