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
        let registry = ModelRegistry(
            ofUser: .init(count: 4, byteCount: .max), ofAll: .init(count: 6, byteCount: .max))
        let mine = try registry.register(model("Mine"), of: 1).id
        var last: [UInt8] = []
        for number in 0..<20 { last = try registry.register(model("Other\(number)"), of: 2).id }
        #expect(registry.model(mine, of: 1) != nil)
        #expect(registry.model(last, of: 2) != nil)
        // The user who has the most models gives one up, whichever user comes.
        for user in 3...5 as ClosedRange<UInt32> { _ = try registry.register(model("Third"), of: user) }
        #expect(registry.model(mine, of: 1) != nil)
        #expect(registry.model(last, of: 2) != nil)
        #expect(registry.model(mine, of: 2) == nil, "what one user registered is nothing to others")
    }

    @Test func `the models that were used last are kept`() throws {
        let registry = ModelRegistry(
            ofUser: .init(count: 3, byteCount: .max), ofAll: .init(count: 100, byteCount: .max))
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

    @Test func `large models push out those of their user first, then those of the user with most bytes`()
        throws
    {
        let size = try StoreModel(model("A0")).bytes.count
        let registry = ModelRegistry(
            ofUser: .init(count: 100, byteCount: 3 * size), ofAll: .init(count: 100, byteCount: 4 * size))
        let mine = try registry.register(model("A0"), of: 1).id
        let others = try (1...4).map { try registry.register(model("A\($0)"), of: 2).id }
        #expect(others.map { registry.model($0, of: 2) != nil } == [false, true, true, true])
        #expect(registry.model(mine, of: 1) != nil)
        let third = try registry.register(model("A5"), of: 3).id
        #expect(registry.model(mine, of: 1) != nil && registry.model(third, of: 3) != nil)
        #expect(others.map { registry.model($0, of: 2) != nil } == [false, false, true, true])
        // A model larger than the bound for all is kept for the client that opens a store with it next.
        let large = try registry.register(model(String(repeating: "L", count: 3 * size)), of: 3).id
        #expect(registry.model(large, of: 3) != nil && registry.model(third, of: 3) == nil)
    }
}
