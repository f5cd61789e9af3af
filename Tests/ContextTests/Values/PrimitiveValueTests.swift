import Coffer
import CofferModel
import ContextSupport
import Observation
import Synchronization
import Testing

@Suite struct PrimitiveValueTests {
    @Test(arguments: Backing.all)
    func `primitive values are read and set without observers and undo, and are saved`(
        on backing: Backing
    ) throws {
        let model = try ManagedObjectModel { Entity("Note") { Field("title", .string).optional() } }
        try withContainer(model, on: backing) { container in
            let context = container.newContext()
            context.isObservable = true
            context.undoManager = ContextUndoManager()
            let note = try context.make("Note", ["title": "a"])
            try context.save()
            let changes = Mutex(0)
            withObservationTracking {
                #expect(note.primitiveValue(forKey: "title") == "a")
            } onChange: {
                changes.withLock { $0 += 1 }
            }
            note["title"] = "b"
            #expect(changes.withLock { $0 } == 0, "a primitive read observes nothing")
            withObservationTracking {
                _ = note["title"]
            } onChange: {
                changes.withLock { $0 += 1 }
            }
            try note.setPrimitiveValue("c", forKey: "title")
            #expect(changes.withLock { $0 } == 0, "a primitive change tells nobody")
            #expect(note["title"] == "c" && note.changedValues == ["title": "c"])
            try context.save()
            #expect(try container.newContext().all("Note").map { $0["title"] } == ["c"])
            #expect(throws: CofferError.self) { try note.setPrimitiveValue(1, forKey: "title") }
            #expect(throws: CofferError.self) { try note.setPrimitiveValue("x", forKey: "none") }
        }
    }
}
