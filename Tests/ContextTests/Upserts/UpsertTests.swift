import Coffer
import CofferModel
import ContextSupport
import Testing

@Suite struct UpsertTests {
    @Test(arguments: Backing.all)
    func `a broken constraint reports attributes, values, the objects of the save and the stored one`(
        on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext(name: "a")
            let stored = try context.make("Car", ["numberPlate": "A", "maker": "FIAT"])
            try context.save()
            let twins = [
                try context.make("Car", ["numberPlate": "A"]), try context.make("Car", ["numberPlate": "A"]),
            ]
            do {
                try context.save()
                Issue.record("it was saved")
            } catch CofferError.constraints(let conflicts) {
                let conflict = try #require(conflicts.first)
                #expect(conflicts.count == 1)
                #expect(conflict.entityName == "Car" && conflict.constraint == ["numberPlate"])
                #expect(conflict.values == ["numberPlate": "A"])
                #expect(conflict.objectIDs == twins.map(\.objectID))
                #expect(conflict.existingID == stored.objectID)
                #expect(conflict.stored?["maker"] == "FIAT")
            }
            #expect(context.insertedObjects == Set(twins))
        }
    }

    @Test(arguments: Backing.all)
    func `an upsert takes the id of a stored object that the context does not have`(on backing: Backing)
        throws
    {
        try withContainer(Garage.model(), on: backing) { container in
            let first = container.newContext(name: "first")
            let stored = try first.make("Car", ["numberPlate": "A", "maker": "FIAT", "speed": 90.0])
            try first.save()
            let context = container.newContext(name: "second")
            context.mergePolicy = .mergeByPropertyObjectTrump
            var posted: [ContextNotification] = []
            let token = context.onNotification { posted.append($0) }
            let car = try context.make("Car", ["numberPlate": "A", "maker": "FCA"])
            let owner = try context.make("Person", ["name": "Ann"])
            try car.setObjects([owner], forKey: "owner")
            try context.save()
            token.cancel()
            #expect(car.objectID == stored.objectID)
            #expect(!car.isInserted && !car.hasChanges && !car.isDeleted)
            #expect(car["maker"] == "FCA" && car["speed"] == 90.0)
            #expect(owner.objects(forKey: "cars") == [car])
            #expect(
                posted.contains {
                    if case .didSave([owner.objectID], [car.objectID], [], _, _) = $0 { true } else { false }
                })
            first.mergePendingChanges()
            #expect(stored["maker"] == "FCA")
            #expect(first.registeredObject(for: car.objectID) === stored)
            car["maker"] = "Lancia"
            try context.save()
        }
    }

    @Test(arguments: Backing.all)
    func `an upsert into an object that the context has keeps that object`(on backing: Backing) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            context.mergePolicy = .mergeByPropertyObjectTrump
            let stored = try context.make("Person", ["name": "Ann", "salary": 10])
            let car = try context.make("Car", ["numberPlate": "A"])
            try car.setObjects([stored], forKey: "owner")
            try context.save()
            #expect(stored.objects(forKey: "cars") == [car])
            let twin = try context.make("Person", ["name": "Ann", "salary": 20])
            let temporary = twin.objectID
            let other = try context.make("Car", ["numberPlate": "B"])
            try other.setObjects([twin], forKey: "owner")
            try context.save()
            #expect(twin.isDeleted)
            #expect(context.object(with: temporary) === stored)
            #expect(stored["salary"] == 20)
            #expect(other.objects(forKey: "owner") == [stored])
            #expect(Set(stored.objects(forKey: "cars")) == [car, other])
            #expect(try context.all("Person") == [stored])
        }
    }

    @Test(arguments: Backing.all)
    func `new objects of one save with the same unique value become one object`(on backing: Backing) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            context.mergePolicy = .overwrite
            let first = try context.make("Car", ["numberPlate": "A", "maker": "FIAT"])
            let second = try context.make("Car", ["numberPlate": "A", "speed": 5.0])
            try context.save()
            #expect(second.isDeleted && !first.isDeleted)
            #expect(first["speed"] == 5.0 && first["maker"] == .null)
            #expect(try context.all("Car") == [first])
        }
    }

    @Test(arguments: [MergePolicy.mergeByPropertyStoreTrump, .rollback], Backing.all)
    func `an upsert becomes the stored object unchanged where the store wins`(
        _ policy: MergePolicy, on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let first = container.newContext()
            try first.make("Car", ["numberPlate": "A", "maker": "FIAT"])
            try first.save()
            let context = container.newContext()
            context.mergePolicy = policy
            let car = try context.make("Car", ["numberPlate": "A", "maker": "FCA"])
            try context.save()
            #expect(car["maker"] == "FIAT" && !context.hasChanges)
            #expect(try context.texts("Car", "maker") == ["FIAT"])
        }
    }

    @Test(arguments: Backing.all)
    func `an upsert by property writes null and defaults that somebody set, and nothing else`(
        on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let first = container.newContext()
            let full: [String: AttributeValue] = ["maker": "FIAT", "speed": 90.0, "doors": 2]
            for plate in ["A", "B", "C"] {
                try first.make("Car", full.merging(["numberPlate": .string(plate)]) { $1 })
            }
            try first.save()
            let context = container.newContext()
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.make("Car", ["numberPlate": "A", "maker": .null, "doors": 4])
            try context.make("Car", ["numberPlate": "B"])
            try context.save()
            let child = context.newChild()
            try child.make("Car", ["numberPlate": "C", "speed": .null])
            try child.save()
            try context.save()
            let cars = try container.newContext().all("Car").sorted {
                $0["numberPlate"].text < $1["numberPlate"].text
            }
            #expect(cars.map { $0["maker"].text } == ["-", "FIAT", "FIAT"])
            #expect(cars.map { $0["doors"].text } == ["4", "2", "2"])
            #expect(cars.map { $0["speed"] } == [90.0, 90.0, .null])
        }
    }

    @Test(arguments: Backing.all)
    func `a batch insert by property writes its rows literally, null and defaults included`(
        on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let full: [String: AttributeValue] = ["maker": "FIAT", "doors": 2]
            for plate in ["A", "B"] {
                try context.make("Car", full.merging(["numberPlate": .string(plate)]) { $1 })
            }
            try context.save()
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.execute(
                BatchInsert(
                    entityName: "Car",
                    objects: [["numberPlate": "A", "maker": .null, "doors": 4], ["numberPlate": "B"]]))
            let cars = try container.newContext().all("Car").sorted {
                $0["numberPlate"].text < $1["numberPlate"].text
            }
            #expect(cars.map { $0["maker"].text } == ["-", "FIAT"])
            #expect(cars.map { $0["doors"].text } == ["4", "2"])
        }
    }

    @Test(arguments: Backing.all)
    func `an upsert into an object of another entity is a conflict under every policy`(
        on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            try context.make("SportCar", ["numberPlate": "A"])
            try context.save()
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.make("Car", ["numberPlate": "A"])
            #expect(throws: CofferError.self) { try context.save() }
        }
    }
}
