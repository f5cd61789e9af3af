internal import CofferSQLite

extension StoreWriter {
    /// Does a piece of what is to be done for orders that were asked for, in a transaction of its own; says whether there is more.
    ///
    /// A save that waits meanwhile waits for one piece, some milliseconds.
    package func keepSortKeys() throws(StoreError) -> Bool {
        guard let order = file.sortKeys.next else { return false }
        let isNew = file.sortKeys.list(order) == nil
        var list: Int64?
        var hasMore = false
        do throws(StoreError) {
            try begin()
            do throws(StoreError) {
                try translating { () throws(SQLiteError) in
                    list = try sortKeys.list(order)
                    hasMore = try sortKeys.drain(order.table, upTo: Limits.sortKeysOfPiece)
                }
            } catch {
                try rollback()
                throw error
            }
            try commit()
        } catch {
            // It is tried again when somebody asks the next time.
            if isNew { sortKeys.forget(order) }
            file.sortKeys.settle(order)
            throw error
        }
        if let list { file.sortKeys.keep(order, list) }
        if !hasMore { file.sortKeys.settle(order) }
        return file.sortKeys.isWanting
    }
}
