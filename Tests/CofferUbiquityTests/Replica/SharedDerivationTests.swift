import Coffer
import CofferCoordination
import CofferModel
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

@Suite("Derived attributes of a shared store")
struct SharedDerivationTests {
    private static func pages() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Book") {
                Field("name", .string)
                Field("modified", .date).derived(from: "now()")
                Field("count", .integer32).derived(from: "pages.@count")
                Many("pages", "Page", inverse: "book")
            }
            Entity("Page") {
                Field("name", .string)
                Field("code", .string).optional().textIndexed()
                Field("folded", .string).derived(from: "canonical:(code)")
                Field("modified", .date).derived(from: "now()")
                One("book", "Book", inverse: "pages").optional()
                Unique("code")
            }
        }
    }

    private func contents(of device: Device) throws -> [String] {
        try CofferUbiquityTests.contents(of: device, ["Book", "Page"])
    }

    @Test("The time of the last save comes as its author's, and a count is each machine's own")
    func timesCome() throws {
        try withSharedFolder { shared in
            let (one, other) = (
                try shared.device("one", Self.pages()), try shared.device("other", Self.pages())
            )
            let context = one.context()
            let book = try context.make("Book", ["name": "atlas"])
            try context.save()
            let page = try context.make("Page", ["name": "first", "code": "Ä"])
            try page.setObjects([book], forKey: "book")
            try context.save()
            exchange([one, other])
            let first = try contents(of: one)
            #expect(try contents(of: other) == first)
            #expect(first.count == 2 && first.allSatisfy { !$0.contains("modified=null") })
            // Another page comes: the book's row changes on the first machine by the import alone.
            let elsewhere = other.context()
            let second = try elsewhere.make("Page", ["name": "second", "code": "b"])
            try second.setObjects(elsewhere.all("Book"), forKey: "book")
            try elsewhere.save()
            let times = try contents(of: other)
            exchange([one, other])
            #expect(try contents(of: one) == times)
            #expect(try contents(of: other) == times)
            #expect(times != first)
            #expect(try one.context().all("Book")[0]["count"] == 2)
            // An import does not count as an edit: nothing more is said of it.
            let folds = [one, other].map(\.status.lastFold)
            exchange([one, other])
            #expect([one, other].map(\.status.lastFold) == folds)
        }
    }

    @Test("Unique values that are indexed and derived from come over at once")
    func uniqueValuesSwap() throws {
        try withSharedFolder { shared in
            let (one, other) = (
                try shared.device("one", Self.pages()), try shared.device("other", Self.pages())
            )
            let context = one.context()
            let red = try context.make("Page", ["name": "red", "code": "Ábc"])
            let blue = try context.make("Page", ["name": "blue", "code": "Bcd"])
            try context.save()
            exchange([one, other])
            for (page, code) in [(red, AttributeValue.null), (blue, "Ábc"), (red, "Bcd")] {
                try page.setValue(code, forKey: "code")
                try context.save()
            }
            exchange([one, other])
            #expect(try contents(of: one) == contents(of: other))
            let elsewhere = other.context()
            let swapped = try elsewhere.all("Page").map { "\($0["name"]) \($0["folded"])" }.sorted()
            #expect(try swapped == one.context().all("Page").map { "\($0["name"]) \($0["folded"])" }.sorted())
            #expect(swapped.contains { $0.contains("blue") && $0.contains("\"abc\"") })
            for (text, name) in [("ÁBC", AttributeValue.string("blue")), ("bcd", "red")] {
                var request = FetchRequest<ManagedObject>(entityName: "Page")
                request.predicate = try QueryPredicate(format: "code CONTAINS[cd] '\(text)'")
                #expect(try elsewhere.fetch(request).map { $0["name"] } == [name])
            }
            #expect(try other.store.integrityCheck().isEmpty)
        }
    }
}
