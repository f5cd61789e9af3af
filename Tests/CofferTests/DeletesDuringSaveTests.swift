import Coffer
import CofferModel
import CofferWire
import Synchronization
import Testing

/// What becomes of new objects that are deleted while they are on their way to a store.
@Suite struct `New objects deleted during a save` {
    private let stage: LateStage
    private let new: Leaving

    init() throws {
        stage = try LateStage()
        stage.context.undoManager = ContextUndoManager()
        new = try LateStage.make(stage.context, "o", "second")
        stage.context.processPendingChanges()
    }

    /// Lets the second store refuse what the context has of the note.
    private func letOthersChange() throws {
        let other = stage.world.context()
        try #require(try other.existingObject(with: stage.note.objectID) as? Note).rating = 1
        try other.save()
    }

    @Test func `a new object stays an insertion if its delete during a refused save was undone`() throws {
        try letOthersChange()
        stage.leaving.onFault = { [stage, new] in
            stage.context.delete(new)
            stage.context.undo()
        }
        #expect(throws: CofferError.self) { try stage.context.save() }
        #expect(stage.context.insertedObjects == [new] && new.title == "o")
        #expect(stage.context.updatedObjects == [stage.note])
        stage.context.mergePolicy = .mergeByPropertyObjectTrump
        try stage.context.save()
        #expect(try stage.stored().map(\.title) == ["note", "o"] && !stage.context.hasChanges)
    }

    @Test func `a new object whose insertion is undone during its save goes with the next one`() throws {
        try stage.save { [stage] in stage.context.undo() }
        #expect(stage.context.deletedObjects == [new])
        #expect(try stage.stored().map(\.title) == ["note", "o"])
        try stage.context.save()
        #expect(try stage.stored().map(\.title) == ["note"] && !stage.context.hasChanges)
    }

    @Test func `a new object whose insertion is undone and done again during its save is there`() throws {
        try stage.save { [stage] in
            stage.context.undo()
            stage.context.redo()
        }
        #expect(!new.isDeleted && new.title == "o" && stage.context.deletedObjects.isEmpty)
        try stage.context.save()
        #expect(try stage.stored().map(\.title) == ["note", "o"])
    }

    @Test func `a new object that a handler deletes after its store refused is never written`() throws {
        try letOthersChange()
        stage.context.undoManager = nil
        var isTold = false
        let token = stage.context.onNotification { [new, unowned context = stage.context] notification in
            guard case .didSave = notification, !isTold else { return }
            isTold = true
            context.delete(new)
            #expect(new.isDeleted && context.deletedObjects.isEmpty && context.insertedObjects.isEmpty)
            context.mergePolicy = .mergeByPropertyObjectTrump
            #expect(throws: Never.self) { try context.save() }
        }
        try? stage.context.save()
        #expect(isTold && !stage.context.hasChanges)
        #expect(try stage.stored().map(\.title) == ["note"])
        let sent = stage.world.coordinator.state.withLock { $0.saves.last }
        #expect(sent?.inserts.isEmpty ?? false)
        withExtendedLifetime(token) {}
    }
}
