package import FoundationEssentials

/// `coffer.v1.RequestID`: names a request for ever, so that sending it again applies it once.
package struct RequestIDMessage: Sendable, Hashable {
    /// The UUID of the client process.
    package var client: UUID
    /// From 1 upwards.
    package var sequence: UInt64
    /// The client has the replies of all up to this one.
    package var acknowledged: UInt64
    /// Whether it may have been sent before.
    package var isRetry: Bool

    /// An id from its fields; a field that is left out has its default.
    package init(client: UUID, sequence: UInt64, acknowledged: UInt64, isRetry: Bool = false) {
        self.client = client
        self.sequence = sequence
        self.acknowledged = acknowledged
        self.isRetry = isRetry
    }
}

/// `coffer.v1.MergePolicy`: what wins when a snapshot is stale.
package enum MergePolicyMessage: UInt32, Sendable, CaseIterable {
    /// A conflict is answered with an outcome, and nothing is written.
    case error = 0
    /// Property by property; the store wins where both changed one.
    case storeTrump = 1
    /// Property by property; the client wins where both changed one.
    case objectTrump = 2
    /// The client's whole object wins.
    case overwrite = 3
    /// The store's whole object wins.
    case rollback = 4
}

/// `coffer.v1.InsertGroup`: new objects of one leaf entity.
package struct InsertGroup: Sendable, Equatable {
    /// The leaf entity.
    package var entity: Int
    /// One for each row.
    package var temporaryIDs: [UUID]
    /// A property without a column is null.
    package var columns: [Column]
    /// Of a reservation: the first row's key, the others follow without gap; 0: the store gives new ones.
    package var firstKey: Int64
    /// Which values somebody set, column by column, a bit for each row; empty where nobody says.
    package var assigned: [UInt8]

    /// A group from its fields; a field that is left out has its default.
    package init(
        entity: Int, temporaryIDs: [UUID], columns: [Column], firstKey: Int64 = 0, assigned: [UInt8] = []
    ) {
        self.entity = entity
        self.temporaryIDs = temporaryIDs
        self.columns = columns
        self.firstKey = firstKey
        self.assigned = assigned
    }

    /// Bytes of `assigned` where somebody says it.
    package var assignedByteCount: Int { (columns.count * temporaryIDs.count + 7) / 8 }

    /// Whether somebody set a row's value of the column at a place; `nil` where nobody says.
    package func isAssigned(_ column: Int, row: Int) -> Bool? {
        let place = column * temporaryIDs.count + row
        guard assigned.indices.contains(place / 8) else { return nil }
        return assigned[place / 8] >> UInt8(place % 8) & 1 == 1
    }

    /// Notes that somebody set a row's value of the column at a place.
    package mutating func noteAssigned(_ column: Int, row: Int) {
        if assigned.isEmpty { assigned = Array(repeating: 0, count: assignedByteCount) }
        let place = column * temporaryIDs.count + row
        assigned[place / 8] |= 1 << UInt8(place % 8)
    }
}

/// `coffer.v1.UpdateGroup`: changed objects of one leaf entity, all with the same changed properties.
package struct UpdateGroup: Sendable, Equatable {
    /// The leaf entity.
    package var entity: Int
    /// Which objects.
    package var primaryKeys: [Int64]
    /// Z_OPT of the snapshots.
    package var versions: [UInt32]
    /// New values.
    package var columns: [Column]
    /// The snapshots' values of the properties in `columns`; needed for `storeTrump`.
    package var oldColumns: [Column]
    /// The snapshots' values of the other properties; needed for `overwrite`.
    package var otherColumns: [Column]

    /// A group from its fields; a field that is left out has its default.
    package init(
        entity: Int, primaryKeys: [Int64], versions: [UInt32], columns: [Column], oldColumns: [Column] = [],
        otherColumns: [Column] = []
    ) {
        self.entity = entity
        self.primaryKeys = primaryKeys
        self.versions = versions
        self.columns = columns
        self.oldColumns = oldColumns
        self.otherColumns = otherColumns
    }
}

/// `coffer.v1.DeleteGroup`: deleted objects of one leaf entity.
package struct DeleteGroup: Sendable, Equatable {
    /// The leaf entity.
    package var entity: Int
    /// Which objects.
    package var primaryKeys: [Int64]
    /// Z_OPT of the snapshots.
    package var versions: [UInt32]
    /// Places in `primaryKeys` of objects that were set to something else, or to nothing, at a to-one
    /// relationship before the delete: its rules do not reach what the store has there.
    package var detachedRows: [UInt32]
    /// One relationship for each of `detachedRows`, by its index in the entity.
    package var detachedProperties: [UInt32]

    /// A group from its fields.
    package init(
        entity: Int, primaryKeys: [Int64], versions: [UInt32], detachedRows: [UInt32] = [],
        detachedProperties: [UInt32] = []
    ) {
        self.entity = entity
        self.primaryKeys = primaryKeys
        self.versions = versions
        self.detachedRows = detachedRows
        self.detachedProperties = detachedProperties
    }
}

/// `coffer.v1.SetChange`: objects that enter or leave a many-to-many relationship.
package struct SetChange: Sendable, Equatable {
    /// The owners' leaf entity.
    package var entity: Int
    /// Index of the relationship in the entity.
    package var property: Int
    /// Primary keys, or -(1 + place) among the objects that this save inserts, groups in order.
    package var owners: [Int64]
    /// One key for each owner: the object at the other end, named as `owners` are.
    package var targets: [Int64]
    /// Bit `i % 8` of byte `i / 8` is set where the target leaves; empty where all enter.
    package var removed: [UInt8]

    /// A change from its fields; a field that is left out has its default.
    package init(entity: Int, property: Int, owners: [Int64], targets: [Int64], removed: [UInt8] = []) {
        self.entity = entity
        self.property = property
        self.owners = owners
        self.targets = targets
        self.removed = removed
    }
}

/// `coffer.v1.OrderChange`: members of an ordered relationship that get a place.
package struct OrderChange: Sendable, Equatable {
    /// The owners' leaf entity.
    package var entity: Int
    /// Index of the relationship in the entity.
    package var property: Int
    /// Primary keys, or -(1 + place) among the objects that this save inserts, groups in order.
    package var owners: [Int64]
    /// One key for each owner: the member that gets a place, named as `owners` are.
    package var members: [Int64]
    /// One key for each owner: the member behind which it comes, named as `owners` are; 0 for the beginning.
    package var after: [Int64]

    /// A change from its fields.
    package init(entity: Int, property: Int, owners: [Int64], members: [Int64], after: [Int64]) {
        self.entity = entity
        self.property = property
        self.owners = owners
        self.members = members
        self.after = after
    }
}

/// `coffer.v1.SaveRequest`.
package struct SaveRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// Names the request for ever.
    package var request: RequestIDMessage
    /// Who saves, as the application names it; may be empty.
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
    /// What wins where a uniqueness constraint is broken; `nil`: as `mergePolicy` says.
    package var constraintPolicy: MergePolicyMessage?
    /// What is done to all objects that fit; `nil` where the objects are those of a context.
    package var batch: BatchMessage?
    /// Whether it may wait for everybody else's reads and writes.
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
    /// Of the transaction; where nothing was written, of the store's last one.
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
    /// Without attributes where there are too many, which are then to be read when they are asked for. None
    /// at all where the request has batch operations.
    package var derived: [RowBatch]
    /// What became of the request's batch operations.
    package var batch: BatchResultMessage
    /// Objects that others entered or left a to-many relationship of, without values: those that were there
    /// before and still are.
    ///
    /// None where the request has batch operations, of which the sender hears as others do.
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

/// `coffer.v1.Conflict`: an object whose snapshot was stale.
package struct ConflictMessage: Sendable, Equatable {
    /// The leaf entity.
    package var entity: Int
    /// Which object.
    package var primaryKey: Int64
    /// Z_OPT of the snapshot.
    package var snapshotVersion: UInt32
    /// Z_OPT now; 0 where the object is deleted.
    package var storedVersion: UInt32
    /// The stored values, one row; `nil` where the object is deleted.
    package var stored: RowBatch?

    /// A conflict from its fields.
    package init(
        entity: Int, primaryKey: Int64, snapshotVersion: UInt32, storedVersion: UInt32, stored: RowBatch?
    ) {
        self.entity = entity
        self.primaryKey = primaryKey
        self.snapshotVersion = snapshotVersion
        self.storedVersion = storedVersion
        self.stored = stored
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
    /// Null where a value is required.
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

/// `coffer.v1.ConstraintConflict`: two objects that agree where they must not.
package struct ConstraintConflictMessage: Sendable, Equatable {
    /// The one that the request wants to write.
    package var object: ObjectReferenceMessage
    /// The attributes that agree.
    package var constraint: [String]
    /// The one that has the values already, stored or of the same request, where it is known.
    package var existing: ObjectReferenceMessage?
    /// The stored one's values, one row; `nil` where it is of the same request.
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
