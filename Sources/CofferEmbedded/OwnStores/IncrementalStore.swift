public import CofferModel
public import FoundationEssentials

/// A store of the application's own, whose objects are elsewhere and are asked for as they are needed: in a
/// web service, a folder of documents, another database.
///
/// It gives objects and takes changes; all else is Coffer's, over what it has given: predicates and orders
/// that it does not know, dictionaries, faults, merging, conflicts, uniqueness, delete rules, validation,
/// and the history since the store was opened. What it has given stays in memory until then. It is called by
/// several threads, and may block them.
public protocol IncrementalStore: Sendable {
    /// The store's UUID, which is part of the ids of its objects and never changes.
    var uuid: UUID { get }

    /// What applications have noted about the store; asked once, when it is opened.
    ///
    /// - Throws: Why the store cannot be opened.
    func metadata() throws(OwnStoreError) -> [String: MetadataValue]

    /// The objects of an entity that fit a request, with their values.
    ///
    /// More may be given than fit, all of the entity for example: the library selects from them itself. Only
    /// if the answer says `isExact`, it must have just those of the request, its limit included.
    /// - Throws: Why they cannot be had now.
    func fetch(_ request: IncrementalFetch) throws(OwnStoreError) -> IncrementalAnswer

    /// Objects with their values; those that are no more are left out.
    ///
    /// - Throws: Why they cannot be had now.
    func objects(_ ids: [StoredObjectID]) throws(OwnStoreError) -> [StoredObject]

    /// The objects in a to-many relationship of each owner, in order.
    ///
    /// - Throws: Why they cannot be had now.
    func members(
        of owners: [StoredObjectID], in relationship: String
    ) throws(OwnStoreError) -> [[StoredObjectID]]

    /// Keys for new objects of an entity: the first of `count` that follow one another. None is given out
    /// twice, nor has any other object of the entity's inheritance tree one of them.
    /// - Throws: Why none can be had now.
    func reserveKeys(_ count: Int, entity: String) throws(OwnStoreError) -> Int64

    /// Makes all changes, or none; says the versions of the new and changed objects.
    ///
    /// One that is left out is 1 for a new object, and one more than it was for another.
    /// - Throws: `.conflicts` with the objects that have another version than `changes` says, or are no
    ///   more: the library asks for them again, and the context's merge policy decides.
    func save(_ changes: IncrementalChanges) throws(OwnStoreError) -> [StoredObjectID: Int64]
}

extension IncrementalStore {
    /// Nothing is noted.
    ///
    /// - Throws: Nothing.
    public func metadata() throws(OwnStoreError) -> [String: MetadataValue] { [:] }
}
