import Coffer
import CofferEmbedded
import CofferModel
import ContextSupport
import Testing

@Suite struct CachedRowTests {
    @Test func `rows leave the cache with their objects, and with a container that goes`() throws {
        try withContainerAndFolder(Garage.model(), on: .embedded) { container, folder in
            let coordinator = try #require(container.coordinator as? EmbeddedCoordinator)
            let writer = container.newContext()
            for number in 0..<2_000 { try writer.make("Person", ["name": .string("\(number)")]) }
            try writer.save()
            let reader = container.newContext()
            var request = FetchRequest<ManagedObject>(entityName: "Person")
            request.returnsObjectsAsFaults = true
            do {
                let people = try reader.fetch(request)
                #expect(people.count == 2_000)
                #expect(coordinator.cachedRowCount == 2_000)
            }
            _ = try reader.count(for: request.matching("name == 'nobody'"))
            #expect(coordinator.cachedRowCount == 0)

            do {
                let other = try PersistentContainer.embedded(
                    name: "Other", model: Garage.model(), folder: folder,
                    stores: [StoreDescription(name: "Test")])
                try other.loadStores()
                let people = try other.newContext().fetch(request)
                #expect(people.count == 2_000)
                #expect(coordinator.cachedRowCount == 2_000)
            }
            #expect(coordinator.cachedRowCount == 0)
        }
    }
}
