/// When something is looked up: as it is, or as it was when the graph was seen last.
enum Moment: Sendable {
    case now
    case former
}

/// The registers of a replica at a moment, looked up; which records name a record, or may be one with it, is
/// told of those also that came or went since.
///
/// It shows the replica that it was asked of, and is to be let go before that changes.
package struct RegisterView {
    let memory: ReplicaMemory
    let moment: Moment

    /// Whether a record is there, and what became of it; `nil` if it has not come.
    package func life(of record: RecordID) -> Stamped<Life>? {
        if moment == .former {
            if memory.former.wereNone { return nil }
            if let life = memory.former.lives[record] { return life }
        }
        return memory.state.lives[record] ?? memory.basePage(of: record)?.life
    }

    /// Whether nothing has come.
    package var isEmpty: Bool { memory.state.lives.isEmpty && memory.base?.isEmpty ?? true }

    /// The entity of a record, if it has come and the model knows the entity.
    func entity(of record: RecordID) -> MergeEntity? {
        life(of: record).flatMap { memory.model.entities[$0.value.entity] }
    }

    /// What the properties of a record hold.
    package func cells(of record: RecordID) -> PropertyMap<Stamped<Cell>> {
        if moment == .former, let cells = memory.former.cells[record] { return cells }
        return memory.state.cells[record] ?? memory.basePage(of: record)?.cells ?? [:]
    }

    /// Whether two records hold together; `nil` if no register says it.
    package func pair(_ key: PairKey) -> Stamped<Bool>? {
        if moment == .former, let pair = memory.former.pairs[key] { return pair }
        return memory.state.pairs[key] ?? memory.basePage(of: key.first)?.pairs[key]
    }

    /// Where a member stands; `nil` if no register says it.
    package func place(_ key: PlaceKey) -> Stamped<Place>? {
        if moment == .former, let place = memory.former.places[key] { return place }
        return memory.state.places[key] ?? memory.basePage(of: key.owner)?.places[key]
    }

    /// The pairs that a record may be an end of: two records without a register of theirs are not a pair.
    package func pairs(of record: RecordID) -> Set<PairKey> {
        let pairs = memory.pairs(of: record)
        guard moment == .former, let gone = memory.former.gonePairs[record] else { return pairs }
        return pairs.union(gone)
    }

    /// When two records were said to be one; `nil` if no register says it.
    func same(_ key: SameKey) -> Stamp? {
        if moment == .former, memory.former.newSames.contains(key) { return nil }
        return memory.state.sames[key] ?? memory.basePage(of: key.first)?.sames[key]
    }

    /// The places that a record may have, or others among its members.
    package func places(of record: RecordID) -> Set<PlaceKey> { memory.places(of: record) }

    /// The records that a register says are the same as one.
    package func sames(of record: RecordID) -> Set<RecordID> {
        let sames = memory.sames(of: record)
        guard moment == .former, !memory.former.newSames.isEmpty else { return sames }
        return sames.filter { !memory.former.newSames.contains(SameKey(record, $0)) }
    }

    /// The records whose cells may name a record.
    func namers(of record: RecordID) -> Set<RecordID> {
        var namers = memory.namers(of: record).values.reduce(into: Set()) { $0.formUnion($1) }
        if moment == .former, let gone = memory.former.goneNamers[record] {
            for records in gone.values { namers.formUnion(records) }
        }
        return namers
    }

    /// The properties by which they may.
    func namingProperties(of record: RecordID) -> Set<String> {
        let names = Set(memory.namers(of: record).keys)
        guard moment == .former, let gone = memory.former.goneNamers[record] else { return names }
        return names.union(gone.keys)
    }

    /// The records whose cells of one property may.
    func namers(of record: RecordID, by property: String) -> Set<RecordID> {
        let namers = memory.namers(of: record)[property] ?? []
        guard moment == .former, let gone = memory.former.goneNamers[record]?[property] else {
            return namers
        }
        return namers.union(gone)
    }

    /// Whether a record's values are forgotten.
    package func isBuried(_ record: RecordID) -> Bool { life(of: record)?.value.isBuried ?? false }

    /// What a property of a record holds.
    package func cell(_ property: String, of record: RecordID) -> Stamped<Cell>? {
        cells(of: record)[property]
    }

    /// The register of a key; `nil` if it has not come, or went.
    package func register(of key: RegisterKey) -> Register? {
        switch key {
        case .life(let record): life(of: record).map { .life(record, $0) }
        case .cell(let record, let property):
            cell(property, of: record).map { .cell(record, property, $0) }
        case .pair(let key): pair(key).map { .pair(key, $0) }
        case .place(let key): place(key).map { .place(key, $0) }
        case .same(let key): same(key).map { .same(key, $0) }
        }
    }

    /// The registers that are kept with a record, as they are now and in no order.
    package func all(keptWith record: RecordID) -> [Register] {
        if let page = memory.basePage(of: record) { return page.registers(of: record) }
        let state = memory.state
        var registers: [Register] = []
        if let life = state.lives[record] { registers.append(.life(record, life)) }
        for (property, cell) in state.cells[record] ?? [:] { registers.append(.cell(record, property, cell)) }
        for key in state.pairs(of: record) where key.first == record {
            if let pair = state.pairs[key] { registers.append(.pair(key, pair)) }
        }
        for key in state.places(of: record) where key.owner == record {
            if let place = state.places[key] { registers.append(.place(key, place)) }
        }
        for other in state.sames(of: record) where record < other {
            if let same = state.register(of: .same(SameKey(record, other))) { registers.append(same) }
        }
        return registers
    }
}
