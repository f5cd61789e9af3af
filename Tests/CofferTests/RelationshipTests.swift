import Coffer
import CofferModel
import CofferWire
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@Suite struct `Relationships` {
    @Test func `inverses follow on both sides at once`() throws {
        let context = try World().context()
        let inbox = context.insert(Folder.self)
        let archive = context.insert(Folder.self)
        let note = context.insert(Note.self)
        note.folder = inbox
        #expect(inbox.notes.array == [note])
        archive.notes.insert(note)
        #expect(note.folder === archive)
        #expect(inbox.notes.isEmpty)
        archive.notes.remove(note)
        #expect(note.folder == nil)
        let tag = context.insert(Tag.self)
        note.tags.insert(tag)
        #expect(tag.notes.array == [note])
        tag.notes.remove(note)
        #expect(note.tags.isEmpty)
    }

    @Test func `a one-to-one partner is taken over`() throws {
        let context = try World().context()
        let (first, second) = (context.insert(Note.self), context.insert(Note.self))
        let (one, two) = (context.insert(Picture.self), context.insert(Picture.self))
        first.cover = one
        second.cover = two
        second.cover = one
        #expect(first.cover == nil)
        #expect(two.note == nil)
        #expect(one.note === second)
        two.note = second
        #expect(one.note == nil)
        #expect(second.cover === two)
    }

    @Test func `unsaved objects refer to each other and keep doing so when saved`() throws {
        let world = try World()
        let context = world.context()
        let folder = context.insert(Folder.self)
        folder.name = "Inbox"
        let tags = ["a", "b"].map { name in
            let tag = context.insert(Tag.self)
            tag.name = name
            return tag
        }
        let note = context.insert(Note.self)
        note.title = "n"
        note.folder = folder
        note.tags.insert(contentsOf: tags)
        try context.save()
        #expect(!context.hasChanges)
        #expect(folder.notes.array == [note])
        #expect(Set(note.tags) == Set(tags))
        #expect(note.folder === folder)
        let request = try #require(world.coordinator.state.withLock { $0.saves.last })
        #expect(request.setChanges.count == 1)
        #expect(request.setChanges.first?.owners.count == 2)
        let other = world.context()
        let copy = try #require(try other.fetch(Note.all).first)
        #expect(copy.folder?.name == "Inbox")
        #expect(copy.tags.compactMap(\.name).sorted() == ["a", "b"])
        #expect(copy.folder?.notes.first { $0 === copy } != nil)
    }

    @Test(arguments: [0, 1, 7, 8, 9, 16]) func `a member that leaves is saved along with those that enter`(
        count: Int
    ) throws {
        let world = try World()
        let context = world.context()
        func tag(_ name: String) -> Tag {
            let tag = context.insert(Tag.self)
            tag.name = name
            return tag
        }
        let note = context.insert(Note.self)
        note.title = "n"
        let old = tag("old")
        note.tags.insert(old)
        try context.save()
        let new = (0..<count).map { tag("\($0)") }
        try context.save()
        note.tags.remove(old)
        note.tags.insert(contentsOf: new)
        try context.save()
        let other = world.context()
        let copy = try #require(try other.fetch(Note.all).first)
        #expect(copy.tags.compactMap(\.name).sorted() == new.compactMap(\.name).sorted())
    }

    @Test func `moving an object sends its to-one side only`() throws {
        let world = try World()
        let context = world.context()
        let (a, b) = (context.insert(Folder.self), context.insert(Folder.self))
        let note = context.insert(Note.self)
        note.title = "n"
        note.folder = a
        try context.save()
        b.notes.insert(note)
        #expect(a.isUpdated && b.isUpdated)
        try context.save()
        let request = try #require(world.coordinator.state.withLock { $0.saves.last })
        #expect(request.updates.count == 1)
        #expect(request.updates.first?.primaryKeys.count == 1)
        #expect(request.setChanges.isEmpty)
        #expect(!a.hasChanges && !b.hasChanges)
        #expect(a.notes.isEmpty)
        #expect(b.notes.array == [note])
    }

    @Test func `unread members and changes are joined`() throws {
        let world = try World()
        let context = world.context()
        let folder = context.insert(Folder.self)
        let notes = (0..<3).map { number in
            let note = context.insert(Note.self)
            note.title = "\(number)"
            note.folder = folder
            return note
        }
        try context.save()
        let other = world.context()
        let copy = try #require(try other.fetch(FetchRequest<Folder>()).first)
        let new = other.insert(Note.self)
        new.title = "new"
        copy.notes.insert(new)
        let leaving = try #require(other.object(with: notes[1].objectID) as? Note)
        leaving.folder = nil
        #expect(copy.notes.map(\.title) == ["0", "2", "new"])
        #expect(copy.notes.contains(new))
        #expect(!copy.notes.contains(leaving))
        try other.save()
        #expect(copy.notes.map(\.title) == ["0", "2", "new"])
    }

    @Test func `a to-many relationship is read in one round trip, and its objects in one more`() throws {
        let world = try World()
        let context = world.context()
        let folder = context.insert(Folder.self)
        for number in 0..<50 {
            let note = context.insert(Note.self)
            note.title = "\(number)"
            note.folder = folder
        }
        try context.save()
        let other = world.context()
        let copy = try #require(try other.fetch(FetchRequest<Folder>()).first)
        #expect(copy.notes.map(\.title).count == 50)
        #expect(other.statistics.relationshipsLoaded == 1)
        #expect(other.statistics.faultsFired == 1)
    }

    @Test func `to-one ends of one fetch are read together, though nobody holds them`() throws {
        let world = try World()
        let context = world.context()
        for number in 0..<100 {
            let note = context.insert(Note.self)
            let folder = context.insert(Folder.self)
            folder.name = "\(number)"
            note.title = "\(number)"
            note.folder = folder
        }
        try context.save()
        let other = world.context()
        let notes = try other.fetch(Note.all)
        for note in notes { #expect(note.folder?.name == note.title) }
        #expect(other.statistics.faultsFired == 1)
        let ids = notes.compactMap { $0.folder?.objectID }
        let folder = try #require(context.object(with: ids[7]) as? Folder)
        folder.name = "changed"
        try context.save()
        other.mergePendingChanges()
        #expect(notes[7].folder?.name == "changed")
    }

    @Test func `delete rules are followed for registered objects`() throws {
        let world = try World()
        let context = world.context()
        let folder = context.insert(Folder.self)
        let tag = context.insert(Tag.self)
        let note = context.insert(Note.self)
        let cover = context.insert(Picture.self)
        note.title = "n"
        note.folder = folder
        note.tags.insert(tag)
        note.cover = cover
        try context.save()
        context.delete(folder)
        #expect(note.isDeleted)
        #expect(cover.isDeleted)
        #expect(!tag.isDeleted)
        #expect(tag.notes.isEmpty)
        #expect(note.title == "n")
        try context.save()
        #expect(try world.context().count(for: Note.all) == 0)
        #expect(try world.context().count(for: FetchRequest<Picture>()) == 0)
        #expect(try world.context().count(for: FetchRequest<Tag>()) == 1)
    }

    @Test func `the store follows delete rules for the rest`() throws {
        let world = try World()
        let context = world.context()
        let folder = context.insert(Folder.self)
        for _ in 0..<3 {
            let note = context.insert(Note.self)
            note.title = "n"
            note.folder = folder
        }
        try context.save()
        let other = world.context()
        let one = try #require(try other.fetch(Note.all.limit(1)).first)
        var deleted: [ManagedObjectID] = []
        let token = other.onNotification { if case .didSave(_, _, let ids, _, _) = $0 { deleted = ids } }
        other.delete(other.object(with: folder.objectID))
        #expect(one.isDeleted)
        try other.save()
        token.cancel()
        #expect(Set(deleted).count == 4)
        #expect(one.isDeleted)
        #expect(try other.count(for: Note.all) == 0)
    }

    @Test func `rollback restores both sides`() throws {
        let world = try World()
        let context = world.context()
        let (a, b) = (context.insert(Folder.self), context.insert(Folder.self))
        let note = context.insert(Note.self)
        note.title = "n"
        note.folder = a
        try context.save()
        note.folder = b
        note.title = "changed"
        let new = context.insert(Note.self)
        new.folder = a
        context.delete(b)
        context.rollback()
        #expect(!context.hasChanges)
        #expect(note.folder === a)
        #expect(note.title == "n")
        #expect(a.notes.array == [note])
        #expect(b.notes.isEmpty && !b.isDeleted)
        #expect(new.isDeleted)
        #expect(new.folder == nil)
    }

    /// Random changes keep both ends of every relationship in step, before and after saving, and the store
    /// agrees.
    @Test(arguments: Seed.several(12)) func `both ends of relationships agree after random changes`(
        seed: Seed
    )
        throws
    {
        var random = seed.generator()
        let world = try World()
        let context = world.context()
        var folders = (0..<4).map { _ in context.insert(Folder.self) }
        var notes = (0..<8).map { _ in context.insert(Note.self) }
        var tags = (0..<4).map { number in
            let tag = context.insert(Tag.self)
            tag.name = "\(number)"
            return tag
        }
        for note in notes { note.title = "n" }
        for step in 0..<120 {
            guard let note = notes.randomElement(using: &random),
                let tag = tags.randomElement(using: &random),
                let folder = folders.randomElement(using: &random)
            else { break }
            switch Int.random(in: 0..<11, using: &random) {
            case 0, 1: note.folder = folder
            case 2: note.folder = nil
            case 3: folder.notes.insert(note)
            case 4: folder.notes.remove(note)
            case 5, 6: note.tags.insert(tag)
            case 7: tag.notes.remove(note)
            case 8: tag.notes.insert(note)
            case 9 where step % 3 == 0: try context.save()
            case 10 where step % 7 == 0:
                context.delete(note)
                notes.removeAll { $0 === note }
            default: if step % 5 == 0 { context.refreshAllObjects() }
            }
            check(folders, notes, tags)
        }
        try context.save()
        check(folders, notes, tags)
        let other = world.context()
        func twins<Object: ManagedObject>(_ objects: [Object]) -> [Object] {
            objects.compactMap { other.object(with: $0.objectID) as? Object }
        }
        let mine = folders.map { Set($0.notes.map(\.objectID)) }
        let myTags = notes.map { Set($0.tags.map(\.objectID)) }
        (folders, notes, tags) = (twins(folders), twins(notes), twins(tags))
        check(folders, notes, tags)
        #expect(folders.map { Set($0.notes.map(\.objectID)) } == mine, "seed \(seed)")
        #expect(notes.map { Set($0.tags.map(\.objectID)) } == myTags, "seed \(seed)")
    }

    private func check(_ folders: [Folder], _ notes: [Note], _ tags: [Tag]) {
        for folder in folders {
            #expect(Set(folder.notes) == Set(notes.filter { $0.folder === folder }))
            #expect(folder.notes.count == Set(folder.notes).count)
        }
        for tag in tags { #expect(Set(tag.notes) == Set(notes.filter { $0.tags.contains(tag) })) }
    }
}
