package import CofferWire
import Synchronization

/// What one session holds of a store's rows.
///
/// Shared. The code that makes one closes it.
package final class RowHolder: Sendable {
    private let id: Int
    private let cache: RowCache

    init(id: Int, cache: RowCache) {
        self.id = id
        self.cache = cache
    }

    /// Notes that rows are held that an answer brings.
    ///
    /// `ticket` was taken before they were read, and is `nil` if they came from the cache itself.
    package func hold(_ rows: PackedRows, readAt number: UInt64, _ ticket: RowCache.Ticket?) {
        let keys = rows.makePrimaryKeys()
        if keys.isEmpty { return }
        let tree = cache.tree(of: rows.entity)
        let block = ticket == nil ? nil : cache.block(rows)
        cache.state.withLock { state in
            state.hold(keys, tree: tree, by: id)
            guard let block, let ticket, RowCache.isValid(ticket, in: state) else { return }
            state.take(block, number: number)
        }
    }

    /// Notes that what a transaction inserts is held.
    package func holdInserts(of transaction: TransactionMessage) {
        for change in transaction.changes where change.kind == .insert {
            let tree = cache.tree(of: change.entity)
            let block = isFinal(change, in: transaction) ? cache.block(inserted: change) : nil
            cache.state.withLock { state in
                state.hold(change.primaryKeys, tree: tree, by: id)
                if let block { state.take(block, number: transaction.number) }
            }
        }
    }

    /// Whether new rows are as they were inserted at the end of their transaction, too: an inverse may have
    /// been set since.
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

    /// Drops those of some released rows that no holder holds by now.
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
    /// A block of what a save inserted; `nil` if it may read differently, or is too large.
    func block(inserted change: ChangeGroup) -> RowBlock? {
        guard let shape = shape(of: change.entity), !change.columns.isEmpty,
            change.versions.count == change.primaryKeys.count,
            !change.columns.contains(where: \.mayReadDifferently)
        else { return nil }
        let columns = change.columns.filter { shape.keeps($0.property) }
        let byteCount = columns.reduce(12 * change.primaryKeys.count) { $0 + $1.byteCount }
        guard byteCount <= Limits.cachedBatchBytes else { return nil }
        do throws(WireError) {
            var builder = try PackedRowsBuilder(
                rowCount: change.primaryKeys.count, entity: shape.entity, columnCount: columns.count,
                byteCount: byteCount, looksAtText: false)
            try builder.add(keys: change.primaryKeys, versions: change.versions, entities: [])
            for column in columns { try builder.add(column) }
            return RowBlock(shape: shape, rows: builder.finish())
        } catch {
            return nil  // Whoever asks for them reads them.
        }
    }
}
