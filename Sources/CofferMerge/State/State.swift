/// All registers of a store, or those of one log or baseline.
///
/// A value. Of a buried record it keeps its life and what it is the same as, and ignores the rest; so it is
/// a function of the set of registers that came, whatever their order.
package struct State: Sendable, Hashable {
    /// The life of each record that came.
    package private(set) var lives: [RecordID: Stamped<Life>] = [:]
    /// What each record's properties hold.
    package private(set) var cells: [RecordID: PropertyMap<Stamped<Cell>>] = [:]
    /// Which records hold together.
    package private(set) var pairs: [PairKey: Stamped<Bool>] = [:]
    /// Where members of ordered relationships stand.
    package private(set) var places: [PlaceKey: Stamped<Place>] = [:]
    /// Which records are one.
    package private(set) var sames: [SameKey: Stamp] = [:]
    private var index = StateIndex()

    /// A state without registers.
    package init() {}

    /// The state of some registers.
    package init(_ registers: some Sequence<Register>) {
        for register in registers { _ = take(register) }
    }
}

extension State {
    /// The pairs that a record is an end of, whether in or out.
    package func pairs(of record: RecordID) -> Set<PairKey> { index.pairs[record] ?? [] }

    /// The places in which a record is owner or member.
    package func places(of record: RecordID) -> Set<PlaceKey> { index.places[record] ?? [] }

    /// The records that a register says are the same as one.
    package func sames(of record: RecordID) -> Set<RecordID> { index.sames[record] ?? [] }

    /// The records whose cells name a record, by property.
    func namers(of record: RecordID) -> PropertyMap<Set<RecordID>> { index.namers[record] ?? [:] }

    /// The register of a key; `nil` if it has not come, or went.
    package func register(of key: RegisterKey) -> Register? {
        switch key {
        case .life(let record): lives[record].map { .life(record, $0) }
        case .cell(let record, let property): cells[record]?[property].map { .cell(record, property, $0) }
        case .pair(let key): pairs[key].map { .pair(key, $0) }
        case .place(let key): places[key].map { .place(key, $0) }
        case .same(let key): sames[key].map { .same(key, $0) }
        }
    }

    /// Whether a record's values are forgotten.
    package func isBuried(_ record: RecordID) -> Bool { lives[record]?.value.isBuried ?? false }

    /// All records that registers are of, or that are one with such.
    var records: Set<RecordID> {
        var records = Set(lives.keys)
        records.formUnion(cells.keys)
        for key in pairs.keys { records.formUnion([key.first, key.second]) }
        for key in sames.keys { records.formUnion([key.first, key.second]) }
        return records
    }

    /// Every register, in no order.
    package var registers: [Register] {
        lives.map { .life($0, $1) } + cells.flatMap { record, row in row.map { .cell(record, $0, $1) } }
            + pairs.map { .pair($0, $1) } + places.map { .place($0, $1) } + sames.map { .same($0, $1) }
    }
}

extension State {
    /// Takes every register of another state that is greater than what is here.
    ///
    /// Commutative, associative and idempotent, since it is a maximum for each register.
    ///
    /// - Returns: The keys of the registers that changed or went.
    @discardableResult
    package mutating func join(_ other: State) -> Set<RegisterKey> { join(other.registers) }

    /// Takes the registers that are greater than what is here.
    ///
    /// - Returns: The keys of the registers that changed or went.
    package mutating func join(_ registers: some Sequence<Register>) -> Set<RegisterKey> {
        var changed: Set<RegisterKey> = []
        for register in registers {
            guard let gone = take(register) else { continue }
            changed.formUnion(gone.map(\.key))
            changed.insert(register.key)
        }
        return changed
    }

    /// Takes one register if it is greater than what is here.
    ///
    /// - Returns: The keys of the registers that changed or went: more than one if a record is buried.
    @discardableResult
    package mutating func join(_ register: Register) -> Set<RegisterKey> { join(CollectionOfOne(register)) }

    /// Takes a register; tells those that went for it, or `nil` if it is not greater.
    mutating func take(_ register: Register) -> [Register]? {
        switch register {
        case .life(let record, let life):
            guard Self.raise(&lives[record], to: life) else { return nil }
            return life.value.isBuried ? forget(record) : []
        case .cell(let record, let property, let cell):
            if isBuried(record) { return nil }
            let former = cells[record]?[property]?.value.record
            guard Self.raise(&cells[record, default: [:]][property], to: cell) else { return nil }
            index.move(property, of: record, from: former, to: cell.value.record)
        case .pair(let key, let isIn):
            guard !isBuried(key.first), !isBuried(key.second), Self.raise(&pairs[key], to: isIn) else {
                return nil
            }
            index.add(key)
        case .place(let key, let place):
            guard !isBuried(key.owner), !isBuried(key.member), Self.raise(&places[key], to: place) else {
                return nil
            }
            index.add(key)
        case .same(let key, let stamp):
            if let old = sames[key], old >= stamp { return nil }
            sames[key] = stamp
            index.add(key)
        }
        return []
    }

    private static func raise<Value>(_ old: inout Stamped<Value>?, to new: Stamped<Value>) -> Bool {
        if let old, !new.isGreater(than: old) { return false }
        old = new
        return true
    }

    /// Drops what a buried record held, and tells it.
    private mutating func forget(_ record: RecordID) -> [Register] {
        var gone: [Register] = []
        for (property, cell) in cells.removeValue(forKey: record) ?? [:] {
            index.move(property, of: record, from: cell.value.record, to: nil)
            gone.append(.cell(record, property, cell))
        }
        for key in index.removePairs(of: record) {
            if let pair = pairs.removeValue(forKey: key) { gone.append(.pair(key, pair)) }
        }
        for key in index.removePlaces(of: record) {
            if let place = places.removeValue(forKey: key) { gone.append(.place(key, place)) }
        }
        return gone
    }
}
