import CofferWire

/// Which rows of a store a client holds, as bits by inheritance tree and primary key.
///
/// Ten thousand rows with adjacent keys take 1.3 KB.
struct Holdings: Sendable {
    /// The rows by the root of their inheritance tree.
    private(set) var rows = PrimaryKeySets()
    /// Past the limit nothing is forgotten any more: every row counts as held.
    private(set) var isEverything = false

    /// Notes that rows are held.
    mutating func insert(_ primaryKeys: [Int64], tree: Int) {
        if isEverything { return }
        if !rows.insert(primaryKeys, tree: tree, pageLimit: Limits.heldPages) {
            isEverything = true
            rows = PrimaryKeySets()
        }
    }

    /// Notes that rows are not held any more.
    mutating func remove(_ primaryKeys: [Int64], tree: Int) { rows.remove(primaryKeys, tree: tree) }

    /// Whether a row is held.
    func contains(_ primaryKey: Int64, tree: Int) -> Bool {
        isEverything || rows.contains(primaryKey, tree: tree)
    }

    /// Whether one of the rows of a block is held.
    func containsAny(keysOf block: PackedRows, tree: Int) -> Bool {
        isEverything || rows.containsAny(keysOf: block, tree: tree)
    }

    /// Whether one of some rows is held.
    func containsAny(of primaryKeys: [Int64], tree: Int) -> Bool {
        isEverything || rows.containsAny(of: primaryKeys, tree: tree)
    }
}
