import CofferModel
import CofferWire

/// How ids of a store's objects became those of the store that took its place.
public struct ObjectIDChange: Sendable, Equatable {
    let message: CopiedStoreMessage

    init(_ message: CopiedStoreMessage) { self.message = message }

    /// The id that an object has now; `nil` for one of another store, and one that was never saved.
    public func newID(of id: ManagedObjectID) -> ManagedObjectID? {
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
