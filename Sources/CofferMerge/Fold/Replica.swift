/// One peer's registers and what applications see of them, always in step.
///
/// A value: it copies its memory before a change if another value shares it. Unchecked, since `own()` guards
/// the memory: only `put` and `see` change it, and both call `own()` first.
package struct Replica: @unchecked Sendable {
    private(set) var memory: ReplicaMemory

    /// A replica without registers.
    package init(_ model: MergeModel) { memory = ReplicaMemory(model) }

    /// A replica of registers that were kept.
    package init(_ model: MergeModel, of registers: some Sequence<Register>) {
        memory = ReplicaMemory(model, State(registers))
        graph.seeAll()
    }

    /// A replica of registers that are kept in a base.
    package init(_ model: MergeModel, over base: any RegisterBase) {
        memory = ReplicaMemory(model, over: base)
    }

    /// All registers.
    package var state: State { memory.whole }
    /// The registers, looked up.
    package var registers: RegisterView { memory.registers }
    /// What is seen of them.
    package var graph: Graph { Graph(memory) }
    /// By which both are read.
    package var model: MergeModel { memory.model }

    /// Makes this value the only one that has its memory.
    private mutating func own() {
        if !isKnownUniquelyReferenced(&memory) { memory = memory.copy() }
    }
}

extension Replica {
    /// Takes what others wrote.
    ///
    /// - Returns: The names of the objects that came, changed or went: the rows to write.
    @discardableResult
    package mutating func join(_ registers: some Sequence<Register>) -> Set<RecordID> {
        joinTellingRegisters(registers).rows
    }

    /// Takes what others wrote.
    ///
    /// - Returns: The names of the objects that came, changed or went, and the registers that did.
    package mutating func joinTellingRegisters(
        _ registers: some Sequence<Register>
    ) -> (rows: Set<RecordID>, changed: ChangedRegisters) {
        let changed = put(registers)
        return (Set(see(changed.keys).former.keys), changed)
    }

    /// The name of the object that a record is seen as, or would be if it were brought back.
    package func name(of record: RecordID) -> RecordID {
        graph.owner(of: record) ?? graph.sealed(with: record).min() ?? record
    }

    /// Sees again what depends on registers, and tells what was seen before.
    mutating func see(_ changed: Set<RegisterKey>) -> Graph.Change {
        own()
        return graph.change(changed)
    }

    /// Puts registers without looking at what hangs on them.
    mutating func put(_ registers: some Sequence<Register>) -> ChangedRegisters {
        own()
        return memory.put(registers)
    }

    /// Writes what saves did, so that the graph is what their author saw.
    ///
    /// - Parameters:
    ///   - edits: The saves since the last fold, in their order.
    ///   - author: The author of the saves.
    /// - Returns: What is to be carried, and which rows came up by it.
    package mutating func fold(_ edits: [LocalEdit], by author: FoldAuthor) -> FoldedEdit {
        // Handed over and back, so that nothing is copied.
        var replica = Replica(model)
        swap(&self, &replica)
        var fold = Fold(replica, by: author)
        replica = Replica(model)
        for edit in edits { fold.take(edit) }
        let folded = fold.close()
        swap(&self, &fold.replica)
        return folded
    }
}

/// What came of a fold.
package struct FoldedEdit: Sendable {
    /// What its author wrote, one for each key.
    package let registers: [Register]
    /// What that changed.
    package let changed: ChangedRegisters
    /// The names of the objects whose rows come up otherwise than their author saw them.
    ///
    /// Keys that an edit made free for others: these rows are to be written.
    package let risen: Set<RecordID>
    /// Whether all else is seen as its author saw it.
    package let isKept: Bool
    /// Whether every stamp is above what it overwrites.
    ///
    /// If not, something has the last stamp that there is and would win for ever: nothing of the fold is to
    /// be kept or carried.
    package let hasRoom: Bool
}
