import Coffer
import CofferModel
import ContextSupport
import FoundationEssentials
import Testing

@Suite struct FetchedResultsTests {
    /// Cars by maker and plate.
    private func request(_ predicate: String? = nil) throws -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: "Car")
        if let predicate { request = try request.matching(predicate) }
        return request.sorted(by: "maker").sorted(by: "numberPlate")
    }

    @discardableResult
    private func make(_ context: ManagedObjectContext, _ plate: String, _ maker: String) throws
        -> ManagedObject
    {
        try context.make("Car", ["numberPlate": .string(plate), "maker": .string(maker)])
    }

    private func controller(
        _ context: ManagedObjectContext, _ predicate: String? = nil
    ) throws -> FetchedResultsController<ManagedObject> {
        let controller = try FetchedResultsController(
            try request(predicate), sectionedBy: "maker", in: context)
        try controller.performFetch()
        return controller
    }

    /// Three makers: A with a1 and a2, B with b1, C with c1.
    private func fill(_ context: ManagedObjectContext) throws -> [String: ManagedObject] {
        var cars: [String: ManagedObject] = [:]
        for (plate, maker) in [("a1", "A"), ("a2", "A"), ("b1", "B"), ("c1", "C")] {
            cars[plate] = try make(context, plate, maker)
        }
        try context.save()
        return cars
    }

    @Test(arguments: Backing.all)
    func `sections, titles and positions of results follow from the rows`(on backing: Backing) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let cars = try fill(context)
            let controller = try controller(context)
            #expect(controller.sections.map(\.name) == ["A", "B", "C"])
            #expect(controller.sections.map(\.range) == [0..<2, 2..<3, 3..<4])
            #expect(controller.sectionIndexTitles == ["A", "B", "C"])
            #expect(controller.section(forIndexTitle: "C") == 2)
            #expect(controller.fetchedObjects.map { $0["numberPlate"].text } == ["a1", "a2", "b1", "c1"])
            #expect(controller.object(at: SectionIndex(section: 1, item: 0)) === cars["b1"])
            let last = try #require(cars["a2"])
            #expect(controller.indexPath(for: last) == SectionIndex(section: 0, item: 1))
            #expect(controller.sections[0].objects.map { $0 } == [cars["a1"], last])
        }
    }

    @Test(arguments: Backing.all)
    func `a controller whose order is missing, or splits sections, fetches nothing`(
        on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let unordered = FetchRequest<ManagedObject>(entityName: "Car")
            #expect(throws: CofferError.self) { try FetchedResultsController(unordered, in: context) }
            _ = try fill(context)
            try make(context, "b2", "A")
            let torn = try FetchedResultsController(
                unordered.sorted(by: "numberPlate"), sectionedBy: "maker", in: context)
            do {
                try torn.performFetch()
                Issue.record("it was fetched")
            } catch CofferError.unorderedResults {
                #expect(torn.fetchedObjects.isEmpty)
            }
        }
    }

    @Test(arguments: Backing.all)
    func `a change that splits a section is reported, and the rows follow again once the section is whole`(
        on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            _ = try fill(context)
            let request = FetchRequest<ManagedObject>(entityName: "Car").sorted(by: "numberPlate")
            let controller = try FetchedResultsController(request, sectionedBy: "maker", in: context)
            try controller.performFetch()
            let before = controller.snapshot
            var events: [FetchedResultsEvent] = []
            controller.onEvent = { events.append($0) }
            let wrong = try make(context, "b2", "A")
            context.processPendingChanges()
            #expect(events == [.failed])
            #expect(controller.lastError != nil && controller.snapshot == before)
            events = []
            wrong["maker"] = "B"
            context.processPendingChanges()
            #expect(Counts(events) == Counts(sections: [0, 0], objects: [1, 0, 0, 0]))
            #expect(controller.lastError == nil)
            #expect(controller.sections.map(\.count) == [2, 2, 1])
        }
    }

    @Test(arguments: Backing.all)
    func `one event of edits reports six changes of objects and three of sections`(on backing: Backing) throws
    {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let cars = try fill(context)
            let controller = try controller(context)
            var events: [FetchedResultsEvent] = []
            controller.onEvent = { events.append($0) }
            var copy = Mirrored(controller.snapshot)
            let new = [try make(context, "a0", "A"), try make(context, "d1", "D")]
            context.delete(try #require(cars["b1"]))
            cars["c1"]?["maker"] = "A"
            cars["a1"]?["doors"] = 2
            cars["a2"]?["speed"] = 90.0
            #expect(events.isEmpty)
            try context.save()
            #expect(events.first == .willChange && events.last == .didChange)
            #expect(Counts(events) == Counts(sections: [1, 2], objects: [2, 1, 1, 2]))
            #expect(events.contains(.sectionInserted(name: "D", at: 1)))
            #expect(events.contains(.inserted(new[1].objectID, at: SectionIndex(section: 1, item: 0))))
            copy.apply(events)
            #expect(copy == Mirrored(controller.snapshot))
            #expect(
                controller.fetchedObjects.map { $0["numberPlate"].text } == ["a0", "a1", "a2", "c1", "d1"])
        }
    }

    @Test(arguments: Backing.all)
    func `objects that start or stop matching the predicate are reported, and no others`(on backing: Backing)
        throws
    {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let cars = try fill(context)
            let controller = try controller(context, "maker != 'B'")
            var events: [FetchedResultsEvent] = []
            controller.onEvent = { events.append($0) }
            cars["b1"]?["doors"] = 2
            try context.make("Person", ["name": "Ann"])
            context.processPendingChanges()
            #expect(events.isEmpty)
            cars["b1"]?["maker"] = "C"
            context.processPendingChanges()
            #expect(Counts(events) == Counts(sections: [0, 0], objects: [1, 0, 0, 0]))
            events = []
            cars["a1"]?["maker"] = "B"
            context.processPendingChanges()
            #expect(Counts(events) == Counts(sections: [0, 0], objects: [0, 1, 0, 0]))
            events = []
            context.rollback()
            context.processPendingChanges()
            #expect(Counts(events) == Counts(sections: [0, 0], objects: [1, 1, 0, 0]))
        }
    }

    @Test(arguments: Backing.all)
    func `a batch insert enters results once, when its ids are merged`(on backing: Backing) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let (context, other) = (container.newContext(), container.newContext())
            let controller = try controller(context)
            var events: [FetchedResultsEvent] = []
            controller.onEvent = { events.append($0) }
            var batch = BatchInsert(
                entityName: "Car",
                objects: ["x", "y", "z"].map { ["numberPlate": .string($0), "maker": "X"] })
            batch.resultType = .objectIDs
            let result = try other.execute(batch)
            context.processPendingChanges()
            #expect(events.isEmpty)
            context.mergeChanges(from: result)
            context.mergeChanges(from: result)
            #expect(Counts(events) == Counts(sections: [1, 0], objects: [3, 0, 0, 0]))
            #expect(controller.fetchedObjects.count == 3)
        }
    }

    @Test(arguments: Backing.all)
    func `an object that another context inserts enters results when it is merged`(on backing: Backing) throws
    {
        try withContainer(Garage.model(), on: backing) { container in
            let (context, other) = (container.newContext(), container.newContext())
            let controller = try controller(context)
            var inserts = 0
            controller.onEvent = { if case .inserted = $0 { inserts += 1 } }
            for plate in ["x", "y", "z"] { try make(other, plate, "X") }
            try other.save()
            context.processPendingChanges()
            #expect(inserts == 0)
            context.mergePendingChanges()
            #expect(inserts == 3)
            #expect(controller.sections.map(\.count) == [3])
        }
    }

    @Test(arguments: Backing.all)
    func `an object from merged history enters results`(on backing: Backing) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let (context, other) = (container.newContext(), container.newContext())
            context.automaticallyMergesChanges = false
            let controller = try controller(context)
            var inserts = 0
            controller.onEvent = { if case .inserted = $0 { inserts += 1 } }
            try make(other, "x", "X")
            try other.save()
            let history = try context.fetchHistory(HistoryRequest(after: .date(.distantPast)))
            #expect(inserts == 0)
            for transaction in history { context.mergeChanges(from: transaction) }
            #expect(inserts == 1)
        }
    }

    @Test(arguments: Backing.all)
    func `results read one row for one changed row, and none where none of their keys changed`(
        on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let (context, other) = (container.newContext(), container.newContext())
            for number in 0..<1_000 { try make(other, "\(10_000 + number)", "M\(number % 7)") }
            try other.save()
            context.mergePendingChanges()
            let controller = try controller(context)
            #expect(context.registeredObjectCount == 0)
            var events: [FetchedResultsEvent] = []
            controller.onEvent = { events.append($0) }
            let car = try #require(try other.fetch(request("numberPlate == '10500'")).first)
            let before = context.statistics
            car["doors"] = 2
            try other.save()
            context.mergePendingChanges()
            #expect(Counts(events) == Counts(sections: [0, 0], objects: [0, 0, 0, 1]))
            #expect(context.statistics.roundTrips == before.roundTrips)
            car["maker"] = "M0"
            try other.save()
            context.mergePendingChanges()
            #expect(context.statistics.roundTrips == before.roundTrips + 1)
            #expect(context.statistics.fetches == before.fetches)
            #expect(controller.fetchedObjects.count == 1_000)
        }
    }

    @Test(
        arguments: [
            "owner.name == 'Evelyn'", "owner.name.length == 6", "uppercase(owner.name).length == 6",
            "TERNARY(doors > 1, owner, nil).name == 'Evelyn'",
        ], Backing.all)
    func `results follow a change that their predicate reaches through a relationship`(
        format: String, on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let (context, other) = (container.newContext(), container.newContext())
            let ann = try other.make("Person", ["name": "Ann"])
            let car = try make(other, "a1", "A")
            try car.setObjects([ann], forKey: "owner")
            try other.save()
            let controller = try controller(context, format)
            #expect(controller.fetchedObjects.isEmpty)
            ann["name"] = "Evelyn"
            try other.save()
            context.mergePendingChanges()
            #expect(controller.fetchedObjects.count == 1)
            other.delete(ann)
            try other.save()
            context.mergePendingChanges()
            #expect(controller.fetchedObjects.isEmpty)
        }
    }
}

/// How many events there are of each kind.
struct Counts: Equatable {
    /// Inserted, deleted.
    var sections = [0, 0]
    /// Inserted, deleted, moved, updated.
    var objects = [0, 0, 0, 0]

    init(sections: [Int], objects: [Int]) {
        self.sections = sections
        self.objects = objects
    }

    init(_ events: [FetchedResultsEvent]) {
        for event in events {
            switch event {
            case .willChange, .didChange, .failed: break
            case .sectionInserted: sections[0] += 1
            case .sectionDeleted: sections[1] += 1
            case .inserted: objects[0] += 1
            case .deleted: objects[1] += 1
            case .moved: objects[2] += 1
            case .updated: objects[3] += 1
            }
        }
    }
}

/// A list that an application maintains from a controller's events alone.
struct Mirrored: Equatable {
    var names: [String]
    var rows: [[ManagedObjectID]]

    init(_ snapshot: FetchedResultsSnapshot) {
        names = snapshot.sections.map(\.name)
        rows = snapshot.sections.map(\.objectIDs)
    }

    mutating func apply(_ events: [FetchedResultsEvent]) {
        var outs: [SectionIndex] = []
        var ins: [(at: SectionIndex, id: ManagedObjectID)] = []
        for event in events {
            switch event {
            case .deleted(_, let place): outs.append(place)
            case .inserted(let id, let place): ins.append((place, id))
            case .moved(let id, let from, let to):
                outs.append(from)
                ins.append((to, id))
            default: break
            }
        }
        for place in outs.sorted().reversed() { rows[place.section].remove(at: place.item) }
        for case .sectionDeleted(let name, let place) in events
        where names.remove(at: place) != name || !rows.remove(at: place).isEmpty {
            names = ["wrong"]
        }
        for case .sectionInserted(let name, let place) in events {
            names.insert(name, at: place)
            rows.insert([], at: place)
        }
        for (place, id) in ins.sorted(by: { $0.at < $1.at }) {
            rows[place.section].insert(id, at: place.item)
        }
        for case .updated(let id, _, let place) in events { rows[place.section][place.item] = id }
    }
}
