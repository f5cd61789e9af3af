import Coffer
import CofferEmbedded
import CofferModel
import TestSupport
import Testing

/// Does something when it turns into a fault.
private final class Leaving: ManagedObject {
    var onFault: (() -> Void)?

    override func didTurnIntoFault() {
        onFault?()
        onFault = nil
    }
}

/// New objects that turn out to be stored ones, and were changed while they were on their way.
@Suite struct LateUpsertTests {
    @Test(arguments: [false, true])
    func `late changes become those of the stored object`(isKnown: Bool) throws {
        try withTemporaryFolder { folder in
            let container = try PersistentContainer.embedded(
                name: "Test", model: Garage.model(), folder: folder,
                stores: [StoreDescription(name: "first"), StoreDescription(name: "second")])
            try container.loadStores()
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
            leaving.onFault = {
                new["salary"] = 30
                #expect(throws: Never.self) { try new.setObjects([car], forKey: "cars") }
            }
            try context.save()
            let person = known ?? new
            #expect(leaving.onFault == nil && new.isDeleted == isKnown)
            #expect(person.objectID == stored.objectID && person["salary"] == 30)
            #expect(person.objects(forKey: "cars") == [car] && car.objects(forKey: "owner") == [person])
            #expect(context.updatedObjects == [person, car] && context.insertedObjects.isEmpty)
            #expect(try container.newContext().all("Person").map { $0["salary"] } == [20])
            try context.save()
            #expect(!context.hasChanges)
            let reader = container.newContext()
            let read = try reader.all("Person")
            #expect(read.map { $0["salary"] } == [30])
            #expect(read.map { $0.objects(forKey: "cars").map(\.objectID) } == [[car.objectID]])
        }
    }
}
