package import FoundationEssentials

/// `coffer.v1.ChangeKind`; the raw values are Core Data's ZCHANGETYPE.
package enum ChangeKind: UInt32, Sendable, CaseIterable {
    case insert = 0
    case update = 1
    case delete = 2
}

/// `coffer.v1.ChangeGroup`: objects of one leaf entity to which one kind of change happened.
package struct ChangeGroup: Sendable, Equatable {
    /// What happened.
    package var kind: ChangeKind
    /// The leaf entity.
    package var entity: Int
    /// Which objects.
    package var primaryKeys: [Int64]
    /// Z_OPT now; empty for deletes and in history.
    package var versions: [UInt32]
    /// Updates: which properties changed, by index in the entity; to-many relationships too.
    package var properties: [Int]
    /// The present values of the objects; properties without a column are fetched when needed.
    package var columns: [Column]

    /// A group from its fields; a field that is left out has its default.
    package init(
        kind: ChangeKind, entity: Int, primaryKeys: [Int64], versions: [UInt32] = [], properties: [Int] = [],
        columns: [Column] = []
    ) {
        self.kind = kind
        self.entity = entity
        self.primaryKeys = primaryKeys
        self.versions = versions
        self.properties = properties
        self.columns = columns
    }
}

/// `coffer.v1.Origin`: where a transaction comes from.
package enum TransactionOrigin: UInt32, Sendable, CaseIterable {
    /// A save of a context.
    case save = 0
    /// An import from a container.
    case `import` = 1
    /// A migration.
    case migration = 2
    /// A foreign writer changed the file without history.
    case reload = 3
}

/// `coffer.v1.Transaction`: one commit.
package struct TransactionMessage: Sendable, Equatable {
    /// Gapless in a store.
    package var number: UInt64
    /// Seconds since 2001-01-01 00:00 UTC.
    package var timestamp: Double
    /// Who saved, as the application names it.
    package var author: String
    /// The context's name.
    package var contextName: String
    /// The process's name.
    package var process: String
    /// The application's id.
    package var application: String
    /// What made the transaction.
    package var origin: TransactionOrigin
    /// What changed.
    package var changes: [ChangeGroup]
    /// The deleted objects that became one with others; never from history.
    package var successors: [SuccessorGroup]

    /// A transaction from its fields; a field that is left out has its default.
    package init(
        number: UInt64, timestamp: Double, author: String = "", contextName: String = "",
        process: String = "",
        application: String = "", origin: TransactionOrigin = .save, changes: [ChangeGroup] = [],
        successors: [SuccessorGroup] = []
    ) {
        self.number = number
        self.timestamp = timestamp
        self.author = author
        self.contextName = contextName
        self.process = process
        self.application = application
        self.origin = origin
        self.changes = changes
        self.successors = successors
    }
}

/// `coffer.v1.SuccessorGroup`: objects of one leaf entity that became one with others of it.
package struct SuccessorGroup: Sendable, Equatable {
    /// The leaf entity.
    package var entity: Int
    /// The objects that are gone.
    package var primaryKeys: [Int64]
    /// For each the one that it is now.
    package var successors: [Int64]

    /// A group from its fields.
    package init(entity: Int, primaryKeys: [Int64], successors: [Int64]) {
        (self.entity, self.primaryKeys, self.successors) = (entity, primaryKeys, successors)
    }
}

/// `coffer.v1.HistoryRequest`, the token included.
package struct HistoryRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// The store that the token belongs to; `nil` without one, and then it is from the oldest transaction
    /// that is left.
    package var storeUUID: UUID?
    /// Transactions after this number.
    package var after: UInt64
    /// At most so many transactions; 0 leaves the bound to the service.
    package var limit: Int
    /// From the oldest transaction that is left, whatever `after` says.
    package var fromFloor: Bool
    /// Only transactions after it, in seconds since 2001-01-01 00:00 UTC; `nil`: any.
    package var afterTime: Double?
    /// Whether transactions come without their changes.
    package var withoutChanges: Bool

    /// A request from its fields; a field that is left out has its default.
    package init(
        store: UInt32, storeUUID: UUID?, after: UInt64, limit: Int = 0, fromFloor: Bool = false,
        afterTime: Double? = nil, withoutChanges: Bool = false
    ) {
        self.store = store
        self.storeUUID = storeUUID
        self.after = after
        self.limit = limit
        self.fromFloor = fromFloor || storeUUID == nil
        self.afterTime = afterTime
        self.withoutChanges = withoutChanges
    }
}

/// `coffer.v1.HistoryReply`.
package enum HistoryReplyMessage: Sendable, Equatable {
    /// Transactions in order, the store's last number, and whether there are more.
    case transactions([TransactionMessage], number: UInt64, hasMore: Bool)
    /// The token lies before `floor` or belongs to another store: reload, and go on from `current`.
    case expired(floor: UInt64, current: UInt64, isOtherStore: Bool)
}

/// `coffer.v1.Push`: what the service sends unasked.
package struct PushMessage: Sendable, Equatable {
    /// The raw values travel.
    package enum Kind: UInt32, Sendable, CaseIterable {
        case didSave = 1
        case didImport = 2
        case storesWillChange = 3
        case storesDidChange = 4
        case idsChanged = 5
        case identityDidChange = 6
        case bookmark = 7
        case historySince = 8
        case reload = 9
        case progress = 10
        case syncDidChange = 11
    }

    /// What it tells.
    package var kind: Kind
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// With this push the client has everything up to it.
    package var number: UInt64
    /// That holds if it had everything up to this before.
    package var previous: UInt64
    /// What changed.
    package var transaction: TransactionMessage?
    /// Whether a store that did change no longer exists.
    package var isRemoved: Bool
    /// How ids of a store that did change became those of the one in its place, where it was moved.
    package var moved: CopiedStoreMessage?
    /// Whether the store did not change after all, and only its handle is good for nothing.
    package var isUnchanged: Bool
    /// Why a store with a ubiquitous content name will change or did.
    package var transition: StoreTransitionMessage?

    /// A push from its fields; a field that is left out has its default.
    package init(
        kind: Kind, store: UInt32, number: UInt64, previous: UInt64, transaction: TransactionMessage? = nil,
        isRemoved: Bool = false, moved: CopiedStoreMessage? = nil, isUnchanged: Bool = false,
        transition: StoreTransitionMessage? = nil
    ) {
        self.transition = transition
        self.kind = kind
        self.store = store
        self.number = number
        self.previous = previous
        self.transaction = transaction
        self.isRemoved = isRemoved
        self.moved = moved
        self.isUnchanged = isUnchanged
    }
}
