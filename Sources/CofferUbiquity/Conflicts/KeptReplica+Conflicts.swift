internal import CofferContainer
internal import CofferMerge
internal import CofferModel

extension KeptReplica {
    /// Notes that what is folded by now is in the folds that there are.
    mutating func noteFold() {
        if folded > 0 { marks.note(folded, in: exchange.lastFold, by: exchange.peer) }
    }

    /// Takes what others wrote, and finds what that overrules.
    ///
    /// What was saved here is folded before, without what its author had not seen.
    ///
    /// - Returns: Whose rows come up otherwise, of which of these the members and orders are as before, and
    ///   which records are to be kept.
    mutating func join(
        _ piece: TakenPiece
    ) -> (rows: Set<RecordID>, lone: Set<RecordID>, homes: Set<RecordID>) {
        let former = exchange.vector
        var taken = piece.exchange
        taken.takeFolds(of: exchange)
        if piece.isLast { exchange = taken }
        let registers = piece.taking.registers
        // If nothing was known, nothing is overruled: all of a first join comes from others.
        let finder =
            former.entries.isEmpty
            ? nil
            : ConflictFinder(
                registers, before: replica, derived: derivedProperties,
                knowledge: AuthorKnowledge(taken, before: former))
        let joined = replica.joinTellingFormer(registers)
        if let finder { conflicts += finder.conflicts(after: replica, joined) }
        return (Set(joined.former.keys), joined.lone, count(joined.changed))
    }

    /// What each machine computes for itself, by the names of entities.
    private var derivedProperties: [String: Set<String>] {
        replica.model.entities.mapValues { entity in
            Set(model.entities[entity.index].derivedAttributes.map { entity.propertyName(at: $0.index) })
        }
    }

    /// Gives what is to be noted, once.
    mutating func takeConflicts() -> [SyncConflict] {
        defer { conflicts = [] }
        return conflicts
    }
}
