public import CofferModel
public import FoundationEssentials

/// All objects of a store whose file is read and written as a whole.
public struct AtomicStoreGraph: Sendable, Hashable {
    /// The store's UUID, part of the ids of its objects; `nil` if the file keeps none: then the store gets
    /// another one with each opening.
    public var uuid: UUID?
    /// What the store says of itself: what applications have noted, and what Coffer needs.
    ///
    /// A file that keeps none of it is read, too, but then neither its model is checked nor do references of
    /// the store's own lead to the same ids after the next opening.
    public var metadata: [String: MetadataValue]
    /// The objects, in the order of the file.
    public var objects: [AtomicStoreNode]

    /// A graph of `objects`, with what its store says of itself.
    public init(
        uuid: UUID? = nil, metadata: [String: MetadataValue] = [:], objects: [AtomicStoreNode] = []
    ) {
        self.uuid = uuid
        self.metadata = metadata
        self.objects = objects
    }
}

/// One object of a store whose file is read and written as a whole.
public struct AtomicStoreNode: Sendable, Hashable {
    /// The entity's name.
    public var entity: String
    /// What other objects call it; no two of the file have the same.
    public var reference: String
    /// Values by attribute; an attribute without one is null.
    public var values: [String: AttributeValue]
    /// References of other objects by relationship, in order.
    ///
    /// The two ends of a relationship must not contradict each other; one of them may be left out.
    public var relationships: [String: [String]]

    /// An object of an entity, which others call `reference`.
    public init(
        entity: String, reference: String, values: [String: AttributeValue] = [:],
        relationships: [String: [String]] = [:]
    ) {
        self.entity = entity
        self.reference = reference
        self.values = values
        self.relationships = relationships
    }
}
