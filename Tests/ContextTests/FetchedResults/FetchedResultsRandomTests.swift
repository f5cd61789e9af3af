import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

@Suite struct FetchedResultsRandomTests {
    @Test(arguments: Seed.several(6), Backing.all)
    func
        `after every change of two contexts, a controller has what a fetch returns, and its events lead there`(
            seed: Seed, on backing: Backing
        ) throws
    {
        try withContainer(Garage.model(), on: backing) { container in
            var walk = try RandomEdits(container, seed, on: backing)
            for step in 0..<120 {
                try walk.step()
                try walk.check("COFFER_SEED=\(seed), step \(step)")
            }
        }
    }
}

/// Two contexts that change the same cars, and a controller in one of them.
private struct RandomEdits {
    let mine: ManagedObjectContext
    let other: ManagedObjectContext
    let controller: FetchedResultsController<ManagedObject>
    let request: FetchRequest<ManagedObject>
    let backing: Backing
    var random: SeededGenerator
    var mirrored: Mirrored
    var snapshot: FetchedResultsSnapshot
    var lastPlate = 0
    let events = EventList()

    final class EventList {
        var all: [FetchedResultsEvent] = []
    }

    init(_ container: PersistentContainer, _ seed: Seed, on backing: Backing) throws {
        self.backing = backing
        (mine, other) = (container.newContext(), container.newContext())
        mine.mergePolicy = .mergeByPropertyObjectTrump
        other.mergePolicy = .mergeByPropertyObjectTrump
        random = seed.generator()
        request = try FetchRequest<ManagedObject>(entityName: "Car").matching("speed < 60 OR speed == NIL")
            .sorted(by: "maker").sorted(by: "doors", .descending).sorted(by: "numberPlate")
        controller = try FetchedResultsController(request, sectionedBy: "maker", in: mine)
        try controller.performFetch()
        snapshot = controller.snapshot
        mirrored = Mirrored(snapshot)
        controller.onEvent = { [events] in events.all.append($0) }
    }

    mutating func step() throws {
        let context = Bool.random(using: &random) ? mine : other
        for _ in 0..<Int.random(in: 1...4, using: &random) { try edit(context) }
        if Int.random(in: 0..<8, using: &random) == 0 { context.rollback() }
        if Bool.random(using: &random) || context === other { try save(context) }
        if Bool.random(using: &random) { mine.mergePendingChanges() } else { mine.processPendingChanges() }
    }

    private mutating func save(_ context: ManagedObjectContext) throws {
        do { try context.save() } catch CofferError.conflicts { context.rollback() }
    }

    private mutating func edit(_ context: ManagedObjectContext) throws {
        let cars = try context.all("Car").sorted { $0["numberPlate"].text < $1["numberPlate"].text }
        guard cars.count > 3, Int.random(in: 0..<3, using: &random) > 0 else {
            lastPlate += 1
            let kind = Int.random(in: 0..<4, using: &random) == 0 ? "SportCar" : "Car"
            let car = try context.make(kind, ["numberPlate": .string("\(100_000 + lastPlate)")])
            return change(car)
        }
        guard let car = cars.randomElement(using: &random) else { return }
        if cars.count > 10, Int.random(in: 0..<3, using: &random) == 0 {
            context.delete(car)
        } else {
            change(car)
        }
    }

    private mutating func change(_ car: ManagedObject) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: car["doors"] = .integer(Int64.random(in: 2...5, using: &random))
        case 1: car["speed"] = .double(Double.random(in: 0..<100, using: &random).rounded())
        default:
            car["maker"] = ["A", "B", "C", "D", .null].randomElement(using: &random) ?? .null
        }
    }

    mutating func check(_ note: String) throws {
        // The service may announce a save of the other context after it has answered a fetch that shows it.
        if backing == .service {
            try waitUntil("\(note): changes of the other context are merged") {
                mine.mergePendingChanges()
                return try Array(controller.fetchedObjects) == mine.fetch(request)
            }
        }
        let fetched = try mine.fetch(request)
        #expect(controller.lastError == nil, "\(note)")
        #expect(Array(controller.fetchedObjects) == fetched, "\(note)")
        let names = fetched.map { $0["maker"].isNull ? "" : $0["maker"].text }
        #expect(
            controller.sections.flatMap { Array(repeating: $0.name, count: $0.count) } == names, "\(note)")
        let now = controller.snapshot
        var compared = Mirrored(snapshot)
        compared.apply(now.difference(from: snapshot))
        #expect(compared == Mirrored(now), "\(note)")
        for change in events.all.split(separator: .willChange) { mirrored.apply(Array(change)) }
        #expect(mirrored == Mirrored(now), "\(note)")
        for (place, object) in controller.fetchedObjects.enumerated() where place % 5 == 0 {
            let index = try #require(controller.indexPath(for: object), "\(note)")
            #expect(controller.object(at: index) === object, "\(note)")
        }
        snapshot = now
        events.all = []
    }
}
