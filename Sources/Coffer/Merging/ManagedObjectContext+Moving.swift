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
    /// The key of an object in the new store.
    func key(of key: Int64, inTreeOf root: String) -> Int64 {
        key + Int64(clamping: offsets.first { $0.root == root }?.offset ?? 0)
    }
}

extension ManagedObjectContext {
    /// Takes in that a store was moved: its objects live on, as faults with their new ids; changes that were
    /// not saved are lost, as with any exchange.
    func storesDidMove(_ moved: CopiedStoreMessage) {
        guard let place = registry.storeIndex(uuid: moved.formerUUID) else { return storesDidChange() }
        tellLostChanges()
        giveUpGeneration()
        let living = takeOut(objectsOf: place)
        forgetAll()
        refreshStores(areExchanged: true)
        guard registry.stores.indices.contains(Int(place)), registry.stores[Int(place)].uuid == moved.uuid
        else {
            // What took its place has gone, too.
            for object in living { markGone(object) }
            return endStoresDidChange()
        }
        for object in living {
            let root = model.entities[Int(object.reference.root)].name
            object.reference.key = moved.key(of: object.reference.key, inTreeOf: root)
            registry.add(object)
        }
        hub.post(.didChangeIDs(ObjectIDChange(moved)))
        endStoresDidChange()
    }

    /// Takes the objects of a store out of the registry, without values and changes.
    private func takeOut(objectsOf store: Int16) -> [ManagedObject] {
        let living = registry.objects.filter {
            $0.reference.store == store && !$0.isInserted && !($0.edits?.isDeletedInStore ?? false)
        }
        merging {
            for object in living {
                revertChanges(of: object)
                object.status.remove([.deleted, .updated])
                updated.remove(object)
                deleted.remove(object)
                refresh(object, mergeChanges: false)
                // The store that held its row is gone.
                object.faults = nil
                object.status.remove(.held)
                registry.remove(object)
            }
        }
        return living
    }
}
