import CofferModel
import CofferWire

extension ManagedObjectContext {
    /// Makes a new object that took the id of a stored one a fault of it, which the refreshed row then fills;
    /// what was changed of it since it was sent stays a change.
    func acceptMerged(_ object: ManagedObject, _ names: [ObjectReference: ObjectReference]) {
        guard !object.status.contains(.gone) else { return }
        let late = takeLateChanges(of: object)
        object.status.remove(.inserted)
        object.status.insert(.held)
        guard let edits = object.edits else { return }
        edits.changed.keep { object.entity.properties[$0].isTransient }
        edits.toMany = late?.members ?? [:]
        for (slot, content) in late?.contents ?? [] { edits.changed[slot] = content }
        edits.rename { names[$0] ?? $0 }
        if late != nil, !object.isLost {
            object.status.insert(.updated)
            updated.insert(object)
        }
        object.dropIdleEdits()
    }

    /// Lets the ids of an object that became another lead to that one.
    func noteMerged(_ old: ObjectReference, _ new: ObjectReference) {
        if mergedNames.count >= Limits.mergedNames { mergedNames.removeAll() }
        mergedNames[old] = new
        if let key = reserved.key(of: old) { mergedNames[old.unsaved(key)] = new }
    }

    /// The objects that new ones of a save are one with.
    func mergedObjects(_ save: PreparedSave, _ saved: SavedMessage) -> Set<ManagedObject> {
        if saved.merged.isEmpty { return [] }
        let inserted = save.inserted.flatMap(\.self)
        return Set(
            saved.merged.keys.compactMap { place in
                inserted.indices.contains(place) ? registry.object(inserted[place].reference) : nil
            })
    }

    /// Makes to-many relationships be read again: their members may have stood there under several names.
    func forgetMembers(_ objects: [ManagedObject]) {
        for object in objects {
            guard let edits = object.edits else { continue }
            for slot in edits.toMany.keys { edits.toMany[slot]?.unload() }
            edits.toMany = edits.toMany.filter { $0.value.isChanged }
            object.dropIdleEdits()
        }
    }

    /// The conflicts that a refused save tells of, those over the same values together.
    func constraintConflicts(
        _ messages: [ConstraintConflictMessage], store: Int16, of request: SaveRequestMessage? = nil
    ) throws(CofferError)
        -> [ConstraintConflict]
    {
        var conflicts: [ConstraintConflict] = []
        var places: [ConstraintConflict.Key: Int] = [:]
        for message in messages {
            let conflict = try conflict(message, store: store, request)
            if let place = places[conflict.key] {
                conflicts[place].objectIDs += conflict.objectIDs.filter {
                    !conflicts[place].objectIDs.contains($0)
                }
            } else {
                places[conflict.key] = conflicts.count
                conflicts.append(conflict)
            }
        }
        return conflicts
    }

    private func conflict(
        _ message: ConstraintConflictMessage, store: Int16, _ request: SaveRequestMessage?
    ) throws(CofferError) -> ConstraintConflict {
        let own = id(message.object, store: store)
        let object = object(with: own)
        var conflict = ConstraintConflict(
            entityName: object.entity.name, constraint: message.constraint,
            values: object.values(
                message.constraint.compactMap { name in
                    guard let slot = object.entity.propertyIndex(named: name) else { return nil }
                    let sent = request?.value(slot, of: message.object)
                    return (slot, sent.map { .value($0) } ?? object.content(slot))
                }),
            objectIDs: [own], existingID: nil, stored: nil)
        guard let existing = message.existing else { return conflict }
        let existingID = id(existing, store: store)
        if existing.temporaryID != nil {
            conflict.objectIDs.insert(existingID, at: 0)
        } else {
            conflict.existingID = existingID
            conflict.stored = try message.stored.map { rows throws(CofferError) in
                try storedValues(rows, of: self.object(with: existingID))
            }
        }
        return conflict
    }

    /// The values of the one row of a batch.
    func storedValues(_ rows: RowBatch, of object: ManagedObject) throws(CofferError) -> [String:
        AttributeValue]
    {
        let batch = try registry.snapshots(rows, .part)
        return object.values(
            object.layout.storedSlots.compactMap { slot in
                object.rowContent(slot, of: batch, row: 0).map { (slot, $0) }
            })
    }
}

extension SaveRequestMessage {
    /// What a batch insert sends of an attribute of a row, which no context has.
    fileprivate func value(_ slot: Int, of object: ObjectReferenceMessage) -> AttributeValue? {
        for group in inserts where group.entity == object.entity {
            guard let id = object.temporaryID, let row = group.temporaryIDs.firstIndex(of: id) else {
                continue
            }
            guard let column = group.columns.first(where: { $0.property == slot }) else { return .null }
            return AttributeType.allCases.lazy.map { column.value(at: row, type: $0) }.first { $0 != .null }
        }
        return nil
    }
}
