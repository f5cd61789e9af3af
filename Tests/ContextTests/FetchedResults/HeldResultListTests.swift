import Coffer
import CofferLinux
import CofferModel
import ContextSupport
import Testing

/// Lists of results that a caller keeps while the context goes on.
struct HeldResultListTests {
    /// Three cars that are saved, two that are not, and a list of all of them.
    private func withResults(
        on backing: Backing,
        _ body: (
            PersistentContainer, ManagedObjectContext, FetchedResultsController<ManagedObject>,
            [ManagedObject]
        ) throws -> Void
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            for plate in ["1", "2", "3"] { try context.make("Car", ["numberPlate": .string(plate)]) }
            try context.save()
            for plate in ["4", "5"] { try context.make("Car", ["numberPlate": .string(plate)]) }
            let controller = try FetchedResultsController(Self.request, in: context)
            try controller.performFetch()
            try body(container, context, controller, Array(controller.fetchedObjects))
        }
    }

    private static let request = FetchRequest<ManagedObject>(entityName: "Car").sorted(by: "numberPlate")

    @Test(arguments: Backing.all)
    func `unsaved objects in a list of results stay the same objects after their save`(on backing: Backing)
        throws
    {
        try withResults(on: backing) { container, context, controller, cars in
            let (list, section) = (controller.fetchedObjects, controller.sections[0].objects)
            try context.save()
            #expect(Array(list) == cars && Array(section) == cars)
            #expect(list.map { $0["numberPlate"].text } == ["1", "2", "3", "4", "5"])
            #expect(list.indices.map { list.objectID(at: $0) } == cars.map(\.objectID))
            #expect(Array(controller.fetchedObjects) == cars)
        }
    }

    @Test(arguments: Backing.all)
    func `deleted objects keep their positions in a list of results, and say so`(on backing: Backing) throws {
        try withResults(on: backing) { container, context, controller, cars in
            let list = controller.fetchedObjects
            for place in [1, 4] { context.delete(cars[place]) }
            #expect(list.map(\.isDeleted) == [false, true, false, false, true])
            try context.save()
            #expect(list.count == 5 && list.map(\.isDeleted) == [false, true, false, false, true])
            #expect(list[1] === list[1] && list[4] === cars[4])
            #expect(controller.fetchedObjects.count == 3)
            #expect(throws: CofferError.self) { try list[1].requireValues() }
        }
    }

    @Test(arguments: Backing.all)
    func `rows that others deleted keep their positions in a list whose objects nobody holds`(
        on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let maker = container.newContext()
            for plate in 0..<5 { try maker.make("Car", ["numberPlate": .string("\(plate)")]) }
            try maker.save()
            let context = container.newContext()
            let controller = try FetchedResultsController(Self.request, in: context)
            try controller.performFetch()
            let list = controller.fetchedObjects
            for car in try maker.all("Car") where ["1", "3"].contains(car["numberPlate"].text) {
                maker.delete(car)
            }
            try maker.save()
            context.mergePendingChanges()
            #expect(list.map(\.isDeleted) == [false, true, false, true, false])
            #expect(list.map { $0["doors"].text } == ["4", "4", "4", "4", "4"])
            #expect(controller.fetchedObjects.map { $0["numberPlate"].text } == ["0", "2", "4"])
        }
    }

    @Test(arguments: Backing.all)
    func `a lazy list of results keeps its objects and their ids through a save`(on backing: Backing) throws {
        try withResults(on: backing) { container, context, controller, cars in
            let list = try context.fetchLazily(Self.request.batchSize(2))
            context.delete(cars[0])
            context.delete(cars[3])
            try context.save()
            #expect(list.count == 5 && list.map(\.isDeleted) == [true, false, false, true, false])
            #expect(list[4] === cars[4] && list.objectIDs == cars.map(\.objectID))
        }
    }

    @Test(arguments: Backing.all)
    func `a fetch accepts the largest integer as a batch size`(on backing: Backing) throws {
        try withResults(on: backing) { container, context, controller, cars in
            try context.save()
            let request = Self.request.batchSize(.max)
            let other = container.newContext()
            let cars = try other.fetch(request)
            let list = try container.newContext().fetchLazily(request)
            for place in [1, 0, 2] {
                #expect(cars[place]["numberPlate"].text == "\(place + 1)")
                #expect(list[place]["numberPlate"].text == "\(place + 1)")
            }
            withExtendedLifetime(other) {}
        }
    }

    @Test(
        .enabled(if: Collation.version != nil, "the system has no ICU"),
        arguments: Backing.all(with: [("de_DE", "ö"), ("sv_SE", "z")]))
    func `a child's parent sorts by the locale of the request`(
        _ locale: String, first: String, on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            for plate in ["z", "ö"] { try context.make("Car", ["numberPlate": .string(plate)]) }
            try context.save()
            var request = FetchRequest<ManagedObject>(entityName: "Car")
            request.sortDescriptors = [QuerySort("numberPlate", comparison: .localized)]
            request.locale = locale
            request.limit = 1
            #expect(try context.newChild().fetch(request).map { $0["numberPlate"].text } == [first])
        }
    }
}
