internal import CofferMerge
internal import CofferModel

/// One copy of a store: its rows, what was saved and not folded, and its registers.
struct SimulatedPeer {
    /// What it is called in stories.
    let label: Int
    private(set) var replica: Replica
    /// What it keeps of its replica, if that has nothing in memory but what it changes.
    private var kept: KeptRegisters?
    /// What the store's rows hold, saves that are not folded included.
    var rows = Rows()
    /// Saves since the last fold.
    private(set) var open: [LocalEdit] = []
    /// Objects that were inserted by these.
    private var inserted: Set<RecordID> = []
    var id: PeerID
    /// Which chain of folds is its own.
    var chain: Int
    /// How many folds it has written, those of the peer that it was copied from included.
    private(set) var written: UInt64 = 0
    /// How many folds of each chain it has.
    private(set) var vector: [Int: Int] = [:]
    /// What its clock shows beyond the true time, in microseconds.
    var skew: Int64 = 0
    /// What was deleted here, as it was.
    private var bin: [SeenObject] = []
    /// The last save, which may be taken back.
    private var last: FormerSave?
    let mutant: Mutant?
    /// Whether its store has the second version of the model.
    var isMigrated = true

    init(_ label: Int, _ model: MergeModel, mutant: Mutant?, isKept: Bool = false) {
        self.label = label
        replica = Replica(model)
        id = PeerID(UInt64(label))
        chain = label
        self.mutant = mutant
        if isKept { keep(replica, in: KeptRegisters(), []) }
    }

    /// A copy that says to be the same peer, or is told to be another.
    func copy(as label: Int, chain: Int, id: PeerID) -> SimulatedPeer {
        var copy = SimulatedPeer(label, replica.model, mutant: mutant)
        (copy.replica, copy.kept) = (replica, kept)
        copy.rows = rows
        copy.open = open
        copy.inserted = inserted
        copy.id = id
        copy.chain = chain
        copy.written = written
        copy.vector = vector
        copy.skew = skew
        (copy.bin, copy.last) = (bin, last)
        copy.isMigrated = isMigrated
        return copy
    }

    /// What may be brought back, with the names that it would have.
    var returning: [(name: RecordID, object: SeenObject)] {
        // What is buried comes back as another record.
        bin.map { (replica.name(of: $0.id), $0) }.filter {
            rows.objects[$0.0] == nil && !replica.registers.isBuried($0.0)
        }
    }

    /// The folds of its own.
    var folds: Int { vector[chain] ?? 0 }

    /// Keeps registers of some keys, with what follows from them, and begins anew over what is kept.
    private mutating func keep(_ changed: Set<RegisterKey>) {
        if let kept { keep(replica, in: kept, changed) }
    }

    private mutating func keep(
        _ replica: Replica, in kept: KeptRegisters, _ changed: some Sequence<RegisterKey>
    ) {
        let kept = kept.keeping(changed, of: replica)
        (self.kept, self.replica) = (kept, Replica(replica.model, over: kept))
    }
}

extension SimulatedPeer {
    /// Saves what a user did.
    mutating func take(_ save: Save, at time: Int64) {
        open.append(LocalEdit(at: max(0, time + skew), save.changes))
        for case .insert(let name, _) in save.changes { inserted.insert(name) }
        last = FormerSave(changes: save.changes, before: rows)
        rows = save.rows
        bin += save.deleted.values.sorted { $0.id < $1.id }
    }

    /// Takes the last save back, in another save.
    ///
    /// - Parameter time: In microseconds.
    /// - Returns: What was saved; `nil` if there is nothing to take back, or a store would refuse it.
    mutating func takeBack(at time: Int64) -> Save? {
        guard let last else { return nil }
        var save = Save(rows, model: replica.model, isMigrated: isMigrated)
        save.takeBack(last) { id in
            let name = replica.name(of: id)
            // What is buried comes back as another record.
            return rows.objects[name] == nil && replica.registers.isBuried(name) ? nil : name
        }
        if save.changes.isEmpty || save.isRefused || save.deletesWhatItInserts { return nil }
        take(save, at: time)
        return save
    }

    /// Folds what was saved.
    ///
    /// - Parameter salt: Random bytes for places.
    /// - Returns: `nil` if nothing was saved.
    /// - Throws: What is not seen as it was saved.
    mutating func fold(salt: UInt32) throws(Divergence) -> CarriedFold? {
        if open.isEmpty { return nil }
        let (before, edits, number) = (rows, open, folds)
        let author = FoldAuthor(id, number: written, salt: salt)
        let former = replica.graph.seen
        let placed = replica.placed(in: edits)
        let folded = replica.fold(open, by: author)
        open = []
        let renumbered = mutant == .orderNumbers ? replica.renumbering(folded.registers, by: author) : []
        let joined = replica.joinTellingRegisters(renumbered)
        keep(folded.changed.keys.union(joined.changed.keys))
        let registers = folded.registers + renumbered
        didWrite()
        let seen = replica.graph.seen.objects
        for name in Set(before.objects.keys).union(seen.keys) where !folded.risen.contains(name) {
            let (row, object) = (before.objects[name], seen[name])
            guard let row, let object else {
                throw Divergence(
                    row == nil ? .risen(name) : .vanished(name), peer: label)
            }
            if !row.isAlike(object) { throw Divergence(.changed(row, object), peer: label) }
            if !inserted.contains(name), let old = former.objects[name], old.records != object.records {
                throw Divergence(.remade(old, object), peer: label)
            }
        }
        if let sentence = replica.unkept(
            edits, registers, risen: folded.risen, formerlyDead: former.dead)
            ?? placed.broken(by: registers)
        {
            throw Divergence(.broken(sentence), peer: label)
        }
        if !folded.isKept { throw Divergence(.unsettled, peer: label) }
        inserted = []
        rows.objects = seen
        return CarriedFold(chain: chain, number: number, registers: registers)
    }

    /// Sees all by another version of the model; what was deleted by the former one does not come back.
    mutating func see(by model: MergeModel) {
        replica = Replica(model, of: replica.state.registers)
        if kept != nil { keep(replica, in: KeptRegisters(), replica.state.registers.map(\.key)) }
        rows.objects = replica.graph.seen.objects
        (bin, last) = ([], nil)
    }

    /// Notes that a fold of its own was written.
    mutating func didWrite() {
        vector[chain] = folds + 1
        written += 1
    }

    /// Joins a fold of another.
    mutating func join(_ fold: CarriedFold) {
        join(fold.registers)
        vector[fold.chain] = max(vector[fold.chain] ?? 0, fold.number + 1)
    }

    /// Joins the whole state of another.
    mutating func join(_ other: SimulatedPeer) {
        join(other.replica.state.registers)
        for (chain, count) in other.vector { vector[chain] = max(vector[chain] ?? 0, count) }
    }

    mutating func join(_ registers: [Register]) {
        let taken =
            switch mutant {
            case .lastArrival: registers.map { $0.arriving(at: replica.registers) }
            case .equalStamps:
                registers.filter { replica.registers.register(of: $0.key)?.stamp != $0.stamp }
            default: registers
            }
        keep(replica.joinTellingRegisters(taken).changed.keys)
        let former = rows
        rows.objects = replica.graph.seen.objects
        for edit in open { rows.apply(edit, model: replica.model) }
        if mutant == .ownFolds {
            let changes = former.changes(to: rows)
            if !changes.isEmpty { open.append(LocalEdit(at: open.last?.time ?? 0, changes)) }
        }
    }
}

extension Rows {
    /// What history would say if the rows became `other`.
    fileprivate func changes(to other: Rows) -> [LocalEdit.Change] {
        var changes: [LocalEdit.Change] = []
        for name in Set(objects.keys).union(other.objects.keys).sorted() {
            guard let row = other.objects[name] else {
                changes.append(.delete(name, through: nil))
                continue
            }
            if objects[name] == nil { changes.append(.insert(name, entity: row.entity)) }
            for (property, value) in row.values.sorted(by: { $0.key < $1.key })
            where objects[name]?.values[property] != value {
                changes.append(.set(name, property, Cell(value.isNull ? .null : .value(value))))
            }
        }
        return changes
    }
}

extension SeenObject {
    /// Whether an application sees no difference.
    func isAlike(_ other: SeenObject) -> Bool {
        entity == other.entity && values == other.values && largeValues == other.largeValues
            && references == other.references && members == other.members && orders == other.orders
    }
}

extension Register {
    /// As if it were written after what is there.
    fileprivate func arriving(at registers: RegisterView) -> Register {
        guard let old = registers.register(of: key)?.stamp, old > stamp else { return self }
        let later = Stamp(old.microseconds + 1, peer: stamp.peer, fold: stamp.fold)
        switch self {
        case .life(let record, let life): return .life(record, Stamped(life.value, later))
        case .cell(let record, let name, let cell): return .cell(record, name, Stamped(cell.value, later))
        case .pair(let key, let isIn): return .pair(key, Stamped(isIn.value, later))
        case .place(let key, let place): return .place(key, Stamped(place.value, later))
        case .same(let key, _): return .same(key, later)
        }
    }
}
