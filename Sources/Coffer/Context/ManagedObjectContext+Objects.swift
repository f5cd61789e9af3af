public import CofferModel
import CofferWire

extension ManagedObjectContext {
    /// Inserts an object of a class, with the defaults of its entity.
    ///
    /// - Precondition: The model has the class's entity, and it is not abstract.
    public func insert<Object: ManagedObject>(_ type: Object.Type) -> Object {
        let name = entityName(of: type)
        guard let entity = model.entity(named: name) else {
            preconditionFailure("the model has no entity '\(name)'")
        }
        precondition(!entity.isAbstract, "entity '\(name)' is abstract")
        useClass(type, for: entity)
        return makeInserted(entity).cast()
    }

    /// Inserts an object of an entity, with its defaults.
    ///
    /// - Throws: `CofferError.unknown` if the model has no such entity, or it is abstract.
    public func insert(entityNamed name: String) throws(CofferError) -> ManagedObject {
        let entity = try entity(named: name)
        guard !entity.isAbstract else { throw .unknown(kind: "concrete entity", name: name) }
        return makeInserted(entity)
    }

    /// Keeps an object that is not saved yet in a store by name, if several could keep it.
    ///
    /// - Throws: `CofferError.unknown` if no store of that name keeps the object's entity; `.refused` if
    ///   the object has a permanent id of another store.
    public func assign(_ object: ManagedObject, toStoreNamed name: String) throws(CofferError) {
        refreshStores()
        let places = storesByEntity[object.entity.index]
        guard let place = places.first(where: { registry.stores[Int($0)].name == name }) else {
            throw .unknown(kind: "store for entity '\(object.entity.name)'", name: name)
        }
        guard object.isInserted else { return }
        guard object.reference.isUnsaved || object.reference.store == place else {
            throw .refused(
                code: StatusCode.failedPrecondition.name, reason: "permanent_id",
                text: "The object has a permanent id of another store than '\(name)'.",
                place: object.objectID.uri)
        }
        object.makeEdits().assignedStore = place
    }

    private func makeInserted(_ entity: EntityDescription) -> ManagedObject {
        let object = makeInserted(
            ObjectReference(
                key: tree.nextKey(), store: ObjectReference.unsaved, root: UInt16(entity.rootIndex),
                leaf: UInt16(entity.index)))
        for (slot, content) in object.layout.defaults { object.edits?.changed[slot] = content }
        object.edits?.untouched = object.layout.upsertedDefaults
        note(.insertion(object))
        object.awakeFromInsert()
        return object
    }

    /// An object that is to be inserted under a key of its own, without values.
    ///
    /// If the object was asked for before, by a permanent id that was given out already, it is that one.
    func makeInserted(_ reference: ObjectReference) -> ManagedObject {
        let known = reference.isUnsaved ? nil : registry.object(reference)
        let object = known ?? make(reference)
        object.makeEdits().changed.reserveCapacity(object.layout.storedSlots.count)
        object.status.insert(.inserted)
        if known == nil { registry.add(object) }
        inserted.insert(object)
        registry.saveInProgress?.noteNewcomer(object)
        registry.changeLog?.touch(object)
        return object
    }
}

extension ManagedObjectContext {
    /// The object with an id, a fault until one of its properties is read; does no I/O.
    ///
    /// It need not exist: then it turns out to be deleted when it is read.
    public func object(with id: ManagedObjectID) -> ManagedObject {
        if let reference = reference(to: id) { return object(reference) }
        return stranger(id)
    }

    /// The object with an id, its values read, but those of attributes that allow external storage.
    ///
    /// - Throws: `CofferError.objectDeleted` if no store has it; else why it cannot be read.
    public func existingObject(with id: ManagedObjectID) throws(CofferError) -> ManagedObject {
        guard let reference = reference(to: id) else { throw .objectDeleted(id) }
        let object = object(reference)
        try object.require(.withoutExternal)
        return object
    }

    /// The object with an id, if the context has it already; does no I/O.
    public func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
        reference(to: id).flatMap { registry.object($0) }
    }

    /// The id whose `uri` is the text; `nil` if the text is not such a URI, or names a store or entity that
    /// the context does not have.
    ///
    /// Does no I/O: there need be no such object. Only ids of saved objects, and those of
    /// `obtainPermanentIDs(for:)`, mean something in other contexts and processes, and after a restart.
    public func objectID(forURI uri: String) -> ManagedObjectID? {
        guard let id = ManagedObjectID(uri: uri, in: model) else { return nil }
        if let store = id.storeUUID {
            if registry.storeIndex(uuid: store) == nil { refreshStores() }
            return registry.storeIndex(uuid: store) == nil ? nil : id
        }
        return reference(to: id) == nil ? nil : id
    }

    /// The object that a reference names; a new fault if there is none yet.
    func object(_ reference: ObjectReference) -> ManagedObject {
        if let object = registry.object(reference) { return object }
        if reference.isUnsaved, let name = permanentName(of: reference) { return object(name) }
        let object = make(reference)
        registry.add(object)
        if reference.isUnsaved && link == nil { markGone(object) }  // Its insertion was taken back.
        if let read = registry.readAhead.use(reference) {
            object.adopt(read.batch, row: read.row)
            if !read.members.isEmpty { object.makeEdits().toMany = read.members }
            object.awakeFromFetch()
        }
        return object
    }

    /// The objects that references name; new faults among them are read together, or with those of a group
    /// that they belong to.
    func objects(
        _ references: [ObjectReference], of group: FaultGroup? = nil, batchSize: Int = Limits.faultBatch,
        extent: RowExtent = .withoutExternal
    ) -> [ManagedObject] {
        let objects = references.map { object($0) }
        if let group {
            for object in objects where object.isFault && object.faults == nil { object.faults = group }
            return objects
        }
        var groups: [ObjectReference.Table: [ObjectReference]] = [:]
        for object in objects where object.isFault {
            groups[object.reference.table, default: []].append(object.reference)
        }
        if groups.isEmpty { return objects }
        let shared = groups.mapValues { FaultGroup($0, batchSize: batchSize, extent: extent) }
        for object in objects where object.isFault && object.faults == nil {
            object.faults = shared[object.reference.table]
        }
        return objects
    }

    private func make(_ reference: ObjectReference) -> ManagedObject {
        let layout = registry.layout(Int(reference.leaf))
        return layout.type.init(ObjectSeed(registry: registry, layout: layout, reference: reference))
    }

    /// An object that no store of the context can have.
    private func stranger(_ id: ManagedObjectID) -> ManagedObject {
        let reference = ObjectReference(
            key: tree.nextKey(), store: ObjectReference.unsaved,
            root: UInt16(id.entity.rootIndex), leaf: UInt16(id.entity.index))
        let object = make(reference)
        object.status.insert(.gone)
        return object
    }

    /// How the context refers to the object with an id; `nil` if no store of it can have that.
    func reference(to id: ManagedObjectID) -> ObjectReference? {
        switch id.key {
        case .temporary(let uuid):
            guard let key = tree.key(of: uuid), let entity = model.entity(named: id.entity.name) else {
                return nil
            }
            let temporary = ObjectReference(
                key: key, store: ObjectReference.unsaved, root: UInt16(entity.rootIndex),
                leaf: UInt16(entity.index))
            let reference = permanentName(of: temporary) ?? temporary
            return link != nil || !reference.isUnsaved || registry.object(reference) != nil ? reference : nil
        case .permanent(let key):
            guard let uuid = id.storeUUID, let entity = model.entity(named: id.entity.name) else {
                return nil
            }
            if registry.storeIndex(uuid: uuid) == nil { refreshStores() }
            guard let store = registry.storeIndex(uuid: uuid) else { return nil }
            let reference = registry.reference(store: store, entity: entity.index, key: key)
            return mergedNames.isEmpty ? reference : mergedNames[reference] ?? reference
        }
    }
}

extension ManagedObjectContext {
    /// What an object without a permanent name is called by now, as far as that is still known; `nil` if it
    /// is called as it was.
    func permanentName(of reference: ObjectReference) -> ObjectReference? {
        if let merged = mergedNames[reference] { return merged }
        let name = reserved.name(of: reference.key) ?? tree.resolve(reference)
        return name.isUnsaved ? nil : mergedNames[name] ?? name
    }
}

extension ObjectReference {
    /// A store's inheritance tree: what one request for rows asks.
    struct Table: Hashable {
        var store: Int16
        var root: UInt16
    }

    var table: Table { Table(store: store, root: root) }
}

extension ManagedObjectContext {
    /// The name of the entity that a class was registered for, else the class's own.
    func entityName(of type: ManagedObject.Type) -> String {
        if let name = registry.entityNames[ObjectIdentifier(type)] { return name }
        let own = type.entityName
        let other = registry.classes[own] == type ? nil : registry.classes.first { $0.value == type }?.key
        registry.entityNames[ObjectIdentifier(type)] = other ?? own
        return other ?? own
    }

    /// Makes objects of an entity with a class that was not registered, if no other was.
    func useClass(_ type: ManagedObject.Type, for entity: EntityDescription) {
        guard type != ManagedObject.self, registry.classes[entity.name] == nil else { return }
        registry.register(type, forEntity: entity.name)
    }

    /// Leaves an object without store, values and changes.
    func markGone(_ object: ManagedObject) {
        let hadValues = object.batch != nil
        registry.changeLog?.touch(object)
        if hadValues { object.willTurnIntoFault() }
        object.withMutation(of: Array(object.entity.properties.indices)) {
            object.status.remove([.inserted, .deleted, .updated])
            object.status.insert(.gone)
            registry.remove(object)
            object.batch = nil
            object.faults = nil
            object.edits = nil
        }
        if hadValues { object.didTurnIntoFault() }
        inserted.remove(object)
        updated.remove(object)
        deleted.remove(object)
        // Nothing can bring it back, nor name it by the key that it was inserted with.
        if !reserved.isEmpty, undoManager == nil, link == nil, !hasChildren {
            reserved.remove(object.reference)
        }
    }
}
