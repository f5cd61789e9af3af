import Coffer
import CofferModel
import ContextSupport
import Testing

/// Objects that others have changed or deleted since, and that take unique values.
@Suite struct UniqueValueConflictTests {
    private struct Cars {
        let container: PersistentContainer
        let mine: ManagedObjectContext
        let theirs: ManagedObjectContext
        let a: ManagedObject
        let b: ManagedObject
        let theirA: ManagedObject
        let theirB: ManagedObject
    }

    /// Two cars in two contexts, the first of which merges nothing.
    private func withCars(_ policy: MergePolicy, on backing: Backing, _ body: (Cars) throws -> Void) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let (mine, theirs) = (container.newContext(), container.newContext())
            mine.mergePolicy = policy
            mine.automaticallyMergesChanges = false
            let theirA = try theirs.make("Car", ["numberPlate": "A", "maker": "x"])
            let theirB = try theirs.make("Car", ["numberPlate": "B", "maker": "x"])
            try theirs.save()
            let (a, b) = try (
                mine.existingObject(with: theirA.objectID), mine.existingObject(with: theirB.objectID)
            )
            try body(
                Cars(
                    container: container, mine: mine, theirs: theirs, a: a, b: b, theirA: theirA,
                    theirB: theirB))
        }
    }

    private func plates(_ context: ManagedObjectContext) throws -> [AttributeValue] {
        context.reset()
        return try context.fetch(FetchRequest<ManagedObject>(entityName: "Car").sorted(by: "numberPlate"))
            .map { $0["numberPlate"] }
    }

    @Test(arguments: [MergePolicy.mergeByPropertyObjectTrump, .overwrite], Backing.all)
    func `a stale object replaces the one that has its unique value`(
        policy: MergePolicy, on backing: Backing
    ) throws {
        try withCars(policy, on: backing) { cars in
            cars.theirA["maker"] = "y"
            try cars.theirs.save()
            cars.a["numberPlate"] = "B"
            try cars.mine.save()
            #expect(try plates(cars.theirs) == ["B"])
        }
    }

    @Test(
        arguments: [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite],
        Backing.all)
    func `a stale object takes the unique value of one that the save deletes`(
        policy: MergePolicy, on backing: Backing
    ) throws {
        try withCars(policy, on: backing) { cars in
            cars.theirA["maker"] = "y"
            try cars.theirs.save()
            cars.a["numberPlate"] = "B"
            cars.mine.delete(cars.b)
            try cars.mine.save()
            #expect(try plates(cars.theirs) == ["B"])
        }
    }

    @Test(arguments: Backing.all)
    func `stale objects swap their unique values`(on backing: Backing) throws {
        try withCars(.mergeByPropertyObjectTrump, on: backing) { cars in
            cars.theirA["maker"] = "y"
            cars.theirB["maker"] = "y"
            try cars.theirs.save()
            (cars.a["numberPlate"], cars.b["numberPlate"]) = ("B", "A")
            try cars.mine.save()
            #expect(cars.a["maker"] == "y")
            #expect(try plates(cars.theirs) == ["A", "B"])
        }
    }

    @Test(arguments: Backing.all)
    func `a recreated object takes the unique value of one that the save deletes`(on backing: Backing) throws
    {
        try withCars(.overwrite, on: backing) { cars in
            cars.theirs.delete(cars.theirA)
            try cars.theirs.save()
            cars.a["numberPlate"] = "B"
            cars.mine.delete(cars.b)
            try cars.mine.save()
            #expect(try plates(cars.theirs) == ["B"])
        }
    }

    @Test(arguments: Backing.all)
    func `a recreated object does not refer to an object that goes with the one it replaces`(
        on backing: Backing
    ) throws {
        try withCars(.overwrite, on: backing) { cars in
            let owner = try cars.theirs.make("Person", ["name": "Ann"])
            try cars.theirB.setObjects([owner], forKey: "owner")
            try cars.theirs.save()
            cars.mine.mergePendingChanges()
            cars.mine.refresh(cars.b, mergeChanges: true)
            #expect(cars.b.objects(forKey: "owner").count == 1)
            cars.b["maker"] = "mine"
            // It and its owner are deleted; another has its plate.
            cars.theirs.delete(owner)
            cars.theirs.delete(cars.theirB)
            try cars.theirs.save()
            try cars.theirs.make("Car", ["numberPlate": "B", "maker": "other"])
            try cars.theirs.save()
            try cars.mine.save()
            #expect(try plates(cars.theirs) == ["A", "B"])
            let stored = try cars.container.newContext().existingObject(with: cars.b.objectID)
            #expect(stored["maker"] == "mine" && stored.objects(forKey: "owner").isEmpty)
        }
    }

    @Test(arguments: Backing.all)
    func `a recreated object is in conflict with changes of the deleted one`(on backing: Backing) throws {
        try withCars(.overwrite, on: backing) { cars in
            let third = cars.container.newContext()
            third.automaticallyMergesChanges = false
            // Mine knows it as the first version, the third as the second; then it is deleted.
            cars.theirA["maker"] = "y"
            try cars.theirs.save()
            let late = try third.existingObject(with: cars.theirA.objectID)
            #expect(late["maker"] == "y")
            cars.theirs.delete(cars.theirA)
            try cars.theirs.save()
            cars.a["maker"] = "mine"
            try cars.mine.save()
            late["maker"] = "late"
            #expect(throws: CofferError.self) { try third.save() }
            #expect(try plates(cars.theirs) == ["A", "B"])
        }
    }
}
