package import CofferContainer
package import CofferCoordination
internal import CofferMerge
internal import CofferModel
package import CofferStores
internal import FoundationEssentials
internal import Synchronization

/// What a backup holds that is to become the content of a store which several machines share.
///
/// To restore it again leaves as it is all that was not changed since: what has no name yet gets one that
/// follows from the backup.
package struct RestoredContent: Sendable {
    private let rows: [RowAddress: StoredObject]
    /// The objects that rows showed where the backup was made; none of rows that were saved just before.
    private let names: [RowAddress: RecordID]
    /// The properties of rows whose large values had not come there.
    private let wanted: [RecordID: Set<String>]
    private let uuid: UUID
    /// The SHA-256 of the model that rows are of.
    let modelID: [UInt8]
    let values: AdoptedValues

    /// Reads all of a backup.
    ///
    /// - Parameters:
    ///   - store: A copy of the backup that nothing else uses: what was saved in it last is folded there.
    ///   - now: The time.
    /// - Throws: `StoreError` if it cannot be read or written.
    package init(of store: PersistentStore, at now: WallTime) throws(StoreError) {
        let read = Mutex<(rows: [RowAddress: StoredObject], names: [RowAddress: RecordID])>(([:], [:]))
        let kept = try KeptReplica.folding(store, at: now) { kept, writer throws(StoreError) in
            let reader = try writer.batchReader()
            let reading = ObjectReading(reader: reader, model: kept.model, merge: kept.replica.model)
            let rows = try reading.objects(at: try kept.presentRows(in: reader))
            let names = kept.book.shown.map { ($0.value, $0.key) }
            read.withLock { $0 = (rows, Dictionary(uniqueKeysWithValues: names)) }
        }
        (rows, names) = read.withLock { $0 }
        (wanted, modelID) = (kept.values.wanted, kept.modelID)
        uuid = store.uuid
        values = try AdoptedValues(of: kept, in: store)
    }
}

extension RestoredContent {
    /// What has to be changed of what a store shows now, so that it shows this: what is not in the backup is
    /// deleted.
    ///
    /// - Parameters:
    ///   - kept: What the store shows.
    ///   - present: Its UUID.
    ///   - now: The time.
    /// - Returns: The changes, and the objects that they are about.
    func changes(
        of kept: KeptReplica, inStore present: UUID, at now: WallTime
    ) -> (changes: [LocalEdit.Change], names: Set<RecordID>) {
        let (graph, merge) = (kept.replica.graph, kept.replica.model)
        var (book, values) = (RecordBook(), ValueBook())
        var aliases: [RowAddress: RowAddress] = [:]
        let known = Set(names.values)
        /// The object of a row: as it was called, or else as the same row is here, or as the backup says.
        ///
        /// A row that went says nothing: what comes back has another row, and the next time that this backup
        /// is restored nothing would tell which object it was.
        func name(_ row: RowAddress) -> RecordID {
            if let name = names[row] { return name }
            if present == uuid, let name = kept.book.name(at: row), !known.contains(name) { return name }
            return RecordID(seed: uuid, entity: merge.entity(at: row.entity).name, key: row.key)
        }
        for row in rows.keys.sorted() {
            let name = name(row)
            guard let owner = graph.owner(of: name) else {
                book.note(name, goneFrom: row)
                continue
            }
            // Two that became one since stay one, as the first of them was, with the partners of both.
            if let first = book.row(of: owner) { aliases[row] = first } else { book.bind(owner, to: row) }
            for property in wanted[name] ?? [] { values.want(owner, property) }
        }
        var present = rows.filter { aliases[$0.key] == nil }.mapValues { $0.pointing(aliases) }
        for (row, first) in aliases.sorted(by: { $0.key < $1.key }) {
            guard let object = rows[row]?.pointing(aliases) else { continue }
            present.join(object, into: first, of: merge.entity(at: first.entity))
        }
        let compared = LocalChanges(
            of: kept.replica, present, book: book, values: values,
            deleting: Set(graph.names).subtracting(book.shown.keys)
        ) { [words = kept.words] _ in
            // What was buried comes as another object.
            RecordID(born: now, words())
        }
        .compare(Set(present.keys))
        return (compared.changes, compared.names)
    }
}

extension StoredObject {
    /// The object with other rows at the ends of its relationships.
    fileprivate func pointing(_ aliases: [RowAddress: RowAddress]) -> StoredObject {
        if aliases.isEmpty { return self }
        var object = self
        object.references = references.mapValues { aliases[$0] ?? $0 }
        object.members = members.mapValues { Set($0.map { aliases[$0] ?? $0 }) }
        object.orders = orders.mapValues { members in
            var seen: Set<RowAddress> = []
            return members.map { aliases[$0] ?? $0 }.filter { seen.insert($0).inserted }
        }
        return object
    }
}

extension [RowAddress: StoredObject] {
    /// Gives a row the partners and members of another one that became one with it.
    ///
    /// The objects at the other ends tell of them already: what only one end told would be half a link, and
    /// other changes each time. Of two partners the row keeps its own.
    fileprivate mutating func join(_ other: StoredObject, into row: RowAddress, of entity: MergeEntity) {
        guard var object = self[row] else { return }
        let partners = entity.references.filter { $0.value.isOneToOne }.keys.sorted()
        // What became one does not name itself.
        for property in partners where object.references[property] == row {
            object.references[property] = nil
        }
        for property in partners {
            guard let partner = other.references[property], partner != row else { continue }
            if object.references[property] == nil {
                object.references[property] = partner
            } else if object.references[property] != partner,
                let inverse = entity.references[property]?.oneToOneInverse
            {
                self[partner]?.references[inverse] = nil
            }
        }
        for (property, members) in other.members {
            object.members[property] = (object.members[property] ?? []).union(members)
        }
        object.members = object.members.mapValues { $0.subtracting([row]) }.filter { !$0.value.isEmpty }
        for (property, members) in other.orders {
            let first = object.orders[property] ?? []
            object.orders[property] = first + members.filter { !first.contains($0) }
        }
        for property in entity.pairs.keys where object.orders[property]?.contains(row) ?? false {
            object.orders[property]?.removeAll { $0 == row }
            if object.orders[property]?.isEmpty ?? false { object.orders[property] = nil }
        }
        self[row] = object
    }
}

extension UbiquitousStore {
    /// Makes what a backup holds the content at the next round of work, for all machines.
    package func restore(_ restoration: Restoration) {
        work.restore(restoration)
        hurry()
    }
}

extension UbiquityWork {
    /// Makes what a backup holds the content at the next round of work, for all machines.
    package func restore(_ restoration: Restoration) {
        incoming.withLock { $0.append(.restored(restoration)) }
    }
}
