internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// What one save knows of objects: which of them exist, and what the request does with them.
///
/// Shared by all passes of a save.
final class SavedObjects {
    private let writer: StoreWriter
    private let inserted: InsertedObjects
    private let updates: [UpdateGroup]
    private var model: ManagedObjectModel { writer.file.schema.model }
    /// Leaf entities of stored objects, as far as they were looked up; `nil` if there is no such object.
    private var leaves: [RowKey: Int?] = [:]
    /// Objects that are deleted already.
    private var deleted: Set<RowKey> = []
    /// Objects that the request itself deletes, until the deletes are done.
    private var requestedDeletes: Set<RowKey> = []
    /// Properties of stored objects that keep their stored values, whatever the request says.
    private var protected: [RowKey: Set<Int>]
    /// Objects that the request updates; `nil` until a pass asks for them.
    private var updatedObjects: Set<LeafKey>?

    /// Creates the knowledge of a request that has been checked, and for which earlier attempts found that
    /// `protected` properties keep their values.
    init(
        _ save: SaveRequestMessage, _ inserted: InsertedObjects, protected: [RowKey: Set<Int>],
        writer: StoreWriter
    ) {
        self.writer = writer
        self.inserted = inserted
        updates = save.updates
        self.protected = protected
        for group in save.deletes { requestDeletes(of: group.primaryKeys, group.entity) }
    }

    /// Whether a property of an object keeps its stored value, whatever the request says.
    func isProtected(_ object: RowKey, _ property: Int) -> Bool {
        protected.isEmpty ? false : protected[object]?.contains(property) ?? false
    }

    /// Whether some properties of an object keep their stored values.
    func hasProtected(_ object: RowKey) -> Bool { protected.isEmpty ? false : protected[object] != nil }

    /// The properties of an object that keep their stored values; `nil` for none.
    func protected(_ object: RowKey) -> Set<Int>? { protected.isEmpty ? nil : protected[object] }

    /// Lets a property of an object keep its stored value.
    func protect(_ property: Int, of object: RowKey) { protected[object, default: []].insert(property) }

    /// Whether the request updates an object.
    func isUpdated(_ object: LeafKey) -> Bool {
        if let updatedObjects { return updatedObjects.contains(object) }
        var objects: Set<LeafKey> = []
        for group in updates {
            for key in group.primaryKeys { objects.insert(LeafKey(entity: group.entity, key: key)) }
        }
        updatedObjects = objects
        return objects.contains(object)
    }

    /// The leaf entity of an object that is stored or inserted; `nil` if there is no such object, -1 if it
    /// belongs to no entity of the store.
    func leaf(of object: RowKey) throws(StoreError) -> Int? {
        if let known = leaves[object] { return known }
        if let new = inserted.row(of: object) {
            // A new object that was merged with another has no row: a request refers to the other one by its
            // place.
            if inserted.isMerged(inserted.start(ofGroup: new.group) + new.row) { return nil }
            let entity = inserted.groups[new.group].entity
            leaves[object] = .some(entity)
            return entity
        }
        let plan = try writer.treePlan(object.root)
        let found = try translating { () throws(SQLiteError) -> Int? in
            let statement = try plan.statement(.leaf, on: writer.connection) {
                "SELECT Z_ENT FROM \(plan.entity.table) WHERE Z_PK = ?1"
            }
            try statement.bind(object.key, at: 1)
            guard try statement.step() else { return nil }
            defer { statement.reset() }
            // A row of a damaged file may say anything: such an object belongs to no entity.
            return writer.file.schema.entity(numbered: Int(statement.int64(0)))?.index ?? -1
        }
        leaves[object] = .some(found)
        return found
    }

    /// Whether an object exists and is of exactly this entity.
    func exists(_ object: LeafKey) throws(StoreError) -> Bool {
        try leaf(of: object.row(in: model)) == object.entity
    }

    /// Makes sure that an object is gone, rather than of another entity than the request says.
    func checkGone(_ object: LeafKey) throws(StoreError) {
        guard let leaf = try leaf(of: object.row(in: model)), leaf != object.entity else { return }
        throw .unknownObject(entity: model.entities[object.entity].name, primaryKey: object.key)
    }

    /// The object that a reference names, by its own leaf entity; `nil` if it is gone, or its entity does not
    /// fit.
    func stored(_ reference: LeafKey, _ property: EntityPlan.Property) throws(StoreError) -> LeafKey? {
        let ends = ends(of: property)
        guard let first = ends.first else { return nil }
        let object = RowKey(root: model.entities[first].rootIndex, key: reference.key)
        guard let leaf = try leaf(of: object), ends.contains(leaf) else { return nil }
        return LeafKey(entity: leaf, key: reference.key)
    }

    /// The entities whose objects may be at the other end of a relationship.
    func ends(of property: EntityPlan.Property) -> Range<Int> {
        guard let relationship = property.relationship else { return 0..<0 }
        return property.inverse?.owners ?? model.destination(of: relationship).familyIndices
    }
}

extension SavedObjects {
    /// Whether an object is deleted already.
    func isDeleted(_ object: LeafKey) -> Bool {
        deleted.isEmpty ? false : deleted.contains(object.row(in: model))
    }

    /// Whether an object is deleted already.
    func isDeleted(_ object: RowKey) -> Bool { deleted.contains(object) }

    /// Whether the request itself deletes an object, and has not done so yet.
    func isToBeDeleted(_ object: RowKey) -> Bool { requestedDeletes.contains(object) }

    /// Whether the save inserts the object, or has deleted it.
    func isNewOrGone(_ object: LeafKey) -> Bool { isDeleted(object) || inserted.contains(object) }

    /// Makes delete rules pass over the objects that the request deletes itself.
    func requestDeletes(of keys: [Int64], _ entity: Int) {
        let root = model.entities[entity].rootIndex
        for key in keys { requestedDeletes.insert(RowKey(root: root, key: key)) }
    }

    /// Records that all objects that the request deletes itself are deleted, or live because the policy lets
    /// them.
    func didDeleteRequested() { requestedDeletes.removeAll() }

    /// Records that an object was deleted.
    func didDelete(_ object: LeafKey) {
        let row = object.row(in: model)
        deleted.insert(row)
        leaves[row] = .some(nil)
    }

    /// Records that a deleted object was brought back.
    func didBringBack(_ object: LeafKey) { leaves[object.row(in: model)] = .some(object.entity) }
}
