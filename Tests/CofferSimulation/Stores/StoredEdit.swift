internal import Coffer
internal import CofferCoordination
internal import CofferMerge
internal import CofferModel
internal import CofferStores
internal import CofferUbiquity

/// A user's edit as an application makes it of a store's objects.
///
/// What rules of the store make of it is left to the store: which objects a deletion takes along, and what
/// becomes of the other ends of relationships.
struct StoredEdit {
    private let edit: Save
    private let reading: ReplicaReading
    private let store: PersistentStore

    init(_ edit: Save, reading: ReplicaReading, store: PersistentStore) {
        (self.edit, self.reading, self.store) = (edit, reading, store)
    }

    /// The object of a name in a context.
    func object(_ name: RecordID, in context: ManagedObjectContext) throws -> ManagedObject {
        guard let row = reading.addresses[name] else {
            throw Divergence(.broken("\(name.label) is seen, and has no row"))
        }
        return context.object(
            with: ManagedObjectID(
                entity: store.model.entities[row.entity], storeUUID: store.uuid, key: .permanent(row.key)))
    }

    /// What the version of the store's model calls a property of an object.
    func key(_ property: String, of object: ManagedObject) -> String {
        guard let place = edit.model.entities[object.entity.name]?.propertyIndex(property) else {
            return property
        }
        return object.entity.properties[place].name
    }

    /// The last change of each attribute that is something else in a context, as long as its object is there.
    func settingAnew(in context: ManagedObjectContext) throws -> [LocalEdit.Change] {
        var told: Set<[String]> = []
        return try edit.changes.reversed().filter { change in
            guard case .set(let name, let property, let cell) = change, let row = reading.rows[name],
                row.values[property] != nil, told.insert([name.label, property]).inserted
            else { return false }
            let object = try object(name, in: context)
            let value = object[key(property, of: object)]
            return cell.content != LongText.content(of: value)
        }
    }

    /// Makes the edit in a context, which is to be saved then.
    ///
    /// - Parameters:
    ///   - context: The context.
    ///   - back: What is inserted, if it was deleted and is brought back.
    /// - Throws: `CofferError` if it does not fit.
    func make(in context: ManagedObjectContext, bringingBack back: ManagedObject?) throws {
        var inserted: [RecordID: ManagedObject] = [:]
        var owners = SetOwners(edit.model, reading)
        func find(_ name: RecordID) throws -> ManagedObject {
            if let object = inserted[name] { return object }
            // What cannot be read looks empty, and to empty it would be no change.
            let object = try object(name, in: context)
            try object.requireValues()
            return object
        }
        for change in edit.changes {
            switch change {
            case .insert(let name, let entity):
                inserted[name] = try back ?? context.insert(entityNamed: entity)
            case .set(let name, let property, let cell):
                let object = try find(name)
                if let change = owners.change(name, of: object.entity.name, property, to: cell.record) {
                    // Sets without inverse have the same names in both versions.
                    for owner in change.left {
                        let owner = try find(owner)
                        try owner.setObjects(
                            owner.objects(forKey: change.set).filter { $0 !== object }, forKey: change.set)
                    }
                    if let owner = try cell.record.map(find) {
                        let others = owner.objects(forKey: change.set).filter { $0 !== object }
                        try owner.setObjects(others + [object], forKey: change.set)
                    }
                    continue
                }
                let key = key(property, of: object)
                switch cell.content {
                case .record(let target): try object.setObjects([try find(target)], forKey: key)
                case .value, .large, .null:
                    try object.setValue(LongText.value(of: cell.content), forKey: key)
                }
            case .delete(let name, let property):
                if property == nil { context.delete(try find(name)) }
            case .pair(let name, let property, let other, let isIn):
                let (owner, member) = (try find(name), try find(other))
                let key = key(property, of: owner)
                let members = owner.objects(forKey: key).filter { $0 !== member }
                try owner.setObjects(isIn ? members + [member] : members, forKey: key)
            case .order(let name, let property, let members):
                let owner = try find(name)
                try owner.setObjects(
                    try members.map { try find($0) }, forKey: key(property, of: owner))
            }
        }
        // Members that could not be read looked as if there were none.
        if let error = context.lastFaultError { throw error }
    }
}

/// The owners of objects in to-many relationships without inverse, which the owners have as properties.
private struct SetOwners {
    private let model: MergeModel
    private let reading: ReplicaReading
    private var owners: [RecordID: [String: RecordID?]] = [:]

    init(_ model: MergeModel, _ reading: ReplicaReading) { (self.model, self.reading) = (model, reading) }

    /// Which set changes when an object gets an owner or none, and which owners lose it; `nil` if `property`
    /// is one of the object's own.
    ///
    /// An owner in the file loses it by another's getting it; contexts do not know of that one.
    mutating func change(
        _ name: RecordID, of entity: String, _ property: String, to owner: RecordID?
    ) -> (left: [RecordID], set: String)? {
        guard let relationship = model.entities[entity]?.references[property], relationship.isUnnamed,
            let set = relationship.inverse?.property
        else { return nil }
        var left: Set<RecordID> = []
        if let former = owners[name]?[property] ?? nil { left.insert(former) }
        if owner == nil, let first = reading.rows[name]?.references[property] { left.insert(first) }
        owners[name, default: [:]][property] = .some(owner)
        return (left.subtracting(owner.map { [$0] } ?? []).sorted(), set)
    }
}
