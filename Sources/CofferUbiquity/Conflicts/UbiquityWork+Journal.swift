internal import CofferContainer
internal import CofferCoordination
internal import CofferSQLite
internal import CofferStores
internal import CofferWire
internal import Synchronization

extension UbiquityWork {
    /// Lets go of conflicts that are too old, once for each opening of the store; with each conflict that is
    /// noted others go.
    func forgetOldConflicts() throws(StoreError) {
        if isJournalChecked.withLock({ $0 }) { return }
        let now = environment.now()
        let hasOld = try inStore { (store) throws(StoreError) in
            let table = ConflictTable(try store.file.makeReader())
            return try ReplicaTables.translating { () throws(SQLiteError) in try table.hasOld(at: now) }
        }
        if hasOld {
            _ = try change { _, writer, origin, now throws(StoreError) in
                try ReplicaTables.translating { () throws(SQLiteError) in
                    try ConflictTable(writer.connection).forgetOld(at: now)
                }
                return try writer.execute(SaveRequestMessage(store: 0, request: .unrepeated), by: origin)
            }
        }
        isJournalChecked.withLock { $0 = true }
    }
}
