internal import CofferContainer
internal import CofferLinux
internal import CofferMerge
internal import CofferModel
internal import CofferSQLite
internal import CofferStores
internal import CofferWire
internal import FoundationEssentials

extension KeptReplica {
    /// How many registers a log has at most, unless what was saved at once has more.
    private static let registersOfLog = 20_000

    /// Brings registers and rows together inside the transaction of a writer: folds what was saved since the
    /// last time, joins what others wrote, and writes the rows that differ then.
    ///
    /// - Parameters:
    ///   - piece: What others wrote.
    ///   - adopted: What another store of this machine holds.
    ///   - restored: What the store of this UUID is to show from now on, as an edit.
    ///   - arrived: Large values that rows are to show now.
    ///   - writer: In whose transaction all is written, or nothing.
    ///   - origin: The origin under which the rows are written.
    ///   - now: The time.
    /// - Returns: The import, if rows were written.
    /// - Throws: `StoreError`; then the value is to be read again.
    mutating func pass(
        joining piece: TakenPiece? = nil, adopting adopted: [Register] = [],
        restoring restored: (content: RestoredContent, uuid: UUID)? = nil,
        showing arrived: ArrivedValues = ArrivedValues(), on writer: StoreWriter, by origin: SaveOrigin,
        at now: WallTime
    ) throws(StoreError) -> SaveExecution {
        // No such transaction was ever written here: then every row is compared.
        if folded > writer.lastTransaction { folded = 0 }
        if isMigrated {
            // What is adopted is of this model: first the rows are taken to it.
            let execution = try migratedPass(
                joining: piece, showing: arrived, on: writer, by: origin, at: now)
            if adopted.isEmpty, restored == nil { return execution }
            return try pass(
                adopting: adopted, restoring: restored, showing: arrived, on: writer, by: origin, at: now)
        }
        let saved = try foldSaves(in: try FileMoment(of: writer), at: now)
        var (stored, records) = (saved.stored, saved.records)
        var names = saved.names.union(prepared.names)
        // Of these, the ones whose rows may show other members.
        var whole = saved.whole.union(prepared.names)
        names.formUnion(arrived.names.map { replica.graph.owner(of: $0) ?? $0 })
        let reading = saved.reading
        if let piece {
            let joined = join(piece)
            whole.formUnion(joined.rows.subtracting(joined.lone))
            names.formUnion(joined.rows)
            records.formUnion(joined.homes)
        }
        if !adopted.isEmpty {
            let joined = try adopt(adopted, at: now)
            whole.formUnion(joined.rows)
            names.formUnion(joined.rows)
            records.formUnion(joined.homes)
        }
        if let restored {
            guard restored.content.modelID == modelID else {
                throw .malformedRequest("the backup is of another model than the store is now")
            }
            let local = restored.content.changes(of: self, inStore: restored.uuid, at: now)
            names.formUnion(local.names)
            if !local.changes.isEmpty {
                let folded = try fold([LocalEdit(at: now.microseconds, local.changes)], at: now)
                names.formUnion(folded.risen)
                records.formUnion(folded.registers.map(\.home))
            }
            whole = names
        }
        try read(names, withMembers: whole, by: reading, but: saved.rows, into: &stored)
        // The exchange that was read for this may know of a listing that the kept one does not.
        let listed = piece?.exchange.listedObjects ?? exchange.listedObjects
        try keepPieces(of: stored, with: reading, unlessIn: listed, on: writer.connection)
        var arrived = arrived.values
        try take(from: stored, for: names, into: &arrived, with: reading, on: writer.connection)
        let execution = try write(names, stored: stored, showing: arrived, on: writer, by: origin)
        try finish(records, on: writer, at: now)
        return execution
    }

    /// Keeps what a pass did, and has history wait for the next one.
    mutating func finish(
        _ records: Set<RecordID>, on writer: StoreWriter, at now: WallTime
    ) throws(StoreError) {
        folded = writer.lastTransaction
        noteFold()
        try keep(records, on: writer.connection)
        let overruled = takeConflicts()
        if !overruled.isEmpty { try ConflictTable(writer.connection).note(overruled, at: now) }
        _ = try writer.acknowledge(
            ConsumerRequestMessage(store: 0, name: "ubiquity", acknowledged: folded), application: "",
            now: Double(now.microseconds) / 1e6 - 978_307_200)
    }

    /// Writes what was saved as registers, and puts them into the outbox.
    mutating func fold(_ edits: [LocalEdit], at now: WallTime) throws(StoreError) -> FoldedEdit {
        let author = FoldAuthor(
            exchange.peer, number: exchange.lastFold + 1, salt: UInt32(truncatingIfNeeded: words().0))
        let folded = replica.fold(edits, by: author)
        guard folded.hasRoom else {
            throw .tooLarge(
                "the time at which a wrong clock wrote what was changed here: no later one is left")
        }
        try append(folded.registers, folded.changed, at: now)
        return folded
    }

    /// Puts registers that were written here into the outbox; they are all that changed, but for what went.
    mutating func append(
        _ registers: [Register], _ changed: ChangedRegisters, at now: WallTime
    ) throws(StoreError) {
        var left = changed.keys
        let gone = left.subtracting(registers.map(\.key))
        count(gone, insteadOf: changed.former)
        let runs = RegisterRuns.cutBetweenSaves(
            registers, byteCount: exchange.rules.runByteCount, count: Self.registersOfLog)
        do throws(ObjectFault) {
            for run in runs {
                // The digest is of the folds up to this one.
                count(run.lazy.map(\.key).filter { left.remove($0) != nil }, insteadOf: changed.former)
                try exchange.append(run, digest: digest, modelID: modelID, at: now)
            }
        } catch {
            throw .tooLarge("a change for other machines: \(error)")
        }
    }

    /// Every row that there is, and those that are missed.
    func allRows(in reader: StoreReader) throws(StoreError) -> Set<RowAddress> {
        try presentRows(in: reader).union(book.shown.values)
    }

    /// Every row that there is.
    func presentRows(in reader: StoreReader) throws(StoreError) -> Set<RowAddress> {
        var rows: Set<RowAddress> = []
        for entity in model.entities where !entity.isAbstract {
            for key in try reader.keys(ofEntityAt: entity.index) {
                rows.insert(RowAddress(entity: entity.index, key: key))
            }
        }
        return rows
    }

    /// Writes the rows of some objects, as far as they differ.
    mutating func write(
        _ names: Set<RecordID>, stored: [RowAddress: StoredObject],
        showing arrived: [LargeValue: AttributeValue], on writer: StoreWriter, by origin: SaveOrigin
    ) throws(StoreError) -> SaveExecution {
        var request = ImportRequest(
            names, of: replica.graph, in: model, replica.model, stored: stored,
            books: (book.handOver(), values.handOver()), arrived: arrived)
        let deleted = request.deleted
        let (save, inserted) = try request.message()
        (book, values) = request.takeBooks()
        var execution = try writer.execute(save, by: origin)
        if case .constraints = execution.reply, !writer.mustStartAnew {
            for group in save.updates {
                let properties = uniqueProperties(ofEntityAt: group.entity)
                    .intersection(group.columns.map(\.property))
                try writer.vacate(properties.sorted(), ofEntityAt: group.entity, group.primaryKeys)
            }
            execution = try writer.execute(save, by: origin)
        }
        if writer.mustStartAnew { throw .interrupted }
        guard case .saved(let saved) = execution.reply else {
            throw .malformedRequest("changes of other machines do not fit: \(execution.reply)")
        }
        for (place, names) in inserted.enumerated() where saved.firstKeys.indices.contains(place) {
            let entity = save.inserts[place].entity
            for (row, name) in names.enumerated() {
                book.bind(name, to: RowAddress(entity: entity, key: saved.firstKeys[place] + Int64(row)))
            }
        }
        try restoreTimes(of: execution, on: writer)
        return execution.telling(successors(of: deleted))
    }

    /// For each deleted row whose object became one with another, the row that shows it now.
    private func successors(of rows: [RowAddress: RecordID]) -> [SuccessorGroup] {
        var groups: [Int: SuccessorGroup] = [:]
        for (row, name) in rows.sorted(by: { $0.key < $1.key }) {
            guard let owner = replica.graph.owner(of: name),
                let now = book.row(of: owner), now != row, now.entity == row.entity
            else { continue }
            groups[row.entity, default: .init(entity: row.entity, primaryKeys: [], successors: [])]
                .primaryKeys.append(row.key)
            groups[row.entity]?.successors.append(now.key)
        }
        return groups.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Reads large values that are at hand for rows that come to show them: from other rows, as when objects
    /// became one and one of their rows goes, and from the pieces that are owed.
    func take(
        from stored: [RowAddress: StoredObject], for names: Set<RecordID>,
        into arrived: inout [LargeValue: AttributeValue], with reading: ObjectReading,
        on connection: SQLiteConnection
    ) throws(StoreError) {
        var sources: [LargeValue: (row: RowAddress, property: String)] = [:]
        for (row, object) in stored {
            for (property, large) in object.largeValues { sources[large] = (row, property) }
        }
        if sources.isEmpty, values.owed.isEmpty { return }
        for name in names {
            guard let object = replica.graph.object(name, withMembers: false) else { continue }
            // An object whose entity is another one now gets a new row.
            let entity = replica.model.entities[object.entity]?.index
            let row = book.row(of: name).flatMap { $0.entity == entity ? stored[$0] : nil }
            let shown = row?.largeValues ?? [:]
            for (property, large) in object.largeValues
            where shown[property] != large && arrived[large] == nil {
                if let source = sources[large] {
                    arrived[large] = try reading.value(of: source.property, at: source.row)
                } else {
                    arrived[large] = try owedValue(large, on: connection)
                }
            }
        }
    }

    private func uniqueProperties(ofEntityAt index: Int) -> Set<Int> {
        var properties: Set<Int> = []
        var next: Int? = index
        while let place = next {
            let entity = model.entities[place]
            for name in entity.definition.uniquenessConstraints.flatMap(\.self) {
                if let property = entity.propertyIndex(named: name) { properties.insert(property) }
            }
            next = entity.superentityIndex
        }
        return properties
    }
}

/// What others wrote, or a piece of it.
struct TakenPiece: Sendable {
    let taking: ExchangeTaking
    /// The exchange that has all of it.
    let exchange: Exchange
    /// Whether the pieces before it were joined, so that all of it is had now.
    let isLast: Bool
}

extension RecordID {
    /// A new record's: the milliseconds of its birth, and random bytes.
    init(born now: WallTime, _ random: (UInt64, UInt64)) {
        let milliseconds = UInt64(max(0, now.microseconds) / 1_000)
        self.init(high: milliseconds << 16 | random.0 & 0xFFFF, low: random.1)
    }
}
