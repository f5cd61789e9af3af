import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// What predicates of a fetch find in known situations.
@Suite struct PredicateTests {
    @Test(arguments: Backing.all)
    func `P53: an object can be searched for among objects`(on backing: Backing) throws {
        try withContainer(Staff.model(), on: backing) { container in
            let context = container.newContext()
            let one = try context.employee("a")
            try context.employee("b")
            try context.save()
            var request = try employees()
            request.predicate = try QueryPredicate(format: "SELF IN %@", [one.objectID])
            #expect(try context.fetch(request).names == ["a"])
            #expect(try container.newContext().fetch(request).names == ["a"])
        }
    }

    @Test(arguments: Backing.all)
    func `P59: a function of the application is for objects in memory, and no store calls it`(
        on backing: Backing
    ) throws {
        // Functions are registered for the process, in which this test may run over both backings at once.
        let name = "startOfLength\(backing):"
        try QueryFunctions.register(name) { arguments throws(QueryError) in
            guard case .string(let text) = arguments[0], case .integer(let count) = arguments[1] else {
                return .null
            }
            return .string(String(text.prefix(Int(clamping: count))))
        }
        defer { QueryFunctions.unregister(name) }
        try withContainer(Staff.model(), on: backing) { container in
            let context = container.newContext()
            let one = try context.employee("hello")
            let predicate = try QueryPredicate(format: "FUNCTION(name, '\(name)', 1) == 'h'")
            #expect(try predicate.evaluate(with: one))
            try context.save()
            try one.setValue("other", forKey: "name")
            #expect(try !predicate.evaluate(with: one), "by the values in the context")
            #expect(
                try QueryExpression(format: "FUNCTION(name, '\(name)', 3)").value(for: one) == .string("oth"))
            var request = try employees()
            request.predicate = predicate
            let error = #expect(throws: CofferError.self) { try container.newContext().fetch(request) }
            guard case .predicate(.notInStore(name, let reason))? = error else {
                return #expect(Bool(false), "\(error as Any)")
            }
            #expect(reason.contains("memory"), "\(reason)")
            #expect(throws: CofferError.self) {
                try QueryPredicate(format: "FUNCTION(nothing, '\(name)', 1) == 'h'").evaluate(with: one)
            }
        }
    }

    @Test(arguments: Backing.all)
    func `P57: a predicate that is built means and prints the same as the text`(on backing: Backing) throws {
        try withContainer(Staff.model(), on: backing) { container in
            let context = container.newContext()
            let department = try context.make("Department", ["title": "D"])
            try context.employee("a").setObjects([department], forKey: "department")
            try context.employee("b")
            try context.save()
            for format in [
                "ANY department.employees.name == 'a'", "ALL department.employees.name == 'a'",
                "NONE department.employees.name == 'b'", "department.employees.@count == 1",
                "department.title == 'D'",
            ] {
                let read = try QueryPredicate(format: format)
                #expect(try QueryPredicate(format: read.format) == read, "\(format)")
                #expect(try context.fetch(employees(format)).names.contains("a"), "\(format)")
            }
        }
    }

    @Test(arguments: Backing.all)
    func `P35: a predicate that always or never holds finds all or nothing`(on backing: Backing) throws {
        try withContainer(Staff.model(), on: backing) { container in
            let context = container.newContext()
            try context.employee("saved")
            try context.save()
            try context.employee("pending")
            #expect(try context.fetch(employees("TRUEPREDICATE")).count == 2)
            #expect(try context.fetch(employees("FALSEPREDICATE")).isEmpty)
            #expect(try QueryPredicate(format: "TRUEPREDICATE").format == "TRUEPREDICATE")
        }
    }
}
