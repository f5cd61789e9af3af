internal import CofferSQLite

/// SQLite options that an application may set, checked.
///
/// The memory and disk that one store can take by them is bounded: larger values are replaced by the largest
/// allowed one.
struct StorePragmas: Sendable, Equatable {
    /// Applied to every connection.
    private(set) var shared: [String: String] = [:]
    /// Applied to the connection that writes.
    private(set) var writing: [String: String] = [:]
    /// Applied to the connection that writes, too; other clients that open the store may raise it.
    private(set) var strictness = StoreStrictness()
    /// Pages in the WAL after which the writer checkpoints.
    private(set) var checkpointPages = Limits.checkpointPages
    /// How commits are to be made whole; `nil`: with a log, if the file system allows one.
    private(set) var wantedJournal: StoreJournal?
    /// How commits are made whole.
    var journal: StoreJournal { wantedJournal ?? .wal }

    /// Checks the options that were asked for.
    ///
    /// - Throws: `StoreError.pragmaRefused` if a name is not on the list of safe options, or does not take
    ///   such a value.
    init(_ wanted: [String: String]) throws(StoreError) {
        for (name, value) in wanted.sorted(by: { $0.key < $1.key }) {
            let number = Int64(value)
            switch name.lowercased() {
            case "cache_size":
                guard let number, (-1_048_576...1_048_576).contains(number) else {
                    throw .pragmaRefused(name: name)
                }
                shared["cache_size"] = Self.cacheSize(number)
            case "temp_store":
                guard ["0", "1", "2", "DEFAULT", "FILE", "MEMORY"].contains(value.uppercased()) else {
                    throw .pragmaRefused(name: name)
                }
                // In memory a sort could take any amount: it has its cache, and what exceeds that goes to
                // disk.
                shared["temp_store"] = "FILE"
            case "synchronous":
                guard let wanted = StoreStrictness.Synchronous(word: value) else {
                    throw .pragmaRefused(name: name)
                }
                strictness.synchronous = wanted
            case "journal_mode":
                guard let wanted = StoreJournal(word: value) else { throw .pragmaRefused(name: name) }
                wantedJournal = wanted
            case "journal_size_limit":
                guard let number, (0...(1 << 30)).contains(number) else { throw .pragmaRefused(name: name) }
                writing["journal_size_limit"] = String(min(number, Int64(Limits.longestJournalBytes)))
            case "secure_delete":
                let word = ["0": "off", "1": "on"][value] ?? value
                guard let wanted = StoreStrictness.SecureDelete(word: word) else {
                    throw .pragmaRefused(name: name)
                }
                strictness.secureDelete = wanted
            case "wal_autocheckpoint":
                guard let number, (1...100_000).contains(number) else { throw .pragmaRefused(name: name) }
                checkpointPages = min(Int(number), Limits.mostCheckpointPages)
            default: throw .pragmaRefused(name: name)
            }
        }
    }

    /// Does without a log, if none was asked for.
    ///
    /// - Throws: `StoreError.sharedFileSystem` if one was asked for.
    mutating func avoidLog(at path: String, on fileSystem: String) throws(StoreError) {
        if wantedJournal == .wal { throw .sharedFileSystem(path: path, name: fileSystem) }
        wantedJournal = .delete
    }

    /// A cache of so many pages or, if the number is negative, KiB; at most the largest one.
    private static func cacheSize(_ number: Int64) -> String {
        number > 0
            ? String(min(number, Int64(Limits.cacheBytes / Limits.pageByteCount)))
            : String(max(number, -Int64(Limits.cacheBytes >> 10)))
    }

    /// How long a connection of the store waits for a lock on its file.
    private var busyMilliseconds: Int {
        journal == .delete ? Limits.busyMillisecondsWithoutLog : Limits.busyMilliseconds
    }

    /// Sets up the connection that writes; `keepsFiles` says whether the store has values in external files.
    func applyForWriting(to connection: SQLiteConnection, keepsFiles: Bool) throws(SQLiteError) {
        try connection.setBusyTimeout(milliseconds: busyMilliseconds)
        _ = try connection.pragma("journal_size_limit", String(Limits.journalBytes))
        for (name, value) in shared { _ = try connection.pragma(name, value) }
        for (name, value) in writing { _ = try connection.pragma(name, value) }
        try apply(strictness, to: connection, keepsFiles: keepsFiles)
        connection.watchLog()
    }

    /// Makes the connection that writes that strict; outside a transaction.
    func apply(
        _ strictness: StoreStrictness, to connection: SQLiteConnection, keepsFiles: Bool
    ) throws(SQLiteError) {
        var strictness = strictness
        // The file of a value is removed after the commit that drops it; a loss of power must not undo that
        // commit afterwards. Without a log, anything less could leave half a commit in the file.
        if keepsFiles || journal == .delete { strictness.synchronous = max(strictness.synchronous, .full) }
        for (name, value) in strictness.pragmas { _ = try connection.pragma(name, value) }
    }

    /// Sets up a connection that reads.
    func applyForReading(to connection: SQLiteConnection) throws(SQLiteError) {
        try connection.setBusyTimeout(milliseconds: busyMilliseconds)
        try connection.setAutomaticCheckpoint(frames: 0)
        try connection.disableCheckpointOnClose()
        _ = try connection.pragma("query_only", "1")
        for (name, value) in shared { _ = try connection.pragma(name, value) }
    }
}
