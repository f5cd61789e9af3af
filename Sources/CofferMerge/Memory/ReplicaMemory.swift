/// A replica's registers and what is derived of them: what the rules of seeing look up, and where they note
/// what they find.
///
/// Nothing that follows from these by a look-up is held: neither objects nor what is seen of them. All of it
/// is in memory, or what changed since it was kept in a base, where the rest is looked up.
final class ReplicaMemory {
    let model: MergeModel
    /// All registers; over a base those of the records that were changed.
    private(set) var state: State
    /// Where the other registers are.
    let base: (any RegisterBase)?
    /// The records whose pages are here, whatever the base has.
    private(set) var touched: Set<RecordID> = []
    /// What the registers were when the graph was seen last.
    private(set) var former: FormerRegisters
    var index: GraphIndex

    /// The memory of some registers, of which nothing is derived yet.
    init(_ model: MergeModel, _ state: State = State()) {
        (self.model, self.state, base) = (model, state, nil)
        former = FormerRegisters(wereNone: true)
        index = GraphIndex()
    }

    /// The memory of what is kept in a base, and changed here from now on.
    init(_ model: MergeModel, over base: any RegisterBase) {
        (self.model, state, self.base) = (model, State(), base)
        former = FormerRegisters()
        index = GraphIndex(over: base)
    }

    private init(of other: ReplicaMemory) {
        (model, state, base, touched) = (other.model, other.state, other.base, other.touched)
        (former, index) = (other.former, other.index)
    }

    /// Another memory of the same.
    func copy() -> ReplicaMemory { ReplicaMemory(of: self) }

    /// The registers that are here.
    var registers: RegisterView { RegisterView(memory: self, moment: .now) }

    /// Takes registers if they are greater than what is here.
    func put(_ registers: some Sequence<Register>) -> ChangedRegisters {
        var changed = ChangedRegisters()
        for register in registers {
            touchPages(of: register)
            let old = state.register(of: register.key)
            // Each baseline brings what is here.
            if old == register { continue }
            former.note(before: register, in: state)
            guard let gone = state.take(register) else { continue }
            changed.note(register.key, insteadOf: old)
            for register in gone { changed.note(register.key, insteadOf: register) }
        }
        return changed
    }

    /// Brings the pages here that a register may change, or that decide whether it is taken.
    private func touchPages(of register: Register) {
        guard let base else { return }
        switch register {
        case .life(let record, let life):
            touch(record)
            guard life.value.isBuried, !state.isBuried(record) else { return }
            for key in base.pairs(to: record) { touch(key.first) }
            for key in base.places(of: record) { touch(key.owner) }
        case .cell(let record, _, _): touch(record)
        case .pair(let key, _):
            touch(key.first)
            touch(key.second)
        case .place(let key, _):
            touch(key.owner)
            touch(key.member)
        case .same(let key, _):
            touch(key.first)
            touch(key.second)
        }
    }

    private func touch(_ record: RecordID) {
        guard touched.insert(record).inserted, let page = base?.page(of: record) else { return }
        for register in page.registers(of: record) { _ = state.take(register) }
    }

    /// The page of a record that is in the base alone.
    func basePage(of record: RecordID) -> RecordPage? {
        base == nil || touched.contains(record) ? nil : base?.page(of: record)
    }

    /// What was before is no longer asked for: all that changed is seen.
    func forgetFormer() {
        former = FormerRegisters()
        index.forgetFormer()
    }
}

/// What is derived of registers, as far as it does not follow by a look-up.
struct GraphIndex: Sendable {
    /// The records that are dead: `true` for each.
    var dead: Remembering<RecordID, Bool>
    /// The to-one relationships of objects that lead nowhere, since they would close a circle, by level.
    var sealedCuts: Remembering<RecordID, Set<String>>
    var seenCuts: Remembering<RecordID, Set<String>>
    /// What an object that registers make, and that lives, is seen as, if not as itself.
    var seenAs: Remembering<RecordID, RecordID>
    /// The records of what is seen as one and is several by registers.
    var merged: Remembering<RecordID, RecordGroup>
    /// What others take of keys, by the names of objects.
    var taken: Remembering<RecordID, Set<Uniqueness.Taken>>
    var keys: KeyIndex
    /// What the model forbids and is there, by object.
    var violations: Remembering<RecordID, Set<Violation>>
    /// How many there are.
    var violationCount: Int
    /// How many objects are seen.
    var objectCount: Int

    init(over base: (any RegisterBase)? = nil) {
        func below<Value>(
            _ value: @escaping @Sendable (RecordFacts) -> Value?
        ) -> (@Sendable (RecordID) -> Value?)? {
            guard let base else { return nil }
            return { record in value(base.facts(of: record)) }
        }
        dead = Remembering(over: below { $0.isDead ? true : nil })
        sealedCuts = Remembering(over: below { $0.sealedCuts.isEmpty ? nil : $0.sealedCuts })
        seenCuts = Remembering(over: below { $0.seenCuts.isEmpty ? nil : $0.seenCuts })
        seenAs = Remembering(over: below(\.seenAs))
        merged = Remembering(over: below(\.merged))
        taken = Remembering(over: below { $0.taken.isEmpty ? nil : $0.taken })
        keys = KeyIndex(over: base)
        violations = Remembering(over: below { $0.violations.isEmpty ? nil : $0.violations })
        violationCount = base?.violationCount ?? 0
        objectCount = base?.objectCount ?? 0
    }

    mutating func forgetFormer() {
        dead.forgetFormer()
        sealedCuts.forgetFormer()
        seenCuts.forgetFormer()
        seenAs.forgetFormer()
        merged.forgetFormer()
        taken.forgetFormer()
        violations.forgetFormer()
    }
}
