import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

@Suite struct TornSectionTests {
    @Test(arguments: Seed.several(6), Backing.all)
    func `rows of results stay as they were while changes split sections, and follow afterwards`(
        seed: Seed, on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            var walk = try TearingEdits(container.newContext(), seed)
            var tornCount = 0
            for step in 0..<150 {
                try walk.step()
                if try walk.check("COFFER_SEED=\(seed), step \(step)") { tornCount += 1 }
            }
            #expect((10..<140).contains(tornCount), "COFFER_SEED=\(seed): \(tornCount) steps were torn")
        }
    }
}

/// Cars in the order of their doors, in sections by maker: sections are whole as long as each maker's cars
/// have a number of doors of their own.
private struct TearingEdits {
    private static let makers: [AttributeValue] = ["A", "B", "C", "D"]

    private let context: ManagedObjectContext
    private let request = FetchRequest<ManagedObject>(entityName: "Car").sorted(by: "doors")
        .sorted(by: "maker").sorted(by: "numberPlate")
    private let controller: FetchedResultsController<ManagedObject>
    private let events = EventList()
    private var random: SeededGenerator
    private var mirrored: Mirrored
    private var snapshot: FetchedResultsSnapshot
    private var lastPlate = 0

    private final class EventList {
        var all: [FetchedResultsEvent] = []
    }

    init(_ context: ManagedObjectContext, _ seed: Seed) throws {
        self.context = context
        random = seed.generator()
        controller = try FetchedResultsController(request, sectionedBy: "maker", in: context)
        try controller.performFetch()
        snapshot = controller.snapshot
        mirrored = Mirrored(snapshot)
        controller.onEvent = { [events] in events.all.append($0) }
    }

    mutating func step() throws {
        let cars = try context.all("Car").sorted { $0["numberPlate"].text < $1["numberPlate"].text }
        if Int.random(in: 0..<3, using: &random) == 0 { for car in cars { place(car, doorsOf(car)) } }
        for _ in 0..<Int.random(in: 1...4, using: &random) { try edit(cars) }
        if Bool.random(using: &random) { try context.save() } else { context.processPendingChanges() }
    }

    private mutating func edit(_ cars: [ManagedObject]) throws {
        let car = cars.randomElement(using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1, 2:
            lastPlate += 1
            let new = try context.make("Car", ["numberPlate": .string("\(100_000 + lastPlate)")])
            place(new, Int.random(in: 0..<4, using: &random))
        case 3, 4: if let car, !car.isDeleted { place(car, Int.random(in: 0..<4, using: &random)) }
        case 5: if let car, cars.count > 5 { context.delete(car) }
        default:
            guard let car, !car.isDeleted else { return }
            car["maker"] = Self.makers.randomElement(using: &random) ?? .null
        }
    }

    private func doorsOf(_ car: ManagedObject) -> Int { (Int(car["doors"].text) ?? 0) % 4 }

    private func place(_ car: ManagedObject, _ number: Int) {
        car["doors"] = .integer(Int64(number + 4))
        car["maker"] = Self.makers[number]
    }

    /// Compares the rows with a fetch; returns whether that would split sections.
    mutating func check(_ note: String) throws -> Bool {
        let fetched = try context.fetch(request)
        let names = fetched.map { $0["maker"].text }
        let sections = names.indices.filter { $0 == 0 || names[$0] != names[$0 - 1] }.map { names[$0] }
        let isTorn = Set(sections).count < sections.count
        defer { events.all = [] }
        if isTorn {
            #expect(controller.lastError != nil, "\(note)")
            #expect(controller.snapshot == snapshot, "\(note)")
            #expect(events.all.allSatisfy { $0 == .failed }, "\(note)")
            return true
        }
        #expect(controller.lastError == nil, "\(note)")
        #expect(Array(controller.fetchedObjects) == fetched, "\(note)")
        #expect(controller.sections.map(\.name) == sections, "\(note)")
        snapshot = controller.snapshot
        for change in events.all.split(separator: .willChange) { mirrored.apply(Array(change)) }
        #expect(mirrored == Mirrored(snapshot), "\(note)")
        return false
    }
}
