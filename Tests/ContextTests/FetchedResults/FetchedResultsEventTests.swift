import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// What followed results report in known situations.
@Suite struct FetchedResultsEventTests {
    @Test(arguments: Backing.all)
    func `F37: rows and sections that come, go, move and change are reported, and nothing else`(
        on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            func car(_ plate: String, _ maker: String, _ speed: AttributeValue = 100.0) throws
                -> ManagedObject
            {
                try context.make(
                    "Car", ["numberPlate": .string(plate), "maker": .string(maker), "speed": speed])
            }
            let a = try (1...3).map { try car("a\($0)", "A") }
            let b = try car("b1", "B")
            let c = try car("c1", "C")
            let slow = try car("s1", "A", 10.0)
            try context.save()
            let request = try FetchRequest<ManagedObject>(entityName: "Car").matching("speed > 50")
                .sorted(by: "maker").sorted(by: "numberPlate")
            let controller = try FetchedResultsController(request, sectionedBy: "maker", in: context)
            try controller.performFetch()
            #expect(controller.fetchedObjects.count == 5)
            var told: [FetchedResultsEvent] = []
            controller.onEvent = { told.append($0) }

            slow["doors"] = 2  // It does not fit: nobody is told.
            context.processPendingChanges()
            #expect(told.isEmpty)

            context.delete(c)  // Its section goes.
            b["maker"] = "D"  // It moves, with a section that goes and one that comes.
            a[0]["doors"] = 2
            a[1]["doors"] = 3
            slow["speed"] = 60.0  // It begins to fit.
            _ = try car("a4", "A")
            context.processPendingChanges()
            func count(_ isCounted: (FetchedResultsEvent) -> Bool) -> Int { told.count(where: isCounted) }
            #expect(count { if case .inserted = $0 { true } else { false } } == 2)
            #expect(count { if case .deleted = $0 { true } else { false } } == 1)
            #expect(count { if case .moved = $0 { true } else { false } } == 1)
            #expect(count { if case .updated = $0 { true } else { false } } == 2)
            #expect(count { if case .sectionInserted = $0 { true } else { false } } == 1)
            #expect(count { if case .sectionDeleted = $0 { true } else { false } } == 2)

            told = []
            a[2]["speed"] = 10.0  // It fits no more: for the results it is gone.
            context.processPendingChanges()
            #expect(count { if case .deleted = $0 { true } else { false } } == 1)
            #expect(
                controller.fetchedObjects.map { $0["numberPlate"].text } == ["a1", "a2", "a4", "s1", "b1"])
        }
    }
}
