internal import CofferSQLite

extension StoreWriter {
    /// Today, by the store's clock, counted from 2001-01-01.
    var today: Int64 { file.environment.today }

    /// Does a piece of what is to be done for orders that were asked for, in a transaction of its own; says
    /// whether there is more.
    ///
    /// A save that waits meanwhile waits for one piece, some milliseconds.
    package func keepSortKeys() throws(StoreError) -> Bool {
        let order = file.sortKeys.next
        let used = file.sortKeys.takeUsed()
        defer { file.sortKeys.updateWanting() }
        if order == nil && used.isEmpty { return false }
        let before = sortKeys.lists
        var (list, hasMore) = (Int64?.none, false)
        do throws(StoreError) {
            try begin()
            do throws(StoreError) {
                try translating { () throws(SQLiteError) in
                    try sortKeys.note(used, usedOn: today)
                    if let order { (list, hasMore) = try keep(order) }
                }
            } catch {
                try rollback()
                throw error
            }
            try commit()
        } catch {
            // It is tried again when the order is next asked for.
            sortKeys.lists = before
            if let order { file.sortKeys.didMake(order) }
            throw error
        }
        file.sortKeys.keepOnly(Set(sortKeys.lists.all.map(\.order)))
        if let order {
            if let list { file.sortKeys.offer(order, list) }
            if !hasMore { file.sortKeys.didMake(order) }
        }
        return file.sortKeys.isWanting
    }

    /// Does a piece of the work for one order; returns its list, if it has one by then, and whether there is
    /// more to do.
    private func keep(_ order: SortOrder) throws(SQLiteError) -> (list: Int64?, hasMore: Bool) {
        if try sortKeys.makesRoom(for: order, today: today) { return (nil, true) }
        let list = try sortKeys.list(order, today: today)
        return (list, try sortKeys.drain(order.table, upTo: Limits.sortKeysOfPiece))
    }
}
