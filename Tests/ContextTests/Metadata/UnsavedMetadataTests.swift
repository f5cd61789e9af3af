import Coffer
import CofferModel
import ContextSupport
import Testing

/// Metadata as the program has it, which is saved with the next save.
struct UnsavedMetadataTests {
    private struct Stack {
        let container: PersistentContainer
        let context: ManagedObjectContext
        let store: String

        func stored() throws -> [String: MetadataValue] { try container.metadata(ofStore: store).values }
    }

    private func withStack(on backing: Backing, _ body: (Stack) throws -> Void) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let store = try #require(container.coordinator.stores.first?.name)
            try body(Stack(container: container, context: container.newContext(name: "c"), store: store))
        }
    }

    @Test(arguments: Backing.all)
    func `it is saved with the objects, in their transaction, and not before`(on backing: Backing) throws {
        try withStack(on: backing) { stack in
            try stack.container.metadata(ofStore: stack.store, setting: ["old": 1, "other": "x"])
            try stack.container.setMetadata(["edition": 4, "old": nil], ofStore: stack.store)
            #expect(try stack.stored() == ["old": 1, "other": "x"])
            #expect(stack.container.unsavedMetadata(ofStore: stack.store) == ["edition": 4, "old": nil])
            _ = try stack.context.make("Person", ["name": "Alice", "salary": 10])
            try stack.context.save()
            #expect(try stack.stored() == ["edition": 4, "other": "x"])
            #expect(stack.container.unsavedMetadata(ofStore: stack.store).isEmpty)
            // A save that is refused takes nothing along, and nothing is lost.
            try stack.container.setMetadata(["edition": 5], ofStore: stack.store)
            _ = try stack.context.make("Person", ["salary": 10])
            #expect(throws: CofferError.self) { try stack.context.save() }
            #expect(try stack.stored()["edition"] == 4)
            stack.context.rollback()
            try stack.context.save()
            #expect(try stack.stored()["edition"] == 5, "though no object changed")
        }
    }

    @Test(arguments: Backing.all)
    func `what others set under other keys stays`(on backing: Backing) throws {
        try withStack(on: backing) { stack in
            try stack.container.setMetadata(["a": 1], ofStore: stack.store)
            try stack.container.metadata(ofStore: stack.store, setting: ["b": 2])
            try stack.context.save()
            #expect(try stack.stored() == ["a": 1, "b": 2])
        }
    }

    @Test(
        arguments: Backing.all(
            with: [MergePolicy.error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump].map { ($0, 0) }
        ))
    func `where others have changed a key, the merge policy decides`(
        _ policy: MergePolicy, _ unused: Int, on backing: Backing
    ) throws {
        try withStack(on: backing) { stack in
            stack.context.mergePolicy = policy
            try stack.container.setMetadata(["a": 1], ofStore: stack.store)
            try stack.container.metadata(ofStore: stack.store, setting: ["a": 2])
            let person = try stack.context.make("Person", ["name": "Alice", "salary": 10])
            if policy == .error {
                let error = #expect(throws: CofferError.self) { try stack.context.save() }
                guard case .refused(_, reason: "metadata_conflict", _, place: "a")? = error else {
                    Issue.record("\(error as Any)")
                    return
                }
                #expect(try stack.stored() == ["a": 2])
                #expect(stack.context.hasChanges)
                // A caller that has seen what is there may write over it.
                try stack.container.setMetadata(["a": 1], ofStore: stack.store)
            }
            try stack.context.save()
            #expect(try stack.stored() == ["a": policy == .mergeByPropertyStoreTrump ? 2 : 1])
            #expect(!person.objectID.isTemporary)
            #expect(stack.container.unsavedMetadata(ofStore: stack.store).isEmpty)
        }
    }

    @Test(arguments: Backing.all)
    func `what is given up is not saved, and a store that is not there is an error`(on backing: Backing)
        throws
    {
        try withStack(on: backing) { stack in
            try stack.container.setMetadata(["a": 1], ofStore: stack.store)
            stack.container.discardUnsavedMetadata(ofStore: stack.store)
            try stack.context.save()
            #expect(try stack.stored().isEmpty)
            #expect(throws: CofferError.self) { try stack.container.setMetadata(["a": 1], ofStore: "None") }
        }
    }
}
