import CofferWire

/// What a row cache guards by its lock: rows, their holders, and what waits to be found.
struct RowCacheState: Sendable {
    /// Rows that came with an answer, and that were not looked for yet.
    private struct Unindexed: Sendable {
        let block: RowBlock
        /// The transaction that the rows belong to.
        let number: UInt64
    }

    private struct Change: Sendable {
        let number: UInt64
        let key: Int64
        let tree: Int
    }

    private var table = RowTable()
    private var holders: [Int: Holdings] = [:]
    private var nextHolder = 1
    private var unindexed: [Unindexed] = []
    private var unindexedRows = 0
    private var unindexedBytes = 0
    private var changes: [Change] = []
    /// Transactions that are durable, and whose changes are taken in before anybody looks.
    private var waiting = WaitingChanges()
    /// Rows that were read before this transaction may be older than they look.
    private var oldestRead: UInt64
    private let byteLimit: Int
    private let shapes: [RowShape?]
    /// The last transaction whose changes are in, or wait to be taken in.
    var number: UInt64
    /// Moves when everything was forgotten.
    private(set) var generation: UInt64 = 0

    init(shapes: [RowShape?], number: UInt64, byteLimit: Int) {
        self.shapes = shapes
        self.number = number
        self.byteLimit = byteLimit
        oldestRead = number
    }

    var size: (rows: Int, bytes: Int) {
        mutating get {
            applyWaiting()
            return (table.rowCount + unindexedRows, table.byteCount + unindexedBytes)
        }
    }
}

// MARK: Holders

extension RowCacheState {
    mutating func addHolder() -> Int {
        defer { nextHolder += 1 }
        holders[nextHolder] = Holdings()
        return nextHolder
    }

    mutating func hold(_ keys: [Int64], tree: Int, by holder: Int) {
        holders[holder]?.insert(keys, tree: tree)
    }

    func isHeld(_ key: Int64, tree: Int, by holder: Int) -> Bool {
        holders[holder]?.contains(key, tree: tree) ?? false
    }

    mutating func release(_ keys: [Int64], tree: Int, by holder: Int) {
        if holders[holder]?.isEverything ?? true { return }
        holders[holder]?.remove(keys, tree: tree)
    }

    /// Drops those of some released rows that no holder holds.
    mutating func sweep(_ keys: [Int64], tree: Int) {
        applyWaiting()
        if !dropUnindexed(keys, tree: tree) { index() }
        forget(keys, tree: tree)
    }

    /// Drops blocks that wait to be found and that no holder holds any more.
    ///
    /// `false` if a block with released rows stays, since a holder still holds some of its rows.
    private mutating func dropUnindexed(_ keys: [Int64], tree: Int) -> Bool {
        guard unindexed.contains(where: { $0.block.shape.tree == tree }) else { return true }
        var released = PrimaryKeySet()
        released.insert(keys)
        var isWhole = true
        unindexed.removeAll { waiting in
            let block = waiting.block
            guard block.shape.tree == tree, released.containsAny(keysOf: block.rows) else { return false }
            if holders.values.contains(where: { $0.containsAny(keysOf: block.rows, tree: tree) }) {
                isWhole = false
                return false
            }
            unindexedRows -= block.rowCount
            unindexedBytes -= block.byteCount
            return true
        }
        return isWhole
    }

    /// Takes out those of the rows that no holder holds.
    private mutating func forget(_ keys: [Int64], tree: Int) {
        if table.rowCount == 0 { return }
        let others = holders.values.filter { $0.containsAny(of: keys, tree: tree) }
        let free =
            others.isEmpty
            ? keys : keys.filter { key in !others.contains { $0.contains(key, tree: tree) } }
        table.remove(free, tree: tree)
    }

    mutating func removeHolder(_ holder: Int) {
        applyWaiting()
        guard let holdings = holders.removeValue(forKey: holder) else { return }
        if holders.isEmpty { return forgetRows() }
        index()
        if holdings.isEverything {
            for rows in table.groups() {
                forget(rows.map { $0.block.rows.primaryKey($0.row) }, tree: rows[0].block.shape.tree)
            }
        } else {
            for (tree, keys) in holdings.rows.keys { forget(keys, tree: tree) }
        }
    }

    private mutating func forgetRows() {
        table.removeAll()
        unindexed = []
        (unindexedRows, unindexedBytes) = (0, 0)
    }
}

// MARK: Rows

extension RowCacheState {
    /// The rows with keys, as far as they are here.
    mutating func rows(_ keys: [Int64], tree: Int) -> [RowLocation] {
        applyWaiting()
        index()
        return table.rows(keys, tree: tree)
    }

    /// Keeps rows that a holder holds from now on.
    mutating func take(_ block: RowBlock, number: UInt64) {
        applyWaiting()
        guard number >= oldestRead else { return }
        // A repeated fetch brings nothing new.
        if block.rows.isUniform, table.hasAll(of: block) { return }
        if unindexed.last.map({ $0.number == number && $0.block.hasSameRows(as: block) }) ?? false { return }
        unindexed.append(Unindexed(block: block, number: number))
        unindexedRows += block.rowCount
        unindexedBytes += block.byteCount
        if unindexedRows > Limits.unindexedRows || unindexed.count > Limits.unindexedBlocks
            || table.byteCount + unindexedBytes > byteLimit
        {
            index()
        }
    }

    /// Lets the rows be found that came since this was last done.
    private mutating func index() {
        if unindexed.isEmpty { return }
        let blocks = unindexed
        unindexed = []
        (unindexedRows, unindexedBytes) = (0, 0)
        for waiting in blocks {
            let block = waiting.block
            let changed = Set(
                changes.lazy.filter { $0.number > waiting.number && $0.tree == block.shape.tree }.map(\.key))
            table.insert(block) { row in
                if block.rows.leafEntity(row) != block.shape.entity { return false }
                return changed.isEmpty || !changed.contains(block.rows.primaryKey(row))
            }
        }
        if table.byteCount > byteLimit { table.evict(to: byteLimit / 4 * 3) }
    }

    mutating func shrink() {
        applyWaiting()
        index()
        table.evict(to: table.byteCount / 2)
    }

    /// Forgets everything but which holder holds what; returns the rows there were.
    mutating func invalidate() -> [[RowLocation]] {
        applyWaiting()
        index()
        let groups = table.groups()
        forgetRows()
        changes = []
        generation += 1
        return groups
    }
}

// MARK: Commits

extension RowCacheState {
    /// Takes in what a transaction has changed in the file, at the latest before anybody looks.
    mutating func apply(_ transaction: TransactionMessage) {
        number = max(number, transaction.number)
        if waiting.isEmpty, unindexed.isEmpty, lacksRows(of: transaction) {
            for group in transaction.changes {
                if let shape = shape(changedBy: group) { note(group, shape: shape, at: transaction.number) }
            }
        } else {
            waiting.append(transaction)
        }
    }

    /// Whether the cache has none of the rows that a small transaction changes, as when a few rows are
    /// written all the time.
    private func lacksRows(of transaction: TransactionMessage) -> Bool {
        var left = Limits.fewRows
        for group in transaction.changes {
            guard let shape = shape(changedBy: group) else { continue }
            left -= group.primaryKeys.count
            if left < 0 { return false }
            for key in group.primaryKeys where table.has(key, tree: shape.tree) { return false }
        }
        return true
    }

    /// Whether so much waits to be taken in that it is worth the work.
    var isFull: Bool { waiting.isFull }

    /// Changes the rows as the transactions that wait have changed them in the file.
    mutating func applyWaiting() {
        if waiting.isEmpty { return }
        let (transactions, since) = waiting.take()
        index()
        var patches: [Int: RowPatch] = [:]
        for transaction in transactions {
            for group in transaction.changes { apply(group, of: transaction.number, &patches) }
        }
        for patch in patches.values {
            table.remove(patch.stale, tree: patch.tree)
            do throws(WireError) {
                if let block = try patch.block(since: since) { table.insert(block) { _ in true } }
            } catch {
                table.remove(patch.changed, tree: patch.tree)  // There is no memory for the new ones.
            }
        }
    }

    /// Forgets the rows that the transactions that wait have changed, which costs less than to change them.
    ///
    /// If so many came without a look into the cache, those rows are written and not read.
    mutating func evictWaiting() {
        if waiting.isEmpty { return }
        let (transactions, _) = waiting.take()
        index()
        for transaction in transactions {
            for group in transaction.changes {
                if let shape = shape(changedBy: group) { forget(group, shape: shape, at: transaction.number) }
            }
        }
    }

    /// The shape of rows of which `group` changes what is kept; `nil` if it changes nothing of that.
    private func shape(changedBy group: ChangeGroup) -> RowShape? {
        guard shapes.indices.contains(group.entity), let shape = shapes[group.entity] else { return nil }
        switch group.kind {
        case .insert where !group.columns.isEmpty: return nil  // Whoever inserted them holds them.
        case .update where group.touchesNoColumn(of: shape): return nil
        case .insert, .update, .delete: return shape
        }
    }

    private mutating func apply(_ group: ChangeGroup, of number: UInt64, _ patches: inout [Int: RowPatch]) {
        guard let shape = shape(changedBy: group) else { return }
        switch group.kind {
        case .insert, .delete:
            for entity in patches.keys { patches[entity]?.remove(group.primaryKeys, tree: shape.tree) }
            forget(group, shape: shape, at: number)
        case .update:
            // The old rows stay until the new ones take their places, all at once.
            patches[group.entity, default: RowPatch(shape)].change(group) { key in
                table.row(key, tree: shape.tree)
            }
            note(group, shape: shape, at: number)
        }
    }

    private mutating func forget(_ group: ChangeGroup, shape: RowShape, at number: UInt64) {
        table.remove(group.primaryKeys, tree: shape.tree)
        note(group, shape: shape, at: number)
    }

    /// Remembers what changed, for reads that began before.
    private mutating func note(_ group: ChangeGroup, shape: RowShape, at number: UInt64) {
        if changes.count + group.primaryKeys.count > Limits.recentChanges {
            changes = []
            oldestRead = number
        } else {
            for key in group.primaryKeys {
                changes.append(Change(number: number, key: key, tree: shape.tree))
            }
        }
    }
}

extension ChangeGroup {
    /// Whether only to-many relationships changed, which stand in other rows.
    fileprivate func touchesNoColumn(of shape: RowShape) -> Bool {
        versions.isEmpty && columns.isEmpty && !properties.isEmpty
            && properties.allSatisfy { !shape.keeps($0) && !shape.omitted.contains($0) }
    }
}
