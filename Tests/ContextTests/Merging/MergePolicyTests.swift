import Coffer
import CofferModel
import ContextSupport
import Synchronization
import Testing

/// Two contexts hold the same object, Alice with a salary of 10; the first saves before the second.
@Suite struct MergePolicyTests {
    private struct Pair {
        let container: PersistentContainer
        let first: ManagedObjectContext
        let second: ManagedObjectContext
        let mine: ManagedObject
        let other: ManagedObject
    }

    private func withPair(
        _ policy: MergePolicy, merges: Bool = false, on backing: Backing, _ body: (Pair) throws -> Void
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let (first, second) = (container.newContext(name: "1"), container.newContext(name: "2"))
            second.mergePolicy = policy
            second.automaticallyMergesChanges = merges
            let mine = try first.make("Person", ["name": "Alice", "salary": 10])
            try first.save()
            let other = try second.existingObject(with: mine.objectID)
            try body(Pair(container: container, first: first, second: second, mine: mine, other: other))
        }
    }

    @Test(arguments: Backing.all)
    func `M1: the policy of a new context is the error policy`(on backing: Backing) throws {
        try withContainer(Garage.model(), on: backing) { #expect($0.newContext().mergePolicy == .error) }
    }

    @Test(arguments: [false, true], Backing.all)
    func `M2: a conflict reports snapshot, stored and wanted values`(_ merges: Bool, on backing: Backing)
        throws
    {
        try withPair(.error, merges: merges, on: backing) { pair in
            pair.mine["name"] = "FromCtx1"
            pair.other["name"] = "FromCtx2"
            try pair.first.save()
            do {
                try pair.second.save()
                Issue.record("it was saved")
            } catch CofferError.conflicts(let conflicts) {
                let conflict = try #require(conflicts.first)
                #expect(conflicts.count == 1 && conflict.objectID == pair.other.objectID)
                #expect(conflict.snapshot["name"] == "Alice")
                #expect(conflict.stored?["name"] == "FromCtx1")
                #expect(conflict.wanted == ["name": "FromCtx2"])
                #expect(conflict.snapshotVersion == 1 && conflict.storedVersion == 2)
            }
            #expect(pair.other.changedValues == ["name": "FromCtx2"])
        }
    }

    /// What either context changes, and what the store has in the end.
    struct Row: CustomStringConvertible, Sendable {
        var id: String
        var policy: MergePolicy
        var first: [String: AttributeValue] = ["name": "FromCtx1"]
        var second: [String: AttributeValue] = ["name": "FromCtx2"]
        var expected: [String: AttributeValue]
        var description: String { "\(id) \(policy)" }
    }

    static let rows: [Row] = [
        Row(
            id: "M3", policy: .mergeByPropertyStoreTrump, second: ["name": "FromCtx2", "salary": 99],
            expected: ["name": "FromCtx1", "salary": 99]),
        Row(
            id: "M4", policy: .mergeByPropertyObjectTrump, first: ["name": "FromCtx1", "salary": 77],
            expected: ["name": "FromCtx2", "salary": 77]),
        Row(
            id: "M5", policy: .overwrite, first: ["name": "FromCtx1", "salary": 77],
            expected: ["name": "FromCtx2", "salary": 10]),
        Row(id: "M6", policy: .rollback, expected: ["name": "FromCtx1", "salary": 10]),
    ]

    @Test(arguments: rows, Backing.all)
    func `M3 to M6: each policy lets the side win that it names, and contexts agree`(
        _ row: Row, on backing: Backing
    ) throws {
        try withPair(row.policy, on: backing) { pair in
            for (key, value) in row.first { pair.mine[key] = value }
            for (key, value) in row.second { pair.other[key] = value }
            try pair.first.save()
            try pair.second.save()
            #expect(pair.other.changedValues.isEmpty && !pair.second.hasChanges)
            let third = try pair.container.newContext().existingObject(with: pair.mine.objectID)
            for (key, value) in row.expected {
                #expect(third[key] == value)
                #expect(pair.other[key] == value)
            }
        }
    }

    @Test(arguments: Backing.all)
    func `M7: different objects do not conflict`(on backing: Backing) throws {
        try withPair(.error, on: backing) { pair in
            let bob = try pair.second.make("Person", ["name": "Bob"])
            try pair.second.save()
            pair.mine["name"] = "FromCtx1"
            bob["name"] = "Robert"
            try pair.first.save()
            try pair.second.save()
        }
    }

    @Test(arguments: Backing.all)
    func `M9, M10, M11: merging shows updates, deletes and inserts of others`(on backing: Backing) throws {
        try withPair(.error, on: backing) { pair in
            pair.mine["name"] = "New"
            try pair.first.save()
            pair.second.mergePendingChanges()
            #expect(pair.other["name"] == "New")
            var merged: [ContextNotification] = []
            let token = pair.second.onNotification { merged.append($0) }
            let bob = try pair.first.make("Person", ["name": "Bob"])
            pair.first.delete(pair.mine)
            try pair.first.save()
            pair.second.mergePendingChanges()
            token.cancel()
            // Core Data keeps the old value readable here; ours counts as deleted everywhere.
            #expect(pair.other.isDeleted)
            #expect(try pair.second.all("Person").map(\.objectID) == [bob.objectID])
            #expect(
                merged.contains(
                    .didMerge(
                        inserted: [bob.objectID], updated: [], deleted: [pair.other.objectID], refreshed: []))
            )
        }
    }

    @Test(arguments: Backing.all)
    func `M13: a save reports what it inserted, updated and deleted`(on backing: Backing) throws {
        try withPair(.error, on: backing) { pair in
            let bob = try pair.first.make("Person", ["name": "Bob"])
            try pair.first.save()
            var saved: [ContextNotification] = []
            let token = pair.first.onNotification { saved.append($0) }
            let carl = try pair.first.make("Person", ["name": "Carl"])
            pair.mine["salary"] = 11
            let bobID = bob.objectID
            pair.first.delete(bob)
            try pair.first.save()
            token.cancel()
            #expect(
                saved == [
                    .didSave(
                        inserted: [carl.objectID], updated: [pair.mine.objectID], deleted: [bobID],
                        number: 3, token: try pair.first.currentHistoryToken())
                ])
        }
    }
}

@Suite struct CustomPolicyTests {
    private func withConflict(
        on backing: Backing, resolve: @escaping @Sendable (SaveConflicts) -> SaveResolution?,
        body: (_ context: ManagedObjectContext, _ object: ManagedObject, _ other: ManagedObject) throws ->
            Void
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let (first, second) = (container.newContext(), container.newContext())
            second.automaticallyMergesChanges = false
            second.mergePolicy = .custom(named: "test", resolve: resolve)
            let mine = try first.make("Person", ["name": "Alice", "salary": 10])
            try first.save()
            let other = try second.existingObject(with: mine.objectID)
            mine["salary"] = 15
            try first.save()
            other["salary"] = 12
            try body(second, other, mine)
        }
    }

    @Test(arguments: Backing.all)
    func `values that the application computes for a conflict are saved`(on backing: Backing) throws {
        try withConflict(on: backing) { conflicts in
            var resolution = SaveResolution()
            for conflict in conflicts.objects {
                // Both contexts raised it from 10: by 5 and by 2.
                guard case .integer(let base)? = conflict.snapshot["salary"],
                    case .integer(let stored)? = conflict.stored?["salary"],
                    case .integer(let wanted)? = conflict.wanted["salary"]
                else { return nil }
                resolution.objects[conflict.objectID] = .values(["salary": .integer(stored + wanted - base)])
            }
            return resolution
        } body: { context, object, _ in
            try context.save()
            #expect(object["salary"] == 17 && !context.hasChanges)
        }
    }

    @Test(arguments: Backing.all(with: [(SaveResolution.Choice.stored, 15 as Int64), (.wanted, 12)]))
    func `the application chooses which side wins a conflict`(
        _ choice: SaveResolution.Choice, _ salary: Int64, on backing: Backing
    ) throws {
        try withConflict(on: backing) { conflicts in
            SaveResolution(
                objects: Dictionary(uniqueKeysWithValues: conflicts.objects.map { ($0.objectID, choice) }))
        } body: { context, object, _ in
            try context.save()
            #expect(object["salary"] == .integer(salary) && !context.hasChanges)
        }
    }

    @Test(arguments: Backing.all)
    func `a conflict that the application does not decide is thrown`(on backing: Backing) throws {
        try withConflict(on: backing) { _ in
            nil
        } body: { context, object, _ in
            #expect(throws: CofferError.self) { try context.save() }
            #expect(object.changedValues == ["salary": 12])
        }
    }

    @Test(arguments: Backing.all)
    func `a change of an object that others deleted can be given up instead of written`(on backing: Backing)
        throws
    {
        try withConflict(on: backing) { conflicts in
            SaveResolution(
                objects: Dictionary(uniqueKeysWithValues: conflicts.objects.map { ($0.objectID, .stored) }))
        } body: { context, object, mine in
            let first = try #require(mine.context)
            first.delete(mine)
            try first.save()
            try context.save()
            #expect(object.isDeleted && !context.hasChanges)
        }
    }

    @Test(arguments: Backing.all)
    func `the rounds in which an application resolves conflicts are bounded`(on backing: Backing) throws {
        let rounds = Mutex<[Int]>([])
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            try context.make("Person", ["name": "A"])
            try context.save()
            context.mergePolicy = .custom(named: "stubborn") { conflicts in
                rounds.withLock { $0.append(conflicts.round) }
                return SaveResolution(
                    objects: Dictionary(
                        uniqueKeysWithValues: conflicts.constraints.map {
                            ($0.objectID, .values(["name": "A"]))
                        }))
            }
            try context.make("Person", ["name": "A"])
            #expect(throws: CofferError.self) { try context.save() }
        }
        #expect(rounds.withLock { $0 } == [0, 1, 2, 3])
    }

    @Test(arguments: Backing.all)
    func `a broken constraint is resolved by other values, or by a policy for constraints`(
        on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let stored = try context.make("Person", ["name": "A", "salary": 1])
            try context.save()
            context.mergePolicy = .custom(named: "rename") { conflicts in
                SaveResolution(
                    objects: Dictionary(
                        uniqueKeysWithValues: conflicts.constraints.map {
                            ($0.objectID, .values(["name": "A 2"]))
                        }))
            }
            try context.make("Person", ["name": "A"])
            try context.save()
            #expect(try context.texts("Person", "name") == ["A", "A 2"])
            context.mergePolicy = .custom(named: "upsert") { _ in
                SaveResolution(constraints: .mergeByPropertyObjectTrump)
            }
            try context.make("Person", ["name": "A", "salary": 2])
            try context.save()
            #expect(stored["salary"] == 2)
        }
    }

    @Test(arguments: Backing.all)
    func `an object that a policy for constraints refuses is not shown as saved`(on backing: Backing) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let first = try context.make("Person", ["name": "A", "salary": 1])
            try context.make("Person", ["name": "B"])
            try context.save()
            context.mergePolicy = .custom(named: "store") { _ in
                SaveResolution(constraints: .mergeByPropertyStoreTrump)
            }
            first["name"] = "B"
            try context.save()
            #expect(first["name"] == "A" && !context.hasChanges)
            context.mergePolicy = .error
            first["salary"] = 2
            try context.save()
            #expect(try context.texts("Person", "name") == ["A", "B"])
        }
    }
}
