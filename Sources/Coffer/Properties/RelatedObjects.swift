/// The objects of a to-many relationship: a view of it, not a copy.
///
/// The members are read when they are first asked for, in one round trip; their values when the first of them is asked, in one more for
/// each 200. Objects that enter or leave while a loop runs do not disturb it.
public struct RelatedObjects<Object: ManagedObject>: Sequence {
    let owner: ManagedObject
    let relationship: RelationshipLayout

    /// The objects now, in their order where the relationship has one, else in the order they were read and entered.
    public var array: [Object] { owner.members(relationship).compactMap { $0 as? Object } }

    /// How many there are.
    public var count: Int { owner.members(relationship).count }

    /// Whether there is none.
    public var isEmpty: Bool { owner.members(relationship).isEmpty }

    /// Walks through the objects as they are now.
    public func makeIterator() -> IndexingIterator<[Object]> { array.makeIterator() }

    /// Whether an object is one of them.
    public func contains(_ object: Object) -> Bool {
        if let known = owner.edits?.toMany[relationship.slot]?.contains(object.reference) {
            return known && !object.isDeleted
        }
        return owner.members(relationship).contains(object)
    }

    /// Lets an object enter, at the end; the inverse follows.
    public func insert(_ object: Object) { owner.insertMember(object, relationship) }

    /// Lets objects enter, at the end.
    public func insert(contentsOf objects: some Sequence<Object>) {
        for object in objects { insert(object) }
    }

    /// Lets an object leave; the inverse follows.
    public func remove(_ object: Object) { owner.removeMember(object, relationship) }

    /// Lets all leave.
    public func removeAll() { replace(with: []) }

    /// Lets leave who is not given, and enter who is.
    public func replace(with objects: [Object]) { owner.replaceMembers(objects, relationship) }
}
