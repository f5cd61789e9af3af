import CofferContainer
import CofferCoordination
import CofferMerge
import CofferModel
import CofferStores
import CofferUbiquity
import CofferWire

/// The rpcs that show and undo what merging with other machines overruled.
extension CallContext {
    func listConflicts(
        _ request: ListConflictsRequestMessage
    ) throws(ServiceError) -> ListConflictsReplyMessage {
        let subscription = try use(request.store)
        try require(.read, subscription.store.key)
        let limit = request.limit == 0 ? Limits.conflictsTold : min(Int(request.limit), Limits.conflictsTold)
        do throws(StoreError) {
            let journal = try ConflictJournal(
                of: subscription.store.persistentStore, after: request.after, limit: limit)
            return ListConflictsReplyMessage(
                conflicts: journal.entries.map { SyncConflictMessage($0) }, hasMore: journal.hasMore)
        } catch {
            throw .store(error)
        }
    }

    /// Answers from a thread of its own, since it reads all rows.
    func listViolations(_ request: ListViolationsRequestMessage) throws(ServiceError) -> CallOutcome {
        let store = try use(request.store).store
        try require(.read, store.key)
        return try onThread(named: "coffer-violations") { context in
            do throws(StoreError) {
                guard let found = try ReplicaViolations.of(store.persistentStore) else {
                    return context.service.failure(
                        of: ServiceError.denied("The store was never shared: nothing was merged into it."))
                }
                return .packing(ListViolationsReplyMessage(found))
            } catch {
                return context.service.failure(of: ServiceError.store(error))
            }
        }
    }

    /// Answers from a thread of its own, since it waits for other saves.
    func undoConflict(_ request: UndoConflictRequestMessage) throws(ServiceError) -> CallOutcome {
        let subscription = try use(request.store)
        let store = subscription.store
        try require(.write, store.key)
        try subscription.requireWriting()
        let origin = SaveOrigin(
            application: session.caller.application, process: session.caller.processName,
            timestamp: service.now())
        return try onThread(named: "coffer-undo") { context in
            do {
                let number = try ConflictUndo.undo(request.number, in: store.persistentStore, by: origin)
                return .packing(UndoConflictReplyMessage(number: number))
            } catch let refusal as ConflictUndo.Refusal {
                return context.service.failure(of: ServiceError.denied("\(refusal)"))
            } catch {
                return context.service.failure(of: error)
            }
        }
    }
}

extension SyncConflictMessage {
    fileprivate init(_ entry: ConflictJournal.Entry) {
        let noted = entry.noted
        self.init(
            number: noted.number, noted: noted.noted.microseconds, kind: noted.conflict.kind.rawValue,
            entity: entry.entity, primaryKey: UInt64(clamping: entry.primaryKey ?? 0),
            property: entry.property)
        values = entry.values.map {
            SyncConflictValueMessage(property: $0.property, lost: $0.lost, kept: $0.kept)
        }
        lost = Side(noted.conflict.lostStamp)
        kept = Side(noted.conflict.keptStamp)
        (isOwn, isUndone) = (entry.isOwn, noted.isUndone)
    }
}

extension SyncConflictMessage.Side {
    fileprivate init(_ stamp: Stamp?) {
        self.init(peer: stamp?.peer.number ?? 0, time: stamp?.microseconds ?? 0)
    }
}

extension ListViolationsReplyMessage {
    fileprivate init(_ found: ReplicaViolations) {
        self.init(
            count: UInt64(found.count),
            violations: found.first.map {
                SyncViolationMessage(
                    entity: $0.object.entity.name, primaryKey: UInt64(clamping: $0.object.primaryKey ?? 0),
                    properties: $0.properties, reason: $0.reason, text: $0.text)
            })
    }
}
