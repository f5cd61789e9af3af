import Coffer
import CofferModel
import ContextSupport
import Testing

/// A context deletes an object that another context has changed, and its merge policy lets that change win.
@Suite struct RefusedDeleteTests {
    private static let policies = [MergePolicy.rollback, .mergeByPropertyStoreTrump]

    /// Alice as a context has read her, before another context changes her.
    private struct World {
        let container: PersistentContainer
        let mine: ManagedObjectContext
        let alice: ManagedObject

        func letOthersChange() throws {
            let other = container.newContext(name: "other")
            try other.existingObject(with: alice.objectID).setValue(77, forKey: "salary")
            try other.save()
        }
    }

    private func withWorld(_ policy: MergePolicy, on backing: Backing, _ body: (World) throws -> Void) throws
    {
        try withContainer(Garage.model(), on: backing) { container in
            let mine = container.newContext(name: "mine")
            mine.mergePolicy = policy
            mine.automaticallyMergesChanges = false
            let alice = try mine.make("Person", ["name": "Alice", "salary": 10])
            try mine.save()
            try body(World(container: container, mine: mine, alice: alice))
        }
    }

    private func names(in context: ManagedObjectContext) throws -> FetchedResultsController<ManagedObject> {
        let controller = try FetchedResultsController(
            FetchRequest<ManagedObject>(entityName: "Person").sorted(by: "name"), in: context)
        try controller.performFetch()
        return controller
    }

    @Test(arguments: policies, Backing.all)
    func `an object whose delete loses is as the store has it, and no delete is reported`(
        _ policy: MergePolicy, on backing: Backing
    ) throws {
        try withWorld(policy, on: backing) { world in
            let bob = try world.mine.make("Person", ["name": "Bob"])
            try world.mine.save()
            let shown = try names(in: world.mine)
            try world.letOthersChange()
            var heard: [ContextNotification] = []
            let token = world.mine.onNotification { heard.append($0) }
            try world.alice.setValue("Alicia", forKey: "name")
            world.mine.delete(world.alice)
            world.mine.delete(bob)
            try world.mine.save()
            #expect(bob.isDeleted && !world.alice.isDeleted && !world.mine.hasChanges)
            #expect(world.alice["name"] == "Alice" && world.alice["salary"] == 77)
            #expect(Array(shown.fetchedObjects) == [world.alice])
            guard case .didSave([], let updated, let deleted, _, _)? = heard.last else {
                return #expect(Bool(false), "\(heard)")
            }
            #expect(updated == [world.alice.objectID] && deleted == [bob.objectID])
            world.alice["salary"] = 78
            try world.mine.save()
            #expect(try world.container.newContext().all("Person").map { $0["salary"] } == [78])
            withExtendedLifetime(token) {}
        }
    }

    @Test(arguments: policies, Backing.all)
    func `contexts below show an object again whose delete lost`(
        _ policy: MergePolicy, on backing: Backing
    ) throws {
        try withWorld(policy, on: backing) { world in
            let car = try world.mine.make("Car", ["numberPlate": "A"])
            try car.setObjects([world.alice], forKey: "owner")
            try world.mine.save()
            let (child, sibling) = (world.mine.newChild(), world.mine.newChild())
            let controllers = [try names(in: child), try names(in: sibling)]
            let below = try child.existingObject(with: world.alice.objectID)
            let same = try child.existingObject(with: car.objectID)
            #expect(below.objects(forKey: "cars") == [same])
            child.delete(same)
            child.delete(below)
            try child.save()
            sibling.mergePendingChanges()
            for controller in controllers { #expect(controller.fetchedObjects.isEmpty) }
            let other = world.container.newContext()
            try other.existingObject(with: car.objectID).setValue("FIAT", forKey: "maker")
            try other.save()
            try world.letOthersChange()
            try world.mine.save()
            for context in [child, sibling] {
                context.mergePendingChanges()
                let alice = try context.existingObject(with: world.alice.objectID)
                #expect(alice["salary"] == 77)
                #expect(try context.existingObject(with: car.objectID)["maker"] == "FIAT")
            }
            for controller in controllers { #expect(controller.fetchedObjects.map { $0["salary"] } == [77]) }
        }
    }

    @Test(arguments: policies, Backing.all)
    func `an object whose delete loses against its parent exists in the child`(
        _ policy: MergePolicy, on backing: Backing
    ) throws {
        try withWorld(.error, on: backing) { world in
            let car = try world.mine.make("Car", ["numberPlate": "A"])
            try car.setObjects([world.alice], forKey: "owner")
            try world.mine.save()
            let child = world.mine.newChild()
            child.mergePolicy = policy
            child.automaticallyMergesChanges = false
            let shown = try names(in: child)
            let below = try child.existingObject(with: world.alice.objectID)
            let same = try child.existingObject(with: car.objectID)
            #expect(below.objects(forKey: "cars") == [same] && same["maker"].isNull)
            world.alice["salary"] = 77
            car["maker"] = "FIAT"
            child.delete(same)
            child.delete(below)
            try child.save()
            #expect(!child.hasChanges && !below.isDeleted && !same.isDeleted && !world.alice.isDeleted)
            #expect(below["salary"] == 77 && same["maker"] == "FIAT")
            #expect(below.objects(forKey: "cars") == [same] && same.objects(forKey: "owner") == [below])
            #expect(Array(shown.fetchedObjects) == [below])
        }
    }

    @Test(arguments: policies, Backing.all)
    func `an object whose delete loses against its parent exists again below the child`(
        _ policy: MergePolicy, on backing: Backing
    ) throws {
        try withWorld(.error, on: backing) { world in
            let car = try world.mine.make("Car", ["numberPlate": "A"])
            try car.setObjects([world.alice], forKey: "owner")
            try world.mine.save()
            let middle = world.mine.newChild()
            middle.mergePolicy = policy
            middle.automaticallyMergesChanges = false
            let (one, two) = (middle.newChild(), middle.newChild())
            one.delete(try one.existingObject(with: car.objectID))
            try one.save()
            let owners = try [one, two].map { try $0.existingObject(with: world.alice.objectID) }
            for owner in owners {
                owner.context?.mergePendingChanges()
                #expect(owner.objects(forKey: "cars").isEmpty)
            }
            car["maker"] = "FIAT"
            try middle.save()
            #expect(!car.isDeleted && !middle.hasChanges)
            for owner in owners {
                owner.context?.mergePendingChanges()
                #expect(owner.objects(forKey: "cars").map(\.objectID) == [car.objectID])
                #expect(owner.objects(forKey: "cars").map { $0["maker"] } == ["FIAT"])
            }
        }
    }
}
