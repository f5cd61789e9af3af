import CofferModel
import CofferWire

/// An object that wants a permanent name, on its way from its context to the root.
struct NameRequest: Sendable {
    var reference: ObjectReference
    /// The store that it was assigned to.
    var assignedStore: Int16?
}

extension ManagedObjectContext {
    /// Gives objects that are not saved the ids that they will have in their store, without saving them.
    ///
    /// Blocks for one durable commit for each store that they go to; it writes no rows. From then on
    /// `objectID` is permanent, here and in all contexts of the tree that have the objects, and may be
    /// given to others, whose objects of that id are there once it is saved. The next save inserts the
    /// objects under these very ids. If the application never saves them, the ids stay unused for good,
    /// also after a crash: no store gives an id to two objects. Of a context below another one, the root is
    /// asked.
    ///
    /// Objects that have a permanent id already, or are gone, stay as they are. An object that a uniqueness
    /// constraint makes one with a stored one, under a merge policy, takes that one's id, and the one that
    /// it got here leads there too in this context. If the insertion is undone and done again, the object
    /// keeps its id, unless contexts below have seen it go.
    ///
    /// Ask for many objects at once rather than for each: the commit is what it costs.
    /// - Precondition: The objects belong to this context.
    /// - Throws: `CofferError.unknown` if no store that can be written keeps an entity; else why the
    ///   service cannot be asked. Then no object has another id than before.
    public func obtainPermanentIDs<Objects: Sequence>(for objects: Objects) throws(CofferError)
    where Objects.Element: ManagedObject {
        followNames()
        var requests: [NameRequest] = []
        for object in objects {
            precondition(object.registry === registry, "the object belongs to another context")
            guard object.reference.isUnsaved, !object.status.contains(.gone) else { continue }
            requests.append(NameRequest(reference: object.reference))
        }
        if requests.isEmpty { return }
        try obtainNames(requests)
        tellWatchers()
    }

    /// Lets the root give permanent names to objects of this context or of one below.
    private func obtainNames(_ requests: [NameRequest]) throws(CofferError) {
        var requests = requests
        for place in requests.indices where requests[place].assignedStore == nil {
            requests[place].assignedStore =
                registry.object(requests[place].reference)?.edits?.assignedStore
        }
        guard let link else { return try giveNames(requests) }
        let asked = requests
        try link.run { parent in
            outcome { () throws(CofferError) in try parent.obtainNames(asked) }
        }
        followNames()
    }

    /// Reserves keys in the stores, and calls the objects by them in the whole tree.
    private func giveNames(_ requests: [NameRequest]) throws(CofferError) {
        refreshStores()
        var places: [ObjectReference: Int16] = [:]
        for request in requests where permanentName(of: request.reference) == nil {
            places[request.reference] = try place(
                of: model.entities[Int(request.reference.leaf)], assigned: request.assignedStore)
        }
        var names: [ObjectReference: ObjectReference] = [:]
        for (store, members) in Dictionary(grouping: places.keys, by: { places[$0] ?? 0 }) {
            try reserve(members, in: store, &names)
        }
        if names.isEmpty { return }
        // An object that refers to one that is not saved has changes.
        for object in inserted.union(updated).union(deleted) {
            if let name = names[object.reference] { rename(object, to: name) }
            object.edits?.rename { names[$0] ?? $0 }
        }
        undoManager?.rename { names[$0] ?? $0 }
        notifyChildren(names: names)
    }

    /// Reserves the keys of objects in one store; those of one entity come in the order of insertion.
    private func reserve(
        _ objects: [ObjectReference], in store: Int16, _ names: inout [ObjectReference: ObjectReference]
    ) throws(CofferError) {
        let groups = Dictionary(grouping: objects, by: \.leaf).sorted { $0.key < $1.key }.map(\.value)
        let reply = try coordinator.reserveKeys(
            ReserveKeysRequestMessage(
                store: registry.stores[Int(store)].handle,
                reservations: groups.map { KeyReservation(entity: Int($0[0].leaf), count: $0.count) }))
        guard reply.firstKeys.count == groups.count,
            zip(reply.firstKeys, groups).allSatisfy({ $0 > 0 && $0 <= .max - Int64($1.count) })
        else {
            throw .protocolViolation(
                "coffer.v1.ReserveKeysReply.first_keys: one above 0 for each reservation is needed")
        }
        for (first, group) in zip(reply.firstKeys, groups) {
            for (place, old) in group.sorted(by: { $0.key > $1.key }).enumerated() {
                names[old] = registry.reference(
                    store: store, entity: Int(old.leaf), key: first + Int64(place))
            }
        }
    }

    /// The store that a new object goes to.
    ///
    /// - Throws: `CofferError.unknown` if there is none that can be written.
    func place(of entity: EntityDescription, assigned: Int16?) throws(CofferError) -> Int16 {
        if let assigned { return assigned }
        let candidates = storesByEntity[entity.index]
        guard let place = candidates.first(where: { !registry.stores[Int($0)].isReadOnly }) else {
            throw .unknown(kind: "writable store for entity", name: entity.name)
        }
        return place
    }
}
