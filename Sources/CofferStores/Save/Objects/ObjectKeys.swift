internal import CofferModel

/// An object by its table, that is the root of the inheritance tree, and its key.
struct RowKey: Hashable, Comparable {
    var root: Int
    var key: Int64

    static func < (left: RowKey, right: RowKey) -> Bool { (left.root, left.key) < (right.root, right.key) }
}

/// An object by its leaf entity and key.
struct LeafKey: Hashable, Comparable {
    var entity: Int
    var key: Int64

    static func < (left: LeafKey, right: LeafKey) -> Bool {
        (left.entity, left.key) < (right.entity, right.key)
    }

    /// The object by its table and key.
    func row(in model: ManagedObjectModel) -> RowKey {
        RowKey(root: model.entities[entity].rootIndex, key: key)
    }
}
