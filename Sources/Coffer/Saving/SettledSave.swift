/// What objects and listeners are to be told of one store's part of a save.
struct SettledSave {
    /// Objects that the store inserted and changed.
    var saved: [ManagedObject]
    /// Objects whose deletes the store refused.
    var kept: [ManagedObject]
    /// `nil` where nobody hears it.
    var notification: ContextNotification?
}

extension ManagedObjectContext {
    /// Sends requests, one after the other, and settles what no request carries.
    ///
    /// The application is told when nothing of the save is under way any more: what it changes in `didSave` and in handlers is a change
    /// like any other, and the next save sends it.
    func send(_ saves: [PreparedSave]) throws(CofferError) {
        let unsent = changesWithoutRequest(saves)
        var settled: [SettledSave] = []
        do throws(CofferError) {
            for save in saves { settled.append(try send(save)) }
        } catch {
            conclude(settled, movesOn: !settled.isEmpty)
            throw error
        }
        for object in unsent { settleUnsent(object) }
        sendReleases()
        conclude(settled, movesOn: true)
    }

    /// Ends the save and tells of it; who `movesOn` and has a state pinned reads one from then on that shows what was saved.
    private func conclude(_ settled: [SettledSave], movesOn: Bool) {
        let wasPinned = movesOn && pinned != nil
        if wasPinned { renewGeneration() }
        let renewed = pinned
        endSave()
        tell(settled)
        // Who was told and moved on has taken in what is there.
        if wasPinned, pinned === renewed { followGeneration() }
    }

    /// Objects with nothing but changes that no request carries: transient properties, and the many sides of one-to-many relationships.
    private func changesWithoutRequest(_ saves: [PreparedSave]) -> [ManagedObject] {
        // A request accounts for all changed objects of its store: mostly that is all there are.
        if updated.count == saves.reduce(0, { $0 + $1.updated.count + $1.related.count }) { return [] }
        let stores = saves.map(\.store)
        return updated.filter { !stores.contains($0.reference.store) }
    }

    /// The store refuses no such change of an object that it has no more: that goes here.
    private func settleUnsent(_ object: ManagedObject) {
        if object.edits?.isDeletedInStore ?? false { dropDeleted(object) } else { settleChanges(object) }
    }

    private func tell(_ saves: [SettledSave]) {
        for save in saves {
            didSettle(save.saved)
            for object in save.kept { object.awake(fromSnapshotEvents: .rollback) }
            if let notification = save.notification { hub.post(notification) }
        }
    }

    /// Tells objects that they were saved.
    func didSettle(_ objects: [ManagedObject]) {
        for object in objects { object.didSave() }
    }
}
