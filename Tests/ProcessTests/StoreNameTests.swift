import Coffer
import CofferModel
import TestSupport
import Testing

/// What the names of stores tell apart.
@Suite(.serialized) struct StoreNameTests {
    @Test func `names that differ in how an accent is written alone are two stores`() throws {
        try withService { service in
            let model = try ManagedObjectModel { Entity("Cup") { Field("size", .integer32) } }
            let contexts = try ["Caf\u{E9}", "Cafe\u{301}"].map { name in
                let container = try PersistentContainer(
                    name: name, model: model, application: "org.coffer.Tests",
                    bus: .explicit(service.bus.address))
                try container.loadStores()
                return container.newContext()
            }
            let cup = try contexts[0].insert(entityNamed: "Cup")
            cup["size"] = .integer(1)
            try contexts[0].save()
            let request = FetchRequest<ManagedObject>(entityName: "Cup")
            #expect(try contexts.map { try $0.count(for: request) } == [1, 0])
        }
    }
}
