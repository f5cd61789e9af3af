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
}
