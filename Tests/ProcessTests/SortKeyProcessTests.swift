import Coffer
import CofferLinux
import CofferModel
import CofferSQLite
import Foundation
import TestSupport
import Testing

/// Long lists in the order of a language, whose keys a real service keeps.
@Suite(.serialized, .enabled(if: Collation.version != nil, "the system has no ICU"))
struct SortKeyProcessTests {
    private static let count = 6_000

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Item") {
                Field("title", .string).optional().indexed()
                Field("number", .integer32)
            }
        }
    }

    private func context(_ service: ServiceUnderTest) throws -> ManagedObjectContext {
        let container = try PersistentContainer(
            name: "Items", model: Self.model(), application: "org.coffer.Tests",
            bus: .explicit(service.bus.address))
        try container.loadStores()
        return container.newContext()
    }

    private func fill(_ context: ManagedObjectContext) throws {
        var random = Seed(11).generator()
        for number in 0..<Self.count {
            let item = try context.insert(entityNamed: "Item")
            let title =
                ["straße", "Straße", "strasse", "zebra", "Äpfel", "Apfel"].randomElement(using: &random) ?? ""
            try item.setValue(
                .string("\(title) \(Int.random(in: 0..<2_000, using: &random))"), forKey: "title")
            try item.setValue(.integer(Int64(number)), forKey: "number")
        }
        try context.save()
    }

    /// The order that a list has; with a predicate, which fits all, no kept keys serve it.
    private func request(isKept: Bool, limit: Int? = nil) throws -> FetchRequest<ManagedObject> {
        let all = isKept ? nil : try QueryPredicate(format: "number >= 0")
        var request = FetchRequest<ManagedObject>(entityName: "Item", all)
        request.sortDescriptors = [QuerySort("title", comparison: .localizedStandard)]
        request.locale = "de_DE"
        request.limit = limit
        return request
    }

    private func isAlong(_ context: ManagedObjectContext) throws -> Bool {
        try context.explain(request(isKept: true, limit: 10)).allSatisfy {
            $0.sql.contains("COFFER_SORTKEY k")
        }
    }

    /// Asks for a list until its keys are kept.
    private func waitForKeys(_ context: ManagedObjectContext) throws {
        try waitUntil("the keys of the list are kept") {
            _ = try context.fetchIDs(request(isKept: true, limit: 10))
            return try isAlong(context)
        }
    }

    private func expectSame(_ context: ManagedObjectContext, _ comment: String) throws {
        let own = try context.fetchIDs(request(isKept: false))
        let first = try context.fetch(request(isKept: true, limit: 50)).map(\.objectID)
        #expect(first == Array(own.prefix(50)), "\(comment)")
        #expect(try context.fetchIDs(request(isKept: true)) == own, "\(comment)")
        #expect(try context.fetchIDs(request(isKept: true, limit: 20)) == Array(own.prefix(20)), "\(comment)")
    }

    @Test
    func `a long list is read along its keys, and saves and other programs move what changes`() throws {
        try withService { service in
            let context = try context(service)
            try fill(context)
            try waitForKeys(context)
            try expectSame(context, "kept")
            let item = try #require(try context.fetch(request(isKept: true, limit: 1)).first)
            try item.setValue(.string("zzz"), forKey: "title")
            try context.save()
            #expect(try isAlong(context))
            #expect(try context.fetchIDs(request(isKept: true)).last == item.objectID)
            try expectSame(context, "saved")
            try SQLiteConnection(path: service.file(ofStore: "Items"), mode: .readWrite).execute(
                "UPDATE ZITEM SET ZTITLE = '!' WHERE Z_PK IN (17, 18)")
            try expectSame(context, "written by another program")
            try waitForKeys(context)
            try expectSame(context, "brought in")
        }
    }

    @Test(arguments: Seed.several(1))
    func `a service that is killed while it makes keys never gives a wrong order`(seed: Seed) throws {
        try withService { service in
            var random = seed.generator()
            let moment = try RandomMoment()
            try fill(try context(service))
            for round in 0..<6 {
                let context = try context(service)
                // Makes the service begin, or go on.
                _ = try context.fetchIDs(request(isKept: true, limit: 1))
                let item = try #require(try context.fetch(request(isKept: false, limit: 1)).first)
                try item.setValue(.string("round \(round)"), forKey: "title")
                try context.save()
                try moment.pass(within: 40_000, &random)
                try service.kill9()
                try expectSame(context, "round \(round), COFFER_SEED=\(seed)")
            }
            let context = try context(service)
            try waitForKeys(context)
            try expectSame(context, "at the end, COFFER_SEED=\(seed)")
        }
    }
}
