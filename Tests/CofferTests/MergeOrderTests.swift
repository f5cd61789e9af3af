import Coffer
import CofferModel
import CofferWire
import Synchronization
import Testing

/// Fetches when it became a fault.
private final class Asking: Note {
    var onFault: (() -> Void)?

    override func didTurnIntoFault() { onFault?() }
}

/// What arrives is merged in order, whatever handlers and hooks do meanwhile.
@Suite struct `Merging while merging` {
    /// Does something when the context has merged for the first time.
    private func onFirstMerge(
        of context: ManagedObjectContext, _ body: @escaping () throws -> Void
    ) -> NotificationToken {
        var isFirst = true
        return context.onNotification { notification in
            guard case .didMerge = notification, isFirst else { return }
            isFirst = false
            #expect(throws: Never.self) { try body() }
        }
    }

    private func notes(_ context: ManagedObjectContext) throws -> (first: Note, second: Note) {
        let (first, second) = (context.insert(Note.self), context.insert(Note.self))
        (first.title, second.title) = ("first", "second")
        try context.save()
        return (first, second)
    }

    /// Saves a change of one note, and then one of another, which a second context has; that one's object.
    private func saveTwice(
        _ first: Note, _ second: Note, in writer: ManagedObjectContext, for reader: ManagedObjectContext
    ) throws -> Note {
        let mine = try #require(try reader.existingObject(with: second.objectID) as? Note)
        first.rating = 1
        try writer.save()
        second.title = "2"
        try writer.save()
        return mine
    }

    @Test func `a handler that fetches does not let newer transactions overtake`() throws {
        let world = try World()
        let (writer, reader) = (world.context("writer"), world.context("reader"))
        let (first, second) = try notes(writer)
        let mine = try saveTwice(first, second, in: writer, for: reader)
        let token = onFirstMerge(of: reader) {
            second.body = "3"
            try writer.save()
            _ = try reader.count(for: Note.all)
            #expect(mine.title == "2" && mine.body == "3")
        }
        reader.mergePendingChanges()
        #expect(mine.title == "2" && mine.body == "3")
        mine.title = "mine"
        try reader.save()
        withExtendedLifetime(token) {}
    }

    @Test func `a handler that fetches does not let newer saves of the parent overtake`() throws {
        let world = try World()
        let root = world.context()
        let (first, second) = try notes(root)
        let child = root.newChild()
        let mine = try saveTwice(first, second, in: root, for: child)
        let token = onFirstMerge(of: child) {
            second.title = "3"
            try root.save()
            _ = try child.count(for: Note.all)
        }
        child.mergePendingChanges()
        #expect(mine.title == "3")
        withExtendedLifetime(token) {}
    }

    @Test func `a hook that fetches lets the whole transaction be merged first`() throws {
        let world = try World()
        let (writer, reader) = (world.context("writer"), world.context("reader"))
        reader.register(Asking.self, forEntity: "Note")
        let (first, second) = try notes(writer)
        let doomed = try #require(try reader.existingObject(with: first.objectID) as? Asking)
        let mine = try #require(try reader.existingObject(with: second.objectID) as? Note)
        doomed.onFault = {
            second.body = "3"
            #expect(throws: Never.self) {
                try writer.save()
                _ = try reader.count(for: Note.all)
            }
        }
        // One save that deletes an object of one entity and changes one of another, as the service may tell
        // it.
        let key = try #require(second.objectID.primaryKey)
        let slot = try #require(second.entity.propertyIndex(named: "title"))
        var column = ColumnBuilder(property: slot, type: .string)
        try column.append(.string("2"))
        try world.coordinator.silently {
            second.title = "2"
            try writer.save()
        }
        let transaction = TransactionMessage(
            number: 2, timestamp: 0, author: "", contextName: "",
            changes: [
                ChangeGroup(
                    kind: .delete, entity: first.entity.index,
                    primaryKeys: [try #require(first.objectID.primaryKey)]),
                ChangeGroup(
                    kind: .update, entity: second.entity.index, primaryKeys: [key], versions: [2],
                    properties: [slot], columns: [column.finish()]),
            ])
        world.coordinator.tell(.transaction(transaction, store: 1, origin: nil))
        reader.mergePendingChanges()
        #expect(doomed.isDeleted)
        reader.mergePendingChanges()
        #expect(mine.title == "2" && mine.body == "3")
    }

    @Test func `a handler that resets the context leaves nothing to merge`() throws {
        let world = try World()
        let (writer, reader) = (world.context("writer"), world.context("reader"))
        let (first, second) = try notes(writer)
        first.rating = 1
        try writer.save()
        second.title = "2"
        try writer.save()
        var merges = 0
        let token = reader.onNotification { notification in
            guard case .didMerge = notification else { return }
            merges += 1
            reader.reset()
        }
        reader.mergePendingChanges()
        #expect(merges == 1)
        let titles = try reader.fetch(Note.all.sorted(by: \.title)).map(\.title)
        #expect(titles == ["2", "first"])
        withExtendedLifetime(token) {}
    }
}
