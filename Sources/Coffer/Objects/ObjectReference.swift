/// An object as the objects of one context refer to each other: small, and hashed by its key alone.
///
/// Equal if store, inheritance tree and key are equal; the leaf entity does not count.
struct ObjectReference: Sendable {
    /// The primary key; below 0 for an object that is not saved, then a number of the context.
    var key: Int64
    /// The place in the context's list of stores; `unsaved` for an object that is not saved.
    var store: Int16
    /// Index of the entity at the top of the inheritance tree.
    var root: UInt16
    /// Index of the leaf entity, as far as it is known.
    var leaf: UInt16

    /// The store of objects that have none yet.
    static let unsaved: Int16 = -1

    /// Whether the object has no permanent name; one that is not saved may have got its name in advance.
    var isUnsaved: Bool { store == Self.unsaved }

    /// The name of an object of the same entity that has no permanent one.
    func unsaved(_ key: Int64) -> ObjectReference {
        ObjectReference(key: key, store: Self.unsaved, root: root, leaf: leaf)
    }
}

extension ObjectReference: Hashable {
    static func == (left: Self, right: Self) -> Bool {
        left.key == right.key && left.store == right.store && left.root == right.root
    }

    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
