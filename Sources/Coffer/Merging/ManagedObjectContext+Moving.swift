import CofferModel
import CofferWire

/// How ids of objects became others: those of the store that took a store's place, or of the objects that
/// they are one with since changes of another machine came.
public struct ObjectIDChange: Sendable, Equatable {
    private enum Kind: Sendable, Equatable {
        case moved(CopiedStoreMessage)
        case merged([ManagedObjectID: ManagedObjectID])
    }

    private let kind: Kind

    init(_ message: CopiedStoreMessage) { kind = .moved(message) }

    init(_ successors: [ManagedObjectID: ManagedObjectID]) { kind = .merged(successors) }

    /// The id that an object has now; `nil` for one of another store, one that was never saved, and one that
    /// became one with none.
    public func newID(of id: ManagedObjectID) -> ManagedObjectID? {
        switch kind {
        case .merged(let successors): successors[id]
        case .moved(let message): Self.newID(of: id, message)
        }
    }

    private static func newID(of id: ManagedObjectID, _ message: CopiedStoreMessage) -> ManagedObjectID? {
        guard id.storeUUID == message.formerUUID, case .permanent(let key) = id.key else { return nil }
        return ManagedObjectID(
            entity: id.entity, storeUUID: message.uuid,
            key: .permanent(message.key(of: key, inTreeOf: id.entity.rootName)))
    }
}

extension CopiedStoreMessage {
    /// How ids became others by this and then by `next`, which moved what this made.
    func followed(by next: CopiedStoreMessage) -> CopiedStoreMessage {
        var both = next
        both.formerUUID = formerUUID
        let roots = Set((offsets + next.offsets).map(\.root)).sorted()
        both.offsets = roots.map { root in
            KeyOffsetMessage(root: root, offset: self.offset(of: root) + next.offset(of: root))
        }
        return both
    }

    private func offset(of root: String) -> UInt64 { offsets.first { $0.root == root }?.offset ?? 0 }

    /// The key of an object in the new store.
    func key(of key: Int64, inTreeOf root: String) -> Int64 {
        key + Int64(clamping: offsets.first { $0.root == root }?.offset ?? 0)
    }
}

extension ManagedObjectContext {
    /// Takes in that a store was moved.
    ///
    /// Its objects live on, as faults with their new ids, and with what was not saved of them. So do objects
    /// that are not saved at all; one that was given a permanent id has none again.
    func storesDidMove(_ moved: CopiedStoreMessage) {
        let stores = coordinator.stores
        guard let place = registry.storeIndex(uuid: moved.formerUUID), stores.indices.contains(Int(place)),
            // Else what took its place has gone, too.
            stores[Int(place)].uuid == moved.uuid
        else { return storesDidChange() }
        giveUpGeneration()
        forgetRead(of: place)
        rename(by: MovedNames(moved, of: place, reserved: reserved, model))
        reserved.removeAll(of: place)
        mergedNames = mergedNames.filter { $0.key.store != place && $0.value.store != place }
        refreshStores(at: [Int(place)])
        registry.changeLog?.noteReload()
        hub.post(.didChangeIDs(ObjectIDChange(moved)))
        endStoresDidChange()
    }

    /// Makes all objects of a store faults, with their changes.
    private func forgetRead(of place: Int16) {
        registry.forgetReadAhead()
        merging {
            for object in registry.objects where !object.isInserted && object.reference.store == place {
                forgetRow(of: object)
            }
        }
        sendReleases()
    }

    /// Makes an object a fault, with its changes and with what was there before them: if that is another
    /// thing in the new file, the next save finds a conflict.
    private func forgetRow(of object: ManagedObject) {
        let (edits, version) = (object.edits, object.version)
        let before = edits.map { ($0.ancestors, $0.unreadAncestors, $0.ancestorVersion) }
        let known = edits?.changed.slots.filter { !object.entity.properties[$0].isTransient }
            .compactMap { slot in object.knownContent(slot).map { (slot, $0) } }
        refresh(object, mergeChanges: true)
        // The store that held its row is gone.
        object.faults = nil
        object.status.remove(.held)
        guard let edits = object.edits, let before else { return }
        (edits.ancestors, edits.unreadAncestors, edits.ancestorVersion) = before
        for (slot, content) in known ?? [] { edits.noteAncestor(content, slot, version: version) }
    }

    private func rename(by names: MovedNames) {
        undoManager?.rename(names.name)
        registry.saveInProgress?.rename(names.name)
        var renamed: [ManagedObject] = []
        for object in registry.objects {
            object.edits?.rename(names.name)
            if names.name(object.reference) == object.reference { continue }
            registry.remove(object)
            renamed.append(object)
        }
        // Not before all of them have left the names that others have now.
        for object in renamed {
            object.reference = names.name(object.reference)
            registry.add(object)
        }
    }
}

/// What objects of a store are called since its objects are in another file.
private struct MovedNames {
    private let moved: CopiedStoreMessage
    private let place: Int16
    private let reserved: ReservedNames
    private let model: ManagedObjectModel

    init(
        _ moved: CopiedStoreMessage, of place: Int16, reserved: ReservedNames, _ model: ManagedObjectModel
    ) {
        (self.moved, self.place, self.reserved, self.model) = (moved, place, reserved, model)
    }

    func name(_ old: ObjectReference) -> ObjectReference {
        guard old.store == place, !old.isUnsaved else { return old }
        // The key that was reserved for it is another object's in the new file, or will be.
        if let key = reserved.key(of: old) { return old.unsaved(key) }
        var new = old
        new.key = moved.key(of: old.key, inTreeOf: model.entities[Int(old.root)].name)
        return new
    }
}
