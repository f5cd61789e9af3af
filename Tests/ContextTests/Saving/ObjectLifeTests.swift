import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// What happens to objects in known situations; each test is named by the rows of the table that it covers.
@Suite struct ObjectLifeTests {
    private func withContext(
        on backing: Backing, _ body: (PersistentContainer, ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Staff.model(), on: backing) { container in
            let context = container.newContext()
            context.register(Staff.Hooked.self, forEntity: "Employee")
            try body(container, context)
        }
    }

    /// The only error that forbids a save.
    private func failures(_ context: ManagedObjectContext) throws -> [ValidationFailure] {
        do throws(CofferError) {
            try context.save()
            return []
        } catch {
            guard case .validation(let failures) = error else { throw error }
            return failures.sorted { $0.property < $1.property }
        }
    }

    @Test(arguments: Backing.all)
    func `R1: a delete also deletes the objects to which it cascades`(on backing: Backing) throws {
        try withContext(on: backing) { _, context in
            let owner = try context.employee("a")
            for name in ["x", "y"] {
                try context.make("Pet", ["name": .string(name)]).setObjects([owner], forKey: "owner")
            }
            try context.make("Pet", ["name": "z"])
            try context.save()
            context.delete(owner)
            try context.save()
            #expect(try context.texts("Pet", "name") == ["z"])
        }
    }

    @Test(arguments: Backing.all)
    func `R2: a denied delete succeeds once the object that denies it is deleted`(
        on backing: Backing
    ) throws {
        try withContext(on: backing) { _, context in
            let department = try context.make("Department", ["title": "D"])
            let one = try context.employee("a")
            try one.setObjects([department], forKey: "department")
            try context.save()
            context.delete(department)
            #expect(department.validationFailures(for: .delete).map(\.reason) == [.deleteDenied])
            #expect(try failures(context).map(\.reason) == [.deleteDenied])
            context.delete(one)
            #expect(try failures(context).isEmpty)
            #expect(try context.all("Department").isEmpty && context.all("Employee").isEmpty)
        }
    }

    @Test(arguments: Backing.all)
    func `R3, R5: a missing value is reported with object and key, and two errors together`(
        on backing: Backing
    ) throws {
        try withContext(on: backing) { _, context in
            let one = try context.employee("a")
            one["name"] = .null
            #expect(one.validationFailures(for: .insert).map(\.property) == ["name"])
            one["salary"] = 5_000
            let found = try failures(context)
            #expect(found.map(\.property) == ["name", "salary"])
            #expect(found.map(\.reason) == [.required, .tooLarge])
            #expect(found.allSatisfy { $0.objectID == one.objectID })
        }
    }

    @Test(arguments: Backing.all)
    func `R6: an error that a class's own validation throws comes through as it is`(
        on backing: Backing
    ) throws {
        try withContext(on: backing) { _, context in
            let one = try context.hooked("a")
            one["salary"] = 666
            let found = try failures(context)
            #expect(found.map(\.reason) == [.custom] && found.map(\.text) == ["beastly"])
            #expect(found.first?.property == "salary" && found.first?.value == 666)
        }
    }

    @Test(arguments: Backing.all)
    func `R7: more objects than a relationship allows are refused`(on backing: Backing) throws {
        try withContext(on: backing) { _, context in
            let department = try context.make("Department", [:])
            try department.setObjects(
                ["a", "b", "c"].map { name in try context.employee(name) }, forKey: "employees")
            let found = department.validationFailures(for: .insert)
            #expect(found.map(\.reason) == [.tooMany] && found.map(\.property) == ["employees"])
            #expect(try failures(context).contains { $0.reason == .tooMany })
        }
    }

    @Test(arguments: Backing.all)
    func `R9, R10: an object is inserted once, with defaults, and saved once`(on backing: Backing) throws {
        try withContext(on: backing) { _, context in
            let one = try context.hooked("a")
            #expect(one.calls == ["awakeFromInsert 1"])
            #expect(one.isInserted && !one.isUpdated && !one.isDeleted && one.objectID.isTemporary)
            one.calls = []
            try context.save()
            #expect(one.calls == ["willSave", "didSave"])
            #expect(!one.isInserted && !one.isUpdated && !one.isDeleted && !one.objectID.isTemporary)
        }
    }

    @Test(arguments: Backing.all)
    func `R11: changes are reported with new and old values, until they are saved`(on backing: Backing) throws
    {
        try withContext(on: backing) { _, context in
            let one = try context.employee("a", 5)
            try context.save()
            one["salary"] = 7
            #expect(one.changedValues == ["salary": 7])
            #expect(one.committedValues(forKeys: ["salary"]) == ["salary": 5])
            try context.save()
            #expect(one.changedValues.isEmpty && one.committedValues(forKeys: ["salary"]) == ["salary": 7])
        }
    }

    @Test(arguments: Backing.all)
    func `R13: refreshing discards changes, or merges them`(on backing: Backing) throws {
        try withContext(on: backing) { _, context in
            let one = try context.hooked("a")
            try context.save()
            one["salary"] = 7
            one.calls = []
            context.refresh(one, mergeChanges: false)
            #expect(one.isFault && !one.hasChanges)
            #expect(one.calls == ["willTurnIntoFault", "didTurnIntoFault"])
            #expect(one["salary"] == 1)
            one["salary"] = 8
            context.refresh(one, mergeChanges: true)
            #expect(one["salary"] == 8 && one.hasChanges)
        }
    }

    @Test(arguments: Backing.all)
    func `F34: a transient value outlives a save, and is lost when all is refreshed`(on backing: Backing)
        throws
    {
        try withContext(on: backing) { _, context in
            let one = try context.hooked("a")
            one["speed"] = 50
            try context.save()
            #expect(one["speed"] == 50)
            context.refreshAllObjects()
            #expect(one["speed"] == .null && one["name"] == "a")
        }
    }

    @Test(arguments: Backing.all)
    func `F34: a transient value stays when the row is read again, and when others change it`(
        on backing: Backing
    ) throws {
        try withContext(on: backing) { container, context in
            let one = try context.hooked("a")
            one["speed"] = 50
            try context.save()
            let request = try employees()
            _ = try context.fetch(request)
            #expect(one["speed"] == 50)
            let other = container.newContext()
            let same = other.object(with: one.objectID)
            same["salary"] = 9
            try other.save()
            context.mergePendingChanges()
            #expect(one["salary"] == 9 && one["speed"] == 50)
            _ = try context.fetch(request)
            #expect(one["speed"] == 50)
            context.refresh(one, mergeChanges: false)
            #expect(one["speed"] == .null)
        }
    }

    @Test(arguments: Backing.all)
    func `F11: objects come with their values, or as faults on request`(
        on backing: Backing
    ) throws {
        try withContext(on: backing) { container, context in
            for name in ["a", "b"] { try context.employee(name) }
            try context.save()
            var request = try employees()
            #expect(try container.newContext().fetch(request).allSatisfy { !$0.isFault })
            request.returnsObjectsAsFaults = true
            let faults = try container.newContext().fetch(request)
            #expect(faults.count == 2 && faults.allSatisfy { $0.isFault })
        }
    }

    @Test(arguments: Backing.all)
    func `R14: an object awakes from its fetch once, when its values arrive`(on backing: Backing) throws {
        try withContext(on: backing) { container, context in
            let one = try context.employee("a")
            try context.save()
            let other = container.newContext()
            other.register(Staff.Hooked.self, forEntity: "Employee")
            var request = try employees()
            request.returnsObjectsAsFaults = true
            let found = try #require(try other.fetch(request).first as? Staff.Hooked)
            #expect(found.isFault && found.calls.isEmpty && found.objectID == one.objectID)
            #expect(found["name"] == "a" && found["salary"] == 1)
            _ = try other.fetch(try employees())
            #expect(found.calls == ["awakeFromFetch"])
        }
    }

    // Core Data calls prepareForDeletion for each delete(_:), although the second one finds the object
    // deleted already.
    @Test(arguments: Backing.all)
    func `R15: an object that is deleted twice prepares for it once`(on backing: Backing) throws {
        try withContext(on: backing) { _, context in
            let one = try context.hooked("a")
            try context.save()
            one.calls = []
            context.delete(one)
            context.delete(one)
            #expect(one.calls == ["prepareForDeletion"])
        }
    }

    @Test(arguments: Backing.all)
    func `R17: a rollback reverts everything, and a deleted object is usable again`(
        on backing: Backing
    ) throws {
        try withContext(on: backing) { _, context in
            let (one, two) = (try context.employee("a", 5), try context.employee("b", 6))
            try context.save()
            one["salary"] = 7
            context.delete(two)
            try context.employee("c")
            context.rollback()
            #expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty)
            #expect(context.deletedObjects.isEmpty && !context.hasChanges)
            #expect(one["salary"] == 5 && two["salary"] == 6 && !two.isDeleted)
            two["salary"] = 8
            try context.save()
            #expect(try context.texts("Employee", "salary") == ["5", "8"])
        }
    }

    @Test(arguments: Backing.all)
    func `R18: what willSave sets is saved`(on backing: Backing) throws {
        try withContext(on: backing) { container, context in
            let one = try context.hooked("a")
            one.stamp = "stamped"
            try context.save()
            #expect(!context.hasChanges)
            #expect(try container.newContext().texts("Employee", "note") == ["stamped"])
        }
    }

    @Test(arguments: Backing.all)
    func `R19: undo and redo of insertions, with and without an undo manager`(on backing: Backing) throws {
        try withContext(on: backing) { _, context in
            try context.employee("a")
            context.undo()
            #expect(context.insertedObjects.count == 1, "nobody noted it")
            context.rollback()
            #expect(context.insertedObjects.isEmpty)

            context.undoManager = ContextUndoManager()
            for name in ["a", "b"] { try context.employee(name) }
            context.undo()
            #expect(context.insertedObjects.isEmpty)
            context.redo()
            #expect(context.insertedObjects.count == 2)
            context.rollback()
            #expect(context.insertedObjects.isEmpty)
            context.redo()
            #expect(context.insertedObjects.isEmpty)
        }
    }

    @Test(arguments: [true, false], Backing.all)
    func `R21: a child follows its parent's saves if it is set to`(merges: Bool, on backing: Backing) throws {
        try withContext(on: backing) { _, parent in
            let one = try parent.employee("a", 5)
            try parent.save()
            let child = parent.newChild()
            child.automaticallyMergesChanges = merges
            let own = child.object(with: one.objectID)
            #expect(own["salary"] == 5)
            one["salary"] = 7
            try parent.save()
            _ = try child.count(for: try employees())
            #expect(own["salary"] == (merges ? 7 : 5))
        }
    }

    @Test(arguments: Backing.all)
    func `R22: a transient value that a child saves is seen in the parent`(on backing: Backing) throws {
        try withContext(on: backing) { _, parent in
            let one = try parent.employee("a")
            try parent.save()
            let child = parent.newChild()
            let own = child.object(with: one.objectID)
            own["speed"] = 50
            try child.save()
            #expect(one["speed"] == 50)
        }
    }

    @Test(arguments: Backing.all)
    func `R23: a context keeps no object that nobody holds`(on backing: Backing) throws {
        try withContext(on: backing) { _, context in
            for name in ["a", "b"] { try context.employee(name) }
            #expect(context.registeredObjectCount == 2)
            try context.save()
            #expect(context.registeredObjects.isEmpty && context.registeredObjectCount == 0)
        }
    }
}
