import CofferWire

/// Rows of one entity that were in the cache when transactions changed them, on their way to a block with the
/// new values.
struct RowPatch {
    private struct Row {
        let key: Int64
        let old: RowLocation
        var version: UInt32
        /// Places in `groups`, and rows of those, whose values are newer than the old ones; the last counts.
        var sources: [(group: Int, row: Int)]
    }

    private let shape: RowShape
    private var groups: [ChangeGroup] = []
    private var rows: [Row] = []
    /// Places in `rows` of those that still are what the file has.
    private var places: [Int64: Int] = [:]
    /// Rows that were changed in ways that cannot be followed here: they are in the cache as they were, and
    /// must go.
    private var unknown: Set<Int64> = []

    init(_ shape: RowShape) { self.shape = shape }

    /// The inheritance tree of its rows.
    var tree: Int { shape.tree }

    /// Rows that the cache must forget, since they are not what the file has.
    var stale: [Int64] { unknown.isEmpty ? [] : unknown.sorted() }

    /// Rows that have new values.
    var changed: [Int64] { places.keys.sorted() }

    /// Notes an update; `old` gives what the cache has of a row that was not changed before.
    mutating func change(_ group: ChangeGroup, old: (Int64) -> RowLocation?) {
        guard group.canPatch(shape) else {
            remove(group.primaryKeys, tree: shape.tree)
            return unknown.formUnion(group.primaryKeys)
        }
        groups.append(group)
        for (row, key) in group.primaryKeys.enumerated() {
            let source = (group: groups.count - 1, row: row)
            if let place = places[key] {
                if rows[place].version &+ 1 == group.versions[row] {
                    rows[place].version = group.versions[row]
                    rows[place].sources.append(source)
                } else {
                    places[key] = nil
                    unknown.insert(key)
                }
            } else if let old = old(key), !unknown.contains(key) {
                if old.block.shape.entity == shape.entity,
                    old.block.rows.version(old.row) &+ 1 == group.versions[row]
                {
                    places[key] = rows.count
                    rows.append(Row(key: key, old: old, version: group.versions[row], sources: [source]))
                } else {
                    unknown.insert(key)
                }
            }
        }
    }

    /// Rows are not what the file has any more.
    mutating func remove(_ keys: [Int64], tree: Int) {
        if tree != shape.tree || places.isEmpty { return }
        for key in keys { places[key] = nil }
    }

    /// The rows with their new values, which were written at `since` or later; `nil` if there are none.
    ///
    /// - Throws: `WireError.tooLarge` if there is no memory for them.
    func block(since: UInt64) throws(WireError) -> RowBlock? {
        let rows = places.values.sorted().map { self.rows[$0] }
        if rows.isEmpty { return nil }
        var changes: [PackedRows] = []
        for group in groups { changes.append(try group.packed(shape)) }
        var gathered = GatheredRows(capacity: rows.count)
        for row in rows {
            gathered.append(row.old.block.rows, row.old.row)
            for source in row.sources { gathered.cover(changes[source.group], source.row) }
        }
        return RowBlock(
            shape: shape, rows: try gathered.packed(entity: shape.entity, columns: shape.columns),
            since: since)
    }
}

extension ChangeGroup {
    /// What an update wrote of what is kept.
    fileprivate func packed(_ shape: RowShape) throws(WireError) -> PackedRows {
        try PackedRows(
            RowBatch(
                rowCount: primaryKeys.count, entity: shape.entity, primaryKeys: primaryKeys,
                versions: versions, columns: columns.filter { shape.keeps($0.property) }))
    }

    /// Whether its values are all that changed of what is kept, and read as they were written.
    fileprivate func canPatch(_ shape: RowShape) -> Bool {
        guard primaryKeys.count <= Limits.patchedRows, versions.count == primaryKeys.count,
            !columns.contains(where: \.mayReadDifferently)
        else { return false }
        if columns.count == properties.count { return true }
        // The others stand in other rows, or are not kept.
        return properties.allSatisfy { property in
            !shape.keeps(property) || columns.contains { $0.property == property }
        }
    }
}
