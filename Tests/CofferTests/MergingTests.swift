import Coffer
import CofferModel
import CofferWire
import FoundationEssentials
import Synchronization
import Testing

@Suite struct `Merging` {
    private struct Pair {
        var world: World
        var mine: ManagedObjectContext
        var other: ManagedObjectContext
        var note: Note
        var twin: Note

        /// Saves a change of the note that no context is told of.
        func changeSilently(_ change: (Note, ManagedObjectContext) throws -> Void) throws {
            try world.coordinator.silently {
                let context = world.context("silent")
                try change(try #require(try context.existingObject(with: note.objectID) as? Note), context)
                try context.save()
            }
        }
    }

    /// An object in two contexts.
    private func pair() throws -> Pair {
        let world = try World()
        let (mine, other) = (world.context("mine"), world.context("other"))
        let note = other.insert(Note.self)
        note.title = "n"
        try other.save()
        let twin = try #require(try mine.fetch(Note.all).first)
        return Pair(world: world, mine: mine, other: other, note: note, twin: twin)
    }

    @Test func `values come along without a round trip`() throws {
        let pair = try pair()
        pair.note.title = "new"
        pair.note.rating = 5
        try pair.other.save()
        let before = pair.mine.statistics.roundTrips
        #expect(pair.twin.title == "n")
        pair.mine.mergePendingChanges()
        #expect(pair.twin.title == "new")
        #expect(pair.twin.rating == 5)
        #expect(pair.twin.isPinned == false)
        #expect(pair.mine.statistics.roundTrips == before)
        #expect(pair.mine.statistics.merges == 1 + 1)  // The insertion too.
        #expect(pair.other.statistics.merges == 0)
    }

    @Test func `values that did not come along are read when asked for`() throws {
        let pair = try pair()
        pair.world.coordinator.state.withLock { $0.pushesValues = false }
        pair.note.title = "new"
        try pair.other.save()
        var refreshed: [ManagedObjectID] = []
        let token = pair.mine.onNotification { if case .didMerge(_, _, _, let ids) = $0 { refreshed += ids } }
        pair.mine.mergePendingChanges()
        token.cancel()
        #expect(refreshed == [pair.twin.objectID])
        #expect(pair.mine.statistics.faultsFired == 0)
        #expect(pair.twin.rating == 3)
        #expect(pair.mine.statistics.faultsFired == 0)
        #expect(pair.twin.title == "new")
        #expect(pair.mine.statistics.faultsFired == 1)
    }

    @Test func `a local change stays over a merge`() throws {
        let pair = try pair()
        pair.twin.body = "mine"
        pair.note.title = "new"
        try pair.other.save()
        pair.mine.mergePendingChanges()
        #expect(pair.twin.title == "new")
        #expect(pair.twin.body == "mine")
        try pair.mine.save()
        #expect(try pair.world.context().fetch(Note.all).first?.body == "mine")
    }

    @Test func `both changing to one value is not a conflict`() throws {
        let pair = try pair()
        pair.twin.title = "same"
        pair.note.title = "same"
        try pair.other.save()
        try pair.mine.save()
        #expect(pair.twin.title == "same")
    }

    @Test func `a conflict is found even where values did not come along`() throws {
        let pair = try pair()
        pair.world.coordinator.state.withLock { $0.pushesValues = false }
        pair.twin.title = "mine"
        pair.note.title = "store"
        try pair.other.save()
        pair.mine.mergePendingChanges()
        #expect(throws: CofferError.self) { try pair.mine.save() }
        #expect(pair.twin.title == "mine")
    }

    @Test func `an own save that history tells of later is not a conflict`() throws {
        let pair = try pair()
        pair.twin.title = "one"
        try pair.mine.save()
        let number: UInt64 = 2  // The first save inserted the note.
        pair.twin.title = "two"
        // As after a save that was sent again: the client caught up before it had the answer.
        let change = ChangeGroup(
            kind: .update, entity: pair.twin.entity.index,
            primaryKeys: [try #require(pair.twin.objectID.primaryKey)],
            properties: [try #require(pair.twin.entity.propertyIndex(named: "title"))])
        let store = try #require(pair.world.coordinator.stores.first).handle
        pair.world.coordinator.tell(
            .transaction(
                TransactionMessage(number: number, timestamp: 0, changes: [change]), store: store, origin: nil
            ))
        try pair.mine.save()
        #expect(pair.twin.title == "two")
    }

    @Test func `a merge that is older than what was fetched changes nothing`() throws {
        let pair = try pair()
        pair.note.title = "one"
        try pair.other.save()
        pair.mine.automaticallyMergesChanges = false
        pair.note.title = "two"
        try pair.other.save()
        #expect(try pair.mine.fetch(Note.all).first?.title == "two")
        pair.mine.mergePendingChanges()
        #expect(pair.twin.title == "two")
    }

    @Test func `deletes and inserts are told`() throws {
        let pair = try pair()
        pair.mine.mergePendingChanges()
        var seen: [ContextNotification] = []
        let token = pair.mine.onNotification { seen.append($0) }
        let new = pair.other.insert(Note.self)
        new.title = "x"
        let id = pair.note.objectID
        pair.other.delete(pair.note)
        try pair.other.save()
        pair.mine.mergePendingChanges()
        token.cancel()
        #expect(
            seen == [
                .didMerge(inserted: [new.objectID], updated: [], deleted: [id], refreshed: []),
                .remoteChange(store: "main", number: 2),
            ])
        #expect(pair.twin.isDeleted)
        #expect(pair.twin.title == "")
    }

    @Test func `the members of a relationship are read again after it changed`() throws {
        let world = try World()
        let (mine, other) = (world.context("mine"), world.context("other"))
        let folder = other.insert(Folder.self)
        let note = other.insert(Note.self)
        note.title = "a"
        note.folder = folder
        try other.save()
        let twin = try #require(try mine.fetch(FetchRequest<Folder>()).first)
        #expect(twin.notes.count == 1)
        let second = other.insert(Note.self)
        second.title = "b"
        second.folder = folder
        let tag = other.insert(Tag.self)
        tag.name = "t"
        tag.notes.insert(note)
        try other.save()
        mine.mergePendingChanges()
        #expect(twin.notes.map(\.title) == ["a", "b"])
        #expect(twin.notes.array.first?.tags.map(\.name) == ["t"])
        note.folder = nil
        try other.save()
        mine.mergePendingChanges()
        #expect(twin.notes.map(\.title) == ["b"])
    }

    @Test func `a reload makes faults of what has no changes`() throws {
        let pair = try pair()
        let changed = pair.mine.insert(Folder.self)
        pair.world.coordinator.tell(.reload(store: 1, number: 9))
        pair.mine.mergePendingChanges()
        #expect(pair.twin.isFault)
        #expect(changed.isInserted)
        #expect(pair.twin.title == "n")
        pair.twin.title = "mine"
        pair.world.coordinator.tell(.reload(store: 1, number: 10))
        pair.mine.mergePendingChanges()
        #expect(pair.twin.title == "mine")
        try pair.mine.save()
    }

    @Test func `a reload forgets what merges brought to an object with changes of its own`() throws {
        let pair = try pair()
        pair.twin.body = "mine"
        pair.note.title = "merged"
        try pair.other.save()
        pair.mine.mergePendingChanges()
        #expect(pair.twin.title == "merged")
        pair.twin.scratch = "kept"
        try pair.changeSilently { note, _ in note.title = "stored" }
        pair.world.coordinator.tell(.reload(store: 1, number: 9))
        pair.mine.mergePendingChanges()
        #expect(pair.twin.title == "stored")
        #expect(pair.twin.body == "mine")
        #expect(pair.twin.scratch == "kept")
    }

    @Test func `a reload makes no conflict of a fault with changes`() throws {
        let pair = try pair()
        pair.mine.mergePendingChanges()
        pair.twin.title = "mine"
        pair.mine.refresh(pair.twin, mergeChanges: true)
        #expect(pair.twin.isFault)
        pair.world.coordinator.tell(.reload(store: 1, number: 9))
        pair.mine.mergePendingChanges()
        try pair.mine.save()
        #expect(try pair.world.context().fetch(Note.all).first?.title == "mine")
    }

    @Test(arguments: [true, false])
    func `members that were read of a fault are read anew`(isReload: Bool) throws {
        let pair = try pair()
        let folder = pair.other.insert(Folder.self)
        try pair.other.save()
        pair.mine.mergePendingChanges()
        let twin = try #require(pair.mine.object(with: folder.objectID) as? Folder)
        #expect(twin.notes.isEmpty)
        #expect(twin.isFault)
        try pair.changeSilently { note, context in
            note.folder = try #require(try context.existingObject(with: folder.objectID) as? Folder)
        }
        if isReload {
            pair.world.coordinator.tell(.reload(store: 1, number: 9))
            pair.mine.mergePendingChanges()
        } else {
            pair.mine.refreshAllObjects()
        }
        #expect(twin.notes.contains(pair.twin))
    }

    @Test func `too many waiting events become a reload`() throws {
        let pair = try pair()
        for number in 0..<1_100 {
            pair.note.rating = number % 7
            pair.note.body = "\(number)"
            try pair.other.save()
        }
        pair.mine.mergePendingChanges()
        #expect(pair.twin.body == "1099")
    }

    @Test func `the wake-up is called once until changes are merged`() throws {
        let pair = try pair()
        pair.mine.mergePendingChanges()
        let calls = Mutex(0)
        pair.mine.wakeUp = { calls.withLock { $0 += 1 } }
        for title in ["a", "b"] {
            pair.note.title = title
            try pair.other.save()
        }
        #expect(calls.withLock { $0 } == 1)
        pair.mine.mergePendingChanges()
        pair.note.title = "c"
        try pair.other.save()
        #expect(calls.withLock { $0 } == 2)
    }

    @Test func `notifications can be awaited`() async throws {
        let pair = try pair()
        pair.mine.mergePendingChanges()
        var iterator = pair.mine.notifications.makeAsyncIterator()
        pair.world.coordinator.tell(.disconnected)
        pair.mine.mergePendingChanges()
        pair.world.coordinator.tell(.reconnected)
        pair.mine.mergePendingChanges()
        pair.twin.title = "t"
        try pair.mine.save()
        #expect(await iterator.next() == .disconnected)
        #expect(await iterator.next() == .reconnected)
        let id = pair.twin.objectID
        let token = HistoryToken(numbers: [try #require(id.storeUUID): 2])
        #expect(
            await iterator.next()
                == .didSave(inserted: [], updated: [id], deleted: [], number: 2, token: token))
    }
}
