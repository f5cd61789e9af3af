package import CofferWire
import Synchronization

/// What one session holds of a store's rows.
///
/// Shared. Whoever makes one closes it.
package final class RowHolder: Sendable {
    private let id: Int
    private let cache: RowCache

    init(id: Int, cache: RowCache) {
        self.id = id
        self.cache = cache
    }

    /// Notes that rows are held that an answer brings.
    ///
    /// `ticket` was taken before they were read, and is `nil` where they came from the cache itself.
    package func hold(_ rows: RowBatch, readAt number: UInt64, _ ticket: RowCache.Ticket?) {
        let answered = ticket == nil ? nil : cache.block(rows).map(AnsweredRows.init)
        hold(rows.primaryKeys, of: rows.entity, answered, rows.entities, number, ticket)
    }

    /// Notes that rows are held that a fetch brings; `ticket` was taken before they were read.
    package func hold(_ rows: PackedRows, readAt number: UInt64, _ ticket: RowCache.Ticket) {
        let keys = rows.makePrimaryKeys()
        var answered: AnsweredRows?
        if let shape = cache.shape(of: rows.entity), rows.byteCount <= Limits.cachedBatchBytes {
            answered = AnsweredRows(rows, keys, shape)
            if answered == nil, shape.isWithin(rows) {
                answered = cache.block(rows.makeBatch()).map(AnsweredRows.init)
            }
        }
        hold(keys, of: rows.entity, answered, rows.makeLeafEntities(), number, ticket)
    }

    private func hold(
        _ keys: [Int64], of entity: Int, _ answered: AnsweredRows?, _ entities: [UInt32], _ number: UInt64,
        _ ticket: RowCache.Ticket?
    ) {
        if keys.isEmpty { return }
        let tree = cache.tree(of: entity)
        cache.state.withLock { state in
            state.hold(keys, tree: tree, by: id)
            guard let answered, let ticket, RowCache.isValid(ticket, in: state) else { return }
            state.take(answered, entities: entities, number: number)
        }
    }

    /// Notes that what a transaction inserts is held.
    package func holdInserts(of transaction: TransactionMessage) {
        for change in transaction.changes where change.kind == .insert {
            let tree = cache.tree(of: change.entity)
            let block = isFinal(change, in: transaction) ? cache.block(inserted: change) : nil
            cache.state.withLock { state in
                state.hold(change.primaryKeys, tree: tree, by: id)
                if let block { state.take(AnsweredRows(block), entities: [], number: transaction.number) }
            }
        }
    }

    /// Whether new rows are as they were inserted at the end of their transaction, too: an inverse may have been set since.
    private func isFinal(_ insert: ChangeGroup, in transaction: TransactionMessage) -> Bool {
        let tree = cache.tree(of: insert.entity)
        let others = transaction.changes.filter { $0.kind != .insert && cache.tree(of: $0.entity) == tree }
        if others.isEmpty { return true }
        let keys = Set(insert.primaryKeys)
        return !others.contains { $0.primaryKeys.contains(where: keys.contains) }
    }

    /// Notes that rows are not held any more; `sweep` gives their memory back, which may be later.
    package func release(_ primaryKeys: [Int64], entity: Int) {
        let tree = cache.tree(of: entity)
        cache.state.withLock { $0.release(primaryKeys, tree: tree, by: id) }
    }

    /// Drops those of some released rows that nobody holds by now.
    package func sweep(_ primaryKeys: [Int64], entity: Int) {
        let tree = cache.tree(of: entity)
        cache.state.withLock { $0.sweep(primaryKeys, tree: tree) }
    }

    /// Whether any of some rows is held.
    package func holdsAny(of primaryKeys: [Int64], entity: Int) -> Bool {
        let tree = cache.tree(of: entity)
        return cache.state.withLock { state in
            primaryKeys.contains { state.isHeld($0, tree: tree, by: id) }
        }
    }

    /// Nothing is held any more.
    package func close() {
        cache.state.withLock { $0.removeHolder(id) }
    }
}

extension RowCache {
    /// A block of what a save inserted; `nil` where it may read differently, or is too large.
    func block(inserted change: ChangeGroup) -> RowBlock? {
        guard shapes.indices.contains(change.entity), let shape = shapes[change.entity],
            !change.columns.isEmpty, change.versions.count == change.primaryKeys.count,
            !change.columns.contains(where: \.mayReadDifferently),
            let columns = shape.columns(of: change.columns, missingAreNull: true)
        else { return nil }
        let block = RowBlock(
            shape: shape, primaryKeys: change.primaryKeys, versions: change.versions, columns: columns)
        return block.byteCount <= Limits.cachedBatchBytes ? block : nil
    }
}
