import Coffer
import CofferEmbedded
import CofferModel
import ContextSupport
import Foundation
import Synchronization
import TestSupport
import Testing

/// Types of stores of an application's own, whose objects are elsewhere.
@Suite struct OwnIncrementalStoreTests {
    private static func with(_ body: (ObjectsInMemory, PersistentContainer) throws -> Void) throws {
        try with(opening: { $0 }, body)
    }

    private static func with(
        opening open: @escaping @Sendable (ObjectsInMemory) -> any IncrementalStore,
        _ body: (ObjectsInMemory, PersistentContainer) throws -> Void
    ) throws {
        let model = try Garage.model()
        let remote = ObjectsInMemory(model: model)
        try withTemporaryFolder { folder in
            let container = try PersistentContainer.embedded(
                name: "Test", model: model, folder: folder,
                stores: [StoreDescription(name: "Test", ownType: "remote")],
                ownTypes: [.incremental("remote") { _ in open(remote) }])
            try container.loadStores()
            try body(remote, container)
        }
    }

    private static func people(
        _ context: ManagedObjectContext, _ format: String = "TRUEPREDICATE"
    ) throws -> [ManagedObject] {
        let request = FetchRequest<ManagedObject>(entityName: "Person", try QueryPredicate(format: format))
        return try context.fetch(request.sorted(by: "name"))
    }

    private static func reason(_ body: () throws -> Void) -> String? {
        do { try body() } catch CofferError.refused(_, let reason, _, _) { return reason } catch {
            return "\(error)"
        }
        return nil
    }

    @Test func `what is there is fetched by any predicate and order, with its relationships`() throws {
        try Self.with { remote, container in
            let ann = remote.put("Person", ["name": "Ann", "salary": 7])
            remote.put("Person", ["name": "Bob"])
            remote.put("Car", ["numberPlate": "A", "doors": 2], ["owner": [ann]])
            remote.put("SportCar", ["numberPlate": "B", "turbo": .boolean(true)], ["owner": [ann]])
            let context = container.newContext()
            #expect(try Self.people(context).map { $0["name"].text } == ["Ann", "Bob"])
            #expect(try Self.people(context, "salary > 5").map { $0["name"].text } == ["Ann"])
            #expect(try Self.people(context, "cars.@count == 2").map { $0["name"].text } == ["Ann"])
            #expect(try Self.people(context, "ANY cars.doors == 2").map { $0["name"].text } == ["Ann"])
            let other = container.newContext()
            let cars = try Self.people(other)[0].objects(forKey: "cars")
            #expect(Set(cars.map { $0["numberPlate"].text }) == ["A", "B"])
            #expect(Set(cars.map(\.entity.name)) == ["Car", "SportCar"])
            let last = container.newContext()
            let car = try #require(try last.all("Car").first)
            #expect(car.objects(forKey: "owner").first?["name"] == "Ann")
        }
    }

    @Test func `saves put there what changed, and only that`() throws {
        try Self.with { remote, container in
            let bob = remote.put("Person", ["name": "Bob", "salary": 1])
            let context = container.newContext()
            let ann = try context.make("Person", ["name": "Ann"])
            let car = try context.make("Car", ["numberPlate": "A"])
            try car.setObjects([ann], forKey: "owner")
            try context.save()
            #expect(remote.count == 3)
            #expect(remote[bob]?.version == 1)
            let there = StoredObjectID("Car", 3)
            #expect(
                remote[there]?.values["doors"] == 4 || remote[StoredObjectID("Car", 2)]?.values["doors"] == 4)
            context.delete(ann)
            try context.save()
            #expect(remote.count == 2)
            #expect(car.objects(forKey: "owner").isEmpty)
            #expect(try container.newContext().texts("Person", "name") == ["Bob"])
            #expect(try context.fetchHistory().count == 2)
        }
    }

    @Test func `changes of others come with the next fetch, into other contexts too`() throws {
        try Self.with { remote, container in
            let id = remote.put("Person", ["name": "Ann", "salary": 1])
            let gone = remote.put("Person", ["name": "Bob"])
            let (first, second) = (container.newContext(), container.newContext())
            let ann = try Self.people(first)[0]
            #expect(ann["salary"] == 1)
            remote.change(id) { $0?.values["salary"] = 2 }
            remote.change(gone) { $0 = nil }
            #expect(try Self.people(second).map { $0["salary"] } == [2])
            first.mergePendingChanges()
            #expect(ann["salary"] == 2)
            #expect(try Self.people(first, "salary == 1").isEmpty)
        }
    }

    @Test func `a save that others were faster than is a conflict, or merged as the policy says`() throws {
        try Self.with { remote, container in
            let id = remote.put("Person", ["name": "Ann", "salary": 1])
            let context = container.newContext()
            let ann = try Self.people(context)[0]
            ann["salary"] = 3
            remote.change(id) { $0?.values["name"] = "Anna" }
            do {
                try context.save()
                Issue.record("nobody noticed")
            } catch CofferError.conflicts(let conflicts) {
                #expect(conflicts.map(\.objectID) == [ann.objectID])
            }
            #expect(remote[id]?.values["salary"] == 1)
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            #expect(remote[id]?.values == ["name": "Anna", "salary": 3])
            #expect(ann["name"] == "Anna")
        }
    }

    @Test func `unique values and delete rules see what nobody has read`() throws {
        try Self.with { remote, container in
            let ann = remote.put("Person", ["name": "Ann"])
            let car = remote.put("Car", ["numberPlate": "A"], ["owner": [ann]])
            let context = container.newContext()
            let twin = try context.make("Person", ["name": "Ann"])
            #expect(throws: CofferError.self) { try context.save() }
            #expect(remote.count == 2)
            context.delete(twin)
            let read = try Self.people(container.newContext())[0].objectID
            context.delete(try context.existingObject(with: read))
            try context.save()
            #expect(remote[ann] == nil)
            #expect(remote[car]?.relationships["owner"]?.isEmpty ?? true)
        }
    }

    /// Asks another store, unless a test says otherwise.
    private final class Unruly: IncrementalStore {
        let base: ObjectsInMemory
        let isAway = Mutex(false)
        let given = Mutex<StoredObject?>(nil)
        let asked = Mutex<[IncrementalFetch]>([])
        var uuid: UUID { base.uuid }

        init(_ base: ObjectsInMemory) { self.base = base }

        private func require() throws(OwnStoreError) {
            if isAway.withLock({ $0 }) { throw .unavailable("it is away") }
        }

        func fetch(_ request: IncrementalFetch) throws(OwnStoreError) -> IncrementalAnswer {
            try require()
            asked.withLock { $0.append(request) }
            if let given = given.withLock({ $0 }) { return IncrementalAnswer([given]) }
            let all = base.fetch(request)
            guard request.limit > 0 else { return all }
            // A store that knows the order gives no more than is wanted.
            let sorted = all.objects.sorted {
                ($0.values["name"]?.text ?? "") < ($1.values["name"]?.text ?? "")
            }
            return IncrementalAnswer(
                Array(sorted.dropFirst(request.offset).prefix(request.limit)), isExact: true)
        }

        func objects(_ ids: [StoredObjectID]) throws(OwnStoreError) -> [StoredObject] {
            try require()
            return base.objects(ids)
        }

        func members(
            of owners: [StoredObjectID], in relationship: String
        ) throws(OwnStoreError) -> [[StoredObjectID]] {
            try require()
            return base.members(of: owners, in: relationship)
        }

        func reserveKeys(_ count: Int, entity: String) throws(OwnStoreError) -> Int64 {
            try require()
            return base.reserveKeys(count, entity: entity)
        }

        func save(_ changes: IncrementalChanges) throws(OwnStoreError) -> [StoredObjectID: Int64] {
            try require()
            return try base.save(changes)
        }
    }

    private static func withUnruly(
        _ body: (Unruly, PersistentContainer) throws -> Void
    ) throws {
        let made = Made()
        try with(opening: made.make(over:)) { _, container in
            try body(try #require(made.unruly.withLock { $0 }), container)
        }
    }

    /// The one that a container has opened.
    private final class Made: Sendable {
        let unruly = Mutex<Unruly?>(nil)

        func make(over base: ObjectsInMemory) -> Unruly {
            let made = Unruly(base)
            unruly.withLock { $0 = made }
            return made
        }
    }

    @Test func `a store that is away refuses with its reason, and nothing is lost`() throws {
        try Self.withUnruly { remote, container in
            let context = container.newContext()
            let ann = try context.make("Person", ["name": "Ann"])
            try context.save()
            remote.isAway.withLock { $0 = true }
            ann["salary"] = 5
            #expect(Self.reason { try context.save() } == "io")
            #expect(Self.reason { _ = try Self.people(container.newContext()) } == "io")
            remote.isAway.withLock { $0 = false }
            try context.save()
            #expect(
                remote.base.fetch(IncrementalFetch(entity: "Person")).objects.map { $0.values["salary"] } == [
                    5
                ])
        }
    }

    @Test func `an exact answer is taken as it is, with its limit`() throws {
        try Self.withUnruly { remote, container in
            for name in ["Ann", "Bob", "Cid", "Dan"] { remote.base.put("Person", ["name": .string(name)]) }
            var request = FetchRequest<ManagedObject>(entityName: "Person").sorted(by: "name")
            (request.limit, request.offset) = (2, 1)
            let context = container.newContext()
            let names = try context.fetch(request).map { $0["name"].text }
            #expect(names == ["Bob", "Cid"])
            #expect(remote.asked.withLock { $0.map(\.limit) } == [2])
            let count = try context.count(for: FetchRequest<ManagedObject>(entityName: "Person"))
            #expect(count == 4)
        }
    }

    private static let faulty: [(String, StoredObject)] = [
        ("an entity is unknown", StoredObject(StoredObjectID("Ghost", 1))),
        ("a key is none", StoredObject(StoredObjectID("Person", 0))),
        ("an attribute is unknown", StoredObject(StoredObjectID("Person", 1), values: ["ghost": 1])),
        ("a value is of another type", StoredObject(StoredObjectID("Person", 1), values: ["salary": "much"])),
        (
            "an object is of another entity",
            StoredObject(StoredObjectID("Car", 1), relationships: ["owner": [StoredObjectID("Car", 2)]])
        ),
        (
            "there are several",
            StoredObject(
                StoredObjectID("Car", 1),
                relationships: ["owner": [StoredObjectID("Person", 2), StoredObjectID("Person", 3)]])
        ),
    ]

    @Test(arguments: faulty)
    func `an answer that makes no sense is refused`(what: String, object: StoredObject) throws {
        try Self.withUnruly { remote, container in
            remote.given.withLock { $0 = object }
            #expect(Self.reason { _ = try Self.people(container.newContext()) } == "damaged", "\(what)")
        }
    }
}
