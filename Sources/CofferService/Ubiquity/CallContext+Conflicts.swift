import CofferContainer
import CofferCoordination
import CofferMerge
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
            Value(property: $0.property, lost: $0.lost, kept: $0.kept)
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
