import CofferLinux
import CofferModel
import CofferWire
import FoundationEssentials

/// The objects of a context by their keys: one object for each id, for as long as somebody holds it.
///
/// Confined with the context. Objects hold the registry, and leave it when they go, even after the context has gone.
final class Registry {
    /// An object that is not kept alive; it leaves the table before it is gone.
    private struct Entry {
        unowned let object: ManagedObject
    }

    weak var context: ManagedObjectContext?
    let model: ManagedObjectModel
    /// The stores, by the place that references name.
    var stores: [CoordinatedStoreDescription]
    /// The classes of objects by the names of their entities.
    private(set) var classes: [String: ManagedObject.Type] = [:]
    /// The names of entities by their classes, as they were asked for.
    var entityNames: [ObjectIdentifier: String] = [:]
    private var layouts: [EntityLayout?]
    private var tables: [[Int64: Entry]] = []
    private var released: [ObjectReference] = []
    private var lastTemporaryKey: Int64 = 0
    private var randomBytes: ArraySlice<UInt8> = []

    init(model: ManagedObjectModel, stores: [CoordinatedStoreDescription]) {
        self.model = model
        self.stores = stores
        classes = model.objectClasses.compactMapValues { $0 as? ManagedObject.Type }
        layouts = Array(repeating: nil, count: model.entities.count)
        makeTables()
    }

    /// A key for an object that is not saved.
    func nextTemporaryKey() -> Int64 {
        lastTemporaryKey -= 1
        return lastTemporaryKey
    }

    /// The id of an object that is not saved: random, version 4 of RFC 9562.
    ///
    /// Random bytes come in blocks, since asking the system costs more than the rest of an insertion.
    func nextTemporaryID() -> UUID {
        if randomBytes.isEmpty { randomBytes = Randomness.bytes(16 * Limits.identifierBlock)[...] }
        let b = Array(randomBytes.prefix(16))
        randomBytes = randomBytes.dropFirst(16)
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6] & 0x0F | 0x40, b[7], b[8] & 0x3F | 0x80, b[9], b[10],
                b[11],
                b[12], b[13], b[14], b[15]
            ))
    }

    /// Takes in stores that were added since.
    func update(stores: [CoordinatedStoreDescription]) {
        self.stores = stores
        makeTables()
    }

    private func makeTables() {
        let count = (stores.count + 1) * model.entities.count
        if tables.count < count { tables.append(contentsOf: repeatElement([:], count: count - tables.count)) }
    }

    @inline(__always)
    private func table(_ reference: ObjectReference) -> Int {
        (Int(reference.store) + 1) * layouts.count + Int(reference.root)
    }
}

extension Registry {
    /// The object with that reference, if somebody holds it.
    func object(_ reference: ObjectReference) -> ManagedObject? {
        tables[table(reference)][reference.key]?.object
    }

    /// Enters an object under its reference.
    func add(_ object: ManagedObject) {
        object.status.insert(.registered)
        tables[table(object.reference)][object.reference.key] = Entry(object: object)
    }

    /// Makes room for objects of the tree and store of `reference`.
    func reserve(_ count: Int, like reference: ObjectReference) {
        let place = table(reference)
        tables[place].reserveCapacity(tables[place].count + count)
    }

    /// Takes an object out; what it held of the store is released with the next call.
    func remove(_ object: ManagedObject) {
        guard object.status.contains(.registered) else { return }
        object.status.remove(.registered)
        tables[table(object.reference)][object.reference.key] = nil
        if object.status.contains(.held) && !object.reference.isUnsaved { released.append(object.reference) }
    }

    /// Releases rows with the next call that no object holds.
    func release(_ references: [ObjectReference]) { released += references }

    /// All objects of a store's inheritance tree.
    func objects(store: Int16, root: Int) -> [ManagedObject] {
        tables[(Int(store) + 1) * layouts.count + root].values.map(\.object)
    }

    /// All objects.
    var objects: [ManagedObject] {
        tables.flatMap { $0.values.map(\.object) }
    }

    /// How many objects there are.
    var count: Int { tables.reduce(0) { $0 + $1.count } }

    /// What was released since it was asked last.
    func takeReleased() -> [ObjectReference] {
        if released.isEmpty { return [] }
        defer { released = [] }
        return released
    }
}

extension Registry {
    /// The layout of the entity with that index.
    func layout(_ entity: Int) -> EntityLayout {
        if let layout = layouts[entity] { return layout }
        let layout = EntityLayout(
            entity: model.entities[entity], type: type(of: model.entities[entity]), model: model)
        layouts[entity] = layout
        return layout
    }

    /// Makes objects of an entity, and of those that inherit from it and name no class of their own, of `type`.
    func register(_ type: ManagedObject.Type, forEntity name: String) {
        classes[name] = type
        entityNames = [:]
        layouts = Array(repeating: nil, count: layouts.count)
    }

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
    func id(_ reference: ObjectReference, temporary: UUID?) -> ManagedObjectID {
        let entity = model.entities[Int(reference.leaf)]
        if reference.isUnsaved {
            return ManagedObjectID(entity: entity, storeUUID: nil, key: .temporary(temporary ?? UUID()))
        }
        return ManagedObjectID(
            entity: entity, storeUUID: stores[Int(reference.store)].uuid, key: .permanent(reference.key))
    }

    /// Rows that came from a store, to make objects of.
    ///
    /// - Throws: `CofferError.protocolViolation` where they do not fit the model or are not as many as they say.
    func snapshots(_ rows: RowBatch, isComplete: Bool) throws(CofferError) -> SnapshotBatch {
        let entities = model.entities
        guard entities.indices.contains(rows.entity), rows.primaryKeys.count == rows.rowCount,
            rows.versions.isEmpty || rows.versions.count == rows.rowCount,
            rows.entities.isEmpty || rows.entities.count == rows.rowCount
        else {
            throw .protocolViolation(
                "coffer.v1.RowBatch: keys, versions or entities are not one for each row")
        }
        let family = entities[entities[rows.entity].rootIndex].familyIndices
        guard rows.entities.allSatisfy({ family.contains(Int($0)) }) else {
            throw .protocolViolation("coffer.v1.RowBatch.entities: not all are of one inheritance tree")
        }
        let properties = entities[rows.entity].properties
        guard rows.columns.allSatisfy({ properties.indices.contains($0.property) }) else {
            throw .protocolViolation(
                "coffer.v1.Column.property: entity '\(entities[rows.entity].name)' has less")
        }
        return SnapshotBatch(rows, of: layout(rows.entity), isComplete: isComplete)
    }

    /// The reference to an object of a store.
    func reference(store: Int16, entity: Int, key: Int64) -> ObjectReference {
        ObjectReference(
            key: key, store: store, root: UInt16(model.entities[entity].rootIndex), leaf: UInt16(entity))
    }
}
