import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// Records the state of the object when it was saved.
private final class Witness: ManagedObject {
    var wasFault: Bool?

    override func didSave() { wasFault = isFault }
}

/// A context with a pinned state merges nothing, whatever the cause.
@Suite struct PinnedContextTests {
    private struct World {
        let container: PersistentContainer
        let pinned: ManagedObjectContext
        let car: ManagedObject

        /// Changes the car in another context.
        func letOthersChange() throws {
            let other = container.newContext(name: "other")
            try other.existingObject(with: car.objectID).setValue("other", forKey: "maker")
            try other.save()
        }
    }

    private func withPinned(on backing: Backing, _ body: (World) throws -> Void) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let pinned = container.newContext(name: "pinned")
            let car = try pinned.make("Car", ["numberPlate": "A", "maker": "old"])
            try pinned.save()
            try pinned.setQueryGeneration(from: .current)
            try body(World(container: container, pinned: pinned, car: car))
        }
    }

    @Test(arguments: Backing.all)
    func `a pinned context merges nothing when its owner processes pending notifications`(on backing: Backing)
        throws
    {
        try withPinned(on: backing) { world in
            try world.letOthersChange()
            world.pinned.performAndWait { _ in #expect(world.car["maker"] == "old") }
            try world.pinned.setQueryGeneration(from: nil)
            #expect(world.car["maker"] == "other")
        }
    }

    @Test(arguments: Backing.all)
    func `a pinned context merges nothing when a context below saves`(on backing: Backing) throws {
        try withPinned(on: backing) { world in
            let child = world.pinned.newChild()
            try child.make("Person", ["name": "Ann"])
            try world.letOthersChange()
            try child.save()
            #expect(world.car["maker"] == "old")
            try world.pinned.save()
            #expect(world.car["maker"] == "other")
        }
    }

    @Test(arguments: Backing.all)
    func `dictionaries that are fetched below a pinned context are of its state`(on backing: Backing) throws {
        try withPinned(on: backing) { world in
            let child = world.pinned.newChild()
            try world.letOthersChange()
            var request = FetchRequest<ManagedObject>(entityName: "Car")
            request.propertiesToFetch = ["maker"]
            for context in [world.pinned, child] {
                #expect(try context.fetchDictionaries(request) == [["maker": "old"]])
            }
            try world.pinned.setQueryGeneration(from: nil)
            #expect(try child.fetchDictionaries(request) == [["maker": "other"]])
        }
    }

    @Test(arguments: Backing.all)
    func `a pinned context announces its own save, and then what others saved`(on backing: Backing) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let pinned = container.newContext(name: "pinned")
            pinned.register(Witness.self, forEntity: "Car")
            let car = try #require(try pinned.make("Car", ["numberPlate": "A"]) as? Witness)
            try pinned.save()
            try pinned.setQueryGeneration(from: .current)
            let other = container.newContext(name: "other")
            try other.make("Car", ["numberPlate": "B"])
            try other.save()
            var heard: [String] = []
            let token = pinned.onNotification { [unowned pinned] notification in
                switch notification {
                case .didSave: heard.append("own, of \((try? pinned.all("Car").count) ?? 0)")
                case .didMerge: heard.append("merged")
                default: break
                }
            }
            car.wasFault = nil
            car["maker"] = "mine"
            try pinned.save()
            #expect(heard == ["own, of 2", "merged"] && car.wasFault == false)
            #expect(car["maker"] == "mine" && pinned.queryGenerationToken != nil)
            withExtendedLifetime(token) {}
        }
    }

    @Test(arguments: Backing.all)
    func `a pinned context sees what it saved in one store even if another store refuses`(on backing: Backing)
        throws
    {
        try withContainer(Garage.model(), stores: ["first", "second"], on: backing) { container in
            let pinned = container.newContext(name: "pinned")
            let old = try pinned.make("Car", ["numberPlate": "B"])
            try pinned.assign(old, toStoreNamed: "second")
            try pinned.save()
            try pinned.setQueryGeneration(from: .current)
            let other = container.newContext(name: "other")
            try other.existingObject(with: old.objectID).setValue("other", forKey: "maker")
            try other.save()
            old["maker"] = "mine"
            let new = try pinned.make("Car", ["numberPlate": "A"])
            #expect(throws: CofferError.self) { try pinned.save() }
            #expect(!new.isInserted && old.hasChanges && pinned.queryGenerationToken != nil)
            pinned.refresh(new, mergeChanges: false)
            #expect(new["numberPlate"] == "A" && !new.isDeleted)
            pinned.refresh(old, mergeChanges: true)
            try pinned.save()
            #expect(try container.newContext().texts("Car", "maker") == ["-", "mine"])
        }
    }
}
