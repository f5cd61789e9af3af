package import CofferFormats
internal import CofferLinux
package import CofferSQLite
package import CofferWire
internal import Synchronization

/// The author of a save, as the service knows it.
package struct SaveOrigin: Sendable, Hashable {
    /// The application's id.
    package var application: String
    /// The process's name.
    package var process: String
    /// Seconds since 2001-01-01 00:00 UTC.
    package var timestamp: Double
    /// What kind of commit it is.
    package var origin: TransactionOrigin

    /// Creates an author; without a time or a kind, those of an ordinary save.
    package init(application: String, process: String, timestamp: Double, origin: TransactionOrigin = .save) {
        self.application = application
        self.process = process
        self.timestamp = timestamp
        self.origin = origin
    }
}

extension SaveOrigin {
    /// Whether other peers' edits are written, which their authors' delete rules and validation have seen:
    /// neither runs again, since all peers are to see the same.
    var isImport: Bool { origin == .import }
}

/// The one connection that writes to a store.
///
/// Confined to the leader of the commit queue. Between `begin` and `commit` it executes any number of saves,
/// each whole or not at all. If an error ended the transaction, `isTransactionLost` says so: begin a new one,
/// and execute those again that had succeeded. The same applies if `mustStartAnew` says that one of them
/// cannot be undone alone.
package final class StoreWriter {
    package let file: StoreFile
    package let connection: SQLiteConnection
    let history: HistoryWriter
    let validation = ValueValidation()
    /// The full-text indexes; `nil` if the file has none.
    let texts: TextIndexes?
    /// The sort keys that the file keeps.
    let sortKeys: SortKeys
    /// Writes values that are too large for their rows; `nil` if the model allows none.
    let external: ExternalWriter?
    /// What the file's triggers change; `nil` if it has none.
    let triggers: TriggerLog?
    private var plans: [EntityPlan?]
    private let savepoint: SQLiteStatement
    private let release: SQLiteStatement
    private let rollbackToSavepoint: SQLiteStatement
    private let beginning: SQLiteStatement
    private let committing: SQLiteStatement
    private let changeCounter: SQLiteChangeCounter
    private let schemaWatch: SchemaWatch
    /// Runs from `begin` to the end of a transaction, and is restarted for each save; `nil` if all SQL in the
    /// file is known.
    private let clock: StatementClock?
    private var isOpen = false
    // Whether each save of the open transaction gets a savepoint, which copies every page that it changes.
    private var hasSavepoints = true
    // How many transactions still get savepoints because a save had to be undone.
    private var caution = 0
    /// Whether a save of the open transaction was refused that cannot be undone alone: roll back, and execute
    /// all others again.
    package private(set) var mustStartAnew = false
    // The value of `cacheVersion` when history's counters were those of the file.
    private var countedVersion: UInt32?
    private var knownVersion: Int64?
    private var checkpointMeter: CheckpointMeter
    private var follower: SQLDebugFollower
    /// Which requests with an id were applied.
    var requests = RequestLedger()
    /// Whether the open transaction changes objects in the file of an atomic store.
    var changesContent = false
    /// What the open transaction has written that the store's source is to have.
    var unpublished: [TransactionMessage] = []
    /// The number of the last transaction before this writer.
    let openingTransaction: UInt64
    var repliesSinceSweep = 0
    /// When it was last recorded how far history has come, by the clock that cannot be set.
    var retentionLook: Double?
    /// Finds the objects of batch operations; created for the first of them.
    private var reader: StoreReader?

    init(_ file: StoreFile) throws(StoreError) {
        self.file = file
        follower = SQLDebugFollower(file.sqlDebug, path: file.path)
        plans = Array(repeating: nil, count: file.schema.entities.count)
        checkpointMeter = CheckpointMeter(pages: file.pragmas.checkpointPages)
        let sqlitePath = file.sqlitePath
        do throws(SQLiteError) {
            connection = try SQLiteConnection(
                path: sqlitePath, name: file.path, keeping: file.folder, mode: .readWrite, vfs: file.vfs)
            try connection.setTrustsSchema(file.trustsSchema)
            try file.pragmas.applyForWriting(
                to: connection, keepsFiles: !file.schema.externalColumns.isEmpty)
            if let limit = file.byteLimit {
                let pageByteCount =
                    try connection.pragma("page_size").flatMap { Int($0) } ?? Limits.pageByteCount
                _ = try connection.pragma("max_page_count", String(max(1, limit / max(1, pageByteCount))))
            }
            triggers =
                file.hasTriggers
                ? TriggerLog(
                    schema: file.schema, clock: file.environment.now, limit: file.derivedObjects) : nil
            try triggers?.register(on: connection)
            external = try ExternalWriter(file, on: connection)
            let usable = try TextIndexes.usable(file.schema.textIndexes, on: connection)
            texts = usable.isEmpty ? nil : TextIndexes(usable, on: connection)
            sortKeys = try SortKeys(file.schema, on: connection)
            let today = file.environment.today
            for list in sortKeys.lists.all {
                file.sortKeys.offer(list.order, list.number, isStale: list.used < today)
            }
            history = try HistoryWriter(
                connection, path: file.path, numbers: file.schema.numbers, hasStrings: file.hasHistoryStrings)
            openingTransaction = history.lastTransaction
            knownVersion = try connection.dataVersion()
            savepoint = try connection.prepare("SAVEPOINT save")
            release = try connection.prepare("RELEASE save")
            rollbackToSavepoint = try connection.prepare("ROLLBACK TO save")
            beginning = try connection.prepare("BEGIN IMMEDIATE")
            committing = try connection.prepare("COMMIT")
            changeCounter = SQLiteChangeCounter(of: connection)
            schemaWatch = try SchemaWatch(connection)
            clock = file.trust == .bounded ? StatementClock(limit: file.foreignSQLTime) : nil
            if let clock { connection.follow(clock, isUnknown: false) }
        } catch {
            throw StoreError(error)
        }
        try translatingSystem { () throws(LinuxError) in try file.place.noteLogs() }
    }

    /// The number of the last transaction that was executed.
    package var lastTransaction: UInt64 { history.lastTransaction }

    /// Whether an error has ended the transaction that was begun: nothing of it is written.
    package var isTransactionLost: Bool { isOpen && connection.isAutocommit }

    /// Begins a transaction for any number of saves.
    ///
    /// With `mayStartAnew` the caller checks `mustStartAnew` after each save. That costs less than being able
    /// to undo each of them alone, since a save that has written something is almost never refused. After one
    /// was, the saves of some transactions get savepoints, and the flag stays `false`.
    /// - Throws: `StoreError` if the transaction could not be begun; then none is open.
    package func begin(mayStartAnew: Bool = false) throws(StoreError) {
        if let loss = file.place.loss { throw loss }
        follower.follow(on: connection)
        requests.didRollBack()  // What a transaction had recorded that was lost.
        external?.didRollBack()
        try translating { () throws(SQLiteError) in try beginning.run() }
        clock?.start()
        isOpen = true
        hasSavepoints = !mayStartAnew || caution > 0
        if caution > 0 { caution -= 1 }
        if connection.cacheVersion == countedVersion { return }  // Nobody has written since our last commit.
        do throws(StoreError) {
            try schemaWatch.check(file)
            try translating { () throws(SQLiteError) in try history.load() }
        } catch {
            isOpen = false
            clock?.stop()
            // No caller would end the transaction, and it holds the lock for writing.
            try translating { () throws(SQLiteError) in try connection.rollback() }
            throw error
        }
    }

    /// Makes all saves since `begin` durable.
    ///
    /// - Throws: The reason why they are not; `fileGone` also if the saves may be in what is left of the
    ///   file.
    package func commit() throws(StoreError) {
        guard !isTransactionLost, !mustStartAnew else { throw .interrupted }
        do throws(StoreError) {
            try external?.prepareCommit()
        } catch {
            try rollback()
            throw error
        }
        let before = changeCounter.value
        clock?.start()
        var publication: AtomicPublication?
        var isPublished = false
        do throws(StoreError) {
            try translating { () throws(SQLiteError) in try history.flush() }
            if changesContent { publication = try file.backing?.publish(from: self) }
            if let source = file.source, !unpublished.isEmpty {
                try source.publish(try changes(of: unpublished))
                isPublished = true
            }
            try translating { () throws(SQLiteError) in try committing.run() }
        } catch {
            publication?.takeBack()
            if isPublished { file.source?.didCommit(false) }
            let failure = named(error)
            // What was written to the log, but not to the disk, may be found there after a crash.
            if failure != .full(path: file.path) { external?.doubt() }
            if case .fileGone = failure { _ = file.place.lose(failure) }
            try rollback()
            throw failure
        }
        publication?.keep()
        if isPublished { file.source?.didCommit(true) }
        changesContent = false
        unpublished = []
        isOpen = false
        clock?.stop()
        external?.didCommit(hasWritten: changeCounter.value.map { $0 != before } ?? false)
        history.didCommit()
        requests.didCommit()
        countedVersion = connection.cacheVersion
        checkpointMeter.didCommit(connection.logFrames)
        // A commit to a file without a name cannot be acknowledged: no process will find that file.
        try file.place.check()
    }

    /// Closes the file, which has gone, without touching the one that has its name now.
    ///
    /// If only the log has gone, its content is moved into the file, so that nothing is lost.
    package func leave() throws(StoreError) {
        try translating { () throws(SQLiteError) in
            try connection.disableCheckpointOnClose()
            _ = try connection.checkpoint(mode: .truncate)
        }
        try translatingSystem { () throws(LinuxError) in try file.place.removeOwnLogs() }
    }

    /// Undoes all saves since `begin`.
    package func rollback() throws(StoreError) {
        isOpen = false
        clock?.stop()
        mustStartAnew = false
        changesContent = false
        unpublished = []
        countedVersion = nil
        requests.didRollBack()
        external?.didRollBack()
        try translating { () throws(SQLiteError) in
            try connection.rollback()
            try history.load()
        }
    }

    /// The approximate number of bytes in the log after the last commit.
    package var logByteCount: Int { connection.logFrames * Limits.pageByteCount }

    /// Whether enough has gathered in the log to be moved into the file.
    package var isCheckpointDue: Bool { checkpointMeter.isDue }

    /// Makes writes from now on as strict as `pragmas` ask, too; outside a transaction.
    package func tighten(_ pragmas: [String: String]) throws(StoreError) {
        let present = file.strictness.withLock { $0 }
        let wanted = present.joined(with: try StorePragmas(pragmas).strictness)
        if wanted == present { return }
        try translating { () throws(SQLiteError) in
            try file.pragmas.apply(
                wanted, to: connection, keepsFiles: !file.schema.externalColumns.isEmpty)
        }
        file.strictness.withLock { $0 = wanted }
    }

    /// Moves pages from the WAL into the file if it has grown; to be called after commits, outside any
    /// transaction.
    ///
    /// It does not wait: pages that readers still need stay for the next time.
    package func checkpointIfNeeded() throws(StoreError) {
        guard isCheckpointDue, !isOpen else { return }
        try translating { () throws(SQLiteError) in _ = try connection.checkpoint(mode: .passive) }
        checkpointMeter.didCheckpoint()
    }

    /// Moves all pages into the file and empties the WAL, waiting for readers up to the busy timeout.
    package func checkpointFully() throws(StoreError) {
        try translating { () throws(SQLiteError) in _ = try connection.checkpoint(mode: .truncate) }
        checkpointMeter.didCheckpoint()
    }

    /// Whether another connection has written to the file since this was last called, or since the writer was
    /// made.
    package func hasForeignChanges() throws(StoreError) -> Bool {
        let version = try translating { () throws(SQLiteError) in try connection.dataVersion() }
        defer { knownVersion = version }
        return version != knownVersion
    }

    /// Records that what another connection wrote could not be examined: it has to be, the next time.
    package func forgetForeignLook() { knownVersion = nil }

    /// Reads the whole file and compares indexes with tables; empty if it is sound.
    package func integrityCheck() throws(StoreError) -> [String] {
        try file.integrityCheck(on: connection)
    }
}

extension StoreWriter {
    /// Changes the metadata that applications have set on the store, inside the transaction; returns all of
    /// it.
    package func updateMetadata(
        _ changes: [String: MetadataValueMessage?]
    ) throws(StoreError) -> StoreMetadata {
        var metadata = try file.metadata(on: connection)
        guard !changes.isEmpty else { return metadata }
        try metadata.apply(changes)
        try metadata.write(to: connection)
        changesContent = true
        return metadata
    }

    /// Finds objects, those of the open transaction included.
    package func batchReader() throws(StoreError) -> StoreReader {
        if let reader { return reader }
        var options = StoreReader.Options()
        options.externalBytes = { [file, external] name throws(StoreError) in
            let bytes: [UInt8]?
            if let external {
                bytes = try external.bytes(named: name)
            } else {
                bytes = try file.externalBytes(name)
            }
            // What is written by what is read must not be written by what is missing.
            guard let bytes else {
                throw .damaged(path: file.path, detail: "the file '\(name)' of a value is missing")
            }
            return bytes
        }
        let made = try StoreReader(connection: connection, schema: file.schema, options: options)
        reader = made
        return made
    }

    /// Runs a save's part of the transaction, under the time limit if the file has SQL of its own.
    ///
    /// - Throws: `foreignSQLTooSlow`; the transaction is lost then.
    func timed<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        clock?.start()
        do throws(StoreError) { return try body() } catch { throw named(error) }
    }

    /// An interruption by our own clock was not requested by any caller.
    private func named(_ error: StoreError) -> StoreError {
        guard error == .interrupted, clock?.hasExpired ?? false else { return error }
        return .foreignSQLTooSlow(path: file.path, limit: file.foreignSQLTime)
    }

    /// The plan for writing an entity.
    func plan(_ index: Int) throws(StoreError) -> EntityPlan {
        if plans.indices.contains(index), let plan = plans[index] { return plan }
        let plan = EntityPlan(
            try file.schema.entity(at: index), in: file.schema,
            external: external)
        plans[index] = plan
        return plan
    }

    /// The state that a save found, to go back to.
    private struct Mark {
        let history: HistoryWriter.Mark
        let external: ExternalWriter.Mark?
        let writes: Int
        let hasSavepoint: Bool
    }

    /// Runs `body`, and keeps its changes only if it returns `true`.
    package func withSavepoint(_ body: () throws(StoreError) -> Bool) throws(StoreError) {
        let mark = Mark(
            history: history.mark(), external: external?.mark(), writes: connection.writeCount,
            hasSavepoint: hasSavepoints)
        if mark.hasSavepoint { try translating { () throws(SQLiteError) in try savepoint.run() } }
        do throws(StoreError) {
            if try body() {
                if mark.hasSavepoint { try translating { () throws(SQLiteError) in try release.run() } }
                return
            }
        } catch {
            try undo(to: mark)
            throw error
        }
        try undo(to: mark)
    }

    private func undo(to mark: Mark) throws(StoreError) {
        if connection.isAutocommit { return }  // SQLite has ended the whole transaction; the leader will see.
        history.restore(mark.history)
        if let mark = mark.external { external?.restore(mark) }
        if mark.hasSavepoint {
            return try translating { () throws(SQLiteError) in
                try rollbackToSavepoint.run()
                try release.run()
            }
        }
        if connection.writeCount == mark.writes { return }
        mustStartAnew = true
        caution = Limits.cautiousTransactions
    }
}
