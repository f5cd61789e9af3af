import CofferModel

/// What was changed, since it was sent, of a new object that a uniqueness constraint made one with a stored
/// one.
struct LateChanges {
    let contents: [(slot: Int, content: PropertyContent)]
    /// The objects that entered and left to-many relationships since; the members from before are not known.
    let members: [Int: ToManyContent]

    /// `nil` if nothing was changed late.
    init?(_ object: ManagedObject, since sent: SaveInProgress.Sent) {
        guard let edits = object.edits else { return nil }
        contents = edits.changed.entries.filter { slot, content in
            sent.isLate(slot) && content != (sent.contents[slot] ?? nil)
                && !object.layout.derivedSlots.contains(slot)
        }
        var members: [Int: ToManyContent] = [:]
        for (slot, before) in sent.members {
            guard var content = edits.toMany[slot] else { continue }
            content.accept(as: before)
            content.unload()
            if content.isChanged { members[slot] = content }
        }
        self.members = members
        if contents.isEmpty && members.isEmpty { return nil }
    }
}

/// Late changes, and the object that the context has of the stored one: from now on they are its own.
struct CarriedChanges {
    let object: ManagedObject
    /// `nil` if only the object was deleted.
    let changes: LateChanges?
    /// Whether the new object was deleted since it was sent.
    let isDeletion: Bool
}

extension ManagedObjectContext {
    /// What was changed of a new object since it was sent; asked once, when it has become a stored one.
    func takeLateChanges(of object: ManagedObject) -> LateChanges? {
        registry.saveInProgress?.takeSent(of: object).flatMap { LateChanges(object, since: $0) }
    }

    /// Makes late changes those of the object that the context had already, with the names that objects have
    /// by now.
    ///
    /// Objects at the other end of a to-many relationship follow the new name by themselves.
    func carry(_ carried: CarriedChanges, _ names: [ObjectReference: ObjectReference]) {
        let object = carried.object
        if object.isLost { return }
        if carried.isDeletion { return delete(object) }
        guard let changes = carried.changes else { return }
        for (slot, content) in changes.contents {
            let content = content.renamed { names[$0] ?? $0 }
            if let relationship = object.layout.relationships[slot] {
                object.setTarget(content.reference.map { self.object($0) }, relationship)
            } else {
                object.record(content, slot)
            }
        }
        for (slot, content) in changes.members {
            var content = content
            content.rename { names[$0] ?? $0 }
            for member in content.removed { object.dropMember(slot, member) }
            for member in content.added { object.addMember(slot, member) }
            if let relationship = object.layout.relationships[slot] {
                object.moveMembers(content.savedMoves(knowsEntry: true), relationship)
            }
        }
    }
}
