import Coffer
import CofferModel
import FoundationEssentials
import Testing

@Suite struct `Fetching` {
    private func filled(_ world: World, _ count: Int) throws {
        let context = world.context()
        for number in 0..<count {
            let note = context.insert(Note.self)
            note.title = "note \(number)"
            note.rating = number % 5
            note.created = Date(timeIntervalSinceReferenceDate: Double(number))
        }
        try context.save()
    }

    @Test func `conditions by key path become predicates`() throws {
        let world = try World()
        try filled(world, 20)
        let context = world.context()
        func count(_ condition: Condition<Note>) throws -> Int {
            try context.count(for: Note.where(condition))
        }
        #expect(try count(\.title == "note 3") == 1)
        #expect(try count(\.title != "note 3") == 19)
        #expect(try count(\.rating < 2) == 8)
        #expect(try count(\.rating <= 2 && \.rating >= 1) == 8)
        #expect(try count(\.rating > 3 || \.title == "note 0") == 5)
        #expect(try count(!(\.rating > 3)) == 16)
        #expect(try count(\.created == nil) == 0)
        #expect(try count(\.folder == nil) == 20)
        #expect(try count(\.created > Date(timeIntervalSinceReferenceDate: 9.5)) == 10)
        #expect(try context.count(for: Note.where { $0.title.beginsWith("note 1") }) == 11)
        #expect(
            try context.count(for: Note.where { $0.title.contains("OTE 1", options: .caseInsensitive) }) == 11
        )
        #expect(try context.count(for: Note.where { $0.rating.isIn([1, 2]) && $0.title.endsWith("2") }) == 2)
        #expect(try context.count(for: Note.where { $0.rating.isBetween(1, 2) }) == 8)
        #expect(try context.count(for: Note.where { $0.tags.isEmpty }) == 20)
        #expect(try context.count(for: Note.all.matching("title ENDSWITH %@", "3")) == 2)
        #expect(throws: CofferError.self) { try Note.all.matching("title ===== 3") }
    }

    @Test func `an asynchronous fetch gives equal results, and tells how far it is`() async throws {
        let world = try World()
        try filled(world, 2_500)
        let context = world.context()
        let request = Note.all.sorted(by: \.created, .descending)
        var told: [FetchProgress] = []
        let objects = try await context.fetchAsync(request) { told.append($0) }
        #expect(told.map(\.completed) == [0, 1_000, 2_000, 2_500])
        #expect(told.allSatisfy { $0.total == 2_500 })
        #expect(objects.allSatisfy { !$0.isFault })
        #expect(objects.first?.title == "note 2499")
        #expect(try context.fetch(request) == objects)
        #expect(try await world.context().fetchAsync(request.limit(3)).map(\.title).last == "note 2497")
        let pending = context.insert(Note.self)
        pending.created = Date(timeIntervalSinceReferenceDate: 9_999)
        #expect(try await context.fetchAsync(request.limit(1)) == [pending])
    }

    @Test func `a cancelled task ends its fetch`() async throws {
        let task = Task {
            let context = try World().context()
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await context.fetchAsync(Note.all).count
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `localized orders hold for pending changes too`() throws {
        let world = try World()
        let context = world.context()
        for title in ["zebra", "Äpfel", "apfel", "Öl"] { context.insert(Note.self).title = title }
        var request = Note.all
        request.sortDescriptors = [QuerySort("title", comparison: .localized)]
        request.locale = "de_DE"
        #expect(try context.fetch(request).map(\.title) == ["apfel", "Äpfel", "Öl", "zebra"])
    }

    @Test func `limit, offset and order hold, with and without pending changes`() throws {
        let world = try World()
        try filled(world, 20)
        let context = world.context()
        let request = Note.all.sorted(by: \.rating, .descending).sorted(by: \.created).offset(2).limit(3)
        let plain = try context.fetch(request).map(\.title)
        #expect(plain == ["note 14", "note 19", "note 3"])
        let pending = context.insert(Note.self)
        pending.title = "new"
        pending.rating = 4
        #expect(try context.fetch(request).map(\.title) == ["note 9", "note 14", "note 19"])
        pending.rating = 0
        #expect(try context.fetch(request).map(\.title) == plain)
        #expect(try context.count(for: request) == 3)
        #expect(try context.fetch(request.limit(0)).isEmpty)
        #expect(try context.fetch(request.limit(.max)).count == 19)
        #expect(try context.fetch(request.offset(.max).limit(.max)).isEmpty)
    }

    @Test func `pending changes take part`() throws {
        let world = try World()
        try filled(world, 4)
        let context = world.context()
        let notes = try context.fetch(Note.all.sorted(by: \.title))
        context.delete(notes[0])
        notes[1].title = "changed"
        let new = context.insert(Note.self)
        new.title = "changed"
        #expect(try context.fetch(Note.where(\.title == "changed")) == [new, notes[1]])
        #expect(try context.fetch(Note.where(\.title == "note 1")).isEmpty)
        #expect(try context.count(for: Note.all) == 4)
        #expect(
            try Set(context.fetchIDs(Note.all)) == Set([notes[1], notes[2], notes[3], new].map(\.objectID)))
        var stored = Note.all
        stored.includesPendingChanges = false
        #expect(try context.count(for: stored) == 4)
        #expect(try context.fetch(stored).contains(notes[0]))
        #expect(try context.fetchDictionaries(stored).count == 4)
    }

    @Test func `dictionaries have the properties asked for`() throws {
        let world = try World()
        try filled(world, 3)
        let context = world.context()
        var request = Note.all.sorted(by: \.title)
        request.propertiesToFetch = ["title", "rating"]
        let found = try context.fetchDictionaries(request)
        #expect(found[1] == ["title": .string("note 1"), "rating": .integer(1)])
        #expect(context.registeredObjectCount == 0)
        request.propertiesToFetch = ["nothing"]
        #expect(throws: CofferError.self) { try context.fetchDictionaries(request) }
    }

    @Test func `faults of one fetch fire together`() throws {
        let world = try World()
        try filled(world, 450)
        let context = world.context()
        var request = Note.all.sorted(by: \.created)
        request.returnsObjectsAsFaults = true
        let notes = try context.fetch(request)
        #expect(notes.allSatisfy { $0.isFault })
        #expect(notes.map(\.title) == (0..<450).map { "note \($0)" })
        #expect(context.statistics.faultsFired == 3)
        #expect(context.statistics.roundTrips == 4)
    }

    @Test func `properties that did not come along are read when asked for`() throws {
        let world = try World()
        try filled(world, 3)
        let context = world.context()
        var request = Note.all.sorted(by: \.title)
        request.propertiesToFetch = ["title"]
        let notes = try context.fetch(request)
        #expect(notes[1].title == "note 1")
        #expect(context.statistics.faultsFired == 0)
        #expect(notes[1].rating == 1)
        #expect(context.statistics.faultsFired == 1)
        #expect(notes[1].body == nil)
        #expect(context.statistics.faultsFired == 1)
    }

    @Test func `an unknown entity is an error`() throws {
        let context = try World().context()
        #expect(throws: CofferError.self) {
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Nobody"))
        }
        let request = FetchRequest<ManagedObject>(entityName: "Note", .compare("nothing", .equal, 1))
        context.insert(Note.self).title = "x"
        #expect(throws: CofferError.self) { try context.fetch(request) }
    }
}
