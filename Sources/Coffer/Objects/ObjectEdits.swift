import CofferModel

/// What an object has beyond the row it was read from; most objects have none of it.
final class ObjectEdits {
    /// Contents that were set and are not saved.
    var changed = SparseContents()
    /// Stored contents that are newer than the row.
    var moved = SparseContents()
    /// Stored contents from before the store changed them under a local change: what a conflict is about.
    var ancestors = SparseContents()
    /// Z_OPT of the snapshot that the first of `ancestors` belongs to.
    var ancestorVersion: UInt32 = 0
    /// Properties whose stored contents are no longer known.
    var stale: Set<Int> = []
    /// To-many relationships that were read or changed.
    var toMany: [Int: ToManyContent] = [:]
    /// The objects of fetched properties that were asked for, until the object is refreshed.
    var fetched: [String: [ManagedObjectID]] = [:]
    /// The store that an object not saved was assigned to, by its place in the context's list.
    var assignedStore: Int16?
    /// Whether the store's object was deleted by somebody else under a local change; without one, the object goes.
    var isDeletedInStore = false

    /// Notes what a property was before the store changed it under a local change; what was noted first stays.
    func noteAncestor(_ content: PropertyContent?, _ slot: Int, version: UInt32) {
        guard ancestors[slot] == nil else { return }
        if ancestors.isEmpty { ancestorVersion = version }
        ancestors[slot] = content
    }

    /// Takes in what is stored of a property now; where it is what it was before the local change, nobody changed it.
    func takeStored(_ content: PropertyContent, _ slot: Int) {
        moved[slot] = content
        if ancestors[slot] == content { ancestors[slot] = nil }
    }

    /// Names objects anew.
    func rename(_ name: (ObjectReference) -> ObjectReference) {
        changed.rename(name)
        moved.rename(name)
        ancestors.rename(name)
        for slot in toMany.keys { toMany[slot]?.rename(name) }
    }

    /// Whether nothing is to be saved but that members left, as those do that the context deletes.
    var onlyLosesMembers: Bool {
        changed.isEmpty && toMany.values.allSatisfy { $0.added.isEmpty && !$0.isArranged }
    }

    /// Whether something is to be saved.
    var hasChanges: Bool { !changed.isEmpty || toMany.values.contains { $0.isChanged } }
}
