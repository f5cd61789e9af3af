/// What was there before registers came, of all that changed since the graph was seen last.
struct FormerRegisters: Sendable {
    /// Whether there were none at all.
    let wereNone: Bool
    private(set) var lives: [RecordID: Stamped<Life>?] = [:]
    /// All cells that records had.
    private(set) var cells: [RecordID: PropertyMap<Stamped<Cell>>] = [:]
    private(set) var pairs: [PairKey: Stamped<Bool>?] = [:]
    private(set) var places: [PlaceKey: Stamped<Place>?] = [:]
    /// What was not said to be the same.
    private(set) var newSames: Set<SameKey> = []
    /// Pairs that may be gone, by their records.
    private(set) var gonePairs: [RecordID: Set<PairKey>] = [:]
    /// Records whose cells may no longer name a record, by property.
    private(set) var goneNamers: [RecordID: PropertyMap<Set<RecordID>>] = [:]

    init(wereNone: Bool = false) { self.wereNone = wereNone }

    /// Notes what a register may change.
    mutating func note(before register: Register, in state: State) {
        if wereNone { return }
        switch register {
        case .life(let record, let life):
            if lives[record] == nil { lives[record] = .some(state.lives[record]) }
            if life.value.isBuried, !state.isBuried(record) { noteAll(of: record, in: state) }
        case .cell(let record, let property, let cell):
            noteCells(of: record, in: state)
            if let named = state.cells[record]?[property]?.value.record, named != cell.value.record {
                goneNamers[named, default: [:]][property, default: []].insert(record)
            }
        case .pair(let key, _): note(key, in: state)
        case .place(let key, _): note(key, in: state)
        case .same(let key, _): if state.sames[key] == nil { newSames.insert(key) }
        }
    }

    private mutating func noteCells(of record: RecordID, in state: State) {
        if cells[record] == nil { cells[record] = state.cells[record] ?? [:] }
    }

    private mutating func note(_ key: PairKey, in state: State) {
        if pairs[key] == nil { pairs[key] = .some(state.pairs[key]) }
    }

    private mutating func note(_ key: PlaceKey, in state: State) {
        if places[key] == nil { places[key] = .some(state.places[key]) }
    }

    /// Notes what goes if a record is buried.
    private mutating func noteAll(of record: RecordID, in state: State) {
        noteCells(of: record, in: state)
        for (property, cell) in state.cells[record] ?? [:] {
            guard let named = cell.value.record else { continue }
            goneNamers[named, default: [:]][property, default: []].insert(record)
        }
        for key in state.pairs(of: record) {
            note(key, in: state)
            for end in [key.first, key.second] { gonePairs[end, default: []].insert(key) }
        }
        for key in state.places(of: record) { note(key, in: state) }
    }
}
