internal import CofferModel
internal import CofferSQLite
internal import CofferWire
internal import FoundationEssentials

/// An object by the table it is in: the inheritance tree's root, and its key.
struct RowKey: Hashable, Comparable {
    var root: Int
    var key: Int64

    static func < (left: RowKey, right: RowKey) -> Bool { (left.root, left.key) < (right.root, right.key) }
}

/// An object by its leaf entity and key.
struct LeafKey: Hashable, Comparable {
    var entity: Int
    var key: Int64

    static func < (left: LeafKey, right: LeafKey) -> Bool {
        (left.entity, left.key) < (right.entity, right.key)
    }
}

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

    /// The first key of each insert group.
    var firstKeys: [Int64] = []
    /// Places among all inserts at which each group begins, and at the end their number.
    var groupRuns = SortedRuns([0])
    /// The keys of all insert groups that have objects, by tree and first key.
    var insertedKeys: [InsertedKeys] = []
    /// What each of them begins with.
    var insertedRuns = SortedRuns<RowKey>([])
    /// Columns of inserts and updates, with references to inserted objects resolved.
    var insertColumns: [[Column]] = []
    var updateColumns: [[Column]] = []
    /// Leaf entities of stored objects, as far as they were looked up; `nil` where there is no such object.
    var leaves: [RowKey: Int?] = [:]
    /// Properties of stored objects that stay as they are stored, whatever the request says.
    var kept: [RowKey: Set<Int>]
    var pairs = PairChanges()
    var writtenEnds = WrittenEnds()
    /// Objects that the request updates; `nil` until somebody asks.
    var updatedObjects: Set<LeafKey>?
    /// Objects that the request itself deletes.
    var explicitDeletes: Set<RowKey> = []
    /// Objects that are deleted already.
    var deleted: Set<RowKey> = []

    var conflicts: [ConflictMessage] = []
    /// How many columns their stored rows have.
    var conflictColumns = 0
    var failures: [ValidationFailureMessage] = []
    var constraints: [ConstraintConflictMessage] = []

    /// Written groups in order, with what history notes of them.
    var changes: [(group: ChangeGroup, columns: [UInt8]?)] = []
    var tombstones: [Int: [HistoryWriter.Tombstone]] = [:]
    /// Deleted objects by leaf entity, of which the changes do not tell yet.
    var deletedKeys: [Int: [Int64]] = [:]
    /// Objects whose to-many relationships changed with somebody else's row, or derived attributes by triggers.
    var touched: [LeafKey: Set<Int>] = [:]
    /// Objects that the client must read again.
    var refresh: Set<LeafKey> = []
    var alsoDeleted: [Int: DeleteGroup] = [:]
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

    init(
        _ save: SaveRequestMessage, by origin: SaveOrigin, writer: StoreWriter,
        resolution: ConstraintResolution = ConstraintResolution()
    ) {
        self.save = save
        requestedUpdates = save.updates.count
        self.resolution = resolution
        kept = resolution.kept
        self.origin = origin
        self.writer = writer
    }

    /// Executes the save; where the answer is not `saved`, its caller takes back what was written.
    mutating func run() throws(StoreError) -> SaveExecution {
        writer.triggers?.begin(at: origin.timestamp)
        defer { writer.triggers?.end() }
        try check()
        try validate()
        if let outcome { return SaveExecution(reply: outcome) }
        try judgePairs()
        try checkReferences(ofInserts: false)
        for group in save.updates.indices { try update(group) }
        let late = try lateObjects()
        for change in save.setChanges { try apply(change, late: late, isLate: false) }
        try deleteAll()
        if !resolution.replaced.isEmpty { try deleteReplaced() }
        // History tells first who made room.
        noteDeletes()
        if !deferredUpdates.isEmpty { try updateDeferred() }
        // Only now all are there whom they may name.
        if !late.isEmpty {
            for change in save.setChanges { try apply(change, late: late, isLate: true) }
        }
        try checkReferences(ofInserts: true)
        if conflicts.isEmpty, failures.isEmpty {
            for group in save.inserts.indices {
                if resolution.merged.isEmpty { try insert(group) } else { try insertUnmerged(group) }
            }
        }
        if hasLearned { return SaveExecution(reply: .conflicts([])) }  // Nobody is told of an attempt.
        if conflicts.isEmpty, failures.isEmpty, constraints.isEmpty {
            try settlePairs()
            for change in save.orderChanges { try apply(change) }
        }
        if save.batch != nil { try runBatch() }
        try checkDenials()
        if conflicts.isEmpty, failures.isEmpty, constraints.isEmpty { try checkCounts() }
        if conflicts.isEmpty, !constraints.isEmpty { try showStored() }
        if let outcome { return SaveExecution(reply: outcome) }
        return try finish()
    }

    /// What forbids the save, if anything does.
    private var outcome: SaveReplyMessage? {
        if !conflicts.isEmpty { return .conflicts(conflicts) }
        if !constraints.isEmpty { return .constraints(constraints) }
        return failures.isEmpty ? nil : .invalid(failures)
    }

    private mutating func finish() throws(StoreError) -> SaveExecution {
        noteDeletes()
        let derived = try noteDerived()
        if let texts = writer.texts { try translating { () throws(SQLiteError) in try texts.drain() } }
        if save.batch != nil || changes.contains(where: { writer.sortKeys.keeps($0.group.entity) })
            || touched.contains(where: { writer.sortKeys.keeps($0.key.entity) })
        {
            try translating { () throws(SQLiteError) in try writer.sortKeys.drain() }
        }
        if !touched.isEmpty { touched = touched.filter { !isNewOrGone($0.key) } }
        let others = touchedGroups(touched)
        // Where a policy let the store win everywhere nothing was written.
        let isWritten = !changes.isEmpty || !others.isEmpty
        let number = isWritten ? writer.history.nextTransaction : writer.lastTransaction
        let reply = SaveReplyMessage.saved(
            SavedMessage(
                number: number, isWritten: isWritten, firstKeys: firstKeys, refreshed: try refreshedRows(),
                alsoDeleted: alsoDeleted.isEmpty ? [] : alsoDeleted.sorted { $0.key < $1.key }.map(\.value),
                merged: mergedKeys, derived: derived, batch: batchResult,
                touched: save.batch == nil ? others : []))
        let packedReply = try packed(reply)
        guard isWritten else { return SaveExecution(reply: reply, number: number, packedReply: packedReply) }
        let transaction = TransactionMessage(
            number: number, timestamp: origin.timestamp, author: save.author, contextName: save.contextName,
            process: origin.process, application: origin.application, origin: origin.origin,
            changes: changes.map(\.group) + others)
        let replyInTransaction = packedReply.flatMap { $0.count <= Limits.replyInTransaction ? $0 : nil }
        try writeHistory(transaction, reply: replyInTransaction)
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

    private var mergedKeys: [Int: Int64] {
        if resolution.merged.isEmpty { return [:] }
        return Dictionary(
            uniqueKeysWithValues: resolution.merged.keys.compactMap { place in
                mergedObject(place).map { (place, $0.key) }
            })
    }
}

extension SaveRun {
    /// How the request names an object: by its key, or by the client's own id where it inserts it.
    func reference(_ entity: Int, _ key: Int64) -> ObjectReferenceMessage {
        guard let new = inserted(LeafKey(entity: entity, key: key)) else {
            return ObjectReferenceMessage(entity: entity, primaryKey: key)
        }
        return ObjectReferenceMessage(
            entity: entity, temporaryID: save.inserts[new.group].temporaryIDs[new.row])
    }

    mutating func fail(
        _ entity: Int, _ key: Int64, _ property: String, _ reason: ValidationReason, _ text: String
    ) {
        guard failures.count < Limits.outcomeItems else { return }
        failures.append(
            ValidationFailureMessage(
                object: reference(entity, key), property: property, reason: reason, text: text))
    }

    /// Notes that a to-many relationship of an object changed; what a request says of old owners may be nonsense.
    mutating func touch(_ entity: Int, _ key: Int64, _ property: Int) {
        let entities = writer.file.schema.entities
        guard entities.indices.contains(entity), let stored = entities[entity],
            stored.columns.indices.contains(property)
        else { return }
        touched[LeafKey(entity: entity, key: key), default: []].insert(property)
    }

    /// Adds what was deleted since the last time to the changes.
    private mutating func noteDeletes() {
        if deletedKeys.isEmpty { return }
        for (entity, keys) in deletedKeys.sorted(by: { $0.key < $1.key }) {
            changes.append((ChangeGroup(kind: .delete, entity: entity, primaryKeys: keys), nil))
        }
        deletedKeys = [:]
    }

    private func refreshedRows() throws(StoreError) -> [RowBatch] {
        guard !refresh.isEmpty else { return [] }
        let groups = Dictionary(grouping: refresh, by: \.entity).sorted { $0.key < $1.key }
        var batches: [RowBatch] = []
        for (entity, objects) in groups {
            let plan = try writer.plan(entity)
            let batch = try translating { () throws(SQLiteError) in
                var reader = try StoredRow(plan, on: connection)
                for object in objects.sorted() { _ = try reader.append(object.key) }
                return reader.rows()
            }
            if batch.rowCount > 0 { batches.append(batch) }
        }
        return batches
    }
}
