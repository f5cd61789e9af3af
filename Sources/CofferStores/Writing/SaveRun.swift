internal import CofferModel
internal import CofferSQLite
internal import CofferWire
internal import FoundationEssentials

/// One save while it is executed, inside its savepoint.
///
/// The order: updates, memberships, deletes with their rules, inserts, places in ordered relationships, counts, history. Inserts come
/// after deletes, which free what uniqueness constraints hold; their keys are known first, so that updates can refer to them.
///
/// Not copyable: it is large, and there is one for each attempt.
struct SaveRun: ~Copyable {
    /// The request; a batch update adds its pieces while it writes them.
    var save: SaveRequestMessage
    /// How many groups of updates the request itself has.
    let requestedUpdates: Int
    var batchProgress = BatchProgress()
    let origin: SaveOrigin
    let writer: StoreWriter
    /// What is done about uniqueness constraints; grows when one is met.
    var resolution: ConstraintResolution
    /// Whether it grew: then the attempt is to be taken back, and made again.
    var hasLearned = false
    var connection: SQLiteConnection { writer.connection }

    let inserted: InsertedObjects
    let objects: SavedObjects
    let outcome: SaveOutcome
    let changes: WrittenChanges
    var columns: ResolvedColumns
    var pairs = PairChanges()
    /// Ordered relationships: the last place given out for an owner.
    var lastPlaces: [OrderedOwner: Int64] = [:]
    /// Updates that met a uniqueness constraint, to try again after the deletes.
    var deferredUpdates: [DeferredUpdate] = []
    /// Deny rules to look at when all deletes are done.
    var denials: [Denial] = []
    var worklist: [(key: LeafKey, version: UInt32?)] = []
    var ruleObjects = 0
    /// What rules would do to objects that the request deletes itself, in case a policy lets them live.
    var postponed: [PostponedRule] = []

    /// Checks form and types of the whole request, gives keys to what it inserts, and resolves references to them.
    init(
        _ save: SaveRequestMessage, by origin: SaveOrigin, writer: StoreWriter,
        resolution: ConstraintResolution = ConstraintResolution()
    ) throws(StoreError) {
        try SaveRequestCheck(writer).check(save)
        let inserted = try InsertedObjects(save.inserts, resolution, writer: writer)
        columns = try ResolvedColumns(save, inserted)
        self.save = save
        self.inserted = inserted
        objects = SavedObjects(save, inserted, kept: resolution.kept, writer: writer)
        outcome = SaveOutcome()
        changes = WrittenChanges(writer)
        requestedUpdates = save.updates.count
        self.resolution = resolution
        self.origin = origin
        self.writer = writer
    }

    /// Executes the save; where the answer is not `saved`, its caller takes back what was written.
    mutating func run() throws(StoreError) -> SaveExecution {
        writer.triggers?.begin(at: origin.timestamp)
        defer { writer.triggers?.end() }
        try validate()
        if let outcome = outcome.reply { return SaveExecution(reply: outcome) }
        try judgePairs()
        try checkReferences(ofInserts: false)
        for group in save.updates.indices { try update(group) }
        let late = try lateObjects()
        for change in save.setChanges { try apply(change, late: late, isLate: false) }
        try deleteAll()
        if !resolution.replaced.isEmpty { try deleteReplaced() }
        // History tells first who made room.
        changes.listDeletes()
        if !deferredUpdates.isEmpty { try updateDeferred() }
        // Only now all are there whom they may name.
        if !late.isEmpty {
            for change in save.setChanges { try apply(change, late: late, isLate: true) }
        }
        try checkReferences(ofInserts: true)
        if outcome.conflicts.isEmpty, outcome.failures.isEmpty {
            for group in save.inserts.indices {
                if inserted.hasMerged { try insertUnmerged(group) } else { try insert(group) }
            }
        }
        if hasLearned { return SaveExecution(reply: .conflicts([])) }  // Nobody is told of an attempt.
        if outcome.isClear {
            try settlePairs()
            for change in save.orderChanges { try apply(change) }
        }
        if save.batch != nil { try runBatch() }
        try checkDenials()
        if outcome.isClear { try checkCounts() }
        if outcome.conflicts.isEmpty, !outcome.constraints.isEmpty { try outcome.addStoredRows(from: writer) }
        if let outcome = outcome.reply { return SaveExecution(reply: outcome) }
        return try finish()
    }

    private mutating func finish() throws(StoreError) -> SaveExecution {
        changes.listDeletes()
        let derived = try changes.addDerived(objects, isBatch: save.batch != nil)
        if let texts = writer.texts { try translating { () throws(SQLiteError) in try texts.drain() } }
        if save.batch != nil || changes.touchesSortKeys {
            try translating { () throws(SQLiteError) in try writer.sortKeys.drain() }
        }
        changes.dropTouched(newOrGone: objects)
        let touched = changes.touchedGroups()
        // Where a policy let the store win everywhere nothing was written.
        let isWritten = !changes.groups.isEmpty || !touched.isEmpty
        let number = isWritten ? writer.history.nextTransaction : writer.lastTransaction
        let reply = SaveReplyMessage.saved(
            SavedMessage(
                number: number, isWritten: isWritten, firstKeys: inserted.firstKeys,
                refreshed: try changes.refreshedRows(), alsoDeleted: changes.alsoDeletedGroups,
                merged: inserted.mergedKeys, derived: derived, batch: batchResult,
                touched: save.batch == nil ? touched : []))
        let packedReply = try packed(reply)
        guard isWritten else { return SaveExecution(reply: reply, number: number, packedReply: packedReply) }
        let transaction = TransactionMessage(
            number: number, timestamp: origin.timestamp, author: save.author, contextName: save.contextName,
            process: origin.process, application: origin.application, origin: origin.origin,
            changes: changes.groups.map(\.change) + touched)
        let replyInTransaction = packedReply.flatMap { $0.count <= Limits.replyInTransaction ? $0 : nil }
        try changes.writeHistory(transaction, request: save.request, reply: replyInTransaction)
        return SaveExecution(
            reply: reply, packedReply: packedReply, transaction: transaction,
            replyInTransaction: replyInTransaction)
    }

    /// The reply as it is sent, where it is kept for when the request is sent again.
    private func packed(_ reply: SaveReplyMessage) throws(StoreError) -> [UInt8]? {
        if save.request.sequence == 0 { return nil }
        do throws(WireError) {
            return try reply.packed()
        } catch {
            throw .tooLarge("the reply to the save")
        }
    }

    private var batchResult: BatchResultMessage {
        BatchResultMessage(count: batchProgress.count, changes: batchProgress.changes)
    }
}
