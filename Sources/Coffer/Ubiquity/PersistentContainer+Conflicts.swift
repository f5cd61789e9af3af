internal import CofferModel
internal import CofferWire

extension RemoteCoordinator {
    /// What merging overruled in a store, the oldest first.
    package func conflicts(
        of store: CoordinatedStoreDescription, after number: UInt64 = 0
    ) throws(CofferError) -> [UbiquitousConflict] {
        var found: [UbiquitousConflict] = []
        var last = number
        while true {
            let request = ListConflictsRequestMessage(store: store.handle, after: last)
            let reply = try client.call(
                .listConflicts, request, of: self.store(store.handle), reply: ListConflictsReplyMessage.self)
            found += reply.conflicts.compactMap { UbiquitousConflict($0, in: store, of: model) }
            guard reply.hasMore, let next = reply.conflicts.last?.number else { return found }
            last = next
        }
    }

    /// Saves what a conflict overruled; the number of the transaction is 0 if it was undone before.
    package func undoConflict(_ number: UInt64, ofStore handle: UInt32) throws(CofferError) -> UInt64 {
        try client.call(
            .undoConflict, UndoConflictRequestMessage(store: handle, number: number), of: store(handle),
            reply: UndoConflictReplyMessage.self
        ).number
    }
}

/// What merging with other machines overruled.
extension PersistentContainer {
    /// The conflicts of a shared store, the oldest first; they are kept for 90 days.
    ///
    /// Each machine has its own journal. Both have what both did without having seen the other's edit: what
    /// was written here and yielded, and what came and yielded to what was written here.
    ///
    /// - Parameters:
    ///   - number: Only later ones; 0 for all.
    ///   - name: The store's name; if `nil`, the first one that is shared.
    /// - Returns: The conflicts.
    /// - Throws: `.refused` with the reason `not_shared` if the store is not shared; `.unavailable`.
    public func ubiquitousConflicts(
        after number: UInt64 = 0, storeNamed name: String? = nil
    ) throws(CofferError) -> [UbiquitousConflict] {
        let coordinator = try sharingCoordinator
        return try coordinator.conflicts(of: coordinator.sharedStore(named: name), after: number)
    }

    /// Saves what a conflict overruled, as an ordinary edit, which goes to all machines: sets values again,
    /// makes an object again with the values that it had, or deletes it.
    ///
    /// Contexts that are open merge it like anybody's save. An object that is made again is another one, with
    /// another id.
    ///
    /// - Parameter conflict: One of `ubiquitousConflicts`.
    /// - Returns: The number of the transaction; `nil` if it was undone before.
    /// - Throws: `.refused` if the object, or one that it led to, is gone, if the value is not kept since it
    ///   is large, or if other objects or rules forbid it; `.unavailable`.
    @discardableResult
    public func undo(_ conflict: UbiquitousConflict) throws(CofferError) -> UInt64? {
        let number = try sharingCoordinator.undoConflict(conflict.number, ofStore: conflict.store)
        return number == 0 ? nil : number
    }
}
