internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// The execution of one save, inside its savepoint: passes over shared state, in the order of `run`.
///
/// Inserts come after deletes, which free unique values; their keys are known first, so that updates can
/// refer to them. The passes have state of their own; rows are written here, since updates, conflicts,
/// upserts and batch operations all write them.
///
/// Not copyable: there is one for each attempt.
struct SaveRun: SavePass, ~Copyable {
    let save: SaveRequestMessage
    let origin: SaveOrigin
    let state: SaveState

    var columns: ResolvedColumns
    var pairs: PairResolver
    var deletes: DeletePass
    var constraints: ConstraintPass
    var places = PlaceCounter()
    var deferred = DeferredUpdates()
    var batchProgress = BatchProgress()

    /// Checks form and types of the whole request, assigns keys to its inserts, and resolves references to
    /// them.
    ///
    /// `resolution` is what earlier attempts found out.
    init(
        _ save: SaveRequestMessage, by origin: SaveOrigin, writer: StoreWriter,
        resolution: ConstraintResolution
    ) throws(StoreError) {
        try SaveRequestCheck(writer, isImport: origin.isImport).check(save)
        let inserted = try InsertedObjects(save.inserts, resolution, writer: writer)
        columns = try ResolvedColumns(save, inserted)
        self.save = save
        self.origin = origin
        state = SaveState(of: save, inserted, protected: resolution.protected, writer: writer)
        pairs = PairResolver(state)
        deletes = DeletePass(state, appliesRules: !origin.isImport)
        constraints = ConstraintPass(
            state, rule: (save.constraintPolicy ?? save.mergePolicy).rule, resolution: resolution)
    }

    /// Executes the save; if the answer is not `saved`, the caller undoes what was written.
    mutating func run() throws(StoreError) -> SaveExecution {
        writer.triggers?.begin(at: origin.timestamp)
        defer { writer.triggers?.end() }
        if !origin.isImport { try ValueCheck(state: state).check(save) }
        if let refusal = outcome.reply { return SaveExecution(reply: refusal) }
        try pairs.decide(save, &columns)
        try references.checkUpdates(save.updates, columns)
        for group in save.updates.indices { try update(requestedUpdates(group)) }
        let late = deferred.lateObjects()
        try memberships.apply(save.setChanges, before: late)
        try memberships.removeFromRows(save.setChanges, before: late)
        try deletes.delete(save.deletes)
        try deletes.deleteReplaced(constraints.resolution.replaced)
        changes.listDeletes()  // History tells first what made room.
        try updateDeferred()
        // Only now do all objects exist that these may name.
        try memberships.apply(save.setChanges, of: late)
        try references.checkInserts(columns)
        if outcome.conflicts.isEmpty, outcome.failures.isEmpty { try insertAll() }
        // No client learns of an attempt.
        if constraints.hasLearned { return SaveExecution(reply: .conflicts([])) }
        if outcome.isClear {
            try pairs.writeOtherEnds()
            try memberships.applyToRows(save.setChanges)
            try OrderPass(state: state).apply(save.orderChanges)
        }
        try runBatch()
        try deletes.checkDenials()
        let countsMembers = !origin.isImport && !writer.file.isUnderConstruction
        if outcome.isClear, countsMembers {
            try CountCheck(state: state).check()
            try CircleCheck(state: state).check()
        }
        if outcome.conflicts.isEmpty { try outcome.addStoredRows(from: writer) }
        if let refusal = outcome.reply { return SaveExecution(reply: refusal) }
        return try finish()
    }

    var references: ReferenceCheck { ReferenceCheck(state: state) }
    private var memberships: MembershipPass { MembershipPass(state: state) }

    private func requestedUpdates(_ group: Int) throws(StoreError) -> RequestedUpdates {
        let request = save.updates[group]
        return RequestedUpdates(
            request: request, columns: columns.updates[group], plan: try writer.plan(request.entity))
    }
}

extension SaveRun {
    /// Writes history and what the file keeps besides its rows, and answers.
    private mutating func finish() throws(StoreError) -> SaveExecution {
        changes.listDeletes()
        try changes.raiseVersions(objects)
        let derived = try changes.addDerived(objects, isBatch: save.batch != nil)
        if let texts = writer.texts { try translating { () throws(SQLiteError) in try texts.drain() } }
        if save.batch != nil || changes.touchesSortKeys {
            try translating { () throws(SQLiteError) in try writer.sortKeys.drain() }
        }
        changes.dropTouched(newOrGone: objects)
        try TakenBackCheck(state: state).check()
        let touched = changes.touchedGroups()
        let hasNewMetadata = try writeMetadata()
        // If a policy let the store win everywhere, nothing was written.
        let isWritten = !changes.groups.isEmpty || !touched.isEmpty || hasNewMetadata
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

    /// The reply in the form in which it is sent, if it is stored in case the request is sent again.
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
