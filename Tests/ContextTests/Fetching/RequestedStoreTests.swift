import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// The results of requests that name stores; each test is named by the rows of the table that it covers.
@Suite struct RequestedStoreTests {
    /// A garage in two parts, each with one car whose maker is the part's name.
    private func withParts(
        on backing: Backing, _ body: (PersistentContainer, ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Garage.model(), stores: ["part1", "part2"], on: backing) { container in
            let context = container.newContext()
            for part in ["part1", "part2"] {
                let car = try context.make("Car", ["numberPlate": .string(part), "maker": .string(part)])
                try context.assign(car, toStoreNamed: part)
            }
            try context.save()
            try body(container, context)
        }
    }

    private let cars = FetchRequest<ManagedObject>(entityName: "Car").sorted(by: "numberPlate")

    @Test(arguments: Backing.all)
    func `F22: a request to a store that does not exist, or does not keep the entity, is an error`(
        on backing: Backing
    ) throws {
        try withParts(on: backing) { (_, context) throws in
            for names in [["part3"], ["part1", "part3"], ["part1", ""]] {
                var request = cars
                request.affectedStores = names
                #expect(throws: CofferError.self) { try context.fetch(request) }
                #expect(throws: CofferError.self) { try context.count(for: request) }
                #expect(throws: CofferError.self) { try context.newChild().fetch(request) }
            }
        }
    }

    @Test(arguments: Backing.all)
    func `F23: only the stores that a request names are asked`(on backing: Backing) throws {
        try withParts(on: backing) { (container, context) throws in
            let uuids = container.coordinator.stores.map(\.uuid)
            for context in [context, context.newChild(), container.newContext()] {
                #expect(try context.count(for: cars) == 2)
                for (place, part) in ["part1", "part2"].enumerated() {
                    let request = cars.inStores(part)
                    #expect(try context.count(for: request) == 1)
                    #expect(try context.fetch(request).map { $0["maker"].text } == [part])
                    #expect(try context.fetchIDs(request).map(\.storeUUID) == [uuids[place]])
                    #expect(try context.fetchDictionaries(request).map { $0["maker"] } == [.string(part)])
                    #expect(try context.fetchLazily(request).map { $0["maker"].text } == [part])
                }
                #expect(try context.fetch(cars.inStores("part2", "part1")).count == 2)
            }
        }
    }

    @Test(arguments: Backing.all)
    func `unsaved objects count as objects of the store that they will be in`(on backing: Backing) throws {
        try withParts(on: backing) { (_, context) throws in
            let child = context.newChild()
            for (context, first) in [(context, "b"), (child, "d")] {
                let second = first == "b" ? "c" : "e"
                try context.make("Car", ["numberPlate": .string(first)])
                let other = try context.make("Car", ["numberPlate": .string(second)])
                try context.assign(other, toStoreNamed: "part2")
            }
            let plates = { (context: ManagedObjectContext, part: String) in
                try context.fetch(cars.inStores(part)).map { $0["numberPlate"].text }
            }
            #expect(try plates(context, "part1") == ["b", "part1"])
            #expect(try plates(context, "part2") == ["c", "part2"])
            #expect(try plates(child, "part1") == ["b", "d", "part1"])
            #expect(try plates(child, "part2") == ["c", "e", "part2"])
            for object in try context.fetch(cars.inStores("part1")) { context.delete(object) }
            #expect(try plates(context, "part1") == [])
            #expect(try plates(context, "part2") == ["c", "part2"])
            #expect(try context.count(for: cars.inStores("part1")) == 0)
        }
    }

    @Test(arguments: Backing.all)
    func `followed results come from the stores that their request names`(on backing: Backing) throws {
        try withParts(on: backing) { (container, context) throws in
            let results = try FetchedResultsController(cars.inStores("part2"), in: context)
            try results.performFetch()
            let other = container.newContext()
            for part in ["part1", "part2"] {
                let car = try other.make("Car", ["numberPlate": .string("x\(part)")])
                try other.assign(car, toStoreNamed: part)
            }
            try other.save()
            context.mergePendingChanges()
            #expect(results.fetchedObjects.map { $0["numberPlate"].text } == ["part2", "xpart2"])
        }
    }
}
