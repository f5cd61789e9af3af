/// The objects of a to-many relationship: a view of it, not a copy.
///
/// The members are read when they are first asked for, in one round trip; their values when the first of them
/// is asked, in one more for each 200. Objects that enter or leave while a loop runs do not disturb it.
public struct RelatedObjects<Object: ManagedObject>: Sequence {
    let owner: ManagedObject
    let relationship: RelationshipLayout

    /// The objects now, in their order if the relationship has one, else in the order they were read and
    /// entered.
    public var array: [Object] { owner.members(relationship).map { $0.cast() } }

    /// How many there are.
    public var count: Int { owner.members(relationship).count }

    /// Whether there is none.
    public var isEmpty: Bool { owner.members(relationship).isEmpty }

    /// Walks through the objects as they are now.
    public func makeIterator() -> IndexingIterator<[Object]> { array.makeIterator() }

    /// Whether an object is one of them.
    public func contains(_ object: Object) -> Bool {
        if let known = owner.edits?.toMany[relationship.slot]?.contains(object.reference) {
            return known && !object.isLost
        }
        return owner.members(relationship).contains(object)
    }

    /// Lets an object enter, at the end; the inverse follows; a member stays where it is.
    public func insert(_ object: Object) { owner.insertMember(object, relationship) }

    /// Lets objects enter, at the end.
    public func insert(contentsOf objects: some Sequence<Object>) {
        for object in objects { insert(object) }
    }

    /// Lets an object leave; the inverse follows.
    public func remove(_ object: Object) { owner.removeMember(object, relationship) }

    /// Lets all leave.
    public func removeAll() { replace(with: []) }

    /// Makes `objects` the members: the others leave, and those that are missing enter; an ordered
    /// relationship takes over the order of `objects`.
    ///
    /// Of an object that is given several times the first counts.
    public func replace(with objects: [Object]) { owner.replaceMembers(objects, relationship) }
}

/// The order of a relationship whose model says `ordered`; to use it on another is a mistake.
///
/// A save sends the fewest moves that make the order, and each changes one row, however long the relationship
/// is. Moves merge with those of other contexts and processes: they conflict under no merge policy. Of two
/// that move the same object the later save counts; a place is one behind a neighbour, so that objects that
/// others let enter, leave or move elsewhere do not disturb it. If the neighbour has left meanwhile, the
/// object stays where it was. Unlike Core Data, where an ordered set is one value, of which the last save
/// overwrites the others' whole order.
extension RelatedObjects {
    /// The object at a place.
    ///
    /// - Precondition: There is such a place.
    public subscript(index: Int) -> Object { array[index] }

    /// Lets an object enter at a place, behind which the others move; a member moves there.
    ///
    /// - Precondition: The relationship is ordered, and `index` at most the number of the other members.
    public func insert(_ object: Object, at index: Int) { owner.placeMember(object, at: index, relationship) }

    /// Moves a member to a place, counted after it was taken out; the inverse does not change.
    ///
    /// - Precondition: The relationship is ordered, and both places are there.
    public func move(from source: Int, to destination: Int) {
        owner.placeMember(array[source], at: destination, relationship)
    }

    /// Lets the object at a place leave, and gives it.
    ///
    /// - Precondition: There is such a place.
    @discardableResult
    public func remove(at index: Int) -> Object {
        let object = array[index]
        remove(object)
        return object
    }

    /// Lets the object at a place leave, and another one take its place.
    ///
    /// - Precondition: The relationship is ordered, and there is such a place.
    public func replace(at index: Int, with object: Object) {
        let old = array[index]
        if old === object { return }
        let place = array[..<index].count { $0 !== object }
        remove(old)
        insert(object, at: place)
    }
}
