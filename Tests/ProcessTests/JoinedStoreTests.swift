import Coffer
import CofferModel
import TestSupport
import Testing

/// A store that one application process opens while another has it open.
@Suite(.serialized) struct JoinedStoreTests {
    private func model(
        transient: Bool = false, color: Bool = false, rule: DeleteRule = .nullify
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Cup") {
                if transient { Field("aura", .string).optional().transient() }
                if color { Field("color", .string).optional() }
                Field("size", .integer32).default(1)
                Many("stains", "Stain", inverse: "cup", deleteRule: rule)
            }
            Entity("Stain") { One("cup", "Cup", inverse: "stains") }
        }
    }

    private func open(
        _ service: ServiceUnderTest, _ model: ManagedObjectModel, pragmas: [String: String] = [:],
        migrates: Bool = true
    ) throws -> PersistentContainer {
        let container = try PersistentContainer(
            name: "Cups", model: model, application: "org.coffer.Tests",
            stores: [StoreDescription(name: "Cups", pragmas: pragmas, migratesAutomatically: migrates)],
            bus: .explicit(service.bus.address))
        try container.loadStores()
        return container
    }

    @Test(arguments: [true, false])
    func `whoever brings another model is told what differs in it`(isOpen: Bool) throws {
        try withService { service in
            var first: PersistentContainer? = try open(service, model())
            if !isOpen { first = nil }
            let error = #expect(throws: CofferError.self) {
                try open(service, model(color: true), migrates: false)
            }
            guard case .incompatibleModel(let differing, [], [], let changes) = error else {
                return #expect(Bool(false), "\(error as Any)")
            }
            #expect(differing.contains("Cup"))
            #expect(changes == ["Cup.color is new: it is null"])
            withExtendedLifetime(first) {}
        }
    }

    @Test func `a model whose values would travel in other places waits until nobody has the store open`()
        throws
    {
        try withService { service in
            var first: PersistentContainer? = try open(service, model())
            do {
                let context = try #require(first).newContext()
                _ = try context.insert(entityNamed: "Cup")
                try context.save()
            }
            let error = #expect(throws: CofferError.self) { try open(service, model(transient: true)) }
            guard case .incompatibleModel? = error else { return #expect(Bool(false), "\(error as Any)") }
            first = nil
            var container: PersistentContainer?
            try waitUntil("nobody has the store open") {
                do { container = try open(service, model(transient: true)) } catch CofferError
                    .incompatibleModel
                {}
                return container != nil
            }
            let context = try #require(container).newContext()
            let cup = try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Cup")).first)
            #expect(cup["size"] == .integer(1))
            cup["size"] = .integer(2)
            try context.save()
            context.reset()
            #expect(
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Cup")).map { $0["size"] } == [
                    .integer(2)
                ])
        }
    }

    @Test func `the rules of the last model hold once nobody uses the one before`() throws {
        try withService { service in
            do { _ = try open(service, model()) }
            try waitUntil("the rule of the new model holds") {
                let container = try open(service, model(rule: .cascade))
                let context = container.newContext()
                let cup = try context.insert(entityNamed: "Cup")
                let stain = try context.insert(entityNamed: "Stain")
                try stain.setObjects([cup], forKey: "cup")
                try context.save()
                // The context that deletes does not know of the stain: the service carries the rule out.
                let other = container.newContext()
                other.delete(other.object(with: cup.objectID))
                try other.save()
                return try other.count(for: FetchRequest<ManagedObject>(entityName: "Stain")) == 0
            }
        }
    }

    @Test func `an option that is none is refused, be the store open or not`() throws {
        try withService { service in
            for _ in 0..<2 {
                #expect(throws: CofferError.self) { try open(service, model(), pragmas: ["nonsense": "1"]) }
                let container = try open(service, model(), pragmas: ["cache_size": "100"])
                let other = try open(service, model(), pragmas: ["cache_size": "200"])
                #expect(throws: CofferError.self) { try open(service, model(), pragmas: ["nonsense": "1"]) }
                withExtendedLifetime((container, other)) {}
            }
        }
    }
}
