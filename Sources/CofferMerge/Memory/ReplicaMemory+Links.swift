/// Which registers name a record, here and in the base.
///
/// Of pages that are here, nothing that the base says counts.
extension ReplicaMemory {
    /// The pairs that a record is an end of, whether in or out.
    func pairs(of record: RecordID) -> Set<PairKey> {
        let pairs = state.pairs(of: record)
        guard let base else { return pairs }
        return pairs.union(basePage(of: record)?.pairs.keys.map(\.self) ?? [])
            .union(base.pairs(to: record).filter { !touched.contains($0.first) })
    }

    /// The places in which a record is owner or member.
    func places(of record: RecordID) -> Set<PlaceKey> {
        let places = state.places(of: record)
        guard let base else { return places }
        return places.union(basePage(of: record)?.places.keys.map(\.self) ?? [])
            .union(base.places(of: record).filter { !touched.contains($0.owner) })
    }

    /// The records that a register says are the same as one.
    func sames(of record: RecordID) -> Set<RecordID> {
        let sames = state.sames(of: record)
        guard let base else { return sames }
        return sames.union(basePage(of: record)?.sames.keys.map(\.second) ?? [])
            .union(base.sames(with: record).filter { !touched.contains($0) })
    }

    /// The records whose cells name a record, by property.
    func namers(of record: RecordID) -> PropertyMap<Set<RecordID>> {
        var namers = state.namers(of: record)
        guard let base else { return namers }
        for (property, records) in base.namers(of: record) {
            let kept = records.filter { !touched.contains($0) }
            if !kept.isEmpty { namers[property, default: []].formUnion(kept) }
        }
        return namers
    }

    /// All records that registers are of.
    var records: [RecordID] {
        guard let base else { return Array(state.lives.keys) }
        return base.records.filter { !touched.contains($0) } + state.lives.keys
    }

    /// All registers.
    var whole: State {
        guard let base else { return state }
        var whole = state
        for record in base.records where !touched.contains(record) {
            for register in base.page(of: record)?.registers(of: record) ?? [] { _ = whole.take(register) }
        }
        return whole
    }

    /// The records that are dead.
    var dead: [RecordID] {
        let here = index.dead.here
        return here.compactMap { $1 == true ? $0 : nil }
            + (base?.dead.filter { here[$0] == nil } ?? [])
    }

    /// What the model forbids and is there.
    var violations: [Violation] {
        let here = index.violations.here
        return here.values.flatMap { $0 ?? [] } + (base?.violations.filter { here[$0.object] == nil } ?? [])
    }
}
