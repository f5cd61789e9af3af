internal import CofferContainer
internal import CofferMerge
internal import CofferModel

extension KeptReplica {
    /// Notes that what is folded by now is in the folds that there are.
    mutating func noteFold() {
        if folded > 0 { marks.note(folded, in: exchange.lastFold, by: exchange.peer) }
    }

    /// Takes registers of others, and finds what that overrules.
    mutating func join(_ taking: ExchangeTaking) -> (rows: Set<RecordID>, homes: Set<RecordID>) {
        let finder = ConflictFinder(
            taking.registers, before: replica, derived: derivedProperties,
            knowledge: AuthorKnowledge(exchange, before: knownBefore))
        let joined = replica.joinTellingFormer(taking.registers)
        if let finder { conflicts += finder.conflicts(after: replica, joined) }
        let homes = Set(joined.keys.map(\.home))
        count(homes)
        return (Set(joined.former.keys), homes)
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
