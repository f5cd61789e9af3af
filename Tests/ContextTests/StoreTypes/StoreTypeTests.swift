import Coffer
import CofferModel
import ContextSupport
import FoundationEssentials
import Testing

/// What every type of store promises, embedded and in the service.
@Suite struct StoreTypeTests {
    /// Each type that keeps a file, embedded and in the service.
    private static let filed = all.filter { $0.0 != .memory }
    private static let all = StoreType.allCases.flatMap { type in Backing.overFiles.map { (type, $0) } }

    private static func people(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: "Person").sorted(by: "name"))
    }

    @Test(arguments: all)
    func `saved objects are fetched, by predicate and order, with their relationships`(
        type: StoreType, on backing: Backing
    ) throws {
        try withContainer(Garage.model(), type: type, on: backing) { container in
            let writer = container.newContext()
            let ann = try writer.make("Person", ["name": "Ann", "salary": 7])
            for (plate, speed) in [("A", 1.5), ("B", 100), ("C", 250.25)] {
                let car = try writer.make("Car", ["numberPlate": .string(plate), "speed": .double(speed)])
                try car.setObjects([ann], forKey: "owner")
            }
            try writer.save()
            let reader = container.newContext()
            let fast = FetchRequest<ManagedObject>(
                entityName: "Car", try QueryPredicate(format: "owner.name == 'Ann' AND speed > 50"))
            #expect(try reader.fetch(fast.sorted(by: "speed")).map { $0["numberPlate"] } == ["B", "C"])
            #expect(try Self.people(reader)[0].objects(forKey: "cars").count == 3)
        }
    }

    @Test(arguments: all)
    func `a stale save is a conflict, and a unique value exists once`(
        type: StoreType, on backing: Backing
    ) throws {
        try withContainer(Garage.model(), type: type, on: backing) { container in
            let (mine, theirs) = (container.newContext(), container.newContext())
            theirs.automaticallyMergesChanges = false
            let ann = try mine.make("Person", ["name": "Ann", "salary": 1])
            try mine.save()
            let theirAnn = try theirs.existingObject(with: ann.objectID)
            #expect(theirAnn["salary"] == 1)
            ann["salary"] = 2
            try mine.save()
            theirAnn["salary"] = 3
            #expect(throws: CofferError.self) { try theirs.save() }
            theirs.reset()
            try theirs.make("Person", ["name": "Ann"])
            #expect(throws: CofferError.self) { try theirs.save() }
            #expect(try Self.people(container.newContext()).map { $0["salary"] } == [2])
        }
    }

    @Test(arguments: all)
    func `a delete follows its rule, and history records what happened since the opening`(
        type: StoreType, on backing: Backing
    ) throws {
        try withContainer(Garage.model(), type: type, on: backing) { container in
            let context = container.newContext(author: "me")
            let ann = try context.make("Person", ["name": "Ann"])
            let car = try context.make("Car", ["numberPlate": "A"])
            try car.setObjects([ann], forKey: "owner")
            try context.save()
            context.delete(ann)
            try context.save()
            #expect(car.objects(forKey: "owner").isEmpty)
            let history = try context.fetchHistory()
            #expect(history.map(\.author) == ["me", "me"])
            #expect(history.last?.changes?.contains { $0.kind == .delete } == true)
        }
    }

    @Test(arguments: filed)
    func `objects keep values, ids and order when a store is closed and opened again`(
        type: StoreType, on backing: Backing
    ) throws {
        let description = StoreDescription(name: "Test", type: type)
        try backing.withContainers(Garage.model(), stores: [description]) { make, folder in
            var ids: [ManagedObjectID] = []
            for round in 0..<3 {
                let container = try make()
                try container.loadStores()
                let context = container.newContext()
                let present = try Self.people(context)
                #expect(present.map(\.objectID) == ids)
                #expect(present.map { $0["salary"] } == (0..<round).map { .integer(Int64($0)) })
                let person = try context.make(
                    "Person", ["name": .string("P\(round) <&\"> é\n\t"), "salary": .integer(Int64(round))])
                let car = try context.make(
                    "SportCar", ["numberPlate": .string("\(round)"), "turbo": .boolean(true)])
                try car.setObjects([person], forKey: "owner")
                try context.save()
                ids.append(person.objectID)
                #expect(try Self.people(context)[round].objects(forKey: "cars").count == 1)
            }
        }
    }
}
