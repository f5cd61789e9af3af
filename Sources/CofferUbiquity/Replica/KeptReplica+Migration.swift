internal import CofferContainer
internal import CofferMerge
internal import CofferModel
internal import CofferStores
internal import CofferWire

// A pass after a migration. What the migration made of values is not what anybody said: rows that it
// converted, filled or computed show registers again, which other machines may have written meanwhile. Only
// what was saved since the last fold is an edit, with the time of its save: history tells of which rows and
// properties, under the names of now. What no register tells yet, since the model had no such property, is
// told with the lowest stamp, so that it beats no edit, and yields to what another machine computed and told.

extension KeptReplica {
    /// Brings registers and rows together as `pass` does, in a store that a migration took to its model.
    mutating func migratedPass(
        joining piece: TakenPiece?, showing arrived: ArrivedValues, on writer: StoreWriter,
        by origin: SaveOrigin, at now: WallTime
    ) throws(StoreError) -> SaveExecution {
        if folded == 0 {
            // Nothing of it was shared: all of it is taken as it is.
            isMigrated = false
            return try pass(joining: piece, showing: arrived, on: writer, by: origin, at: now)
        }
        let moment = try FileMoment(of: writer)
        let reading = ObjectReading(reader: moment.objects, model: model, merge: replica.model)
        let stored = try reading.objects(at: try allRows(in: moment.objects))
        let saves = try UnfoldedSaves(since: folded, in: moment, now: now)
        try checkNames(of: stored.keys, saves, path: writer.file.path)
        // Rows of entities that there are no more went with them.
        var records = unreadable
        let unsaid = unsaidRegisters(of: stored, but: saves)
        if !unsaid.isEmpty { records.formUnion(try adopt(unsaid, at: now).homes) }
        let rows = try changedRows(of: saves, reading).union(stored.keys.filter { book.name(at: $0) == nil })
        let former = book
        let local = localChanges(of: rows, stored, at: now)
        let changes = saves.made(local.changes, of: replica) { former.row(of: $0) }
        if !changes.isEmpty {
            records.formUnion(
                try fold(saves.edits(changes, of: replica, book: book), at: now).registers.map(\.home))
        }
        if let piece { records.formUnion(join(piece).homes) }
        let names = Set(replica.graph.names).union(book.shown.keys)
        // The exchange that was read for this may know of a listing that the kept one does not.
        let listed = piece?.exchange.listedObjects ?? exchange.listedObjects
        try keepPieces(of: stored, with: reading, unlessIn: listed, on: writer.connection)
        var arrived = arrived.values
        try take(from: stored, for: names, into: &arrived, with: reading, on: writer.connection)
        let execution = try write(names, stored: stored, showing: arrived, on: writer, by: origin)
        isMigrated = false
        unreadable = []
        try finish(records, on: writer, at: now)
        return execution
    }

    /// Checks that no mapping model made other objects of what was shared: they would come once for each
    /// machine that migrates.
    private func checkNames(
        of rows: some Sequence<RowAddress>, _ saves: UnfoldedSaves, path: String
    ) throws(StoreError) {
        guard let row = rows.first(where: { book.name(at: $0) == nil && !saves.rows.contains($0) }) else {
            return
        }
        throw .unshareable(
            path: path,
            detail: "a migration made objects of '\(model.entities[row.entity].name)' of others, and each "
                + "machine would make its own: give the entity the name of those as its renaming identifier")
    }

    /// What rows show and no register says, with the lowest stamp; nothing if the model's default says it,
    /// nor of what was saved since the last fold.
    private func unsaidRegisters(
        of stored: [RowAddress: StoredObject], but saves: UnfoldedSaves
    ) -> [Register] {
        let stamp = Stamp(0, peer: exchange.peer, fold: exchange.lastFold + 1)
        var registers: [Register] = []
        var pairs: Set<PairKey> = []
        for (row, object) in stored.sorted(by: { $0.key < $1.key }) {
            let entity = replica.model.entity(at: row.entity)
            guard let name = book.name(at: row), let seen = replica.graph.object(name, withMembers: false),
                seen.entity == entity.name, let home = home(of: seen.records)
            else { continue }
            let isUnsaid = { (property: String) in
                !saves.wrote(property, of: row, entity)
                    && !seen.records.contains { replica.registers.cell(property, of: $0) != nil }
            }
            for (property, attribute) in entity.attributes.sorted(by: { $0.key < $1.key }) {
                guard let content = object.content(property), isUnsaid(property) else { continue }
                let isDefault =
                    attribute.defaultValue.isNull
                    ? content == .null : content == .value(attribute.defaultValue)
                if isDefault { continue }
                let cell = Cell(content, isDefaulted: true)
                registers.append(.cell(home, property, Stamped(cell, stamp)))
            }
            for (property, relationship) in entity.references.sorted(by: { $0.key < $1.key }) {
                guard let owner = object.references[property], let target = book.name(at: owner),
                    isUnsaid(property), !saves.wroteSet(of: relationship, at: owner, replica.model)
                else { continue }
                registers.append(
                    .cell(home, property, Stamped(Cell(.record(target), isDefaulted: true), stamp)))
            }
            for (property, relationship) in entity.pairs.sorted(by: { $0.key < $1.key })
            where !saves.wrote(property, of: row, entity) {
                for member in object.members[property] ?? [] {
                    guard let other = book.name(at: member), let partner = replica.graph.records(of: other),
                        let key = unsaidPair(of: relationship, seen.records, partner),
                        pairs.insert(key).inserted
                    else { continue }
                    registers.append(.pair(key, Stamped(true, stamp)))
                }
            }
        }
        return registers
    }

    /// The record of an object that is written to.
    private func home(of records: Set<RecordID>) -> RecordID? {
        records.filter { !replica.registers.isBuried($0) }.min()
    }

    /// The pair of two objects; `nil` if a register of one says whether they hold together.
    private func unsaidPair(
        of relationship: MergeRelationship, _ object: Set<RecordID>, _ partner: Set<RecordID>
    ) -> PairKey? {
        for record in object {
            for other in partner
            where replica.registers.pair(relationship.pair(record, other)) != nil { return nil }
        }
        guard let one = home(of: object), let other = home(of: partner) else { return nil }
        return relationship.pair(one, other)
    }
}
