internal import CSQLite

extension SQLiteConnection {
    /// Copies this database into `destination`, replacing all it held, while others may write.
    ///
    /// Run on the connection that writes, it takes that one's changes along; a change by another
    /// connection makes it start again.
    ///
    /// - Parameters:
    ///   - destination: A connection that is not used meanwhile.
    ///   - pagesPerStep: Pages copied under one lock; negative for all.
    ///   - progress: Called after each step with pages left and in all; `false` stops the copy.
    /// - Throws: `interrupted` if `progress` stopped it, `busy` if locks lasted too long; `destination`
    ///   then keeps what it held.
    package func backup(
        to destination: SQLiteConnection, pagesPerStep: Int = -1,
        progress: (_ remaining: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(SQLiteError) {
        guard
            let backup = unsafe sqlite3_backup_init(
                destination.database.handle, "main", database.handle, "main")
        else { throw unsafe destination.database.error(sqlite3_errcode(destination.database.handle)) }
        var isStopped = false
        var retries = 0
        copying: while true {
            let code = unsafe sqlite3_backup_step(backup, Int32(clamping: pagesPerStep))
            switch code & 0xFF {
            case SQLITE_OK: retries = 0
            case SQLITE_BUSY, SQLITE_LOCKED:
                retries += 1
                if retries > Limits.backupRetries { break copying }
                sqlite3_sleep(Limits.backupRetryMilliseconds)
            default: break copying
            }
            let (remaining, total) = unsafe (
                sqlite3_backup_remaining(backup), sqlite3_backup_pagecount(backup)
            )
            if !progress(Int(remaining), Int(total)) {
                isStopped = true
                break
            }
        }
        let code = unsafe sqlite3_backup_finish(backup)
        if isStopped { throw .interrupted }
        if retries > Limits.backupRetries { throw .busy(path: path) }
        guard code == SQLITE_OK else { throw destination.database.error(code) }
    }
}
