import Coffer
import CofferLinux
import CofferModel
import Testing

@Suite struct `Loading stores` {
    private let stores = [StoreDescription(name: "one"), StoreDescription(name: "two")]

    private func container(
        _ open: @escaping @Sendable (StoreDescription) throws(CofferError) -> Void
    ) throws -> PersistentContainer {
        let coordinator = try ObservedCoordinator(model: try NotesModel.make(), stores: [])
        return PersistentContainer(name: "test", coordinator: coordinator, stores: stores, openStore: open)
    }

    @Test func `calls at the same time open each store once`() async throws {
        let calls = 4
        let begun = ConditionLock(0)
        let opened = ConditionLock<[String]>([])
        let container = try container { store throws(CofferError) in
            opened.withLock { $0.append(store.name) }
            begun.wait { $0 == calls ? () : nil }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<calls {
                group.addTask {
                    begun.withLock { $0 += 1 }
                    begun.broadcast()
                    try await container.loadStores()
                }
            }
            try await group.waitForAll()
        }
        #expect(opened.withLock { $0 } == ["one", "two"])
    }

    @Test func `what failed is opened by the next call, and what is open is left alone`() throws {
        let opened = ConditionLock<[String]>([])
        let container = try container { store throws(CofferError) in
            let count = opened.withLock { names in
                names.append(store.name)
                return names.count
            }
            if count == 2 { throw .unavailable("not yet") }
        }
        #expect(throws: CofferError.self) { try container.loadStores() }
        try container.loadStores()
        try container.loadStores()
        #expect(opened.withLock { $0 } == ["one", "two", "two"])
    }
}
