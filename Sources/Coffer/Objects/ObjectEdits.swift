import CofferModel

/// What an object has beyond the row it was read from; most objects have none of it.
final class ObjectEdits {
    /// Contents that were set and are not saved.
    var changed = SparseContents()
    /// Of a new object: properties that have the model's default, which were not set.
    var untouched: [Int] = []
    /// Stored contents that are newer than the row.
    var moved = SparseContents()
    /// Stored contents from before the store changed them under a local change: what a conflict is about.
    var ancestors = SparseContents()
    /// Changed properties under which the store has, or may have, something new, though what was there before
    /// was never read: a conflict, unless what is stored now is what is wanted.
    var unreadAncestors: Set<Int> = []
    /// Z_OPT of the snapshot that the first of `ancestors` belongs to.
    var ancestorVersion: UInt32 = 0
    /// Properties whose stored contents are no longer known.
    var stale: Set<Int> = []
    /// For each to-one relationship whose content is stale: the object that was there, or, of a pair, the one
    /// read since that has this object at its own end.
    var claims: [Int: ObjectReference] = [:]
    /// To-many relationships that were read or changed.
    var toMany: [Int: ToManyContent] = [:]
    /// The objects of fetched properties that were asked for, until the object is refreshed.
    var fetched: [String: [ManagedObjectID]] = [:]
    /// The store that an object not saved was assigned to, by its place in the context's list.
    var assignedStore: Int16?
    /// Whether the store's object was deleted elsewhere under a local change; without a local change, the
    /// object goes.
    var isDeletedInStore = false

    /// Notes what a property was before the store changed it under a local change, `nil` if that was never
    /// read; what was noted first stays.
    func noteAncestor(_ content: PropertyContent?, _ slot: Int, version: UInt32) {
        guard !ancestors.contains(slot), !unreadAncestors.contains(slot) else { return }
        if !hasAncestors { ancestorVersion = version }
        if let content { ancestors[slot] = content } else { unreadAncestors.insert(slot) }
    }

    /// Whether the store changed something under a local change.
    var hasAncestors: Bool { !ancestors.isEmpty || !unreadAncestors.isEmpty }

    /// Takes what the store changed as seen.
    func forgetAncestors() {
        ancestors.removeAll()
        unreadAncestors = []
    }

    /// Takes in what is stored of a property now; if that is what it was before the local change, it counts
    /// as unchanged in the store.
    func takeStored(_ content: PropertyContent, _ slot: Int) {
        moved[slot] = content
        if ancestors[slot] == content { ancestors[slot] = nil }
    }

    /// Makes what was sent what the store has, which is all but what was changed `late`.
    func accept(_ late: SaveInProgress.Sent?) {
        let all = changed
        changed.removeAll()
        guard let late else {
            moved.take(all)
            for slot in toMany.keys { toMany[slot]?.accept() }
            return
        }
        for (slot, content) in all.entries where !late.isLate(slot) { moved[slot] = content }
        for slot in toMany.keys where late.members[slot] == nil { toMany[slot]?.accept() }
        for case (let slot, let content?) in late.contents { moved[slot] = content }
        for (slot, content) in all.entries where late.isLate(slot) && moved[slot] != content {
            changed[slot] = content
        }
        for (slot, members) in late.members { toMany[slot]?.accept(as: members) }
    }

    /// Replaces references to objects by their new ones.
    func rename(_ name: (ObjectReference) -> ObjectReference) {
        changed.rename(name)
        moved.rename(name)
        ancestors.rename(name)
        claims = claims.mapValues(name)
        for slot in toMany.keys { toMany[slot]?.rename(name) }
    }

    /// Whether nothing is to be saved but that members left, as those do that the context deletes.
    var onlyLosesMembers: Bool {
        changed.isEmpty && toMany.values.allSatisfy { $0.added.isEmpty && !$0.isArranged }
    }

    /// Whether something is to be saved.
    var hasChanges: Bool { !changed.isEmpty || toMany.values.contains { $0.isChanged } }
}
