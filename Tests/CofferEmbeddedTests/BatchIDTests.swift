import Coffer
import CofferModel
import Testing

/// Batch operations and objects that a context names or has changed.
@Suite struct BatchIDTests {
    @Test func `a batch delete by ids refuses those of an unrelated entity`() throws {
        try withContainer(Garage.model()) { container in
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

    @Test(arguments: [0, -1, .min])
    func `a batch insert in pieces of no rows writes row by row`(_ count: Int) throws {
        try withContainer(Garage.model()) { container in
            let context = container.newContext()
            var insert = BatchInsert(
                entityName: "Car", objects: [["numberPlate": "A"], ["numberPlate": "B"]])
            insert.rowsPerTransaction = count
            let result = try context.execute(insert)
            #expect(result.transactions == ["Test": 2])
            #expect(try context.texts("Car", "numberPlate") == ["A", "B"])
        }
    }

    @Test func `a batch delete by ids passes over objects of other entities of the tree`() throws {
        try withContainer(Garage.model()) { container in
            let context = container.newContext()
            let car = try context.make("Car", ["numberPlate": "A"])
            let fast = try context.make("SportCar", ["numberPlate": "B"])
            try context.save()
            try context.execute(
                BatchDelete(entityName: "SportCar", objectIDs: [car.objectID, fast.objectID]))
            #expect(try context.texts("Car", "numberPlate") == ["A"])
        }
    }

    @Test(arguments: [true, false])
    func `merging what a batch operation did leaves the conflict with unsaved changes`(_ isMerged: Bool)
        throws
    {
        try withContainer(Garage.model()) { container in
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

    @Test func `merging a batch operation that changed something else is no conflict`() throws {
        try withContainer(Garage.model()) { container in
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
