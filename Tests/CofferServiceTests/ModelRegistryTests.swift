import CofferModel
import CofferService
import CofferStores
import Testing

@Suite struct ModelRegistryTests {
    private func model(_ name: String) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(name, attributes: [AttributeDefinition("a", .string)])
        ])
    }

    @Test func `no user's models push out those of another`() throws {
        let registry = ModelRegistry(limitOfUser: 4, limit: 6)
        let mine = try registry.register(model("Mine"), of: 1).id
        var last: [UInt8] = []
        for number in 0..<20 { last = try registry.register(model("Other\(number)"), of: 2).id }
        #expect(registry.model(mine, of: 1) != nil)
        #expect(registry.model(last, of: 2) != nil)
        // Who has the most gives one up, whoever comes.
        for user in 3...5 as ClosedRange<UInt32> { _ = try registry.register(model("Third"), of: user) }
        #expect(registry.model(mine, of: 1) != nil)
        #expect(registry.model(last, of: 2) != nil)
        #expect(registry.model(mine, of: 2) == nil, "what one user registered is nothing to others")
    }

    @Test func `the models that were used last are kept`() throws {
        let registry = ModelRegistry(limitOfUser: 3, limit: 100)
        let ids = try (0..<3).map { try registry.register(model("M\($0)"), of: 1).id }
        #expect(registry.model(ids[0], of: 1) != nil)
        // What is registered again is not another one.
        let known = registry.model(ids[1], of: 1)?.model
        let again = try registry.register(model("M1"), of: 1)
        #expect(again.id == ids[1] && again.model === known, "nor kept twice")
        let new = try registry.register(model("New"), of: 1).id
        #expect(ids.map { registry.model($0, of: 1) != nil } == [true, true, false])
        #expect(registry.model(new, of: 1) != nil)
    }
}
