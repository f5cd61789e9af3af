import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// Fetches whose conditions and orders only the application knows.
@Suite struct FilteredFetchTests {
    private var everybody: FetchRequest<ManagedObject> {
        FetchRequest<ManagedObject>(entityName: "Employee").sorted(by: "name")
    }

    /// 500 employees, `000` to `499`, saved and released.
    private func withCrowd(
        on backing: Backing, _ body: (PersistentContainer, ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Staff.model(), on: backing) { container in
            let context = container.newContext()
            for number in 0..<500 {
                let name = String("\(1_000 + number)".dropFirst())
                try context.make("Employee", ["name": .string(name), "salary": .integer(Int64(number % 7))])
            }
            try context.save()
            context.reset()
            try body(container, context)
        }
    }

    private func isPalindrome(_ object: ManagedObject) -> Bool {
        let name = object["name"].text
        return name.elementsEqual(name.reversed())
    }

    @Test(arguments: Backing.all)
    func `objects that pass the filter come in the request's order`(on backing: Backing) throws {
        try withCrowd(on: backing) { _, context in
            let found = try context.fetch(everybody, filter: isPalindrome)
            #expect(found.count == 50)
            #expect(found.names == found.names.sorted())
            var few = everybody
            few.predicate = try QueryPredicate(format: "name > '450'")
            #expect(
                try context.fetch(few, filter: isPalindrome).names == ["454", "464", "474", "484", "494"])
        }
    }

    @Test(arguments: Backing.all)
    func `limit and offset count objects that pass the filter, and reading ends there`(
        on backing: Backing
    ) throws {
        try withCrowd(on: backing) { _, context in
            var request = everybody
            request.fetchBatchSize = 10
            request.limit = 3
            request.offset = 2
            var asked = 0
            let found = try context.fetch(request) { object in
                asked += 1
                return isPalindrome(object)
            }
            #expect(found.names == ["020", "030", "040"])
            #expect(asked == 41)
            request.limit = 0
            #expect(try context.fetch(request, filter: isPalindrome).isEmpty)
            request.limit = .max
            request.offset = 49
            #expect(try context.fetch(request, filter: isPalindrome).names == ["494"])
        }
    }

    @Test(arguments: Backing.all)
    func `an order of the application's own decides before limit and offset do`(on backing: Backing) throws {
        try withCrowd(on: backing) { _, context in
            var request = everybody
            request.limit = 4
            request.offset = 1
            let found = try context.fetch(
                request, filter: isPalindrome,
                sortedBy: { ($0["name"].text.last ?? "x") > ($1["name"].text.last ?? "x") })
            // Among those with the same ending, the request's order decides.
            #expect(found.names == ["414", "424", "434", "444"])
        }
    }

    @Test(arguments: Backing.all)
    func `unsaved changes take part, and deleted objects do not`(on backing: Backing) throws {
        try withCrowd(on: backing) { _, context in
            var few = everybody
            few.predicate = try QueryPredicate(format: "name > '450'")
            let found = try context.fetch(few, filter: isPalindrome)
            found[0]["name"] = "455"
            context.delete(found[1])
            try context.make("Employee", ["name": "999"])
            #expect(try context.fetch(few, filter: isPalindrome).names == ["474", "484", "494", "999"])
        }
    }

    @Test(arguments: Backing.all)
    func `objects that others delete while the filter runs are left out`(on backing: Backing) throws {
        try withCrowd(on: backing) { container, context in
            let other = container.newContext()
            var request = everybody
            request.fetchBatchSize = 100
            var isFirst = true
            let found = try context.fetch(request) { object in
                if isFirst {
                    isFirst = false
                    do {
                        for doomed in try other.fetch(everybody, filter: isPalindrome).suffix(10) {
                            other.delete(doomed)
                        }
                        try other.save()
                    } catch {
                        Issue.record(error)
                    }
                }
                return isPalindrome(object)
            }
            #expect(found.count == 40)
        }
    }
}
