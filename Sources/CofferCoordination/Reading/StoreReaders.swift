import CofferStores

/// What reads one store through one connection; confined with it.
struct StoreReaders {
    /// Fetches, rows and relationships.
    let objects: StoreReader
    /// Transactions.
    let history: HistoryReader
    /// What stops reading if the file's own SQL may run without end.
    private let clock: StatementClock?
    private let path: String

    init(file: StoreFile) throws(StoreError) {
        let clock = file.makeReadingClock()
        self.clock = clock
        path = file.path
        let connection = try file.makeReader()
        var options = StoreReader.Options()
        options.sqlDebug = file.sqlDebug
        options.externalBytes = { name throws(StoreError) in try file.externalBytes(name) }
        options.onMissingFile = { file.tell($0) }
        options.externalReads = file.externalReads
        options.sortKeys = file.sortKeys
        options.looksAtText = !file.sendsAnswers
        options.runsUnknownSQL = clock != nil
        options.onLongRunning = { file.isEnding || clock?.isOver ?? false }
        clock?.start()
        objects = try StoreReader(connection: connection, schema: file.schema, options: options)
        history = try HistoryReader(connection: connection, file: file)
    }

    /// Reads under the time limit, if there is one.
    ///
    /// - Throws: `foreignSQLTooSlow` if that has passed.
    func timed<Result>(_ body: (StoreReaders) throws(StoreError) -> Result) throws(StoreError) -> Result {
        guard let clock else { return try body(self) }
        clock.start()
        defer { clock.stop() }
        do throws(StoreError) {
            return try body(self)
        } catch {
            guard error == .interrupted, clock.hasExpired else { throw error }
            throw .foreignSQLTooSlow(path: path, limit: clock.limit)
        }
    }
}
