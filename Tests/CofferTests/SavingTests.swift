import Coffer
import CofferModel
import CofferWire
import FoundationEssentials
import Synchronization
import Testing

@Suite struct `Saving` {
    private func savedNote(_ context: ManagedObjectContext, _ title: String = "n") throws -> Note {
        let note = context.insert(Note.self)
        note.title = title
        try context.save()
        return note
    }

    /// Two contexts with one object each; the second does not hear of what the first saves.
    private func race() throws -> (Note, Note, ManagedObjectContext, ManagedObjectContext) {
        let world = try World()
        let (first, second) = (world.context("first"), world.context("second"))
        let note = try savedNote(first)
        second.automaticallyMergesChanges = false
        let copy = try #require(try second.fetch(Note.all).first)
        return (note, copy, first, second)
    }

    @Test func `stale snapshots are conflicts that say what everybody has`() throws {
        let (note, copy, first, second) = try race()
        note.title = "store"
        try first.save()
        copy.title = "mine"
        do {
            try second.save()
            Issue.record("the save went through")
        } catch {
            guard case .conflicts(let conflicts) = error, let conflict = conflicts.first else {
                Issue.record("\(error)")
                return
            }
            #expect(conflict.objectID == note.objectID)
            #expect(conflict.snapshot["title"] == .string("n"))
            #expect(conflict.stored?["title"] == .string("store"))
            #expect(conflict.wanted == ["title": .string("mine")])
            #expect(conflict.properties == ["title"])
            #expect(conflict.snapshotVersion == 1)
            #expect(conflict.storedVersion == 2)
        }
        #expect(copy.title == "mine")
        #expect(copy.isUpdated)
        second.refresh(copy, mergeChanges: true)
        try second.save()
        first.mergePendingChanges()
        #expect(note.title == "mine")
    }

    @Test func `refresh without merging takes the store's values`() throws {
        let (note, copy, first, second) = try race()
        note.title = "store"
        try first.save()
        copy.title = "mine"
        second.refresh(copy, mergeChanges: false)
        #expect(!second.hasChanges)
        #expect(copy.title == "store")
    }

    @Test(arguments: MergePolicy.allCases) func `a merged conflict is decided by the policy`(
        policy: MergePolicy
    ) throws {
        let (note, copy, first, second) = try race()
        copy.title = "mine"
        copy.body = "mine"
        note.title = "store"
        try first.save()
        second.mergePendingChanges()
        second.mergePolicy = policy
        #expect(copy.title == "mine")
        if policy == .error {
            #expect(throws: CofferError.self) { try second.save() }
            #expect(second.statistics.saves == 0)
            return
        }
        try second.save()
        first.mergePendingChanges()
        let storeWins = policy == .mergeByPropertyStoreTrump || policy == .rollback
        #expect(note.title == (storeWins ? "store" : "mine"))
        #expect(note.body == (policy == .rollback ? nil : "mine"))
        #expect(copy.title == note.title)
        #expect(!second.hasChanges)
    }

    @Test func `properties that nobody else touched do not conflict after a merge`() throws {
        let (note, copy, first, second) = try race()
        second.automaticallyMergesChanges = true
        copy.body = "mine"
        note.title = "store"
        try first.save()
        try second.save()
        first.mergePendingChanges()
        #expect(note.title == "store")
        #expect(note.body == "mine")
    }

    @Test func `an update of what somebody deleted is a conflict`() throws {
        let (note, copy, first, second) = try race()
        copy.title = "mine"
        first.delete(note)
        try first.save()
        second.mergePendingChanges()
        #expect(copy.title == "mine")
        do {
            try second.save()
            Issue.record("the save went through")
        } catch {
            guard case .conflicts(let conflicts) = error else { throw error }
            #expect(conflicts.first?.storedVersion == nil)
            #expect(conflicts.first?.stored == nil)
        }
        second.mergePolicy = .mergeByPropertyStoreTrump
        try second.save()
        #expect(copy.isDeleted)
    }

    @Test func `validation failures name the object by its temporary id, and nothing is lost`() throws {
        let context = try World().context()
        let note = context.insert(Note.self)
        do {
            try context.save()
            Issue.record("the save went through")
        } catch {
            guard case .validation(let failures) = error else { throw error }
            #expect(failures.first?.objectID == note.objectID)
            #expect(failures.first?.property == "title")
            #expect(failures.first?.reason == .required)
        }
        #expect(note.isInserted)
        note.title = "n"
        try context.save()
        #expect(!note.objectID.isTemporary)
    }

    @Test func `constraint conflicts name both objects`() throws {
        let world = try World()
        let context = world.context()
        let first = context.insert(Tag.self)
        first.name = "same"
        try context.save()
        let second = context.insert(Tag.self)
        second.name = "same"
        do {
            try context.save()
            Issue.record("the save went through")
        } catch {
            guard case .constraints(let conflicts) = error else { throw error }
            #expect(conflicts.first?.objectID == second.objectID)
            #expect(conflicts.first?.existingID == first.objectID)
            #expect(conflicts.first?.constraint == ["name"])
        }
    }

    @Test func `each store gets one request, and objects stay in theirs`() throws {
        let world = try World(stores: ["first", "second"])
        let context = world.context()
        let one = context.insert(Note.self)
        let two = context.insert(Note.self)
        (one.title, two.title) = ("one", "two")
        try context.assign(two, toStoreNamed: "second")
        #expect(throws: CofferError.self) { try context.assign(one, toStoreNamed: "third") }
        try context.save()
        #expect(context.statistics.saves == 2)
        #expect(one.objectID.primaryKey == two.objectID.primaryKey)
        #expect(one.objectID != two.objectID)
        let other = world.context()
        #expect(try other.fetch(Note.all.sorted(by: \.title, .descending)).map(\.title) == ["two", "one"])
        #expect(try other.fetch(Note.all.sorted(by: \.title).limit(1)).map(\.title) == ["one"])
        #expect(try other.count(for: Note.all) == 2)
    }

    @Test func `relationships do not cross stores`() throws {
        let world = try World(stores: ["first", "second"])
        let context = world.context()
        let note = context.insert(Note.self)
        let folder = context.insert(Folder.self)
        note.title = "n"
        note.folder = folder
        try context.assign(folder, toStoreNamed: "second")
        do {
            try context.save()
            Issue.record("the save went through")
        } catch {
            guard case .crossStoreRelationship(let from, let to, let relationship) = error else {
                throw error
            }
            #expect(from == note.objectID)
            #expect(to == folder.objectID)
            #expect(relationship == "folder")
        }
        #expect(context.statistics.saves == 0)
        #expect(context.insertedObjects.count == 2)
    }

    @Test func `requests group rows by entity and by what changed`() throws {
        let world = try World()
        let context = world.context()
        context.name = "importer"
        context.transactionAuthor = "me"
        let notes = (0..<6).map { number in
            let note = context.insert(Note.self)
            note.title = "\(number)"
            return note
        }
        context.insert(Reminder.self).title = "r"
        try context.save()
        for note in notes { note.title += "!" }
        notes[0].rating = 1
        notes[1].rating = 2
        context.delete(notes[5])
        try context.save()
        let (first, second) = world.coordinator.state.withLock { ($0.saves[0], $0.saves[1]) }
        #expect(first.inserts.map(\.temporaryIDs.count) == [6, 1])
        #expect(first.author == "me")
        #expect(first.contextName == "importer")
        #expect(second.updates.map(\.primaryKeys.count).sorted() == [2, 3])
        #expect(second.deletes.map(\.primaryKeys) == [[6]])
        #expect(notes[1].title == "1!")
    }

    @Test func `saves and batch operations say whether they can wait, as their context does`() throws {
        let world = try World()
        let context = world.context()
        for savesInBackground in [false, true, false] {
            context.savesInBackground = savesInBackground
            _ = try savedNote(context)
            _ = try context.execute(
                BatchInsert(entityName: Note.entityName, objects: [["title": .string("b")]]))
            let last = world.coordinator.state.withLock { $0.saves.suffix(2).map(\.isBackground) }
            #expect(last == [savesInBackground, savesInBackground])
        }
    }

    @Test func `a batch insert that is executed again begins with its first row`() throws {
        let context = try World().context()
        var insert = BatchInsert(
            entityName: Note.entityName, objects: [["title": .string("a")], ["title": .string("b")]])
        insert.resultType = .count
        for _ in 0..<2 { #expect(try context.execute(insert).count == 2) }
    }

    @Test func `a second save sends the version that the first made`() throws {
        let world = try World()
        let context = world.context()
        let note = try savedNote(context)
        for title in ["a", "b", "c"] {
            note.title = title
            try context.save()
        }
        #expect(try world.context().fetch(Note.all).first?.title == "c")
        #expect(try context.fetch(Note.all).first?.title == "c")
    }

    @Test func `objects that were reset are faults of no context, and nobody deleted them`() throws {
        let context = try World().context()
        let note = try savedNote(context)
        let new = context.insert(Note.self)
        context.reset()
        for object in [note, new] {
            #expect(object.context == nil && object.isFault)
            #expect(!object.isDeleted && !object.isInserted && !object.hasChanges)
            let error = #expect(throws: CofferError.self) { try object.requireValues() }
            if case .objectDeleted = error { Issue.record("nobody deleted it") }
        }
        context.delete(note)
        #expect(!context.hasChanges)
    }

    @Test func `objects that were reset have no values`() throws {
        let context = try World().context()
        let note = try savedNote(context)
        note.title = "changed"
        context.reset()
        #expect(!context.hasChanges)
        #expect(note.title == "")
        #expect(context.registeredObjectCount == 0)
        let again = try #require(try context.fetch(Note.all).first)
        #expect(again !== note)
        #expect(again.title == "n")
    }
}
