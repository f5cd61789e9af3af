import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// Runs a closure when it turns into a fault.
private final class Leaving: ManagedObject {
    var onFault: (() -> Void)?

    override func didTurnIntoFault() {
        onFault?()
        onFault = nil
    }
}

/// New objects that turn out to be stored ones, and were changed while their save was in progress.
@Suite struct ChangesDuringUpsertTests {
    /// A new person with a car, who turns out to be a stored one, which the context may know.
    private struct Stage {
        let container: PersistentContainer
        let context: ManagedObjectContext
        let stored: ManagedObjectID
        let known: ManagedObject?
        let new: ManagedObject
        let car: ManagedObject
        fileprivate let leaving: Leaving

        /// Saves, and runs a closure when the person has been sent.
        func save(_ meanwhile: @escaping () -> Void) throws {
            leaving.onFault = meanwhile
            try context.save()
            #expect(leaving.onFault == nil)
        }
    }

    private func withStage(isKnown: Bool, on backing: Backing, _ body: (Stage) throws -> Void) throws {
        try withContainer(Garage.model(), stores: ["first", "second"], on: backing) { container in
            let first = container.newContext()
            let stored = try first.make("Person", ["name": "Ann", "salary": 10])
            try first.assign(stored, toStoreNamed: "second")
            try first.save()
            let context = container.newContext()
            context.mergePolicy = .mergeByPropertyObjectTrump
            context.register(Leaving.self, forEntity: "Car")
            let leaving = try #require(try context.make("Car", ["numberPlate": "A"]) as? Leaving)
            let car = try context.make("Car", ["numberPlate": "B"])
            try context.assign(leaving, toStoreNamed: "first")
            try context.assign(car, toStoreNamed: "second")
            try context.save()
            let known = isKnown ? try context.existingObject(with: stored.objectID) : nil
            context.delete(leaving)
            let new = try context.make("Person", ["name": "Ann", "salary": 20])
            try context.assign(new, toStoreNamed: "second")
            try body(
                Stage(
                    container: container, context: context, stored: stored.objectID, known: known, new: new,
                    car: car, leaving: leaving))
        }
    }

    @Test(arguments: [false, true], Backing.all)
    func `changes made during an upsert become changes of the stored object`(
        isKnown: Bool, on backing: Backing
    ) throws {
        try withStage(isKnown: isKnown, on: backing) { stage in
            let (context, new, car) = (stage.context, stage.new, stage.car)
            try stage.save {
                new["salary"] = 30
                #expect(throws: Never.self) { try new.setObjects([car], forKey: "cars") }
            }
            let person = stage.known ?? new
            #expect(new.isDeleted == isKnown)
            #expect(person.objectID == stage.stored && person["salary"] == 30)
            #expect(person.objects(forKey: "cars") == [car] && car.objects(forKey: "owner") == [person])
            #expect(context.updatedObjects == [person, car] && context.insertedObjects.isEmpty)
            #expect(try stage.container.newContext().all("Person").map { $0["salary"] } == [20])
            try context.save()
            #expect(!context.hasChanges)
            let reader = stage.container.newContext()
            let read = try reader.all("Person")
            #expect(read.map { $0["salary"] } == [30])
            #expect(read.map { $0.objects(forKey: "cars").map(\.objectID) } == [[car.objectID]])
        }
    }

    @Test(arguments: Backing.all(with: [false, true], [false, true]))
    func `a delete during an upsert becomes a delete of the stored object`(
        isKnown: Bool, changes: Bool, on backing: Backing
    ) throws {
        try withStage(isKnown: isKnown, on: backing) { stage in
            let (context, new, car) = (stage.context, stage.new, stage.car)
            try new.setObjects([car], forKey: "cars")
            try stage.save {
                if changes { new["salary"] = 30 }
                context.delete(new)
            }
            let person = stage.known ?? new
            #expect(person.isDeleted && context.deletedObjects == [person])
            #expect(context.insertedObjects.isEmpty && car.objects(forKey: "owner").isEmpty)
            #expect(try stage.container.newContext().all("Person").map { $0["salary"] } == [20])
            try context.save()
            #expect(!context.hasChanges)
            let reader = stage.container.newContext()
            #expect(try reader.all("Person").isEmpty)
            #expect(try reader.all("Car").flatMap { $0.objects(forKey: "owner") }.isEmpty)
        }
    }

    @Test(arguments: [false, true], Backing.all)
    func `an undo of a delete during an upsert brings the stored object back`(
        isKnown: Bool, on backing: Backing
    ) throws {
        try withStage(isKnown: isKnown, on: backing) { stage in
            let (context, new) = (stage.context, stage.new)
            context.undoManager = ContextUndoManager()
            try stage.save { context.delete(new) }
            context.undo()
            try context.save()
            let people = try stage.container.newContext().all("Person")
            #expect(people.map { $0["name"] } == ["Ann"] && !context.hasChanges)
            #expect(people.first?.objectID.storeUUID == stage.stored.storeUUID)
        }
    }
}
