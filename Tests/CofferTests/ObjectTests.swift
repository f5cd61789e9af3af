import Coffer
import CofferModel
import CofferWire
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@Suite struct `Objects` {
    @Test func `every type of attribute survives a save`() throws {
        let world = try World()
        let context = world.context()
        let note = context.insert(Note.self)
        let token = UUID()
        let day = Date(timeIntervalSinceReferenceDate: 1_000)
        note.title = "A title that does not fit into a small string"
        note.body = nil
        note.rating = -7
        note.kind = .picture
        note.created = day
        note.isPinned = true
        note.score = 2.5
        note.price = Decimal(string: "12.345")
        note.token = token
        note.link = URL(string: "https://example.org/a")
        note.data = [1, 2, 3]
        note.scratch = "kept"
        try context.save()
        #expect(note.scratch == "kept")
        for copy in [note, try #require(try world.context().fetch(Note.all).first)] {
            #expect(copy.title == "A title that does not fit into a small string")
            #expect(copy.body == nil)
            #expect(copy.rating == -7)
            #expect(copy.kind == .picture)
            #expect(copy.created == day)
            #expect(copy.isPinned)
            #expect(copy.score == 2.5)
            #expect(copy.price == Decimal(string: "12.345"))
            #expect(copy.token == token)
            #expect(copy.link == URL(string: "https://example.org/a"))
            #expect(copy.data == [1, 2, 3])
        }
    }

    @Test func `a null reads as the default, else as the type's value for null`() throws {
        let context = try World().context()
        let note = context.insert(Note.self)
        #expect(note.title == "")
        #expect(note.rating == 3)
        note.setValue(.null, of: Attribute<AttributeValue>("rating"))
        #expect(note.rating == 3)
        #expect(note["rating"] == .null)
        note["kind"] = .integer(99)
        #expect(note.kind == .text)
        #expect(note.changedValues["kind"] == .integer(99))
    }

    @Test(arguments: [Seed(1), Seed(2)] + Seed.several(1))
    func `a context finds the objects that are held, and no others`(seed: Seed) throws {
        let world = try World()
        let writer = world.context()
        for place in 0..<300 { writer.insert(Note.self).title = "\(place)" }
        try writer.save()
        let ids = try writer.fetchIDs(Note.all)
        let context = world.context()
        var random = seed.generator()
        var held: [Int: ManagedObject] = [:]
        for _ in 0..<3_000 {
            let place = Int.random(in: 0..<ids.count, using: &random)
            #expect(context.registeredObject(for: ids[place]) === held[place], "seed \(seed)")
            held[place] = Bool.random(using: &random) ? context.object(with: ids[place]) : nil
            #expect(context.registeredObjectCount == held.count, "seed \(seed)")
        }
        for (place, id) in ids.enumerated() {
            #expect(context.registeredObject(for: id) === held[place], "seed \(seed)")
        }
    }

    @Test func `access by name is checked against the model`() throws {
        let context = try World().context()
        let note = try context.insert(entityNamed: "Note")
        #expect(note is Note)
        try note.setValue(.string("Milk"), forKey: "title")
        #expect(note["title"] == .string("Milk"))
        try note.setValue(.integer(70_000), forKey: "rating")
        #expect(note.validationFailures(for: .insert).map(\.reason) == [.outOfRange])
        #expect(throws: CofferError.self) { try note.setValue(.string("x"), forKey: "created") }
        #expect(throws: CofferError.self) { try note.setValue(.string("x"), forKey: "nothing") }
        #expect(throws: CofferError.self) { try note.setValue(.object(note.objectID), forKey: "folder") }
        #expect(throws: CofferError.self) { try context.insert(entityNamed: "Nobody") }
    }

    @Test func `one id has one object in a context`() throws {
        let world = try World()
        let context = world.context()
        let note = context.insert(Note.self)
        note.title = "n"
        let temporary = note.objectID
        #expect(context.object(with: temporary) === note)
        try context.save()
        #expect(context.object(with: note.objectID) === note)
        #expect(context.registeredObject(for: note.objectID) === note)
        #expect(try context.fetch(Note.all).first === note)
        #expect(try context.existingObject(with: note.objectID) === note)
        let other = world.context()
        #expect(other.registeredObject(for: note.objectID) == nil)
        let fault = other.object(with: note.objectID)
        #expect(fault.isFault)
        #expect(other.statistics.roundTrips == 0)
        #expect(try other.fetch(Note.all).first === fault)
        #expect(!fault.isFault)
    }

    @Test func `objects that nobody holds are forgotten and released`() throws {
        let world = try World()
        let context = world.context()
        for number in 0..<10 { context.insert(Note.self).title = "\(number)" }
        try context.save()
        #expect(context.registeredObjectCount == 0)
        let kept = try context.fetch(Note.all)[3]
        #expect(context.registeredObjectCount == 1)
        _ = try context.count(for: Note.all)
        let released = world.coordinator.state.withLock { $0.released.flatMap(\.primaryKeys) }
        #expect(released.filter { $0 == kept.objectID.primaryKey }.count == 1)
        #expect(Set(released).count == 10)
    }

    @Test func `changed objects are held until they are saved`() throws {
        let world = try World()
        let context = world.context()
        context.insert(Note.self).title = "a"
        try context.save()
        try context.fetch(Note.all).first?.title = "b"
        #expect(context.updatedObjects.count == 1)
        try context.save()
        #expect(context.registeredObjectCount == 0)
        #expect(try world.context().fetch(Note.all).map(\.title) == ["b"])
    }

    @Test func `an object that was deleted by another reads as defaults and says so`() throws {
        let world = try World()
        let context = world.context()
        let note = context.insert(Note.self)
        note.title = "gone"
        try context.save()
        let other = world.context()
        let copy = try #require(other.object(with: note.objectID) as? Note)
        context.delete(note)
        try context.save()
        #expect(note.isDeleted)
        #expect(note.context == nil)
        #expect(copy.title == "")
        #expect(copy.rating == 3)
        #expect(copy.folder == nil)
        #expect(copy.tags.isEmpty)
        #expect(copy.isDeleted)
        let id = copy.objectID
        #expect(throws: CofferError.self) { try copy.requireValues() }
        #expect(throws: CofferError.self) { try other.existingObject(with: id) }
        copy.title = "no crash"
        #expect(!other.hasChanges)
    }

    @Test func `a failing read gives the default and is remembered`() throws {
        let world = try World()
        let context = world.context()
        let note = context.insert(Note.self)
        note.title = "here"
        try context.save()
        let other = world.context()
        let fault = try #require(other.object(with: note.objectID) as? Note)
        world.coordinator.state.withLock { $0.failure = .unavailable("test") }
        #expect(fault.title == "")
        #expect(other.lastFaultError != nil)
        #expect(fault.isFault)
        #expect(fault.title == "here")
    }

    @Test func `hooks are called once each`() throws {
        let context = try World().context()
        let note = context.insert(Note.self)
        note.title = "a"
        try context.save()
        context.delete(note)
        try context.save()
        #expect(note.log == ["insert", "willSave", "didSave", "delete", "willSave"])
    }

    @Test func `a change that is taken back is none`() throws {
        let context = try World().context()
        let note = context.insert(Note.self)
        note.title = "a"
        try context.save()
        note.title = "b"
        #expect(note.isUpdated)
        #expect(note.committedValues(forKeys: ["title"]) == ["title": .string("a")])
        note.title = "a"
        #expect(!note.isUpdated)
        #expect(!context.hasChanges)
    }

    @Test func `sub-entities have their own classes`() throws {
        let world = try World()
        let context = world.context()
        context.insert(Reminder.self).title = "r"
        context.insert(Note.self).title = "n"
        try context.save()
        let found = try world.context().fetch(Note.all.sorted(by: \.title))
        #expect(found.map { $0 is Reminder } == [false, true])
        var narrow = Note.all
        narrow.includesSubentities = false
        #expect(try world.context().fetch(narrow).count == 1)
        #expect(try world.context().fetch(FetchRequest<Reminder>()).count == 1)
        let reminder = try #require(found.last)
        #expect(reminder["due"] == .null)
    }
}
