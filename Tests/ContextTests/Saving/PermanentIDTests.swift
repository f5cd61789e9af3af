import Coffer
import CofferModel
import ContextSupport
import Testing

@Suite struct PermanentIDTests {
    private func withGarage(
        on backing: Backing, _ body: (PersistentContainer, ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            try body(container, context)
        }
    }

    @Test(arguments: Backing.all)
    func `rows of one inheritance tree get the ids that their objects had`(on backing: Backing) throws {
        try withGarage(on: backing) { container, context in
            let cars = try (0..<8).map { number in
                try context.make(number % 3 == 0 ? "SportCar" : "Car", ["numberPlate": .string("\(number)")])
            }
            let owner = try context.make("Person", ["name": "Ann"])
            for car in cars { try car.setObjects([owner], forKey: "owner") }
            try context.obtainPermanentIDs(for: [cars[6], cars[0], cars[5], cars[1], owner])
            context.delete(cars[1])
            let ids = [0, 5, 6].map { cars[$0].objectID }
            try context.save()
            #expect([0, 5, 6].map { cars[$0].objectID } == ids)
            let other = container.newContext()
            for (place, car) in cars.enumerated() where place != 1 {
                let copy = try other.existingObject(with: car.objectID)
                #expect(copy["numberPlate"] == .string("\(place)") && copy.entity === car.entity)
                #expect(copy.objects(forKey: "owner").map(\.objectID) == [owner.objectID])
            }
            #expect(try other.all("Car").count == 7)
        }
    }

    @Test(arguments: Backing.all)
    func `a predicate finds an object by the permanent id that it had unsaved`(on backing: Backing) throws {
        try withGarage(on: backing) { _, context in
            let owner = try context.make("Person", ["name": "Ann"])
            let car = try context.make("Car", ["numberPlate": "A"])
            try car.setObjects([owner], forKey: "owner")
            try context.obtainPermanentIDs(for: [owner, car])
            var request = FetchRequest<ManagedObject>(entityName: "Car")
            request.predicate = try QueryPredicate(
                format: "owner == %@", AttributeValue.object(owner.objectID))
            #expect(try context.fetch(request) == [car])
            try context.save()
            #expect(try context.fetch(request) == [car])
        }
    }

    @Test(arguments: Backing.all)
    func `an object that becomes a stored one takes its id, and both ids lead there`(
        on backing: Backing
    ) throws {
        try withGarage(on: backing) { container, context in
            let first = container.newContext()
            let stored = try first.make("Car", ["numberPlate": "A", "maker": "FIAT", "speed": 90.0])
            try first.save()
            context.mergePolicy = .mergeByPropertyObjectTrump
            let car = try context.make("Car", ["numberPlate": "A", "maker": "FCA"])
            let owner = try context.make("Person", ["name": "Ann"])
            try car.setObjects([owner], forKey: "owner")
            let temporary = car.objectID
            try context.obtainPermanentIDs(for: [car, owner])
            let reserved = car.objectID
            #expect(reserved != stored.objectID)
            try context.save()
            #expect(car.objectID == stored.objectID && !car.isInserted && !car.hasChanges)
            #expect(car["maker"] == "FCA" && car["speed"] == 90.0)
            #expect(owner.objects(forKey: "cars") == [car])
            #expect(context.object(with: temporary) === car && context.object(with: reserved) === car)
            #expect(try container.newContext().all("Car").map(\.objectID) == [stored.objectID])
        }
    }

    @Test(arguments: Backing.all)
    func `an upsert into a known object keeps it, in contexts below too`(on backing: Backing) throws {
        try withGarage(on: backing) { _, context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            let stored = try context.make("Person", ["name": "Ann"])
            try context.save()
            let child = context.newChild()
            let twin = try child.make("Person", ["name": "Ann", "salary": 20])
            let car = try child.make("Car", ["numberPlate": "B"])
            try car.setObjects([twin], forKey: "owner")
            try child.obtainPermanentIDs(for: [twin])
            let reserved = twin.objectID
            try child.save()
            try context.save()
            child.mergePendingChanges()
            #expect(stored["salary"] == 20)
            #expect(context.object(with: reserved) === stored)
            #expect(car.objects(forKey: "owner").map(\.objectID) == [stored.objectID])
            #expect(child.object(with: reserved).objectID == stored.objectID)
            #expect(twin.isDeleted || twin.objectID == stored.objectID)
        }
    }

    @Test(arguments: Backing.all)
    func `an error of a save names objects by their permanent ids`(on backing: Backing) throws {
        try withGarage(on: backing) { _, context in
            let fast = try context.make("Car", ["numberPlate": "A"])
            let twins = try (0..<2).map { _ in try context.make("Person", ["name": "Ann"]) }
            try context.obtainPermanentIDs(for: [fast] + twins)
            do {
                try context.save()
                Issue.record("it was saved")
            } catch CofferError.constraints(let conflicts) {
                let conflict = try #require(conflicts.first)
                #expect(conflicts.count == 1 && conflict.objectIDs == twins.map(\.objectID))
                #expect(conflict.existingID == nil && conflict.values == ["name": "Ann"])
            }
            context.delete(twins[1])
            try context.save()
            #expect(fast.objectID.primaryKey == 1 && twins[0].objectID.primaryKey == 1)
        }
    }

    @Test(arguments: Backing.all)
    func `a position in an ordered relationship is kept, whichever objects have ids`(on backing: Backing)
        throws
    {
        try withContainer(OrderedLists.model(), on: backing) { container in
            let context = container.newContext()
            let list = try context.make("List", [:])
            let items = try (0..<12).map { try context.make("Item", ["name": .string("\($0)")]) }
            let order = [3, 0, 7, 11, 1, 2, 10, 4, 9, 5, 8, 6]
            try list.setObjects(order.map { items[$0] }, forKey: "items")
            try context.obtainPermanentIDs(for: [items[2], items[9], items[10], items[0], list])
            try context.save()
            let other = container.newContext()
            let copy = try other.existingObject(with: list.objectID)
            #expect(copy.objects(forKey: "items").map { $0["name"].text } == order.map { "\($0)" })
        }
    }
}

private enum OrderedLists {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "List", attributes: [],
                relationships: [
                    RelationshipDefinition(
                        "items", to: "Item", inverse: "list", isToMany: true, isOrdered: true)
                ]),
            EntityDefinition(
                "Item", attributes: [AttributeDefinition("name", .string, isOptional: true)],
                relationships: [RelationshipDefinition("list", to: "List", inverse: "items")]),
        ])
    }
}
