import Coffer
import CofferModel
import ContextSupport
import Testing

/// An object that one context changed is deleted by another: it stays only as long as its changes do.
@Suite struct ObjectDeletedByOthersTests {
    private struct World {
        let mine: ManagedObjectContext
        let object: ManagedObject
        let controller: FetchedResultsController<ManagedObject>

        func isShown() throws -> Bool {
            let fetched = try mine.fetch(controller.request)
            #expect(Array(controller.fetchedObjects) == fetched)
            return fetched == [object]
        }
    }

    /// Changes the one note in a context with a controller, deletes it in another, and merges that.
    private func withDeleted(
        afterSetting key: String, to value: AttributeValue, on backing: Backing,
        _ body: (World) throws -> Void
    ) throws {
        let note = EntityDefinition(
            "Note",
            attributes: [
                AttributeDefinition("title", .string),
                AttributeDefinition("isOpen", .boolean, isOptional: true, isTransient: true),
            ])
        try withContainer(try ManagedObjectModel(entities: [note]), on: backing) { container in
            let (mine, other) = (container.newContext(), container.newContext())
            mine.mergePolicy = .mergeByPropertyObjectTrump
            let object = try mine.make("Note", ["title": "Milk"])
            try mine.save()
            let request = FetchRequest<ManagedObject>(entityName: "Note").sorted(by: "title")
            let world = World(
                mine: mine, object: object, controller: try FetchedResultsController(request, in: mine))
            try world.controller.performFetch()
            mine.undoManager = ContextUndoManager()
            object[key] = value
            other.delete(try other.existingObject(with: object.objectID))
            try other.save()
            mine.mergePendingChanges()
            let isShown = try world.isShown()
            #expect(isShown && !object.isDeleted && object.isUpdated)
            try body(world)
        }
    }

    @Test(arguments: Backing.all)
    func `a changed object that others deleted goes when its last change is reverted`(
        on backing: Backing
    ) throws {
        try withDeleted(afterSetting: "title", to: "Bread", on: backing) { world in
            world.object["title"] = "Milk"
            #expect(world.object.isDeleted && !world.mine.hasChanges)
            let isShown = try world.isShown()
            #expect(!isShown)
        }
    }

    @Test(arguments: Backing.all)
    func `a changed object that others deleted goes when its last change is undone`(
        on backing: Backing
    ) throws {
        try withDeleted(afterSetting: "title", to: "Bread", on: backing) { world in
            world.mine.undo()
            #expect(world.object.isDeleted && !world.mine.hasChanges)
            let isShown = try world.isShown()
            #expect(!isShown)
        }
    }

    @Test(arguments: Backing.all)
    func `a changed object that others deleted goes when its changes are rolled back`(
        on backing: Backing
    ) throws {
        try withDeleted(afterSetting: "title", to: "Bread", on: backing) { world in
            world.mine.rollback()
            #expect(world.object.isDeleted)
            let isShown = try world.isShown()
            #expect(!isShown)
        }
    }

    @Test(arguments: Backing.all)
    func `a changed object that others deleted goes with a save of transient values alone`(
        on backing: Backing
    ) throws {
        try withDeleted(afterSetting: "isOpen", to: .boolean(true), on: backing) { world in
            try world.mine.save()
            #expect(world.object.isDeleted && !world.mine.hasChanges)
            let isShown = try world.isShown()
            #expect(!isShown)
        }
    }

    @Test(arguments: Backing.all)
    func `a changed object that others deleted goes with a save that stores another object`(
        on backing: Backing
    ) throws {
        try withDeleted(afterSetting: "isOpen", to: .boolean(true), on: backing) { world in
            let another = try world.mine.make("Note", ["title": "Eggs"])
            try world.mine.save()
            #expect(world.object.isDeleted)
            let fetched = try world.mine.fetch(world.controller.request)
            #expect(fetched == [another] && Array(world.controller.fetchedObjects) == fetched)
        }
    }
}
