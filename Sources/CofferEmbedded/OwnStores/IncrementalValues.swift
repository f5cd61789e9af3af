public import CofferModel

/// An object of an incremental store by its entity and key.
public struct StoredObjectID: Sendable, Hashable {
    /// The entity's name; in what the library asks for, it may be that of one that the object's inherits
    /// from.
    public var entity: String
    /// Above 0; no other object of the inheritance tree has it, ever.
    public var key: Int64

    /// The id of an object.
    public init(_ entity: String, _ key: Int64) {
        self.entity = entity
        self.key = key
    }
}

/// An object of an incremental store with its values.
public struct StoredObject: Sendable, Hashable {
    /// Which object.
    public var id: StoredObjectID
    /// Differs whenever anything of the object does.
    public var version: Int64
    /// Values by attribute; an attribute without one is null.
    public var values: [String: AttributeValue]
    /// Objects by relationship: to-one relationships have one or none.
    ///
    /// Of to-many ones the store may leave out all, for it is asked for members. If they have changed, the
    /// store is given those that no to-one relationship tells, or that are ordered, whole and in order.
    public var relationships: [String: [StoredObjectID]]

    /// An object with its values.
    public init(
        _ id: StoredObjectID, version: Int64 = 1, values: [String: AttributeValue] = [:],
        relationships: [String: [StoredObjectID]] = [:]
    ) {
        self.id = id
        self.version = version
        self.values = values
        self.relationships = relationships
    }
}

/// What an incremental store is asked for.
public struct IncrementalFetch: Sendable, Hashable {
    /// The entity's name; objects of those that inherit from it belong to the answer.
    public var entity: String
    /// What is demanded of the objects' own attributes and to-one relationships; `nil` for all objects.
    public var predicate: QueryPredicate?
    /// The order, which matters if there is a limit or an offset.
    public var sortDescriptors: [QuerySort]
    /// At most so many; 0 for all.
    public var limit: Int
    /// So many are left out at the beginning.
    public var offset: Int

    /// A request for the objects of an entity; for all of them unless something is demanded.
    public init(
        entity: String, predicate: QueryPredicate? = nil, sortDescriptors: [QuerySort] = [], limit: Int = 0,
        offset: Int = 0
    ) {
        self.entity = entity
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
        self.limit = limit
        self.offset = offset
    }
}

/// What an incremental store gives.
public struct IncrementalAnswer: Sendable, Hashable {
    /// All objects that fit, or more.
    public var objects: [StoredObject]
    /// Whether they are just those of the request, its order, limit and offset included.
    public var isExact: Bool

    /// An answer; one that is not exact by default.
    public init(_ objects: [StoredObject], isExact: Bool = false) {
        self.objects = objects
        self.isExact = isExact
    }
}

/// What a save changes in an incremental store.
public struct IncrementalChanges: Sendable, Hashable {
    /// An object that changed.
    public struct Update: Sendable, Hashable {
        /// All its values now, with the version that it had before.
        public var object: StoredObject
        /// The names of the properties that changed.
        public var properties: Set<String>
    }

    /// An object that is to go.
    public struct Delete: Sendable, Hashable {
        /// Which object.
        public var id: StoredObjectID
        /// The version that it had.
        public var version: Int64
    }

    /// New objects, with keys that the store has given out.
    public var inserted: [StoredObject] = []
    /// Changed objects.
    public var updated: [Update] = []
    /// Deleted objects.
    public var deleted: [Delete] = []
    /// What applications have noted about the store, whole.
    public var metadata: [String: MetadataValue] = [:]
}
