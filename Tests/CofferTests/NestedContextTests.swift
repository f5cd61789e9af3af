import Coffer
import CofferLinux
import CofferModel
import CofferWire
import FoundationEssentials
import Synchronization
import Testing

@Suite struct `Nested contexts` {
    private func note(_ context: ManagedObjectContext, _ title: String = "n") -> Note {
        let note = context.insert(Note.self)
        note.title = title
        return note
    }

    @Test func `a child saves into its parent only`() throws {
        let world = try World()
        let root = world.context()
        let child = root.newChild(name: "child")
        let mine = note(child, "mine")
        try child.save()
        #expect(!child.hasChanges)
        #expect(root.hasChanges)
        #expect(world.coordinator.state.withLock { $0.saves.isEmpty })
        let above = try #require(try root.fetch(Note.all).first)
        #expect(above.title == "mine")
        #expect(above.isInserted)
        #expect(above.objectID == mine.objectID)
        #expect(mine.objectID.isTemporary)
        try root.save()
        #expect(world.coordinator.state.withLock { $0.saves.count } == 1)
        #expect(!mine.objectID.isTemporary)
        #expect(mine.objectID == above.objectID)
        #expect(mine.title == "mine")
    }

    @Test func `permanent ids reach all levels, and references follow`() throws {
        let root = try World().context()
        let middle = root.newChild()
        let leaf = middle.newChild()
        let folder = leaf.insert(Folder.self)
        folder.name = "Inbox"
        let mine = note(leaf)
        mine.folder = folder
        let tag = leaf.insert(Tag.self)
        tag.name = "t"
        mine.tags.insert(tag)
        let temporary = mine.objectID
        try leaf.save()
        try middle.save()
        #expect(mine.objectID.isTemporary)
        let bystander = note(leaf)
        bystander.folder = folder
        try root.save()
        for object in [mine, folder, tag] as [ManagedObject] { #expect(!object.objectID.isTemporary) }
        #expect(leaf.object(with: temporary) === mine)
        #expect(mine.folder === folder)
        #expect(bystander.folder === folder)
        #expect(Set(folder.notes) == [mine, bystander])
        #expect(mine.tags.array == [tag])
        #expect(leaf.registeredObject(for: mine.objectID) === mine)
        let copy = try #require(try middle.existingObject(with: mine.objectID) as? Note)
        #expect(copy.folder?.name == "Inbox")
        #expect(copy.tags.array.first?.name == "t")
        try leaf.save()
        try middle.save()
        try root.save()
        #expect(try root.count(for: Note.all) == 2)
        #expect(!bystander.objectID.isTemporary)
    }

    @Test func `a child fetches and reads what its parent has not saved`() throws {
        let root = try World().context()
        let saved = note(root, "saved")
        let other = note(root, "other")
        try root.save()
        saved.title = "changed"
        root.delete(other)
        let fresh = note(root, "fresh")
        let child = root.newChild()
        let found = try child.fetch(Note.all.sorted(by: "title"))
        #expect(found.map(\.title) == ["changed", "fresh"])
        #expect(try child.count(for: Note.all) == 2)
        #expect(found.last?.objectID == fresh.objectID)
        #expect(try child.fetch(Note.all.matching("title == %@", "saved")).isEmpty)
        #expect(throws: CofferError.self) { try child.existingObject(with: other.objectID) }
        let faults = try child.newChild().fetch(Note.all.sorted(by: "title").limit(1))
        #expect(faults.map(\.title) == ["changed"])
        found.first?.title = "zzz"
        #expect(try child.fetch(Note.all.sorted(by: "title")).map(\.title) == ["fresh", "zzz"])
        #expect(saved.title == "changed")
    }

    @Test func `refresh in a child reads what the parent has by then`() throws {
        let root = try World().context()
        let above = note(root, "a")
        try root.save()
        let child = root.newChild()
        let below = try #require(try child.existingObject(with: above.objectID) as? Note)
        #expect(below.title == "a")
        above.title = "b"
        #expect(below.title == "a")
        child.refresh(below, mergeChanges: false)
        #expect(below.title == "b")
        below.body = "mine"
        above.title = "c"
        child.refresh(below, mergeChanges: true)
        #expect(below.title == "c")
        #expect(below.body == "mine")
    }

    @Test(arguments: MergePolicy.allCases) func `a nested save follows the child's merge policy`(
        policy: MergePolicy
    ) throws {
        let root = try World().context()
        let above = note(root, "start")
        above.rating = 10
        try root.save()
        let child = root.newChild()
        child.mergePolicy = policy
        let below = try #require(try child.existingObject(with: above.objectID) as? Note)
        below.title = "child"
        below.body = "child"
        above.title = "parent"
        above.rating = 77
        if policy == .error {
            do {
                try child.save()
                Issue.record("the save went through")
            } catch {
                guard case .conflicts(let conflicts) = error, let conflict = conflicts.first else {
                    throw error
                }
                #expect(conflicts.count == 1)
                #expect(conflict.properties == ["title"])
                #expect(conflict.snapshot["title"] == .string("start"))
                #expect(conflict.stored?["title"] == .string("parent"))
                #expect(conflict.wanted["title"] == .string("child"))
            }
            #expect(above.title == "parent")
            #expect(above.body == nil)
            #expect(below.title == "child")
            #expect(child.hasChanges)
            return
        }
        try child.save()
        let parentWins = policy == .mergeByPropertyStoreTrump || policy == .rollback
        #expect(above.title == (parentWins ? "parent" : "child"))
        #expect(above.body == (policy == .rollback ? nil : "child"))
        #expect(above.rating == (policy == .overwrite ? 10 : 77))
        #expect(below.title == above.title)
        #expect(below.body == above.body)
        #expect(!child.hasChanges)
    }

    @Test func `an update of what the parent deleted is a conflict`() throws {
        let root = try World().context()
        let above = note(root)
        try root.save()
        let child = root.newChild()
        let below = try #require(try child.existingObject(with: above.objectID) as? Note)
        below.title = "mine"
        root.delete(above)
        #expect(throws: CofferError.self) { try child.save() }
        child.mergePolicy = .mergeByPropertyObjectTrump
        try child.save()
        #expect(below.isDeleted)
    }

    @Test func `siblings hear of each other's saves and of the parent's`() throws {
        let world = try World()
        let root = world.context()
        let above = note(root, "a")
        try root.save()
        let (first, second) = (root.newChild(), root.newChild())
        let one = try #require(try first.existingObject(with: above.objectID) as? Note)
        let two = try #require(try second.existingObject(with: above.objectID) as? Note)
        one.title = "b"
        two.body = "kept"
        try first.save()
        #expect(two.title == "a")
        second.mergePendingChanges()
        #expect(two.title == "b")
        #expect(two.body == "kept")
        above.rating = 4
        try root.save()
        second.mergePendingChanges()
        #expect(two.rating == 4)
        try second.save()
        #expect(above.body == "kept")
        let fresh = note(first, "fresh")
        first.delete(one)
        try first.save()
        let stream = second
        stream.mergePendingChanges()
        #expect(two.isDeleted)
        #expect(second.object(with: fresh.objectID)["title"] == .string("fresh"))
    }

    @Test func `what another process saves reaches children through the parent`() throws {
        let world = try World()
        let (root, stranger) = (world.context(), world.context())
        let above = note(root, "a")
        try root.save()
        let id = above.objectID
        let child = root.newChild()
        let below = try #require(try child.existingObject(with: id) as? Note)
        let theirs = try #require(try stranger.existingObject(with: id) as? Note)
        theirs.title = "theirs"
        try stranger.save()
        root.mergePendingChanges()
        child.mergePendingChanges()
        #expect(below.title == "theirs")
        #expect(child.statistics.faultsFired == 1)
        stranger.delete(theirs)
        try stranger.save()
        root.mergePendingChanges()
        child.mergePendingChanges()
        #expect(below.isDeleted)
    }

    @Test func `a local change above stays under what another process saves`() throws {
        let world = try World()
        let (root, stranger) = (world.context(), world.context())
        let above = note(root, "a")
        try root.save()
        above.title = "mine"
        let child = root.newChild()
        let below = try #require(try child.existingObject(with: above.objectID) as? Note)
        #expect(below.title == "mine")
        let theirs = try #require(try stranger.existingObject(with: above.objectID) as? Note)
        theirs.title = "theirs"
        theirs.body = "theirs"
        try stranger.save()
        root.mergePendingChanges()
        child.mergePendingChanges()
        #expect(below.title == "mine")
        #expect(below.body == "theirs")
    }

    @Test func `deletes, cascades and transient values go up`() throws {
        let root = try World().context()
        let child = root.newChild()
        let below = note(child)
        below.cover = child.insert(Picture.self)
        below.scratch = "50"
        try child.save()
        let above = try #require(root.registeredObject(for: below.objectID) as? Note)
        #expect(above.scratch == "50")
        #expect(above.cover != nil)
        #expect(above.log.isEmpty)
        try root.save()
        child.delete(below)
        try child.save()
        #expect(above.isDeleted)
        #expect(!above.log.contains("delete"))
        try root.save()
        #expect(try root.count(for: FetchRequest<Picture>()) == 0)
        let gone = note(child)
        try child.save()
        child.delete(gone)
        try child.save()
        #expect(!root.hasChanges)
    }

    @Test func `a rollback above takes back what children saved`() throws {
        let root = try World().context()
        let above = note(root, "a")
        try root.save()
        let child = root.newChild()
        let below = try #require(try child.existingObject(with: above.objectID) as? Note)
        below.title = "b"
        let fresh = note(child, "fresh")
        try child.save()
        #expect(above.title == "b")
        root.rollback()
        #expect(above.title == "a")
        child.mergePendingChanges()
        #expect(below.title == "a")
        #expect(fresh.isDeleted)
    }

    @Test func `reading many objects costs the parent one round trip`() throws {
        let world = try World()
        let writer = world.context()
        for number in 0..<100 { note(writer, "\(number)").rating = number }
        try writer.save()
        let root = world.context()
        let child = root.newChild()
        let notes = try child.fetch(Note.all)
        #expect(notes.count == 100)
        for note in notes { note.rating += 1 }
        try child.save()
        #expect(root.statistics.roundTrips == 2)
        try root.save()
        #expect(try writer.fetch(Note.all).map(\.rating).reduce(0, +) == 5050)
    }
}

@Suite struct `Children with a thread of their own` {
    @Test
    func `children with a thread of their own ask the parent on its actor, and get its ids`()
        async throws
    {
        let world = try World()
        let parent = try BackgroundContext(coordinator: world.coordinator, name: "parent")
        let child = try await parent.perform { context in
            context.register(Note.self)
            context.insert(Note.self).title = "above"
            return try context.newBackgroundChild(name: "child")
        }
        let id = try await child.perform { context in
            #expect(WorkerThread.currentName == "child")
            let notes = try context.fetch(Note.all)
            #expect(notes.map(\.title) == ["above"])
            notes.first?.title = "changed"
            let fresh = context.insert(Note.self)
            fresh.title = "below"
            try context.save()
            return fresh.objectID
        }
        #expect(id.isTemporary)
        try await parent.perform { try $0.save() }
        let titles = try await child.perform { context in
            let object = try context.existingObject(with: id)
            #expect(!object.objectID.isTemporary)
            return try context.fetch(Note.all.sorted(by: "title")).map(\.title)
        }
        #expect(titles == ["below", "changed"])
    }

    @MainActor
    @Test func `waiting for a child of this actor does not deadlock`() throws {
        let world = try World()
        let container = PersistentContainer(
            name: "test", coordinator: world.coordinator, stores: []
        ) { _ throws(CofferError) in }
        let view = container.viewContext
        view.insert(Note.self).title = "above"
        let child = try view.newBackgroundChild()
        let title = try child.performAndWait { context throws(CofferError) -> String? in
            let note = try context.fetch(Note.all).first
            note?.title += "!"
            try context.save()
            return note?.title
        }
        #expect(title == "above!")
        #expect(try view.fetch(Note.all).map(\.title) == ["above!"])
    }

    @Test func `a parent that has gone is a typed error`() async throws {
        let world = try World()
        var parent: BackgroundContext? = try BackgroundContext(coordinator: world.coordinator)
        let child = try #require(try await parent?.perform { try $0.newBackgroundChild() })
        parent = nil
        await #expect(throws: CofferError.self) {
            _ = try await child.perform { try $0.count(for: Note.all) }
        }
    }
}
