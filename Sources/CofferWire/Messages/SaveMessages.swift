package import FoundationEssentials

/// `coffer.v1.MergePolicy`: what wins when a snapshot is stale.
package enum MergePolicyMessage: UInt32, Sendable, CaseIterable {
    /// A conflict is answered with an outcome, and nothing is written.
    case error = 0
    /// Property by property; the store wins if both changed one.
    case storeTrump = 1
    /// Property by property; the client wins if both changed one.
    case objectTrump = 2
    /// The client's whole object wins.
    case overwrite = 3
    /// The store's whole object wins.
    case rollback = 4
}

/// `coffer.v1.SaveRequest`.
package struct SaveRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// Names the request for ever.
    package var request: RequestIDMessage
    /// The author of the save, as the application names it; may be empty.
    package var author: String
    /// The context's name; may be empty.
    package var contextName: String
    /// What wins when a snapshot is stale.
    package var mergePolicy: MergePolicyMessage
    /// New objects.
    package var inserts: [InsertGroup]
    /// Changed objects.
    package var updates: [UpdateGroup]
    /// Deleted objects.
    package var deletes: [DeleteGroup]
    /// Objects that enter or leave a many-to-many relationship.
    package var setChanges: [SetChange]
    /// Members of ordered relationships that get a place, after everything else.
    package var orderChanges: [OrderChange]
    /// What wins if a uniqueness constraint is broken; `nil`: as `mergePolicy` says.
    package var constraintPolicy: MergePolicyMessage?
    /// What is done to all objects that fit; `nil` if the objects are those of a context.
    package var batch: BatchMessage?
    /// Whether it may wait for all other reads and writes.
    package var isBackground: Bool
    /// What the program noted about the store since its last save.
    package var metadata: [MetadataChangeMessage]

    /// A request from its fields; a field that is left out has its default.
    package init(
        store: UInt32, request: RequestIDMessage, author: String = "", contextName: String = "",
        mergePolicy: MergePolicyMessage = .error, inserts: [InsertGroup] = [], updates: [UpdateGroup] = [],
        deletes: [DeleteGroup] = [], setChanges: [SetChange] = [],
        orderChanges: [OrderChange] = [], constraintPolicy: MergePolicyMessage? = nil,
        batch: BatchMessage? = nil, isBackground: Bool = false, metadata: [MetadataChangeMessage] = []
    ) {
        self.store = store
        self.request = request
        self.author = author
        self.contextName = contextName
        self.mergePolicy = mergePolicy
        self.inserts = inserts
        self.updates = updates
        self.deletes = deletes
        self.setChanges = setChanges
        self.orderChanges = orderChanges
        self.constraintPolicy = constraintPolicy
        self.batch = batch
        self.isBackground = isBackground
        self.metadata = metadata
    }
}

/// `coffer.v1.SaveReply`: what became of a save.
package enum SaveReplyMessage: Sendable, Equatable {
    /// The save is durable.
    case saved(SavedMessage)
    /// Snapshots were stale, and nothing was written.
    case conflicts([ConflictMessage])
    /// Values, counts or delete rules forbid it, and nothing was written.
    case invalid([ValidationFailureMessage])
    /// Uniqueness constraints forbid it, and nothing was written.
    case constraints([ConstraintConflictMessage])
}

/// `coffer.v1.Saved`.
package struct SavedMessage: Sendable, Equatable {
    /// The number of the transaction, or of the store's last one if nothing was written.
    package var number: UInt64
    /// Whether there is a transaction, rather than nothing to write, or nothing that the merge policy let
    /// through.
    package var isWritten: Bool
    /// For each insert group the first primary key; the others follow without gap.
    package var firstKeys: [Int64]
    /// Rows whose stored values or versions are not those that follow from the request.
    package var refreshed: [RowBatch]
    /// By delete rules, or found deleted under a policy that lets the store win.
    package var alsoDeleted: [DeleteGroup]
    /// New objects that a uniqueness constraint made one with another: by place among all inserts, the key
    /// each has from now on.
    package var merged: [Int: Int64]
    /// Attributes that triggers of the store changed, be the objects those of the request or others: keys and
    /// these attributes.
    ///
    /// If there are too many, they come without attributes, which are then to be read when they are asked
    /// for. There are none at all if the request has batch operations.
    package var derived: [RowBatch]
    /// What became of the request's batch operations.
    package var batch: BatchResultMessage
    /// Objects that others entered or left a to-many relationship of, without values: those that were there
    /// before and still are.
    ///
    /// There are none if the request has batch operations: the sender hears of these as others do.
    package var touched: [ChangeGroup]

    /// An outcome from its fields; a field that is left out has its default.
    package init(
        number: UInt64, isWritten: Bool = true, firstKeys: [Int64] = [], refreshed: [RowBatch] = [],
        alsoDeleted: [DeleteGroup] = [], merged: [Int: Int64] = [:], derived: [RowBatch] = [],
        batch: BatchResultMessage = BatchResultMessage(), touched: [ChangeGroup] = []
    ) {
        self.derived = derived
        self.touched = touched
        self.number = number
        self.isWritten = isWritten
        self.firstKeys = firstKeys
        self.refreshed = refreshed
        self.alsoDeleted = alsoDeleted
        self.merged = merged
        self.batch = batch
    }
}

/// `coffer.v1.ObjectReference`: an object of the store that the request names.
package struct ObjectReferenceMessage: Sendable, Hashable {
    /// Index of the entity in the model.
    package var entity: Int
    /// Above 0 for a saved object; else 0.
    package var primaryKey: Int64
    /// Of an object that is not saved.
    package var temporaryID: UUID?

    /// A reference from its fields; a field that is left out has its default.
    package init(entity: Int, primaryKey: Int64 = 0, temporaryID: UUID? = nil) {
        self.entity = entity
        self.primaryKey = primaryKey
        self.temporaryID = temporaryID
    }
}

/// `coffer.v1.ValidationFailure`: what forbids a save.
package struct ValidationFailureMessage: Sendable, Equatable {
    /// Which object.
    package var object: ObjectReferenceMessage
    /// The property's name.
    package var property: String
    /// What is wrong, for programs.
    package var reason: ValidationReason
    /// What is wrong, for people.
    package var text: String

    /// A failure from its fields.
    package init(object: ObjectReferenceMessage, property: String, reason: ValidationReason, text: String) {
        self.object = object
        self.property = property
        self.reason = reason
        self.text = text
    }
}

/// What is wrong with a value; the raw values travel.
package enum ValidationReason: String, Sendable, CaseIterable {
    /// Null, although a value is required.
    case required
    /// Below the least number, date or length.
    case tooSmall = "too_small"
    /// Above the greatest number, date or length.
    case tooLarge = "too_large"
    /// The regular expression does not match.
    case noMatch = "no_match"
    /// Fewer objects than the relationship needs.
    case tooFew = "too_few"
    /// More objects than the relationship takes.
    case tooMany = "too_many"
    /// Objects at the other end forbid the delete.
    case deleteDenied = "delete_denied"
    /// The object at the other end does not exist.
    case unknownObject = "unknown_object"
    /// What is not a number.
    case outOfRange = "out_of_range"
    /// A relationship that may not lead round in a circle leads back to the object.
    case circle
    /// Such a relationship leads through too many objects.
    case tooDeep = "too_deep"
}

/// `coffer.v1.ConstraintConflict`: two objects that agree in attributes in which no two may agree.
package struct ConstraintConflictMessage: Sendable, Equatable {
    /// The one that the request wants to write.
    package var object: ObjectReferenceMessage
    /// The attributes that agree.
    package var constraint: [String]
    /// The one that has the values already, stored or of the same request, if it is known.
    package var existing: ObjectReferenceMessage?
    /// The stored one's values, one row; `nil` if it is of the same request.
    package var stored: RowBatch?

    /// A conflict from its fields; a field that is left out has its default.
    package init(
        object: ObjectReferenceMessage, constraint: [String], existing: ObjectReferenceMessage?,
        stored: RowBatch? = nil
    ) {
        self.object = object
        self.constraint = constraint
        self.existing = existing
        self.stored = stored
    }
}
