import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

@Suite struct BatchTests {
    private func fill(_ context: ManagedObjectContext, _ count: Int, maker: String = "FIAT") throws {
        try context.execute(
            BatchInsert(
                entityName: "Car",
                objects: (0..<count).map {
                    ["numberPlate": .string("\(maker) \($0)"), "maker": .string(maker)]
                }))
    }

    @Test(arguments: Backing.all)
    func `a batch insert writes rows with defaults, and every context learns of them`(
        on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let (context, other) = (container.newContext(name: "a", author: "me"), container.newContext())
            var insert = BatchInsert(
                entityName: "Car",
                objects: [["numberPlate": "A", "speed": 5.0], ["numberPlate": "B", "doors": 2]])
            insert.resultType = .objectIDs
            var merged: [ContextNotification] = []
            let token = other.onNotification { merged.append($0) }
            let result = try context.execute(insert)
            try backing.mergeBatch(into: other) { !merged.isEmpty }
            token.cancel()
            #expect(result.inserted.count == 2 && result.count == 2 && result.transactions == ["Test": 1])
            let first = try other.existingObject(with: result.inserted[0])
            #expect(first["numberPlate"] == "A" && first["doors"] == 4 && first["speed"] == 5.0)
            #expect(try context.texts("Car", "doors") == ["2", "4"])
            #expect(
                merged.contains(.didMerge(inserted: result.inserted, updated: [], deleted: [], refreshed: []))
            )
            let history = try other.fetchHistory()
            #expect(history.map(\.author) == ["me"] && history.map(\.contextName) == ["a"])
            #expect(history[0].changes?.map(\.objectID) == result.inserted)
        }
    }

    @Test(arguments: Backing.all)
    func `F29, F30: a batch insert breaks no constraint and leaves out no mandatory value`(
        on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let rows: [[String: AttributeValue]] = [
                ["numberPlate": "A", "maker": "1"], ["numberPlate": "B"], ["numberPlate": "A", "maker": "2"],
            ]
            do {
                try context.execute(BatchInsert(entityName: "Car", objects: rows))
                Issue.record("it was written")
            } catch CofferError.constraints(let conflicts) {
                #expect(conflicts.map(\.values) == [["numberPlate": "A"]])
            }
            #expect(try context.all("Car").isEmpty)
            do {
                try context.execute(BatchInsert(entityName: "Car", objects: [["maker": "X"]]))
                Issue.record("it was written")
            } catch CofferError.validation(let failures) {
                #expect(failures.map(\.property) == ["numberPlate"] && failures.map(\.reason) == [.required])
            }
            context.mergePolicy = .mergeByPropertyObjectTrump
            var insert = BatchInsert(entityName: "Car", objects: rows)
            insert.resultType = .objectIDs
            let result = try context.execute(insert)
            #expect(result.inserted.count == 2 && result.updated == [result.inserted[0]])
            #expect(try context.texts("Car", "maker") == ["-", "2"])
        }
    }

    @Test(arguments: Backing.all)
    func `a batch insert in pieces is bounded by its rows and reports its progress`(on backing: Backing)
        throws
    {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            var next = 0
            var insert = BatchInsert(entityName: "Car") {
                if next == 2_500 { return nil }
                defer { next += 1 }
                return ["numberPlate": .string("\(next)")]
            }
            insert.rowsPerTransaction = 1_000
            insert.resultType = .count
            var told: [Int] = []
            let result = try context.execute(insert) { told.append($0) }
            #expect(
                told == [1_000, 2_000, 2_500] && result.count == 2_500 && result.transactions == ["Test": 3])
            #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Car")) == 2_500)
        }
    }

    @Test(arguments: Backing.all)
    func `F26: a batch update changes all matching objects, subentities included, and contexts follow`(
        on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            try fill(context, 1_503)
            try fill(context, 20, maker: "BMW")
            try context.make("SportCar", ["numberPlate": "S", "maker": "FIAT", "speed": 100.0])
            try context.save()
            let held = try #require(
                try context.fetch(
                    FetchRequest<ManagedObject>(entityName: "Car").matching("numberPlate == %@", "FIAT 7")
                )
                .first)
            #expect(held["maker"] == "FIAT")
            var update = BatchUpdate(
                entityName: "Car", try QueryPredicate(format: "maker == 'FIAT'"),
                set: ["maker": "FCA", "doors": try QueryExpression(format: "doors + 1")])
            update.resultType = .objectIDs
            let result = try context.execute(update)
            #expect(result.updated.count == 1_504 && result.count == 1_504)
            #expect(
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Car").matching("maker == 'FIAT'"))
                    .isEmpty)
            try backing.mergeBatch(into: context) { held["maker"] == "FCA" }
            #expect(held["doors"] == 5)
            let history = try context.fetchHistory()
            let last = try #require(history.last)
            #expect(Set(last.changes?.map(\.objectID) ?? []) == Set(result.updated))
            #expect(Set(last.changes?.flatMap(\.updatedProperties) ?? []) == ["maker", "doors"])
            held["maker"] = "Lancia"
            try context.save()
        }
    }

    @Test(arguments: Backing.all)
    func `a batch update meets validation, types and constraints`(on backing: Backing) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            context.mergePolicy = .mergeByPropertyObjectTrump
            try fill(context, 3)
            func update(_ properties: [String: any QueryArgument]) throws {
                try context.execute(BatchUpdate(entityName: "Car", set: properties))
            }
            #expect(throws: CofferError.self) { try update(["speed": 1_000.0]) }
            #expect(throws: CofferError.self) { try update(["numberPlate": AttributeValue.null]) }
            #expect(throws: CofferError.self) { try update(["numberPlate": "same"]) }
            #expect(throws: CofferError.self) { try update(["doors": "three"]) }
            #expect(throws: CofferError.self) { try update(["wheels": 4]) }
            #expect(throws: CofferError.self) { try update(["cars": 4]) }
            #expect(try context.texts("Car", "numberPlate") == ["FIAT 0", "FIAT 1", "FIAT 2"])
            #expect(try context.fetchHistory().count == 1)
        }
    }

    @Test(arguments: Backing.all)
    func `a batch update may shift unique values`(on backing: Backing) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Row", attributes: [AttributeDefinition("place", .integer64)],
                uniquenessConstraints: [["place"]])
        ])
        try withContainer(model, on: backing) { container in
            let context = container.newContext()
            try context.execute(
                BatchInsert(entityName: "Row", objects: (0..<50).map { ["place": .integer($0)] }))
            try context.execute(
                BatchUpdate(entityName: "Row", set: ["place": try QueryExpression(format: "place + 1")]))
            let places = try context.all("Row").map { $0["place"] }
            #expect(Set(places) == Set((1...50).map { .integer($0) }))
        }
    }

    @Test(arguments: Backing.all)
    func `a batch update sets to-one relationships, and both ends follow`(on backing: Backing) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let ann = try context.make("Person", ["name": "Ann"])
            try context.save()
            try fill(context, 3)
            #expect(ann.objects(forKey: "cars").isEmpty)
            try context.execute(
                BatchUpdate(
                    entityName: "Car", try QueryPredicate(format: "numberPlate != 'FIAT 0'"),
                    set: ["owner": AttributeValue.object(ann.objectID)]))
            try backing.mergeBatch(into: context) { ann.objects(forKey: "cars").count == 2 }
            #expect(throws: CofferError.self) {
                try context.execute(
                    BatchUpdate(
                        entityName: "Car",
                        set: ["owner": AttributeValue.object(try context.all("Car")[0].objectID)]))
            }
        }
    }

    @Test(arguments: BatchResultType.allCases, Backing.all)
    func `F27: a batch delete deletes all matching objects, and returns what was asked for`(
        _ type: BatchResultType, on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            try fill(context, 30)
            try fill(context, 2, maker: "BMW")
            let held = try context.all("Car")
            var delete = BatchDelete(entityName: "Car", try QueryPredicate(format: "maker == 'FIAT'"))
            delete.resultType = type
            let result = try context.execute(delete)
            #expect(result.count == (type == .statusOnly ? nil : 30))
            #expect(result.deleted.count == (type == .objectIDs ? 30 : 0))
            #expect(try context.texts("Car", "maker") == ["BMW", "BMW"])
            try backing.mergeBatch(into: context) { held.count(where: \.isDeleted) == 30 }
            let tombstones = try context.fetchHistoryChanges(HistoryRequest()).filter { $0.kind == .delete }
            #expect(
                Set(tombstones.map { $0.tombstone["numberPlate"]?.text })
                    == Set((0..<30).map { "FIAT \($0)" }))
        }
    }

    @Test(arguments: Backing.all)
    func `a batch delete follows delete rules, so that nothing refers to a deleted object`(
        on backing: Backing
    ) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "List", attributes: [],
                relationships: [
                    RelationshipDefinition(
                        "items", to: "Item", inverse: "list", isToMany: true, deleteRule: .cascade),
                    RelationshipDefinition("owner", to: "Owner", inverse: "lists"),
                ]),
            EntityDefinition(
                "Item", attributes: [],
                relationships: [RelationshipDefinition("list", to: "List", inverse: "items")]),
            EntityDefinition(
                "Owner", attributes: [],
                relationships: [
                    RelationshipDefinition(
                        "lists", to: "List", inverse: "owner", isToMany: true, deleteRule: .deny)
                ]),
        ])
        try withContainer(model, on: backing) { container in
            let context = container.newContext()
            let owner = try context.make("Owner", [:])
            for _ in 0..<3 {
                let list = try context.make("List", [:])
                try list.setObjects([owner], forKey: "owner")
                for _ in 0..<4 { try context.make("Item", [:]).setObjects([list], forKey: "list") }
            }
            try context.save()
            do {
                try context.execute(BatchDelete(entityName: "Owner"))
                Issue.record("it was deleted")
            } catch CofferError.validation(let failures) {
                #expect(failures.map(\.reason) == [.deleteDenied])
            }
            let one = try #require(try context.all("List").first)
            var delete = BatchDelete(entityName: "List", objectIDs: [one.objectID])
            delete.resultType = .count
            #expect(try context.execute(delete).count == 1)
            #expect(try context.all("Item").count == 8)
            #expect(try context.execute(delete).count == 0)
            #expect(try context.execute(BatchDelete(entityName: "List")).count == 2, "counted unasked")
            #expect(try context.all("Item").isEmpty)
            try context.execute(BatchDelete(entityName: "Owner"))
            #expect(try context.all("Owner").isEmpty)
        }
    }

    /// Random operations, compared with the same operations in memory.
    @Test(arguments: Seed.several(4), Backing.all)
    func `random batch operations give the same result in a store and in memory`(
        _ seed: Seed, on backing: Backing
    )
        throws
    {
        var dice = seed.generator()
        try withContainer(Garage.model(), on: backing) { container in
            let (context, watcher) = (container.newContext(), container.newContext())
            var expected: [String: Int64] = [:]
            var next = 0
            for _ in 0..<25 {
                let bound = Int64.random(in: 0..<20, using: &dice)
                let predicate = try QueryPredicate(format: "doors < %@", bound)
                switch Int.random(in: 0..<3, using: &dice) {
                case 0:
                    let rows = (0..<Int.random(in: 1...40, using: &dice)).map { _ in
                        next += 1
                        return ("\(next)", Int64.random(in: 0..<20, using: &dice))
                    }
                    for (plate, doors) in rows { expected[plate] = doors }
                    try context.execute(
                        BatchInsert(
                            entityName: Bool.random(using: &dice) ? "Car" : "SportCar",
                            objects: rows.map { ["numberPlate": .string($0.0), "doors": .integer($0.1)] }))
                case 1:
                    try context.execute(
                        BatchUpdate(
                            entityName: "Car", predicate,
                            set: ["doors": try QueryExpression(format: "doors * 2 + 1")]))
                    expected = expected.mapValues { $0 < bound ? $0 * 2 + 1 : $0 }
                default:
                    try context.execute(BatchDelete(entityName: "Car", predicate))
                    expected = expected.filter { $0.value >= bound }
                }
                _ = try watcher.all("Car").map { $0["doors"] }
                let found = try watcher.all("Car").map { ($0["numberPlate"].text, $0["doors"]) }
                #expect(found.count == expected.count, "seed \(seed)")
                for (plate, doors) in found {
                    #expect(doors == expected[plate].map { .integer($0) }, "seed \(seed)")
                }
            }
        }
    }
}
