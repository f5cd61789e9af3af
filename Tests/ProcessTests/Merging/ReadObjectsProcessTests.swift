import Coffer
import CofferModel
import TestSupport
import Testing

@Suite(.serialized) struct ReadObjectsProcessTests {
    private func container(_ service: ServiceUnderTest) throws -> PersistentContainer {
        let container = try PersistentContainer(
            name: "Library", model: Library.model(), application: "org.coffer.Tests",
            stores: [StoreDescription(name: "Library", announcements: .readObjects)],
            bus: .explicit(service.bus.address))
        try container.loadStores()
        return container
    }

    @Test
    func `a client that hears of what it has read hears of it after the service was killed, too`() throws {
        try withService { service in
            let theirs = try container(service).newContext()
            let author = try theirs.insert(entityNamed: "Author")
            try author.setValue(.string("one"), forKey: "name")
            try theirs.save()
            let mine = try container(service).newContext()
            let twin = try #require(mine.fetch(FetchRequest<ManagedObject>(entityName: "Author")).first)
            func change(to name: String) throws {
                try author.setValue(.string(name), forKey: "name")
                try theirs.save()
                try waitUntil("'\(name)' is merged") {
                    mine.mergePendingChanges()
                    return twin["name"] == .string(name)
                }
            }
            try change(to: "two")
            try service.kill9()
            for name in ["three", "four"] { try change(to: name) }
        }
    }
}
