import Coffer
import CofferModel
import Testing

/// What a hook changes of objects while their save is under way.
@Suite struct `Changes made during a save` {
    @Test func `values of an object that a later store takes stay changes`() throws {
        let stage = try LateStage()
        let note = stage.note
        try stage.save {
            note.rating = 5
            note.body = "late"
        }
        #expect(stage.context.updatedObjects == [note])
        #expect(note.changedValues == ["rating": .integer(5), "body": .string("late")])
        #expect(note.committedValues(forKeys: ["rating", "body"])["rating"] == .integer(4))
        #expect(try stage.stored().map(\.rating) == [4])
        #expect(try stage.stored().map(\.body) == [nil])
        try stage.context.save()
        #expect(!stage.context.hasChanges)
        #expect(try stage.stored().map(\.rating) == [5])
        #expect(try stage.stored().map(\.body) == ["late"])
    }

    @Test func `a value that goes back to what was stored before is a change again`() throws {
        let stage = try LateStage()
        let note = stage.note
        try stage.save { note.rating = 3 }
        #expect(note.rating == 3 && stage.context.updatedObjects == [note])
        #expect(try stage.stored().map(\.rating) == [4])
        try stage.context.save()
        #expect(try stage.stored().map(\.rating) == [3])
    }

    @Test func `a value that is set to what was sent is not a change`() throws {
        let stage = try LateStage()
        let note = stage.note
        try stage.save {
            note.rating = 5
            note.rating = 4
        }
        #expect(note.rating == 4 && !stage.context.hasChanges)
    }

    @Test(arguments: [false, true])
    func `members that enter and leave stay changes`(isRead: Bool) throws {
        let stage = try LateStage()
        let (note, one, other) = (stage.note, stage.tags[0], stage.tags[1])
        if !isRead { stage.context.refresh(note, mergeChanges: true) }
        note.tags.insert(one)
        try stage.save {
            note.tags.remove(one)
            note.tags.insert(other)
        }
        #expect(note.tags.array == [other] && one.notes.isEmpty && other.notes.array == [note])
        #expect(try stage.stored().map { $0.tags.map(\.name) } == [["a"]])
        try stage.context.save()
        #expect(try stage.stored().map { $0.tags.map(\.name) } == [["b"]])
        #expect(!stage.context.hasChanges)
    }

    @Test func `changes of objects that the save inserts stay changes`() throws {
        let stage = try LateStage()
        let new = try LateStage.make(stage.context, "o", "second")
        let tag = stage.tags[0]
        try stage.save {
            new.rating = 5
            new.title = "renamed"
            new.tags.insert(tag)
            stage.note.cover = stage.context.insert(Picture.self)
            try? stage.context.assign(stage.note.cover ?? new, toStoreNamed: "second")
        }
        #expect(stage.context.updatedObjects == [new, tag, stage.note])
        #expect(try stage.stored().map(\.title) == ["note", "o"])
        #expect(try stage.stored().map(\.rating) == [4, 3])
        try stage.context.save()
        let stored = try stage.stored()
        #expect(stored.map(\.title) == ["note", "renamed"] && stored.map(\.rating) == [4, 5])
        #expect(stored.map { $0.tags.count } == [0, 1] && stored[0].cover != nil)
        #expect(!stage.context.hasChanges)
    }

    @Test func `a reference to an object that the save inserts follows its permanent name`() throws {
        let stage = try LateStage()
        let new = try LateStage.make(stage.context, "o", "second")
        let other = try #require(stage.tags.first)
        try stage.save { other.notes.insert(new) }
        #expect(other.notes.array == [new] && new.tags.array == [other])
        try stage.context.save()
        #expect(try stage.stored().map { $0.tags.map(\.name) } == [[], ["a"]])
    }

    @Test func `deletes of objects that a later store takes stay deletes`() throws {
        let stage = try LateStage()
        let new = try LateStage.make(stage.context, "o", "second")
        try stage.save {
            stage.context.delete(stage.note)
            stage.context.delete(new)
        }
        #expect(stage.context.deletedObjects == [stage.note, new])
        #expect(try stage.stored().map(\.title) == ["note", "o"])
        try stage.context.save()
        #expect(try stage.stored().isEmpty)
        #expect(!stage.context.hasChanges && new.isDeleted && stage.note.isDeleted)
    }

    @Test func `what a rollback comes too late for is saved`() throws {
        let stage = try LateStage()
        let new = try LateStage.make(stage.context, "o", "second")
        try stage.save { stage.context.rollback() }
        #expect(stage.note.rating == 4 && !stage.context.hasChanges && new.isDeleted)
        #expect(try stage.context.fetch(Note.all.sorted(by: \.title)).map(\.title) == ["note", "o"])
        stage.note.rating = 5
        try stage.context.save()
        #expect(try stage.stored().map(\.rating) == [5, 3])
    }

    @Test func `where the later store refuses, all stay changes`() throws {
        let stage = try LateStage()
        let new = try LateStage.make(stage.context, "o", "second")
        let other = stage.world.context()
        try #require(try other.existingObject(with: stage.note.objectID) as? Note).rating = 1
        try other.save()
        stage.leaving.onFault = {
            stage.note.body = "late"
            stage.context.delete(new)
        }
        #expect(throws: CofferError.self) { try stage.context.save() }
        #expect(new.isDeleted && stage.context.deletedObjects.isEmpty)
        #expect(stage.context.insertedObjects.isEmpty)
        #expect(stage.note.changedValues == ["rating": .integer(4), "body": .string("late")])
        stage.context.mergePolicy = .mergeByPropertyObjectTrump
        try stage.context.save()
        #expect(try stage.stored().map(\.body) == ["late"])
    }

    @Test func `a hook cannot save what is on its way, and an observer told that it is over can save`() throws
    {
        let stage = try LateStage()
        let new = try LateStage.make(stage.context, "o", "second")
        var reasons: [String] = []
        try stage.save {
            stage.note.body = "late"
            do throws(CofferError) { try stage.context.save() } catch .refused(_, let reason, _, _) {
                reasons.append(reason)
            } catch {
                reasons.append("\(error)")
            }
        }
        #expect(reasons == ["save_under_way"])
        #expect(stage.context.updatedObjects == [stage.note] && !new.isInserted)
        let token = stage.context.onNotification { [unowned context = stage.context] notification in
            guard case .didSave = notification, new.rating == 3 else { return }
            new.rating = 5
            do throws(CofferError) { try context.save() } catch { reasons.append("\(error)") }
        }
        try stage.context.save()
        #expect(reasons.count == 1 && !stage.context.hasChanges)
        #expect(try stage.stored().map(\.title) == ["note", "o"])
        #expect(try stage.stored().map(\.rating) == [4, 5])
        withExtendedLifetime(token) {}
    }

    @Test func `what a handler of the parent changes in the child stays a change there`() throws {
        let world = try World()
        let parent = world.context()
        let note = parent.insert(Note.self)
        note.title = "n"
        try parent.save()
        let child = parent.newChild()
        let own = try #require(try child.fetch(Note.all).first)
        own.rating = 4
        let new = child.insert(Note.self)
        new.title = "o"
        var count = 0
        let token = parent.onNotification { _ in
            count += 1
            if count > 1 { return }
            own.rating = 5
            own.body = "late"
            new.title = "p"
            new.body = "later"
        }
        try child.save()
        #expect(note.rating == 4 && note.body == nil)
        #expect(child.updatedObjects == [own, new] && child.insertedObjects.isEmpty)
        try child.save()
        #expect(note.rating == 5 && note.body == "late" && !child.hasChanges)
        let titles = try parent.fetch(Note.all.sorted(by: \.title)).map { [$0.title, $0.body] }
        #expect(titles == [["n", "late"], ["p", "later"]])
        withExtendedLifetime(token) {}
    }
}
