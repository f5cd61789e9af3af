import CofferModel
import CofferWire

extension ManagedObjectContext {
    /// Takes over the versions that owners have got with their to-many relationships.
    func adoptVersions(of touched: [ChangeGroup], store: Int16) {
        for group in touched {
            for (key, version) in zip(group.primaryKeys, group.versions) {
                let reference = registry.reference(store: store, entity: group.entity, key: key)
                guard let object = registry.object(reference), !object.isInserted, object.batch != nil else {
                    continue
                }
                object.adopt(version, of: group.properties)
            }
        }
    }

    /// Makes owners from which others of this save took members read their members again: without an inverse,
    /// it is not known here whose they were.
    func forgetTakenMembers(
        of save: PreparedSave, touched: [ChangeGroup], telling change: inout ParentChange
    ) {
        let taken = takenMembers(save)
        if taken.isEmpty { return }
        for group in touched {
            for key in group.primaryKeys {
                let owner = registry.reference(store: save.store, entity: group.entity, key: key)
                for slot in group.properties {
                    guard let members = taken[slot],
                        registry.layout(Int(owner.leaf)).relationships[slot].map({ $0.inverseSlot == nil })
                            ?? false
                    else { continue }
                    if hasChildren {
                        change.updates.append(ParentChange.Update(reference: owner, contents: [(slot, nil)]))
                    }
                    guard let object = registry.object(owner),
                        object.edits?.toMany[slot]?.members?.contains(where: {
                            members[$0].map { $0 != owner } ?? false
                        }) ?? false
                    else { continue }
                    object.withMutation(of: [slot]) { object.edits?.toMany[slot]?.unload() }
                }
            }
        }
    }

    /// By slot: the objects that entered a relationship without inverse, and the last owner that took each.
    private func takenMembers(_ save: PreparedSave) -> [Int: [ObjectReference: ObjectReference]] {
        var taken: [Int: [ObjectReference: ObjectReference]] = [:]
        var inserted: [ManagedObject]?
        for sent in save.request.setChanges {
            let relationships = registry.layout(sent.entity).relationships
            guard let relationship = relationships[sent.property], relationship.inverseSlot == nil else {
                continue
            }
            func reference(_ key: Int64, _ entity: Int) -> ObjectReference? {
                if key > 0 { return registry.reference(store: save.store, entity: entity, key: key) }
                let all = inserted ?? save.inserted.flatMap(\.self)
                inserted = all
                let place = Int(-key - 1)
                return all.indices.contains(place) ? all[place].reference : nil
            }
            for (owner, target) in zip(sent.owners, sent.targets) {
                guard let owner = reference(owner, sent.entity),
                    let target = reference(target, relationship.destination.index)
                else { continue }
                taken[sent.property, default: [:]][target] = owner
            }
        }
        return taken
    }
}
