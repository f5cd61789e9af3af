import Coffer
import CofferModel
import ContextSupport
import Testing

/// Batch operations, and objects that a context names or has changed.
@Suite struct BatchesAndUnsavedChangesTests {
    @Test(arguments: Backing.all)
    func `a batch delete by ids refuses those of an unrelated entity`(on backing: Backing) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let ann = try context.make("Person", ["name": "Ann"])
            let car = try context.make("Car", ["numberPlate": "A"])
            try context.save()
            #expect(ann.objectID.primaryKey == car.objectID.primaryKey)
            for ids in [[ann.objectID], [car.objectID, ann.objectID]] {
                #expect {
                    try context.execute(BatchDelete(entityName: "Car", objectIDs: ids))
                } throws: { error in
                    guard case CofferError.wrongType(let entity, _, _) = error else { return false }
                    return entity == "Car"
                }
            }
            #expect(try context.all("Car").count == 1 && context.all("Person").count == 1)
            try context.execute(BatchDelete(entityName: "Car", objectIDs: [car.objectID]))
            #expect(try context.all("Car").isEmpty && context.all("Person").count == 1)
        }
    }

    @Test(arguments: [0, -1, .min], Backing.all)
    func `a batch insert in pieces of no rows writes row by row`(_ count: Int, on backing: Backing) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            var insert = BatchInsert(
                entityName: "Car", objects: [["numberPlate": "A"], ["numberPlate": "B"]])
            insert.rowsPerTransaction = count
            let result = try context.execute(insert)
            #expect(result.transactions == ["Test": 2])
            #expect(try context.texts("Car", "numberPlate") == ["A", "B"])
        }
    }

    @Test(arguments: Backing.all)
    func `a batch delete by ids passes over objects of other entities of the tree`(on backing: Backing) throws
    {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let car = try context.make("Car", ["numberPlate": "A"])
            let fast = try context.make("SportCar", ["numberPlate": "B"])
            try context.save()
            try context.execute(
                BatchDelete(entityName: "SportCar", objectIDs: [car.objectID, fast.objectID]))
            #expect(try context.texts("Car", "numberPlate") == ["A"])
        }
    }

    @Test(arguments: [true, false], Backing.all)
    func `merging a batch operation leaves its conflict with unsaved changes to the save`(
        _ isMerged: Bool, on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let car = try context.make("Car", ["numberPlate": "A", "doors": 4])
            try context.save()
            car["doors"] = 2
            var update = BatchUpdate(entityName: "Car", set: ["doors": 5])
            update.resultType = .objectIDs
            let result = try context.execute(update)
            if isMerged { context.mergeChanges(from: result) }
            #expect(car["doors"] == 2)
            do {
                try context.save()
                Issue.record("it was written")
            } catch CofferError.conflicts(let conflicts) {
                #expect(conflicts.map(\.objectID) == [car.objectID])
            }
            #expect(try container.newContext().all("Car").map { $0["doors"] } == [5])
        }
    }

    @Test(arguments: Backing.all)
    func `merging a batch operation that changed another property does not conflict`(on backing: Backing)
        throws
    {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let car = try context.make("Car", ["numberPlate": "A", "doors": 4])
            try context.save()
            car["doors"] = 2
            var update = BatchUpdate(entityName: "Car", set: ["maker": "FIAT"])
            update.resultType = .objectIDs
            context.mergeChanges(from: try context.execute(update))
            try context.save()
            #expect(car["doors"] == 2 && car["maker"] == "FIAT")
        }
    }
}
