import Coffer
import CofferModel
import FoundationEssentials
import Observation
import Synchronization
import Testing

/// Notes what happens to it, and changes things at awkward times.
private final class Watched: Note {
    var onWillSave: (() -> Void)?
    var onSnapshot: (() -> Void)?

    override func willSave() { onWillSave?() }
    override func willTurnIntoFault() { log.append("willFault") }
    override func didTurnIntoFault() { log.append("didFault") }
    override func awake(fromSnapshotEvents events: SnapshotEvents) {
        log.append("snapshot \(events.rawValue)")
        onSnapshot?()
    }

    override class var validatedKeys: [String] { ["title"] }
    override func validateValue(_ value: AttributeValue, forKey key: String) throws {
        if value == .string("bad") { throw Forbidden(text: "bad titles are forbidden") }
    }
    override func validateForDelete() throws {
        if value(of: Note.properties.isPinned) { throw Forbidden(text: "pinned notes stay") }
    }
}

private struct Forbidden: Error, CustomStringConvertible {
    var text: String
    var description: String { text }
}

@Suite struct `Life of an object` {
    private func context(_ world: World) -> ManagedObjectContext {
        let context = world.context()
        context.register(Watched.self, forEntity: "Note")
        return context
    }

    private func note(_ context: ManagedObjectContext, _ title: String = "n") throws -> Watched {
        let note = try #require(try context.insert(entityNamed: "Note") as? Watched)
        note.title = title
        return note
    }

    @Test func `what willSave changes is saved, and a circle is an error`() throws {
        let world = try World()
        let context = context(world)
        let one = try note(context)
        one.onWillSave = { one.body = "stamped" }
        try context.save()
        #expect(!context.hasChanges)
        #expect(try world.context().fetch(Note.all).first?.body == "stamped")
        func grow(_ note: Watched) {
            note.onWillSave = {
                guard let next = try? self.note(context) else { return }
                grow(next)
            }
        }
        grow(one)
        one.title = "again"
        #expect(throws: CofferError.self) { try context.save() }
        #expect(world.coordinator.state.withLock { $0.saves.count } == 1)
    }

    @Test func `refreshing makes a fault, and says so`() throws {
        let context = context(try World())
        let one = try note(context)
        one.scratch = "50"
        try context.save()
        one.log = []
        context.refreshAllObjects()
        #expect(one.isFault)
        #expect(one.log == ["willFault", "didFault"])
        #expect(one.scratch == nil)
        #expect(one.title == "n")
        one.title = "x"
        context.rollback()
        #expect(one.log.last == "snapshot 8")
    }

    @Test func `what an object computes anew when something is undone is not a step to undo`() throws {
        let context = context(try World())
        let one = try note(context, "a")
        try context.save()
        context.undoManager = ContextUndoManager()
        one.onSnapshot = { one.scratch = "of \(one.title)" }
        for title in ["b", "c"] {
            one.title = title
            context.processPendingChanges()
        }
        for title in ["b", "a"] {
            context.undo()
            #expect(one.title == title && one.scratch == "of \(title)")
        }
        for title in ["b", "c"] {
            context.redo()
            #expect(one.title == title && one.scratch == "of \(title)")
        }
    }

    @Test func `everything that forbids a save is told at once`() throws {
        let context = context(try World())
        let (bad, second, pinned) = (try note(context, "bad"), try note(context, "bad"), try note(context))
        let third = try note(context)
        third["title"] = .null
        do {
            try context.save()
            Issue.record("the save went through")
        } catch {
            guard case .validation(let failures) = error else { throw error }
            #expect(Set(failures.map(\.objectID)) == [bad.objectID, second.objectID, third.objectID])
            let first = failures.first { $0.objectID == bad.objectID }
            #expect(first?.reason == .custom)
            #expect(first?.property == "title")
            #expect(first?.value == .string("bad"))
            #expect(first?.text == "bad titles are forbidden")
            #expect(failures.first { $0.objectID == third.objectID }?.reason == .required)
        }
        for note in [bad, second, third] { note.title = "good" }
        pinned.isPinned = true
        try context.save()
        context.delete(pinned)
        #expect(throws: CofferError.self) { try context.save() }
        context.rollback()
        #expect(!pinned.isDeleted)
    }

    @Test func `a child is validated when it saves`() throws {
        let child = context(try World()).newChild()
        let bad = try note(child)
        bad["title"] = .null
        #expect(bad.validationFailures(for: .insert).map(\.property) == ["title"])
        #expect(throws: CofferError.self) { try child.save() }
        bad.title = "good"
        try child.save()
    }
}

@Suite struct `Rules of a model` {
    @Test func `bounds, expressions, predicates and counts are judged`() throws {
        let model = try ManagedObjectModel {
            Entity("Part") {
                Field("number", .integer32).validated(min: 2, max: 9).validated(
                    "SELF IN {4, 6, 8}", message: "numbers are even")
                Field("code", .string).validated(min: 2, max: 4, regex: "[a-z]+")
                Many("owners", "Owner", inverse: "parts")
            }
            Entity("Owner") {
                Many("parts", "Part", inverse: "owners", deleteRule: .deny).count(minimum: 1, maximum: 2)
            }
        }
        let context = ManagedObjectContext(
            coordinator: try ObservedCoordinator(model: model, stores: ["main"]))
        let part = try context.insert(entityNamed: "Part")
        func reasons() -> [String] {
            part.validationFailures(for: .insert).map { "\($0.property) \($0.reason.rawValue)" }
        }
        #expect(reasons() == ["code required", "number required"])
        part["number"] = .integer(11)
        part["code"] = .string("A")
        #expect(
            reasons() == [
                "code too_small", "code no_match", "number too_large", "number predicate",
            ])
        let text = part.validationFailures(for: .insert).last?.text
        #expect(text == "numbers are even")
        part["number"] = .integer(4)
        part["code"] = .string("abc")
        #expect(reasons().isEmpty)
        let owner = try context.insert(entityNamed: "Owner")
        let parts = try (0..<3).map { _ in try context.insert(entityNamed: "Part") }
        try owner.setObjects(parts, forKey: "parts")
        #expect(owner.validationFailures(for: .insert).map(\.reason) == [.tooMany])
        #expect(owner.validationFailures(for: .delete).map(\.reason) == [.deleteDenied])
    }
}

@Suite struct `Observation` {
    /// Whether what `read` reads is told to change while `change` runs.
    private func isTold(_ read: () -> Void, when change: () throws -> Void) rethrows -> Bool {
        let told = Mutex(false)
        withObservationTracking(read) { told.withLock { $0 = true } }
        try change()
        return told.withLock { $0 }
    }

    @Test func `a reader hears of the properties that it read, and of no others`() throws {
        let world = try World()
        let context = world.context()
        context.isObservable = true
        let note = context.insert(Note.self)
        let folder = context.insert(Folder.self)
        note.title = "a"
        #expect(isTold({ _ = note.title }, when: { note.title = "b" }))
        #expect(!isTold({ _ = note.title }, when: { note.body = "b" }))
        #expect(isTold({ _ = note["body"] }, when: { note.body = "c" }))
        #expect(isTold({ _ = note.folder }, when: { folder.notes.insert(note) }))
        #expect(isTold({ _ = folder.notes.count }, when: { note.folder = nil }))
        try context.save()
        #expect(isTold({ _ = note.title }, when: { context.refresh(note, mergeChanges: false) }))
        _ = note.title
        note.title = "x"
        #expect(isTold({ _ = note.title }, when: { context.rollback() }))
        #expect(
            isTold(
                { _ = note.title },
                when: {
                    context.delete(note)
                    try? context.save()
                }))
    }

    @Test func `merges from others are changes like any`() throws {
        let world = try World()
        let (context, other) = (world.context(), world.context())
        context.isObservable = true
        let writer = other.insert(Note.self)
        writer.title = "a"
        try other.save()
        let note = try #require(try context.fetch(Note.all).first)
        writer.title = "b"
        let isTold = try isTold(
            { _ = note.title },
            when: {
                try other.save()
                context.mergePendingChanges()
            })
        #expect(isTold)
        #expect(note.title == "b")
        writer.title = "c"
        try other.save()
        #expect(try self.isTold({ _ = note.title }, when: { _ = try context.fetch(Note.all) }))
    }

    @Test func `NaN is refused, and not judged besides`() throws {
        let model = try ManagedObjectModel {
            Entity("Part") {
                Field("height", .double).validated(min: 2)
                Field("width", .double).optional().validated(min: 2)
                Field("price", .decimal).optional().validated("SELF > 0", message: "costs nothing")
            }
        }
        let context = ManagedObjectContext(
            coordinator: try ObservedCoordinator(model: model, stores: ["main"]))
        let part = try context.insert(entityNamed: "Part")
        part["height"] = .double(.nan)
        part["width"] = .double(.nan)
        part["price"] = .decimal(.nan)
        let failures = part.validationFailures(for: .insert)
        #expect(Set(failures.map(\.property)) == ["height", "width", "price"])
        #expect(failures.allSatisfy { $0.reason == .outOfRange })
    }
}
