import CofferModel
import CofferWire

/// An object of one store by its leaf entity and key, as messages name it.
struct StoredName: Hashable {
    var entity: Int
    var key: Int64
}

extension ManagedObject {
    /// What messages call the object.
    final var storedName: StoredName { StoredName(entity: Int(reference.leaf), key: reference.key) }
}

extension SavedMessage {
    /// The objects whose rows the store sends back, since they are not what the request would make them.
    ///
    /// Each row brings its version along: the former one, if all of it was kept. An object that was deleted
    /// has no row. So if the request deletes one of these, the merge policy let a change made elsewhere win,
    /// and kept the object.
    var refreshedNames: Set<StoredName> {
        var names: Set<StoredName> = []
        for rows in refreshed {
            for (row, key) in rows.primaryKeys.enumerated() {
                names.insert(StoredName(entity: rows.leafEntity(row), key: key))
            }
        }
        return names
    }
}

extension MergePolicyMessage {
    /// Whether a change made elsewhere may win over a delete.
    ///
    /// What a constraint demands never does.
    var mayKeepDeleted: Bool { rule.decide(.contested) == .stored }
}

extension [DeleteGroup] {
    /// The groups without some objects.
    func without(_ names: Set<StoredName>) -> [DeleteGroup] {
        if names.isEmpty { return self }
        return compactMap { group in
            let rows = group.primaryKeys.indices.filter {
                !names.contains(StoredName(entity: group.entity, key: group.primaryKeys[$0]))
            }
            if rows.isEmpty { return nil }
            var rest = group
            rest.primaryKeys = rows.map { group.primaryKeys[$0] }
            rest.versions = rows.map { group.versions[$0] }
            let places = Dictionary(uniqueKeysWithValues: rows.enumerated().map { (UInt32($1), UInt32($0)) })
            let detached = group.detachedRows.indices.filter { places[group.detachedRows[$0]] != nil }
            rest.detachedRows = detached.compactMap { places[group.detachedRows[$0]] }
            rest.detachedProperties = detached.map { group.detachedProperties[$0] }
            return rest
        }
    }
}

extension ManagedObjectContext {
    /// Takes back that objects were deleted, and what was changed of them before; their row is still to come.
    ///
    /// Other objects that list them as members forget that list: they had followed the delete.
    func takeBackDeletion(of objects: [ManagedObject]) {
        for object in objects {
            deleted.remove(object)
            object.status.remove(.deleted)
            object.edits?.isDeletedInStore = false
            revertChanges(of: object)
            for slot in object.edits?.toMany.keys ?? [:].keys { object.edits?.toMany[slot]?.unload() }
            object.dropIdleEdits()
        }
        forgetMembership(of: objects)
    }

    /// Makes to-many relationships that objects may be in be read again.
    private func forgetMembership(of objects: [ManagedObject]) {
        var inverses: Set<Inverse> = []
        for object in objects {
            for case let relationship? in object.layout.relationships where relationship.isInverseToMany {
                guard let slot = relationship.inverseSlot else { continue }
                inverses.insert(Inverse(entity: relationship.destination.index, slot: slot))
            }
        }
        for inverse in inverses {
            let entity = model.entities[inverse.entity]
            for object in registry.objects(root: entity.rootIndex)
            where object.entity.isKind(of: entity) && object.edits?.toMany[inverse.slot] != nil {
                object.withMutation(of: [inverse.slot]) { object.edits?.toMany[inverse.slot]?.unload() }
                forgetMembers([object])
            }
        }
    }

    private struct Inverse: Hashable {
        var entity: Int
        var slot: Int
    }
}
