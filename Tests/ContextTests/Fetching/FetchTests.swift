import Coffer
import CofferModel
import ContextSupport
import FoundationEssentials
import TestSupport
import Testing

/// What fetches return in known situations; each test is named by the rows of the table that it covers.
@Suite struct FetchTests {
    private func withPayroll(on backing: Backing, _ body: (ManagedObjectContext) throws -> Void) throws {
        try withContainer(Staff.model(), on: backing) { container in
            let context = container.newContext()
            try Staff.payroll(context)
            try body(context)
        }
    }

    @Test(arguments: Backing.all)
    func `F1: unsaved objects take part in a fetch`(on backing: Backing) throws {
        try withPayroll(on: backing) { context in
            let found = try context.fetch(employees("salary > 20"))
            #expect(found.names == ["charlie", "delta", "echo"])
        }
    }

    @Test(arguments: Backing.all)
    func `F2: without pending changes the store decides what matches, and objects keep their values`(
        on backing: Backing
    ) throws {
        try withPayroll(on: backing) { context in
            var request = try employees("salary > 20")
            request.includesPendingChanges = false
            let found = try context.fetch(request)
            #expect(found.names == ["alpha", "bravo"])
            #expect(found[0]["salary"] == 5)
        }
    }

    // Core Data returns the ids of pending objects in no particular order; here they come where their objects
    // would.
    @Test(arguments: Backing.all)
    func `F3: ids are permanent and temporary ones, and sorted`(on backing: Backing) throws {
        try withPayroll(on: backing) { context in
            let ids = try context.fetchIDs(employees("salary > 20"))
            #expect(ids.map(\.isTemporary) == [false, true, true])
            #expect(ids.map { context.object(with: $0)["name"].text } == ["charlie", "delta", "echo"])
        }
    }

    @Test(arguments: Backing.all)
    func `a negative offset skips nothing, and a limit of 0 or less means no limit`(
        on backing: Backing
    ) throws {
        try withContainer(Staff.model(), on: backing) { container in
            for isDirty in [false, true] {
                let context = container.newContext()
                try Staff.payroll(context)
                if !isDirty { try context.save() }
                var request = FetchRequest<ManagedObject>(entityName: "Employee").sorted(by: "salary")
                request.propertiesToFetch = ["name"]
                let all = try context.fetchIDs(request)
                for offset in [-1, Int.min] {
                    let odd = request.offset(offset).limit(2)
                    #expect(try context.fetch(odd).map(\.objectID) == Array(all.prefix(2)))
                    #expect(try context.fetchIDs(odd) == Array(all.prefix(2)))
                    #expect(try context.count(for: odd) == 2)
                    #expect(try context.fetchLazily(odd).count == 2)
                    if !isDirty { #expect(try context.fetchDictionaries(odd).count == 2) }
                    let results = try FetchedResultsController(odd, in: context)
                    try results.performFetch()
                    #expect(results.fetchedObjects.count == 2)
                }
                for limit in [0, -1, Int.min] {
                    let none = request.limit(limit).offset(1)
                    #expect(try context.fetch(none).isEmpty)
                    #expect(try context.fetchIDs(none).isEmpty)
                    #expect(try context.count(for: none) == 0)
                    #expect(try context.fetchLazily(none).isEmpty)
                    #expect(try context.fetchDictionaries(none).isEmpty)
                }
            }
        }
    }

    @Test(arguments: Backing.all)
    func `F5: dictionaries never include unsaved changes`(on backing: Backing) throws {
        try withPayroll(on: backing) { context in
            var request = try employees("salary > 20")
            request.propertiesToFetch = ["name", "salary"]
            let rows = try context.fetchDictionaries(request)
            #expect(rows == [["name": "alpha", "salary": 22], ["name": "bravo", "salary": 25]])
        }
    }

    // Core Data cuts the window out of the stored rows, and adds pending changes afterwards: which two
    // objects come is undefined there. Here the window is applied to the merged result.
    @Test(arguments: Backing.all)
    func `F6: offset and limit count unsaved objects, too`(on backing: Backing) throws {
        try withPayroll(on: backing) { context in
            let found = try context.fetch(employees(sortedBy: "salary").offset(1).limit(2))
            #expect(found.names == ["charlie", "delta"])
        }
    }

    @Test(arguments: Backing.all)
    func `F7: offset and limit count in the order of the request`(on backing: Backing) throws {
        try withContainer(Staff.model(), on: backing) { container in
            let context = container.newContext()
            for (name, salary) in [("d", 40), ("b", 21), ("a", 5), ("c", 30)] {
                try context.employee(name, .integer(Int64(salary)))
            }
            try context.save()
            #expect(try context.fetch(employees(sortedBy: "salary").offset(1).limit(2)).names == ["b", "c"])
        }
    }

    @Test(arguments: Backing.all)
    func `F9: equal dictionaries come once where the request is for distinct ones`(on backing: Backing) throws
    {
        try withContainer(Staff.model(), on: backing) { container in
            let context = container.newContext()
            for _ in 0..<2 { try context.employee("dup") }
            try context.save()
            var request = try employees()
            request.propertiesToFetch = ["name"]
            #expect(try context.fetchDictionaries(request).count == 2)
            request.returnsDistinctResults = true
            #expect(try context.fetchDictionaries(request) == [["name": "dup"]])
        }
    }

    @Test(arguments: Backing.all)
    func `F10: sub-entities are included or not, saved and pending alike`(on backing: Backing) throws {
        try withContainer(Staff.model(), on: backing) { container in
            let context = container.newContext()
            let pat = try context.employee("pat")
            try context.make("Manager", ["name": "mia"])
            try context.save()
            try context.make("Manager", ["name": "max"])
            pat["name"] = "patricia"
            var request = try employees()
            #expect(try context.fetch(request).names == ["max", "mia", "patricia"])
            request.includesSubentities = false
            #expect(try context.fetch(request).names == ["patricia"])
        }
    }

    // Core Data refuses a condition on the alias, and on the function too; here both work.
    @Test(arguments: Backing.all)
    func `F13, F14: groups are counted, and conditions on them are understood`(on backing: Backing) throws {
        try withContainer(Staff.model(), on: backing) { container in
            let context = container.newContext()
            for (name, salary) in [("a", 10), ("b", 10), ("c", 20)] {
                try context.employee(name, .integer(Int64(salary)))
            }
            try context.save()
            var request = try employees(sortedBy: nil)
            request.propertiesToFetch = ["salary"]
            request.groupBy = ["salary"]
            request.expressionsToFetch = [try NamedExpression("n", format: "count:(name)")]
            let rows = try context.fetchDictionaries(request)
            #expect(Set(rows) == [["salary": 10, "n": 2], ["salary": 20, "n": 1]])
            for condition in ["n > 1", "count:(name) > 1"] {
                request.having = try QueryPredicate(format: condition)
                #expect(try context.fetchDictionaries(request) == [["salary": 10, "n": 2]], "\(condition)")
            }
        }
    }

    @Test(arguments: Backing.all)
    func `F15: a to-one relationship in a dictionary is an id`(on backing: Backing) throws {
        try withContainer(Staff.model(), on: backing) { container in
            let context = container.newContext()
            let department = try context.make("Department", ["title": "D"])
            let one = try context.employee("a")
            try one.setObjects([department], forKey: "department")
            try context.employee("b")
            try context.save()
            var request = try employees()
            request.propertiesToFetch = ["department"]
            let rows = try context.fetchDictionaries(request)
            #expect(rows == [["department": .object(department.objectID)], ["department": .null]])
        }
    }

    @Test(arguments: Backing.all)
    func `F17: an entity is named by its name, and looked up when the request is executed`(
        on backing: Backing
    ) throws {
        try withContainer(Staff.model(), on: backing) { container in
            let context = container.newContext()
            try context.employee("a")
            let nobody = FetchRequest<ManagedObject>(entityName: "Nobody")
            #expect(try context.fetch(FetchRequest<ManagedObject>(entityName: "Employee")).names == ["a"])
            do {
                _ = try context.fetch(nobody)
                Issue.record("it was fetched")
            } catch CofferError.unknown(let kind, let name) {
                #expect(kind == "entity" && name == "Nobody")
            }
        }
    }

    @Test(arguments: Backing.all)
    func `F18, F19: numbers are summed, and comparable values have a minimum and a maximum`(
        on backing: Backing
    ) throws {
        try withContainer(Things.model(), on: backing) { container in
            let context = container.newContext()
            try Things.fill(context)
            var request = try FetchRequest<ManagedObject>(entityName: "Thing").matching("number > 1")
            func value(_ format: String) throws -> AttributeValue? {
                request.expressionsToFetch = [try NamedExpression("x", format: format)]
                request.propertiesToFetch = []
                return try context.fetchDictionaries(request).first?["x"]
            }
            #expect(try value("average:(number)") == .double(3.5))
            #expect(try value("sum:(number)") == .integer(14))
            #expect(try value("min:(number)") == .integer(2))
            #expect(try value("max:(number)") == .integer(5))
            #expect(try value("count:(number)") == .integer(4))
            #expect(try value("max:(text)") == .string("nil:Thing:5"))
            #expect(try value("max:(data)") == .binary(Array("nil:Thing:5".utf8)))
            #expect(try value("max:(date)") == .date(Things.day(5)))
        }
    }

    @Test(arguments: Backing.all)
    func `F21: the first match, in either order, or none`(on backing: Backing) throws {
        try withContainer(Things.model(), on: backing) { container in
            let context = container.newContext()
            try Things.fill(context)
            func first(_ format: String, _ direction: SortDirection = .ascending) throws -> AttributeValue? {
                let request = try FetchRequest<ManagedObject>(entityName: "Thing").matching(format)
                return try context.fetch(request.sorted(by: "identifier", direction).limit(1)).first?[
                    "number"]
            }
            #expect(try first("number > 1") == 2)
            #expect(try first("number < 4", .descending) == 3)
            #expect(try first("number > 5") == nil)
        }
    }

    @Test(arguments: Backing.all)
    func `F25: a fetch and a count agree`(on backing: Backing) throws {
        try withContainer(Staff.model(), on: backing) { container in
            let context = container.newContext()
            for number in 0..<20 { try context.employee(number % 10 == 3 ? "Moreton" : "Somebody \(number)") }
            try context.save()
            for (name, count) in [("Moreton", 2), ("MoretonXYZ", 0)] {
                let request = try employees("name == '\(name)'")
                #expect(try context.fetch(request).count == count)
                #expect(try context.count(for: request) == count)
            }
        }
    }

    @Test(arguments: Backing.all)
    func `F35: a transient property alone changes the object, but leaves nothing to save`(on backing: Backing)
        throws
    {
        try withContainer(Staff.model(), on: backing) { container in
            let context = container.newContext()
            let one = try context.employee("a")
            try context.save()
            one["speed"] = 50
            #expect(one.hasChanges && context.hasChanges && !one.hasPersistentChangedValues)
            #expect(one.changedValues == ["speed": 50])
        }
    }

    @Test(arguments: Backing.all)
    func `F38: followed results learn of a batch insert when it is merged`(on backing: Backing) throws {
        try withContainer(Staff.model(), on: backing) { container in
            let (context, other) = (container.newContext(), container.newContext())
            context.automaticallyMergesChanges = false
            let controller = try FetchedResultsController(try employees(), in: context)
            try controller.performFetch()
            var inserted = 0
            controller.onEvent = { if case .inserted = $0 { inserted += 1 } }
            try other.execute(
                BatchInsert(entityName: "Employee", objects: ["a", "b", "c"].map { ["name": .string($0)] }))
            #expect(inserted == 0 && controller.fetchedObjects.isEmpty)
            try backing.mergeBatch(into: context) { inserted == 3 }
            #expect(controller.fetchedObjects.map { $0["name"].text } == ["a", "b", "c"])
        }
    }

    @Test(arguments: Backing.all)
    func `F39: an existing object is returned with its values, and a deleted one is an error`(
        on backing: Backing
    ) throws {
        try withContainer(Staff.model(), on: backing) { container in
            let (context, other) = (container.newContext(), container.newContext())
            let one = try context.employee("a")
            try context.save()
            let id = one.objectID
            let found = try other.existingObject(with: id)
            #expect(!found.isFault && found["name"] == "a")
            context.delete(one)
            try context.save()
            do {
                _ = try container.newContext().existingObject(with: id)
                Issue.record("it is there")
            } catch CofferError.objectDeleted(let missing) {
                #expect(missing == id)
            }
        }
    }
}

/// D8: five things with a value of each kind.
private enum Things {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Thing",
                attributes: [
                    AttributeDefinition("identifier", .integer32),
                    AttributeDefinition("number", .integer32),
                    AttributeDefinition("text", .string),
                    AttributeDefinition("data", .binary),
                    AttributeDefinition("date", .date),
                ])
        ])
    }

    /// The n-th of January 2000, UTC.
    static func day(_ number: Int) -> Date {
        Date(timeIntervalSince1970: 946_684_800 + Double(number - 1) * 86_400)
    }

    static func fill(_ context: ManagedObjectContext) throws {
        for number in 1...5 {
            let text = "nil:Thing:\(number)"
            try context.make(
                "Thing",
                [
                    "identifier": .integer(Int64(100 + number)), "number": .integer(Int64(number)),
                    "text": .string(text), "data": .binary(Array(text.utf8)), "date": .date(day(number)),
                ])
        }
        try context.save()
    }
}
