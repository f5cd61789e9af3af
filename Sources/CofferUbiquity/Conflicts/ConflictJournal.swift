internal import CofferContainer
package import CofferCoordination
internal import CofferMerge
package import CofferModel
internal import CofferSQLite
package import CofferStores

/// What merging with other machines overruled in a store, for people.
package struct ConflictJournal: Sendable {
    /// The oldest first.
    package private(set) var entries: [Entry] = []
    /// Whether there are more after these.
    package private(set) var hasMore = false

    /// One conflict.
    package struct Entry: Sendable {
        /// As it was noted; names of entities and properties are those that registers have.
        package let noted: NotedConflict
        /// The entity as the model calls it.
        package let entity: String
        /// The property as the model calls it.
        package let property: String
        /// The key of the row that shows the object; `nil` if none does.
        package let primaryKey: Int64?
        /// What was overruled and what stayed, by property.
        package let values: [Value]
        /// Whether what was overruled was written here.
        package let isOwn: Bool
    }

    /// One property.
    package struct Value: Sendable {
        /// As the model calls it.
        package let property: String
        /// What was overruled; `nil` if it is not at hand: it is large, or an object that is gone.
        package let lost: AttributeValue?
        /// What stayed; `nil` if nothing did, or it is not at hand.
        package let kept: AttributeValue?
    }

    /// Reads a part of the journal; it is empty if the store was never shared.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - number: The last one that is known.
    ///   - limit: How many at most.
    /// - Throws: `StoreError` if the file cannot be read.
    package init(of store: PersistentStore, after number: UInt64, limit: Int) throws(StoreError) {
        let connection = try store.file.makeReader()
        let table = ConflictTable(connection)
        guard try ReplicaTables.translating({ () throws(SQLiteError) in try table.exists }) else { return }
        let reading = ConflictReading(connection, of: store.file)
        let own = try reading.ownPeers()
        let (found, hasMore) = try table.conflicts(after: number, limit: limit)
        self.hasMore = hasMore
        for noted in found { entries.append(try reading.entry(noted, own: own)) }
    }
}

/// Shows what registers say in the words and rows of a store.
struct ConflictReading {
    let tables: ReplicaTables
    let model: ManagedObjectModel
    let merge: MergeModel
    private let file: StoreFile

    init(_ connection: SQLiteConnection, of file: StoreFile) {
        tables = ReplicaTables(connection: connection)
        model = file.model.model
        merge = MergeModel(model)
        self.file = file
    }

    /// The ids that folds were written under here.
    func ownPeers() throws(StoreError) -> Set<PeerID> {
        try ReplicaTables.translating { () throws(SQLiteError) in
            var peers = PeerID.set(of: try tables.bytes(.formerPeers) ?? [])
            if let peer = try tables.integer(.peer) { peers.insert(PeerID(UInt64(bitPattern: peer))) }
            return peers
        }
    }

    /// The row that shows an object of a name; `nil` if there is none of that name.
    func row(of name: RecordID) throws(StoreError) -> RowAddress? {
        guard
            let (entity, key) = try ReplicaTables.translating({ () throws(SQLiteError) in
                try KeptRecords(tables.connection).address(of: name)
            }), let index = merge.entities[entity]?.index
        else { return nil }
        return RowAddress(entity: index, key: key)
    }

    func entry(_ noted: NotedConflict, own: Set<PeerID>) throws(StoreError) -> ConflictJournal.Entry {
        let conflict = noted.conflict
        let entity = merge.entities[conflict.entity]
        let kept = Dictionary(
            conflict.kept.compactMap(\.cell).map { ($0.property, $0.content) }, uniquingKeysWith: { $1 })
        var values: [ConflictJournal.Value] = []
        for (property, content) in conflict.lost.compactMap(\.cell) {
            values.append(
                ConflictJournal.Value(
                    property: entity.map { name(property, of: $0) } ?? property,
                    lost: try value(content),
                    kept: try kept[property].flatMap { (content) throws(StoreError) in try value(content) }))
        }
        return ConflictJournal.Entry(
            noted: noted, entity: entity.map { model.entities[$0.index].name } ?? conflict.entity,
            property: entity.map { name(conflict.property, of: $0) } ?? conflict.property,
            primaryKey: try row(of: conflict.object)?.key, values: values,
            isOwn: conflict.lostStamp.map { own.contains($0.peer) } ?? false)
    }

    /// A property as the model calls it; of the owner in a to-many relationship without inverse that one, as
    /// `Box.things`.
    private func name(_ property: String, of entity: MergeEntity) -> String {
        if let (owner, place) = entity.references[property].flatMap(merge.set) {
            let described = model.entities[owner.index]
            return "\(described.name).\(described.properties[place].name)"
        }
        guard let place = entity.propertyIndex(property) else { return property }
        return model.entities[entity.index].properties[place].name
    }

    /// A value, or the object that a link leads to.
    private func value(_ content: Cell.Content) throws(StoreError) -> AttributeValue? {
        switch content {
        case .null: return .null
        case .value(let value): return value
        case .large: return nil
        case .record(let record):
            guard let row = try row(of: record) else { return nil }
            return .object(
                ManagedObjectID(
                    entity: model.entities[row.entity], storeUUID: file.uuid, key: .permanent(row.key)))
        }
    }
}
