import Coffer
import CofferModel
import TestSupport
import Testing

/// Stores of the service whose file is written as a whole, on their way to another model.
@Suite(.serialized) struct WholeFileProcessTests {
    private func container(
        _ service: ServiceUnderTest, _ model: ManagedObjectModel, _ type: StoreType,
        route: MigrationRoute = .inferred
    ) throws -> PersistentContainer {
        let container = try PersistentContainer(
            name: "Log", model: model, application: "org.coffer.Tests",
            stores: [StoreDescription(name: "Log", migrationRoute: route, type: type)],
            bus: .explicit(service.bus.address))
        try container.loadStores()
        return container
    }

    @Test(arguments: [StoreType.xml, .binary])
    func `opening takes a whole file on as models and mapping models say, and not back`(type: StoreType)
        throws
    {
        try withService { service in
            do {
                let context = try container(service, LogRoute.model(1), type).newContext()
                for number in 1...3 {
                    let entry = try context.insert(entityNamed: "Entry")
                    (entry["title"], entry["sequence"]) = (.string("word"), .integer(Int64(number)))
                }
                try context.save()
            }
            let entries = FetchRequest<ManagedObject>(entityName: "Entry")
            do {
                let context = try container(service, LogRoute.model(2), type).newContext()
                #expect(try context.fetch(entries).allSatisfy { $0["rank"] == .integer(7) })
            }
            let context = try container(
                service, LogRoute.model(3), type, route: .mapping(LogRoute.mapping)
            ).newContext()
            #expect(try context.count(for: entries) == 3)
            #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Word")) == 3)
            for version in 1...2 {
                #expect(throws: CofferError.self) {
                    _ = try container(service, LogRoute.model(version), type)
                }
            }
            #expect(try service.integrity(ofStore: "Log") == [])
        }
    }
}
