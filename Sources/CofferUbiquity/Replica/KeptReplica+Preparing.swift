internal import CofferContainer
internal import CofferMerge
internal import CofferStores

/// What of a large fold, or of a baseline, was done beside the commit queue: saves wait for what is left of
/// it.
struct PreparedWriting: Sendable {
    /// Whether there is one: it looked at all that had been written by then, with history or without.
    var isMade = false
    /// The objects whose rows are to come up otherwise, or may: until they do, a row that is saved says
    /// what no user meant.
    var names: Set<RecordID> = []
    /// The registers of each record that changed, packed, in runs.
    var records: [RecordID: [[UInt8]]] = [:]
    /// Whether the exchange has a new baseline.
    var hasBaseline = false
}

extension KeptReplica {
    /// Folds what was saved up to a moment, and packs what the next pass is to write.
    ///
    /// Until that pass is committed the file shows nothing of it: after a crash the fold is made again.
    ///
    /// - Throws: `StoreError`; then the value is to be read again.
    mutating func prepareFold(in moment: FileMoment, at now: WallTime) throws(StoreError) {
        // Of another history, as in `pass`.
        if folded > moment.lastTransaction { folded = 0 }
        let saved = try foldSaves(in: moment, at: now)
        folded = moment.lastTransaction
        prepared.isMade = true
        prepared.names.formUnion(try noteShown(saved) ? [] : saved.names)
        for record in saved.records.union(book.changed) {
            prepared.records[record] = try runs(of: replica.registers.all(keptWith: record))
        }
    }

    /// Notes in the books that the rows of a fold are as its registers show them, which they mostly are.
    ///
    /// - Returns: Whether they are.
    private mutating func noteShown(_ saved: FoldedSaves) throws(StoreError) -> Bool {
        var stored = saved.stored
        try read(
            saved.names, withMembers: saved.whole, by: saved.reading, but: saved.rows, into: &stored)
        let (formerBook, formerValues) = (book, values)
        var request = ImportRequest(
            saved.names, of: replica.graph, in: model, replica.model, stored: stored,
            books: (book.handOver(), values), arrived: [:])
        let isEmpty = request.isEmpty
        (book, values) = isEmpty ? request.takeBooks() : (formerBook, formerValues)
        return isEmpty
    }

    /// What was prepared, for it to be written, less what changed since.
    mutating func takePrepared(but changed: Set<RecordID>) -> PreparedWriting {
        var taken = PreparedWriting()
        swap(&taken, &prepared)
        for record in changed { taken.records[record] = nil }
        return taken
    }
}

// MARK: Baselines

extension KeptReplica {
    /// Records that one baseline buries, about.
    ///
    /// One log has all of them. The next baseline buries the rest.
    private static let burialsOfBaseline = 50_000

    /// Buries what is old, and makes `write` write a baseline of all.
    ///
    /// The baseline is told of only once it is kept in the file.
    ///
    /// - Throws: `StoreError` if the baseline would be larger than readers accept; then the value is to
    ///   be read again.
    mutating func prepareBaseline(
        at now: WallTime, _ write: (WholeState) throws(ObjectFault) -> Exchange
    ) throws(StoreError) {
        var state = replica.state
        let time = exchange.burialTime(at: now, newest: state.newestTimes)
        let burials = replica.burials(before: time.microseconds, atMost: Self.burialsOfBaseline)
        let records = bury(burials)
        for register in burials { state.join(register) }
        let whole = WholeState(
            registers: state.registers, burials: burials, digest: digest, modelID: modelID)
        do throws(ObjectFault) {
            exchange = try write(whole)
        } catch {
            throw .tooLarge("a baseline for other machines: \(error)")
        }
        for record in records {
            prepared.records[record] = try runs(of: replica.registers.all(keptWith: record))
        }
        prepared.hasBaseline = true
    }

    /// Forgets what is dead with its objects.
    ///
    /// Nothing of that was seen, so no row changes.
    ///
    /// - Returns: The records whose registers changed.
    private mutating func bury(_ burials: [Register]) -> Set<RecordID> {
        if burials.isEmpty { return [] }
        return count(replica.joinTellingRegisters(burials).changed)
    }
}
