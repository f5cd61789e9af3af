/// What is to be kept of a replica, so that another one finds it in a base.
extension Replica {
    /// The records of which, or of whose objects, something else was derived than the base has.
    package var changedFacts: Set<RecordID> { memory.index.changed }

    /// What is derived of a record, or of the object that it names.
    package func facts(of record: RecordID) -> RecordFacts {
        let index = memory.index
        var facts = RecordFacts()
        facts.isDead = index.dead[record] ?? false
        facts.sealedCuts = index.sealedCuts[record] ?? []
        facts.seenCuts = index.seenCuts[record] ?? []
        facts.seenAs = index.seenAs[record]
        facts.merged = index.merged[record]
        facts.taken = index.taken[record] ?? []
        facts.key = index.keys.entry(of: record)
        facts.violations = index.violations[record] ?? []
        return facts
    }
}

extension GraphIndex {
    /// The records under which something else stands than in the base.
    fileprivate var changed: Set<RecordID> {
        var changed = Set(keys.here.keys)
        changed.formUnion(dead.here.keys)
        changed.formUnion(sealedCuts.here.keys)
        changed.formUnion(seenCuts.here.keys)
        changed.formUnion(seenAs.here.keys)
        changed.formUnion(merged.here.keys)
        changed.formUnion(taken.here.keys)
        changed.formUnion(violations.here.keys)
        return changed
    }
}
