internal import CofferModel
internal import CofferWire

/// Something that happened to a store.
public enum StoreEvent: Sendable, Equatable {
    /// A transaction was committed.
    case transaction(StoreTransaction)
    /// What happened up to the number is no longer known: read again.
    case reload(number: UInt64)
    /// Nothing that concerns this process happened up to the number.
    case bookmark(number: UInt64)
    /// The service is gone, and is waited for.
    case disconnected
    /// The service is back, and what was missed has been told.
    case reconnected
    /// The store's file is about to be exchanged or removed.
    case storesWillChange
    /// The store's file was exchanged or removed: numbers and keys of before mean nothing any more.
    case storesDidChange

    init(_ event: CoordinatorEvent, model: ManagedObjectModel) {
        switch event {
        case .transaction(let transaction, _, _):
            self = .transaction(StoreTransaction(transaction, model: model))
        case .reload(_, let number): self = .reload(number: number)
        case .bookmark(_, let number): self = .bookmark(number: number)
        case .storesWillChange: self = .storesWillChange
        case .storesDidChange, .storeDidReturn: self = .storesDidChange
        case .disconnected: self = .disconnected
        case .reconnected: self = .reconnected
        }
    }
}

/// One commit, as history and announcements tell it.
public struct StoreTransaction: Sendable, Equatable {
    /// Where a transaction comes from.
    public enum Origin: String, Sendable, CaseIterable {
        case save, `import`, migration, reload
    }

    /// Gapless in a store.
    public let number: UInt64
    /// Seconds since 2001-01-01 00:00 UTC.
    public let timestamp: Double
    /// The author of the save, as the application names it.
    public let author: String
    /// The context's name.
    public let contextName: String
    /// The process's name.
    public let process: String
    /// The application's id.
    public let application: String
    /// What made the transaction.
    public let origin: Origin
    /// What changed.
    public let changes: [Change]

    /// Objects of one entity to which one kind of change happened.
    public struct Change: Sendable, Equatable {
        /// What happened.
        public enum Kind: String, Sendable, CaseIterable {
            case insert, update, delete
        }

        /// What happened.
        public let kind: Kind
        /// The entity's name.
        public let entity: String
        /// Which objects.
        public let primaryKeys: [Int64]
        /// Updates: the names of the properties that changed, if they are known.
        public let properties: [String]
    }
}

extension StoreTransaction {
    init(_ message: TransactionMessage, model: ManagedObjectModel) {
        number = message.number
        timestamp = message.timestamp
        author = message.author
        contextName = message.contextName
        process = message.process
        application = message.application
        origin =
            switch message.origin {
            case .save: .save
            case .import: .import
            case .migration: .migration
            case .reload: .reload
            }
        changes = message.changes.map { Change($0, model: model) }
    }
}

extension StoreTransaction.Change {
    init(_ group: ChangeGroup, model: ManagedObjectModel) {
        kind =
            switch group.kind {
            case .insert: .insert
            case .update: .update
            case .delete: .delete
            }
        let entity = model.entities.indices.contains(group.entity) ? model.entities[group.entity] : nil
        self.entity = entity?.name ?? "entity \(group.entity)"
        primaryKeys = group.primaryKeys
        properties = group.properties.map { index in
            guard let entity, entity.properties.indices.contains(index) else { return "property \(index)" }
            return entity.properties[index].name
        }
    }
}
