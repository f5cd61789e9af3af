import CofferModel
import CofferWire

extension ManagedObjectContext {
    /// Takes in that objects were merged into others: an object that is held goes on as the one that it was
    /// merged into, with its unsaved changes, and its former id leads there.
    func takeSuccessors(_ groups: [SuccessorGroup], of store: Int16) throws(CofferError) {
        var names: [ObjectReference: ObjectReference] = [:]
        for group in groups {
            guard model.entities.indices.contains(group.entity) else {
                throw .protocolViolation(
                    "coffer.v1.SuccessorGroup.entity: \(group.entity) is not in the model")
            }
            for (key, successor) in zip(group.primaryKeys, group.successors) {
                let old = registry.reference(store: store, entity: group.entity, key: key)
                names[old] = registry.reference(store: store, entity: group.entity, key: successor)
            }
        }
        if names.isEmpty { return }
        let change = Dictionary(uniqueKeysWithValues: names.map { (registry.id($0), registry.id($1)) })
        follow(names)
        notifyChildren(names: names)
        hub.post(.didChangeIDs(ObjectIDChange(change)))
    }
}
