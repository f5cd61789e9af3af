/// What objects and listeners are to be told of one store's part of a save.
struct AcceptedSave {
    /// Objects that the store inserted and changed.
    var saved: [ManagedObject]
    /// Objects whose deletes the store refused.
    var kept: [ManagedObject]
    /// `nil` if there is no listener.
    var notification: ContextNotification?
}

extension ManagedObjectContext {
    /// Sends requests, one after the other, and settles what no request carries.
    ///
    /// The application is told when nothing of the save is under way any more: what it changes in `didSave`
    /// and in handlers is a change like any other, and the next save sends it.
    func send(_ saves: [PreparedSave]) throws(CofferError) {
        let unsent = changesWithoutRequest(saves)
        var settled: [AcceptedSave] = []
        do throws(CofferError) {
            for save in saves { settled.append(try send(save)) }
        } catch {
            conclude(settled, movesOn: !settled.isEmpty)
            throw error
        }
        for object in unsent { acceptUnsent(object) }
        sendReleases()
        conclude(settled, movesOn: true)
    }

    /// Ends the save and tells of it; a context that `movesOn` and has a state pinned reads from then on one
    /// that shows what was saved.
    private func conclude(_ settled: [AcceptedSave], movesOn: Bool) {
        let wasPinned = movesOn && pinned != nil
        if wasPinned { renewGeneration() }
        let renewed = pinned
        endSave()
        notify(settled)
        // A handler that moved the context on has taken in what is there.
        if wasPinned, pinned === renewed { followGeneration() }
    }

    /// Objects with nothing but changes that no request carries: transient properties, and the many sides of
    /// one-to-many relationships.
    private func changesWithoutRequest(_ saves: [PreparedSave]) -> [ManagedObject] {
        // A request accounts for all changed objects of its store: mostly that is all there are.
        if updated.count == saves.reduce(0, { $0 + $1.updated.count + $1.related.count }) { return [] }
        let stores = saves.map(\.store)
        return updated.filter { !stores.contains($0.reference.store) }
    }

    /// Accepts changes that needed no request, and drops the object if the store no longer has it.
    private func acceptUnsent(_ object: ManagedObject) {
        if object.edits?.isDeletedInStore ?? false { dropDeleted(object) } else { acceptChanges(object) }
    }

    private func notify(_ saves: [AcceptedSave]) {
        for save in saves {
            didAccept(save.saved)
            for object in save.kept { object.awake(fromSnapshotEvents: .rollback) }
            if let notification = save.notification { hub.post(notification) }
        }
    }

    /// Tells objects that they were saved.
    func didAccept(_ objects: [ManagedObject]) {
        for object in objects { object.didSave() }
    }
}
