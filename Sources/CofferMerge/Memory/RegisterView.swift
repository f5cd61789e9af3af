/// When something is looked up: as it is, or as it was when the graph was seen last.
enum Moment: Sendable {
    case now
    case former
}

/// Registers at a moment; which records name a record, or may be one with it, is told of those also that came
/// or went since.
struct RegisterView {
    let memory: ReplicaMemory
    let moment: Moment

    func life(of record: RecordID) -> Stamped<Life>? {
        if moment == .former {
            if memory.former.wereNone { return nil }
            if let life = memory.former.lives[record] { return life }
        }
        return memory.state.lives[record]
    }

    /// The entity of a record, if it has come and the model knows the entity.
    func entity(of record: RecordID) -> MergeEntity? {
        life(of: record).flatMap { memory.model.entities[$0.value.entity] }
    }

    func cells(of record: RecordID) -> PropertyMap<Stamped<Cell>> {
        if moment == .former, let cells = memory.former.cells[record] { return cells }
        return memory.state.cells[record] ?? [:]
    }

    func pair(_ key: PairKey) -> Stamped<Bool>? {
        if moment == .former, let pair = memory.former.pairs[key] { return pair }
        return memory.state.pairs[key]
    }

    func place(_ key: PlaceKey) -> Stamped<Place>? {
        if moment == .former, let place = memory.former.places[key] { return place }
        return memory.state.places[key]
    }

    /// The pairs that a record may be an end of: two records without a register of theirs are not a pair.
    func pairs(of record: RecordID) -> Set<PairKey> {
        let pairs = memory.state.pairs(of: record)
        guard moment == .former, let gone = memory.former.gonePairs[record] else { return pairs }
        return pairs.union(gone)
    }

    func sames(of record: RecordID) -> Set<RecordID> {
        let sames = memory.state.sames(of: record)
        guard moment == .former, !memory.former.newSames.isEmpty else { return sames }
        return sames.filter { !memory.former.newSames.contains(SameKey(record, $0)) }
    }

    /// The records whose cells may name a record.
    func namers(of record: RecordID) -> Set<RecordID> {
        var namers = memory.state.namers(of: record).values.reduce(into: Set()) { $0.formUnion($1) }
        if moment == .former, let gone = memory.former.goneNamers[record] {
            for records in gone.values { namers.formUnion(records) }
        }
        return namers
    }

    /// The properties by which they may.
    func namingProperties(of record: RecordID) -> Set<String> {
        let names = Set(memory.state.namers(of: record).keys)
        guard moment == .former, let gone = memory.former.goneNamers[record] else { return names }
        return names.union(gone.keys)
    }

    /// The records whose cells of one property may.
    func namers(of record: RecordID, by property: String) -> Set<RecordID> {
        let namers = memory.state.namers(of: record)[property] ?? []
        guard moment == .former, let gone = memory.former.goneNamers[record]?[property] else {
            return namers
        }
        return namers.union(gone)
    }
}
