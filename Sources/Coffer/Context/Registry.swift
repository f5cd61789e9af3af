import CofferModel
import CofferWire
import FoundationEssentials
import Observation

/// The objects of a context by their keys: one object for each id, for as long as it is held.
///
/// Confined with the context. Objects hold the registry, and leave it when they go, even after the context
/// has gone.
final class Registry {
    weak var context: ManagedObjectContext?
    let model: ManagedObjectModel
    /// The stores, by the place that references name.
    var stores: [CoordinatedStoreDescription]
    /// The classes of objects by the names of their entities.
    private(set) var classes: [String: ManagedObject.Type] = [:]
    /// The names of entities by their classes, as they were asked for.
    var entityNames: [ObjectIdentifier: String] = [:]
    // These four are used by one method of the registry at a time, which calls nothing that comes back here
    // meanwhile: exclusivity needs no check at run time, of which an object that came and went made ten.
    @exclusivity(unchecked) private var layouts: [EntityLayout?]
    @exclusivity(unchecked) private var tables: [ObjectTable] = []
    /// The keys that were released of each table.
    @exclusivity(unchecked) private var released: [[Int64]] = []
    /// How many they are, those that are held again among them.
    @exclusivity(unchecked) private(set) var releasedCount = 0
    /// What the contexts of one tree share.
    let tree: ContextTree
    /// Whether new objects report reads and changes to observers.
    var isObservable = false
    /// Rows that were read before they were asked for.
    var readAhead = ReadAhead()
    /// What changed, if an observer watches.
    var changeLog: ChangeLog?
    /// The save that the context is in the middle of.
    var saveInProgress: SaveInProgress?
    var registrars: [ObjectIdentifier: ObservationRegistrar] = [:]
    var keyPaths: [Int: KeyPath<ManagedObject, Int>] = [:]

    init(model: ManagedObjectModel, tree: ContextTree) {
        self.model = model
        self.tree = tree
        stores = []
        classes = model.objectClasses.compactMapValues { $0 as? ManagedObject.Type }
        unsafe layouts = Array(repeating: nil, count: model.entities.count)
        makeTables()
    }

    /// Takes in stores that were added since.
    func update(stores: [CoordinatedStoreDescription]) {
        self.stores = stores
        makeTables()
    }

    private func makeTables() {
        let count = (stores.count + 1) * model.entities.count
        while unsafe tables.count < count {
            unsafe tables.append(ObjectTable())
            unsafe released.append([])
        }
    }

    @inline(__always)
    private func table(_ reference: ObjectReference) -> Int {
        unsafe (Int(reference.store) + 1) * layouts.count + Int(reference.root)
    }
}

extension Registry {
    /// The object with that reference, if it is held.
    func object(_ reference: ObjectReference) -> ManagedObject? {
        unsafe tables[table(reference)][reference.key]
    }

    /// Enters an object under its reference.
    func add(_ object: ManagedObject) {
        object.status.insert(.registered)
        unsafe tables[table(object.reference)].insert(object, object.reference.key)
    }

    /// Makes room for objects of the tree and store of `reference`.
    func reserve(_ count: Int, like reference: ObjectReference) {
        unsafe tables[table(reference)].reserve(count)
    }

    /// Takes an object out; what it held of the store is released with the next call.
    func remove(_ object: ManagedObject) {
        guard object.status.contains(.registered) else { return }
        object.status.remove(.registered)
        let reference = object.reference
        unsafe tables[table(reference)].remove(reference.key)
        if object.status.contains(.held) && !reference.isUnsaved && !readAhead.isPrefetched(reference) {
            release(reference)
        }
    }

    /// Enters an object under the name that it has from now on.
    func rename(_ object: ManagedObject, to reference: ObjectReference) {
        changeLog?.noteName(object.reference, reference)
        remove(object)
        object.reference = reference
        add(object)
    }

    /// Releases rows with the next call that no object holds.
    func release(_ references: [ObjectReference]) {
        for reference in references { release(reference) }
    }

    @inline(__always)
    private func release(_ reference: ObjectReference) {
        unsafe released[table(reference)].append(reference.key)
        unsafe releasedCount += 1
    }

    /// All objects of a store's inheritance tree.
    func objects(store: Int16, root: Int) -> [ManagedObject] {
        unsafe tables[(Int(store) + 1) * layouts.count + root].objects
    }

    /// All objects of an inheritance tree, wherever they are stored.
    func objects(root: Int) -> [ManagedObject] {
        unsafe stride(from: root, to: tables.count, by: layouts.count).flatMap { unsafe tables[$0].objects }
    }

    /// All objects.
    var objects: [ManagedObject] {
        unsafe tables.flatMap(\.objects)
    }

    /// How many objects there are.
    var count: Int { unsafe tables.reduce(0) { $0 + $1.count } }

    /// What was released since it was asked last, by store and inheritance tree, but what is held again.
    func takeReleased() -> [(store: Int16, root: Int, keys: [Int64])] {
        guard unsafe releasedCount > 0 else { return [] }
        unsafe releasedCount = 0
        var result: [(store: Int16, root: Int, keys: [Int64])] = []
        let entityCount = unsafe layouts.count
        for place in unsafe released.indices where unsafe !released[place].isEmpty {
            let (store, root) = (Int16(place / entityCount - 1), place % entityCount)
            var keys: [Int64] = []
            unsafe swap(&keys, &released[place])
            if unsafe tables[place].count > 0 || !readAhead.isEmpty {
                var reference = ObjectReference(key: 0, store: store, root: UInt16(root), leaf: UInt16(root))
                keys.removeAll { key in
                    reference.key = key
                    return isHeld(reference)
                }
            }
            if !keys.isEmpty { result.append((store, root, keys)) }
        }
        return result
    }

    /// Whether an object has a row, or one is kept for it, so that the store must go on to count it as held.
    private func isHeld(_ reference: ObjectReference) -> Bool {
        (object(reference)?.status.contains(.held) ?? false) || readAhead.contains(reference)
    }
}

extension Registry {
    /// The layout of the entity with that index.
    func layout(_ entity: Int) -> EntityLayout {
        if let layout = unsafe layouts[entity] { return layout }
        let layout = EntityLayout(
            entity: model.entities[entity], type: type(of: model.entities[entity]), model: model)
        unsafe layouts[entity] = layout
        return layout
    }

    /// Makes objects of an entity, and of those that inherit from it and name no class of their own, of
    /// `type`.
    func register(_ type: ManagedObject.Type, forEntity name: String) {
        classes[name] = type
        entityNames = [:]
        unsafe layouts = Array(repeating: nil, count: layouts.count)
    }

    /// Whether rows of an inheritance tree can be read without values that are in files of their own.
    func keepsExternal(inTreeOf root: Int) -> Bool { layout(root).familyKeepsExternal }

    private func type(of entity: EntityDescription) -> ManagedObject.Type {
        var current: EntityDescription? = entity
        while let candidate = current {
            if let type = classes[candidate.name] { return type }
            current = candidate.superentityIndex.map { model.entities[$0] }
        }
        return ManagedObject.self
    }

    /// The place of the store with that UUID.
    func storeIndex(uuid: UUID) -> Int16? {
        stores.firstIndex { $0.uuid == uuid }.map { Int16($0) }
    }

    /// The place of the store with that handle.
    func storeIndex(handle: UInt32) -> Int16? {
        stores.firstIndex { $0.handle == handle }.map { Int16($0) }
    }

    /// The name that an object has outside the context.
    func id(_ reference: ObjectReference) -> ManagedObjectID {
        let entity = model.entities[Int(reference.leaf)]
        if reference.isUnsaved {
            return ManagedObjectID(
                entity: entity, storeUUID: nil, key: .temporary(tree.id(of: reference.key)))
        }
        return ManagedObjectID(
            entity: entity, storeUUID: stores[Int(reference.store)].uuid, key: .permanent(reference.key))
    }

    /// Rows that came from a store, which was asked for `extent` of them, to make objects of.
    ///
    /// - Throws: `CofferError.protocolViolation` if they do not fit the model or are not as many as they
    ///   say.
    func snapshots(_ rows: PackedRows, _ extent: RowExtent) throws(CofferError) -> SnapshotBatch {
        let entities = model.entities
        guard entities.indices.contains(rows.entity), rows.hasKeys || rows.rowCount == 0 else {
            throw .protocolViolation("coffer.v1.RowBatch: keys are not one for each row")
        }
        let family = entities[entities[rows.entity].rootIndex].familyIndices
        guard rows.isUniform || (0..<rows.rowCount).allSatisfy({ family.contains(rows.leafEntity($0)) })
        else {
            throw .protocolViolation("coffer.v1.RowBatch.entities: not all are of one inheritance tree")
        }
        let properties = entities[rows.entity].properties.indices
        guard (0..<rows.columnCount).allSatisfy({ properties.contains(rows.property($0)) }) else {
            throw .protocolViolation(
                "coffer.v1.Column.property: entity '\(entities[rows.entity].name)' has less")
        }
        return SnapshotBatch(rows, at: layout(rows.entity).places(of: rows, extent))
    }

    /// Snapshots of rows that have not been laid out yet.
    func snapshots(_ rows: RowBatch, _ extent: RowExtent) throws(CofferError) -> SnapshotBatch {
        let block: PackedRows
        do throws(WireError) { block = try PackedRows(rows) } catch { throw CofferError(error) }
        return try snapshots(block, extent)
    }

    /// The reference to an object of a store.
    func reference(store: Int16, entity: Int, key: Int64) -> ObjectReference {
        ObjectReference(
            key: key, store: store, root: UInt16(model.entities[entity].rootIndex), leaf: UInt16(entity))
    }
}
