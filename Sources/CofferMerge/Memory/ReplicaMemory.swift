/// A replica's registers and what is derived of them, in memory: what the rules of seeing look up, and where
/// they note what they find.
///
/// Nothing that follows from these by a look-up is kept: neither objects nor what is seen of them.
final class ReplicaMemory {
    let model: MergeModel
    private(set) var state: State
    /// What the registers were when the graph was seen last.
    private(set) var former: FormerRegisters
    var index = GraphIndex()

    /// The memory of some registers, of which nothing is derived yet.
    init(_ model: MergeModel, _ state: State = State()) {
        self.model = model
        self.state = state
        former = FormerRegisters(wereNone: true)
    }

    /// The registers that are here.
    var registers: RegisterView { RegisterView(memory: self, moment: .now) }

    /// Another memory of the same.
    func copy() -> ReplicaMemory {
        let copy = ReplicaMemory(model, state)
        (copy.former, copy.index) = (former, index)
        return copy
    }

    /// Takes registers if they are greater than what is here.
    func put(_ registers: some Sequence<Register>) -> ChangedRegisters {
        var changed = ChangedRegisters()
        for register in registers {
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

    /// What was before is no longer asked for: all that changed is seen.
    func forgetFormer() {
        former = FormerRegisters()
        index.forgetFormer()
    }
}

/// What is derived of registers, as far as it does not follow by a look-up.
struct GraphIndex: Sendable {
    /// The records that are dead: `true` for each.
    var dead = Remembering<RecordID, Bool>()
    /// The to-one relationships of objects that lead nowhere, since they would close a circle, by level.
    var sealedCuts = Remembering<RecordID, Set<String>>()
    var seenCuts = Remembering<RecordID, Set<String>>()
    /// What an object that registers make, and that lives, is seen as, if not as itself.
    var seenAs = Remembering<RecordID, RecordID>()
    /// The records of what is seen as one and is several by registers.
    var merged = Remembering<RecordID, RecordGroup>()
    /// What others take of keys, by the names of objects.
    var taken = Remembering<RecordID, Set<Uniqueness.Taken>>()
    var keys = KeyIndex()
    /// What the model forbids and is there, by object.
    var violations: [RecordID: Set<Violation>] = [:]
    /// How many there are.
    var violationCount = 0
    /// How many objects are seen.
    var objectCount = 0

    mutating func forgetFormer() {
        dead.forgetFormer()
        sealedCuts.forgetFormer()
        seenCuts.forgetFormer()
        seenAs.forgetFormer()
        merged.forgetFormer()
        taken.forgetFormer()
    }
}
