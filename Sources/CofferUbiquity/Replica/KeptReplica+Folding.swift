internal import CofferContainer
internal import CofferLinux
internal import CofferMerge
internal import CofferModel
internal import CofferStores
internal import CofferWire

// What was saved since the last fold, and the rows that a pass looks at. Of an object of which nothing but
// attributes in no key changed the members are not read: a list of thousands costs nothing if it gets another
// name.

extension KeptReplica {
    /// What a fold of saves did.
    struct FoldedSaves {
        /// The rows that were saved, as far as is known.
        let rows: Set<RowAddress>
        /// What they hold.
        let stored: [RowAddress: StoredObject]
        /// The objects whose rows may come up otherwise.
        let names: Set<RecordID>
        /// Of these, the ones whose rows may show other members than the graph: not those of which attributes
        /// in no key were saved, and no more comes up.
        let whole: Set<RecordID>
        /// The records whose registers changed.
        let records: Set<RecordID>
        let reading: ObjectReading
    }

    /// Folds what was saved since the last time; it is not noted yet how far that went.
    mutating func foldSaves(in moment: FileMoment, at now: WallTime) throws(StoreError) -> FoldedSaves {
        let saves = try UnfoldedSaves(since: folded, isForeign: isForeign, in: moment, now: now)
        isForeign = false
        let reading = ObjectReading(reader: moment.objects, model: model, merge: replica.model)
        let rows =
            saves.isIncomplete
            ? try allRows(in: moment.objects).union(saves.rows) : try changedRows(of: saves, reading)
        let lone = saves.isIncomplete ? [] : saves.rows(thatWroteOnly: isLone)
        var stored = try reading.objects(at: rows.subtracting(lone))
        stored.merge(try reading.objects(at: lone, withMembers: false)) { present, _ in present }
        var (names, whole, records): (Set<RecordID>, Set<RecordID>, Set<RecordID>) = ([], [], [])
        if !rows.isEmpty {
            let local = localChanges(of: rows, stored, at: now)
            names = local.names
            whole = names.subtracting(lone.compactMap { book.name(at: $0) })
            if !local.changes.isEmpty {
                let folded = try fold(saves.edits(local.changes, of: replica, book: book), at: now)
                names.formUnion(folded.risen)
                whole.formUnion(folded.risen)
                records = Set(folded.registers.map(\.home))
            }
        }
        return FoldedSaves(
            rows: rows, stored: stored, names: names, whole: whole, records: records, reading: reading)
    }

    /// Reads the rows of some objects that were not read yet, those of `whole` and of what is not seen any
    /// more with their members; of `known` rows, those that are not in `stored` do not exist.
    func read(
        _ names: Set<RecordID>, withMembers whole: Set<RecordID>, by reading: ObjectReading,
        but known: Set<RowAddress>, into stored: inout [RowAddress: StoredObject]
    ) throws(StoreError) {
        let rows = ImportRequest.rows(of: names, of: replica.graph, book: book)
        let seen = names.subtracting(whole).filter { replica.graph.shows($0) }
        let lone = rows.intersection(seen.compactMap { book.row(of: $0) })
        let unread = rows.subtracting(known).filter { stored[$0] == nil }
        let unreadMembers = rows.subtracting(lone).filter { stored[$0].map { !$0.hasMembers } ?? false }
        let others = try reading.objects(at: unread.subtracting(lone).union(unreadMembers))
        stored.merge(others) { _, read in read }
        let plain = try reading.objects(at: unread.intersection(lone), withMembers: false)
        stored.merge(plain) { _, read in read }
    }

    /// What saves did to rows; their objects are in the book then.
    mutating func localChanges(
        of rows: Set<RowAddress>, _ stored: [RowAddress: StoredObject], at now: WallTime
    ) -> (changes: [LocalEdit.Change], names: Set<RecordID>) {
        let compared = LocalChanges(of: replica, stored, book: book.handOver(), values: values) {
            [words] _ in RecordID(born: now, words())
        }
        .compare(rows)
        book = compared.book
        return (compared.changes, compared.names)
    }

    /// Whether a property of a row that shows an object is an attribute in no key.
    ///
    /// A save of it leaves all members as they are; what it brings back comes up by the fold.
    private func isLone(_ row: RowAddress, _ property: Int) -> Bool {
        guard let name = book.name(at: row), replica.graph.shows(name) else { return false }
        let (entity, properties) = (
            replica.model.entity(at: row.entity), model.entities[row.entity].properties
        )
        guard properties.indices.contains(property), properties[property].attribute != nil else {
            return false
        }
        return !replica.model.isKey(entity.propertyName(at: property), of: entity)
    }
}
