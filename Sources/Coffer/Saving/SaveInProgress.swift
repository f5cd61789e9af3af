/// What was sent of objects that a hook, a handler or an observer changes before their save is over.
///
/// Confined with its context, which has one from the time when it makes requests until all is settled, and
/// none any more when the application is told that they are over. What was sent is saved then, and what was
/// changed since stays a change.
final class SaveInProgress {
    /// What was sent of one object's properties that were changed since.
    struct Sent {
        /// `nil` if nothing was sent of a property.
        var contents: [Int: PropertyContent?] = [:]
        /// Relationships of which nothing was sent are left out.
        var members: [Int: ToManyContent] = [:]

        /// Whether a property was changed since.
        func isLate(_ slot: Int) -> Bool { contents[slot] != nil }

        mutating func rename(_ name: (ObjectReference) -> ObjectReference) {
            contents = contents.mapValues { $0?.renamed(name) }
            for slot in members.keys { members[slot]?.rename(name) }
        }
    }

    private var sent: [ManagedObject: Sent] = [:]
    /// Objects that were inserted since.
    private var newcomers: Set<ManagedObject> = []
    /// Objects that are sent to be inserted, and were deleted since.
    private var orphans: Set<ManagedObject> = []

    /// Whether nothing was changed.
    var isUndisturbed: Bool { sent.isEmpty }

    /// Comes before property `slot` of an object is changed.
    func willChange(_ object: ManagedObject, _ slot: Int) {
        if sent[object]?.contents[slot] != nil { return }
        // If nothing is sent of a new object's property, it is null.
        let nothing: PropertyContent? = object.status.contains(.inserted) ? .null : nil
        let content = object.edits?.changed[slot] ?? nothing
        sent[object, default: Sent()].contents.updateValue(content, forKey: slot)
    }

    /// Comes before the to-many relationship `slot` of an object is changed.
    func willChangeMembers(_ object: ManagedObject, _ slot: Int) {
        guard sent[object]?.members[slot] == nil else { return }
        sent[object, default: Sent()].members[slot] =
            object.edits?.toMany[slot]
            ?? ToManyContent(stored: object.status.contains(.inserted) ? [] : nil)
    }

    /// Comes before all changes of an object are taken back.
    func willRevert(_ object: ManagedObject) {
        guard let edits = object.edits else { return }
        for slot in edits.changed.slots { willChange(object, slot) }
        for slot in edits.toMany.keys { willChangeMembers(object, slot) }
    }

    /// Whether a property has been sent with something else than the store had.
    func hasSent(_ object: ManagedObject, _ slot: Int) -> Bool {
        (sent[object]?.contents[slot] ?? nil) != nil
    }

    /// Calls objects by new names in what was sent.
    func rename(_ name: (ObjectReference) -> ObjectReference) {
        for object in sent.keys { sent[object]?.rename(name) }
    }

    /// What was sent of an object that was changed since.
    func sent(of object: ManagedObject) -> Sent? { sent.isEmpty ? nil : sent[object] }

    /// Removes and returns what was sent of an object whose part of the save is over.
    func takeSent(of object: ManagedObject) -> Sent? { sent.isEmpty ? nil : sent.removeValue(forKey: object) }
}

/// Objects that come and go meanwhile.
extension SaveInProgress {
    /// Notes that an object was inserted, which is not sent.
    func noteNewcomer(_ object: ManagedObject) { newcomers.insert(object) }

    /// Notes that an object was deleted that has no row yet; `false` if it is not sent either.
    func noteOrphan(_ object: ManagedObject) -> Bool {
        if newcomers.contains(object) { return false }
        orphans.insert(object)
        return true
    }

    /// The orphans that got no row after all, and were not brought back.
    var unborn: Set<ManagedObject> { orphans.filter { $0.status.isSuperset(of: [.inserted, .deleted]) } }
}
