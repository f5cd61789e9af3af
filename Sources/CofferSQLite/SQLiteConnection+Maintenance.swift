internal import CSQLite

extension SQLiteConnection {
    /// How far a checkpoint goes.
    package enum CheckpointMode: Sendable {
        /// Moves what it can without waiting for other connections.
        case passive
        /// Waits for writers and readers, then moves all.
        case full
        /// As `full`, and the next writer starts the WAL from its beginning.
        case restart
        /// As `restart`, and the WAL is cut to nothing.
        case truncate
    }

    /// Moves pages from the WAL into the file.
    ///
    /// Only the connection that writes may do so, and never while it commits: SQLite before 3.51.3 can
    /// damage a file if two connections checkpoint and write at once.
    ///
    /// - Returns: Frames in the WAL, and how many of them are in the file now; both -1 outside WAL mode.
    /// - Throws: `busy` if others were in the way for longer than the busy timeout.
    @discardableResult
    package func checkpoint(
        mode: CheckpointMode
    ) throws(SQLiteError) -> (walFrames: Int, checkpointedFrames: Int) {
        let number =
            switch mode {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .full: SQLITE_CHECKPOINT_FULL
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        var frames: Int32 = 0
        var moved: Int32 = 0
        try database.check(unsafe sqlite3_wal_checkpoint_v2(database.handle, "main", number, &frames, &moved))
        return (Int(frames), Int(moved))
    }

    /// Reads the whole file and compares each index with its table.
    ///
    /// - Returns: What is wrong, at most 100 problems; nothing if the file is sound.
    package func integrityCheck() throws(SQLiteError) -> [String] {
        var problems: [String] = []
        try integrityCheck { problems.append($0) }
        return problems
    }

    /// Reads the whole file and compares each index with its table, telling `body` each thing that is wrong;
    /// at most 100, and before an error those that were found until then.
    package func integrityCheck(_ body: (String) -> Void) throws(SQLiteError) {
        let statement = try prepare("PRAGMA integrity_check(\(Limits.integrityProblems))")
        while try statement.step() {
            let problem = statement.text(0)
            if problem != "ok" { body(problem) }
        }
    }

    /// Rewrites the file without its free pages; needs as much space again, and no open transaction.
    ///
    /// It is one transaction: whatever stops it, the file is as it was.
    /// - Parameter progress: Called before each write with bytes written and about how many there will be;
    ///   `false` stops it with `interrupted` while that can still be done. It must not use the connection.
    /// - Throws: `interrupted`, `full`, and what the disk says.
    package func vacuum(
        _ progress: (_ done: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(SQLiteError) {
        let pages =
            (Int(try pragma("page_count") ?? "") ?? 0) - (Int(try pragma("freelist_count") ?? "") ?? 0)
        // Each page goes into a temporary file, and from there into the log or the file.
        let total = 2 * max(1, pages) * (Int(try pragma("page_size") ?? "") ?? 0)
        guard progress(0, total) else { throw .interrupted }
        var done = 0
        var isComing = false
        try SQLiteVFS.watchingWrites { file, byteCount in
            // What was there before also goes into a journal, which does not count as progress.
            if file != .journal { done = min(total, done + byteCount) }
            let goesOn = progress(done, total)
            // Only what is written aside may break off at will; without a log, pages are the file's own.
            // SQLite ends the temporary file after the commit, which nothing may be told to have failed for.
            if file != .other { isComing = true }
            return goesOn || !(file == .wal || file == .other && !isComing)
        } during: { () throws(SQLiteError) in
            try attachingOne { () throws(SQLiteError) in try execute("VACUUM") }
        }
        _ = progress(total, total)
    }

    /// Writes a compact copy to `path`, which must not exist or be empty.
    ///
    /// The copy is one snapshot; it is not safe against a crash before the caller has synced and renamed it.
    package func vacuum(into path: String) throws(SQLiteError) {
        try SQLiteDatabase.check(path: path)
        try attachingOne { () throws(SQLiteError) in
            let statement = try prepare("VACUUM INTO ?1")
            try statement.bind(path, at: 1)
            try statement.run()
        }
    }

    /// VACUUM attaches its new file behind the scenes.
    private func attachingOne(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        let limit = unsafe sqlite3_limit(database.handle, SQLITE_LIMIT_ATTACHED, 1)
        defer { unsafe sqlite3_limit(database.handle, SQLITE_LIMIT_ATTACHED, limit) }
        try body()
    }
}
