import CofferLinux
package import CofferModel
import CofferSQLite
package import CofferStores
package import CofferWire
package import FoundationEssentials
import Synchronization

/// One store file with its commit queue, its readers and its feed, for all its users.
///
/// Shared by the workers. Calls block their thread, never Swift's pool.
package final class PersistentStore: Sendable {
    /// The store's file, its model and schema.
    package let file: StoreFile
    /// What happened in the store since it was opened.
    package let statistics = StoreStatistics()
    /// The rows that sessions hold.
    package let cache: RowCache
    /// Whether it is being copied.
    let isBackingUp = Atomic<Bool>(false)
    let longWork = BackgroundTasks()
    /// `nil` for a store that is only read.
    let queue: CommitQueue?
    private let readers: ReaderPool
    let generations: Generations
    let feed: Feed
    /// `nil` for a store that is only read.
    private let sortKeyMaker: SortKeyMaker?

    /// Opens the store over `file`; throws if its writer cannot be made.
    ///
    /// `maintenanceFailed` is told why the log could not be moved into the file, or old history could not be
    /// deleted.
    package init(
        file: StoreFile, maintenanceFailed: @escaping @Sendable (StoreError) -> Void = { _ in }
    ) throws(StoreError) {
        self.file = file
        readers = ReaderPool(file: file)
        let generations = Generations(file: file)
        self.generations = generations
        let feed = Feed(number: file.openingNumber)
        self.feed = feed
        let statistics = statistics
        let cache = RowCache(
            schema: file.schema, number: file.openingNumber,
            isEnabled: !file.isReadOnly && !file.hasForeignTriggers)
        self.cache = cache
        if file.isReadOnly {
            queue = nil
            sortKeyMaker = nil
        } else {
            let foreign = ForeignChanges(cache: cache, feed: feed, statistics: statistics)
            let queue = CommitQueue(
                writer: try file.makeWriter(), maintenanceFailed: maintenanceFailed,
                foreignChanged: { writer, commitCount, isKnown throws(StoreError) in
                    try foreign.publish(from: writer, commitCount: commitCount, isKnown: isKnown)
                },
                didCommit: { batch in
                    statistics.count(batch)
                    cache.apply(batch)
                    feed.deliver(batch)
                    generations.didCommit(logByteCount: batch.logByteCount)
                    cache.forgetIfFull()
                },
                didIdle: { statistics.count($0) })
            queue.perform { writer in
                do throws(StoreError) { try writer.purgeHistory() } catch { maintenanceFailed(error) }
            }
            self.queue = queue
            sortKeyMaker = SortKeyMaker {
                let result = queue.performAndWait { writer throws(StoreError) in try writer.keepSortKeys() }
                do throws(StoreError) {
                    return try result.get()
                } catch {
                    maintenanceFailed(error)
                    return false
                }
            }
        }
        queue?.belong(to: self)
    }
}

extension PersistentStore {
    /// The store's UUID, which names it in ids and tokens.
    package var uuid: UUID { file.uuid }
    /// The model.
    package var model: ManagedObjectModel { file.model.model }
    /// The number of the last transaction that was delivered.
    package var number: UInt64 { feed.number }

    /// Tells `listener` of each commit from now on, until `removeListener`; says the number that it follows.
    package func addListener(_ listener: any StoreListener) -> (id: Int, number: UInt64) {
        feed.add(listener)
    }

    /// Stops calling the listener.
    package func removeListener(_ id: Int) {
        feed.remove(id)
    }

    /// How a fetch would be carried out: its SQL without values, and SQLite's plan.
    package func explain(_ fetch: FetchDescription) throws(StoreError) -> (sql: String, plan: [String]) {
        try readers.withReader { reader throws(StoreError) in try reader.objects.explain(fetch) }
    }

    /// Fetches rows, ids, dictionaries or a count; `part` takes what comes before the last `partByteCount`
    /// bytes or so, as it is read.
    ///
    /// It ends early with `.interrupted` if `shouldStop`, asked every now and then, says so.
    package func fetch(
        _ request: FetchRequestMessage, stoppingWhere shouldStop: (() -> Bool)? = nil,
        partByteCount: Int = .max, _ part: (FetchReplyMessage) -> Void = { _ in }
    ) throws(StoreError) -> FetchReplyMessage {
        statistics.fetches.add(1, ordering: .relaxed)
        checkForForeignChanges()
        defer { if file.sortKeys.isWanting { sortKeyMaker?.start() } }
        do throws(StoreError) {
            return try withReader(request.generation) { reader throws(StoreError) in
                try reader.objects.fetch(
                    request, stoppingWhere: shouldStop, partByteCount: partByteCount, part)
            }
        } catch {
            if error == .interrupted { statistics.interruptions.add(1, ordering: .relaxed) }
            throw error
        }
    }

    /// Rows by id.
    package func rows(_ request: RowsRequestMessage) throws(StoreError) -> RowsReplyMessage {
        try cachedRows(request).reply
    }

    /// Rows by id, and whether they came from the cache, without asking the file; else how many of them the
    /// cache lacked.
    package func cachedRows(
        _ request: RowsRequestMessage
    ) throws(StoreError) -> (reply: RowsReplyMessage, isCached: Bool, misses: Int) {
        statistics.faults.add(request.primaryKeys.count, ordering: .relaxed)
        if request.generation != 0 {
            let reply = try generations.withReader(request.generation) { reader throws(StoreError) in
                try reader.objects.rows(request)
            }
            return (reply, false, 0)
        }
        checkForForeignChanges()
        // A row of the cache is what the file has as long as all that was written there is told.
        var misses = 0
        if queue.map({ !$0.mayBeForeign }) ?? false {
            switch cache.rows(request) {
            case .found(let reply): return (reply, true, 0)
            case .lacks(let count): misses = count
            }
        }
        return try readers.withReader { reader throws(StoreError) in
            (try reader.objects.rows(request), false, misses)
        }
    }

    /// The objects at the other end of a to-many relationship.
    package func relationship(
        _ request: RelationshipRequestMessage
    ) throws(StoreError) -> RelationshipReplyMessage {
        statistics.faults.add(request.primaryKeys.count, ordering: .relaxed)
        checkForForeignChanges()
        return try withReader(request.generation) { reader throws(StoreError) in
            try reader.objects.relationship(request)
        }
    }

    /// Calls `body` with a reader of a pinned state, or of the present one.
    private func withReader<Result>(
        _ generation: UInt64, _ body: (StoreReaders) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        generation == 0
            ? try readers.withReader(body) : try generations.withReader(generation, body)
    }

    /// Pins the present state: what requests call it by, and the last transaction in it.
    ///
    /// - Throws: `StoreError.tooManyGenerations` if the oldest of those that there are is too young to give
    ///   way.
    package func pin() throws(StoreError) -> (generation: UInt64, number: UInt64) {
        checkForForeignChanges()
        return try generations.pin()
    }

    /// Gives a pinned state up.
    package func unpin(_ generation: UInt64) { generations.end(generation) }

    /// Gives all pinned states up.
    package func unpinAll() { generations.endAll() }

    /// Finds out, and tells all listeners, what another program has written into the file since this was
    /// last done.
    ///
    /// With `isUrgent` it is done even if a commit is under way, after it: for use if the next call may
    /// come only much later.
    /// - Complexity: A look at a number in memory, if no other program wrote.
    package func checkForForeignChanges(isUrgent: Bool = false) {
        queue?.checkForForeignChanges(isUrgent: isUrgent)
    }

    /// What a read that begins now shows to the cache, so that its rows can be kept.
    package func beginReading() -> RowCache.Ticket {
        checkForForeignChanges()
        return cache.ticket()
    }

    /// Checks every page and index, at idle priority and without keeping saves waiting; an empty answer says
    /// that all is well.
    package func integrityCheck() throws(StoreError) -> [String] {
        let reader: SQLiteConnection
        do throws(StoreError) { reader = try file.makeReader() } catch {
            return [try StoreFile.problem(error)]
        }
        return try longWork.run { () throws(StoreError) in
            try longWork.interruptibly(on: reader) { () throws(StoreError) in
                try idly { () throws(StoreError) in try file.integrityCheck(on: reader) }
            }
        }
    }

    /// Waits until all saves that were handed in before are carried out and answered.
    package func finishSaves() { _ = queue?.performAndWait { _ in } }

    /// Ends copies and checks that are under way with `interrupted`, and allows no others to begin.
    package func endLongWork() { longWork.end() }

    /// Stops reads that are under way, and all that begin, with `interrupted`.
    package func endReading() { file.endReading() }

    /// Waits until they have ended, and left nothing behind.
    package func waitForLongWork() { longWork.waitUntilEnded() }

    /// How many pages the file has, its log included, and how many of them hold nothing.
    package func pageCounts() throws(StoreError) -> (all: Int, free: Int) {
        try readers.withReader { reader throws(StoreError) in try reader.objects.pageCounts() }
    }

    /// Runs background work so that the disk serves everybody else first.
    private func idly<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try IOPriority.idle { isIdle throws(StoreError) in
            if isIdle { statistics.idleWork.add(1, ordering: .relaxed) }
            return try body()
        }
    }

    /// What the file says of itself.
    package func metadata() throws(StoreError) -> MetadataReplyMessage {
        try readers.withReader { reader throws(StoreError) in try reader.objects.metadata(of: file) }
    }

    /// Transactions after a number.
    package func history(_ request: HistoryRequestMessage) throws(StoreError) -> HistoryReplyMessage {
        try readers.withReader { reader throws(StoreError) in try reader.history.reply(to: request) }
    }

    /// Reads objects and history as they are at one moment, while others go on to save.
    ///
    /// The file's log grows as long as that takes.
    ///
    /// - Returns: `nil` if saves would have to wait, and nothing is read.
    @discardableResult
    package func atOneMoment<Result>(
        _ body: (StoreReader, HistoryReader) throws(StoreError) -> Result
    ) throws(StoreError) -> Result? {
        guard file.journal == .wal else { return nil }
        // Not one of the pool: it is of that moment until it goes.
        return try StoreReaders(file: file).timed { reader throws(StoreError) in
            _ = try reader.objects.pin()
            return try body(reader.objects, reader.history)
        }
    }

    /// How many objects were changed after transaction `number`, each counted as often as it was; `nil` if
    /// history does not go back so far.
    package func changeCount(since number: UInt64) throws(StoreError) -> Int? {
        try readers.withReader { reader throws(StoreError) in
            try reader.history.transactions(since: number)?.reduce(0) { count, transaction in
                transaction.changes.reduce(count) { $0 + $1.primaryKeys.count }
            }
        }
    }

    /// The oldest number that a history token may have.
    package func historyFloor() throws(StoreError) -> UInt64 {
        try readers.withReader { reader throws(StoreError) in try reader.history.floor() }
    }

    /// The reply to a request that names no consumer of history, for a file that has no consumers since
    /// Coffer did not make it; `nil` if the writer is to be asked.
    package func consumersOfForeignFile(
        _ request: ConsumerRequestMessage
    ) throws(StoreError) -> ConsumerReplyMessage? {
        if file.hasOwnTables || !request.name.isEmpty { return nil }
        return ConsumerReplyMessage(floor: try historyFloor(), consumers: [])
    }

    /// Hands in a save; its completion is called by the leader of the commit.
    ///
    /// If no thread leads at the moment, the caller does, for as long as saves come, and calls
    /// `beforeLeading` first. If `shouldYield` says that the caller has something else to do, it leads only
    /// until this save is carried out.
    package func submit(
        _ submission: SaveSubmission, beforeLeading: () -> Void = {}, shouldYield: () -> Bool = { false }
    ) {
        guard let queue else { return submission.complete(.failure(file.readOnlyError)) }
        queue.submit(submission, beforeLeading: beforeLeading, shouldYield: shouldYield)
    }

    /// Whether a commit runs at the moment, so that handing something in now does not block; a hint.
    package var isCommitting: Bool { queue?.isLed ?? false }

    /// Makes the leader of a commit gather saves from `source` too.
    package func pollSaves(from source: any SaveSource) { queue?.pollSaves(from: source) }

    /// How long the last commit took with all that was done around it, in nanoseconds.
    package var latestCommitDuration: UInt64 { queue?.latestBatchDuration ?? 0 }

    /// How many saves wait for the commit that runs at the moment, and share the next.
    package var waitingSaves: Int { queue?.waitingSaves ?? 0 }

    /// Saves, and waits for what became of it; for callers that may block.
    package func save(
        _ request: SaveRequestMessage, by origin: SaveOrigin, submitter: UInt64 = 0
    ) throws(StoreError) -> SaveExecution {
        let result = ConditionLock<SaveResult?>(nil)
        submit(
            SaveSubmission(request: request, origin: origin, submitter: submitter) { _, outcome in
                result.withLock { $0 = outcome }
                result.broadcast()
            }, shouldYield: { true })
        return try result.wait { $0 }.get()
    }

    /// Composes a save inside a transaction, which others may share, and waits for what became of it; see
    /// `SaveSubmission.init(by:completion:work:)`.
    package func save(
        by origin: SaveOrigin,
        _ work: @escaping @Sendable (StoreWriter) throws(StoreError) -> SaveExecution
    ) throws(StoreError) -> SaveExecution {
        let result = ConditionLock<SaveResult?>(nil)
        submit(
            SaveSubmission(
                by: origin,
                completion: { _, outcome in
                    result.withLock { $0 = outcome }
                    result.broadcast()
                }, work: work), shouldYield: { true })
        return try result.wait { $0 }.get()
    }

    /// Runs `body` on the writer, between commits, and waits for what it gives.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (StoreWriter) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        guard let queue else { throw file.readOnlyError }
        return try queue.performAndWait(body).get()
    }

    /// Writes from now on as strictly as another opener of the store asks: see `StoreDescription.pragmas`.
    ///
    /// - Throws: `StoreError.pragmaRefused`.
    package func tighten(_ pragmas: [String: String]) throws(StoreError) {
        guard try file.isLax(for: pragmas), !file.isReadOnly else { return }
        try write { writer throws(StoreError) in try writer.tighten(pragmas) }
    }

    /// Hands in work for the writer other than a save; otherwise as `submit`.
    package func perform(
        _ work: @escaping @Sendable (StoreWriter) -> Void, orElse refuse: (StoreError) -> Void,
        beforeLeading: () -> Void = {}, shouldYield: () -> Bool = { false }
    ) {
        guard let queue else { return refuse(file.readOnlyError) }
        queue.perform(beforeLeading: beforeLeading, shouldYield: shouldYield, work)
    }

    /// Gives back memory that is kept for speed alone: rows that were not asked for of late, and readers
    /// that are not used at the moment.
    package func giveBackMemory() {
        cache.shrink()
        readers.closeIdle()
    }

    /// Closes readers that are not used, and moves the log into the file.
    package func close() throws(StoreError) {
        generations.endAll()
        sortKeyMaker?.close()
        readers.closeIdle()
        if file.isReadOnly { return }
        let isLost = file.place.loss != nil
        try write { writer throws(StoreError) in
            if isLost { return try writer.leave() }
            self.releaseFreePages(writer)
            try writer.checkpointFully()
        }
    }

    /// Gives free pages back to the file system for a while, as nothing waits any more.
    private func releaseFreePages(_ writer: StoreWriter) {
        do throws(StoreError) {
            for _ in 0..<Limits.releasesAtClose where try writer.releaseFreePages() == 0 { return }
        } catch {}  // The pages stay free, and are there for new objects.
    }

    /// Looks whether the file still has its name; if it has not, saves fail from now on, and
    /// `StorePlace.whenLost` is told.
    package func checkPlace() {
        do throws(StoreError) { try file.place.check() } catch {}  // Told there, and with the next save.
    }
}
