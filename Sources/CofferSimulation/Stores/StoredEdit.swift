internal import Coffer
internal import CofferCoordination
internal import CofferMerge
internal import CofferModel
internal import CofferStores
internal import CofferUbiquity

/// A user's edit as an application makes it of a store's objects.
///
/// All kinds of edits are carried over: what rules of the store follow from them is left to the store, and so
/// is where an object that is brought back comes from, which is another one here. A deletion by a cascade is
/// the store's doing, as is the other end of a relationship.
struct StoredEdit {
    private let edit: Save
    private let reading: ReplicaReading
    private let store: PersistentStore

    init(_ edit: Save, reading: ReplicaReading, store: PersistentStore) {
        (self.edit, self.reading, self.store) = (edit, reading, store)
    }

    /// Makes the edit in a context, which is to be saved then.
    func make(in context: ManagedObjectContext) throws {
        var inserted: [RecordID: ManagedObject] = [:]
        func find(_ name: RecordID) throws -> ManagedObject {
            if let object = inserted[name] { return object }
            guard let row = reading.addresses[name] else {
                throw Divergence(.broken("\(name.label) is seen, and has no row"))
            }
            return context.object(
                with: ManagedObjectID(
                    entity: store.model.entities[row.entity], storeUUID: store.uuid, key: .permanent(row.key))
            )
        }
        for change in edit.changes {
            switch change {
            case .insert(let name, let entity):
                inserted[name] = try context.insert(entityNamed: entity)
            case .set(let name, let property, let cell):
                let object = try find(name)
                switch cell.content {
                case .record(let target): try object.setObjects([try find(target)], forKey: property)
                case .value(let value): try object.setValue(value, forKey: property)
                case .null, .large: try object.setValue(.null, forKey: property)
                }
            case .delete(let name, let property):
                if property == nil { context.delete(try find(name)) }
            case .pair(let name, let property, let other, let isIn):
                let (owner, member) = (try find(name), try find(other))
                let members = owner.objects(forKey: property).filter { $0 !== member }
                try owner.setObjects(isIn ? members + [member] : members, forKey: property)
            case .order(let name, let property, let members):
                try find(name).setObjects(try members.map { try find($0) }, forKey: property)
            }
        }
    }
}
