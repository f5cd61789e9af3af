import Coffer
import CofferLinux
import ContextSupport
import Foundation
import TestSupport
import Testing

/// One context over a store of this machine and one that others share, by configurations of its model.
@Suite struct SharedConfigurationTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Note") { Field("name", .string) }
            Entity("Draft") { Field("name", .string) }
            Configuration("CloudConfig", "Note")
            Configuration("LocalConfig", "Draft")
        }
    }

    private func container(_ service: ServiceUnderTest) throws -> PersistentContainer {
        let container = try PersistentContainer(
            name: "Notes", model: try model(), application: AccountMachine.application,
            stores: [
                StoreDescription(name: "Drafts", configuration: "LocalConfig"),
                StoreDescription(
                    name: "Notes", configuration: "CloudConfig", ubiquitousContentName: "Notes"),
            ],
            bus: .explicit(service.bus.address))
        try container.loadStores()
        return container
    }

    private func save(_ name: String, _ container: PersistentContainer) throws {
        try AccountMachine.retrying {
            let context = container.newContext()
            for entity in ["Note", "Draft"] {
                try context.insert(entityNamed: entity).setValue(.string(name), forKey: "name")
            }
            try context.save()
        }
    }

    private func texts(_ entity: String, _ container: PersistentContainer) throws -> Set<String> {
        // Each store is a transaction of its own: a save that had to be tried again has its drafts twice.
        Set(try AccountMachine.retrying { try container.newContext().texts(entity, "name") })
    }

    @Test func `what is shared goes to other machines and follows the account, the rest stays`() throws {
        try withTemporaryFolder { folder in
            let root = "\(folder)/one"
            _ = try Folder.make(at: root)
            let services = [try ServiceUnderTest(), try ServiceUnderTest()]
            defer { for service in services { service.stop() } }
            let containers = try services.map { try container($0) }
            for service in services {
                try ServiceConnection(
                    application: "org.coffer.Tool", bus: .explicit(service.bus.address)
                ).signIn(as: "one", at: root)
            }
            let connections = try services.map {
                try ServiceConnection(application: "org.coffer.Tool", bus: .explicit($0.bus.address))
            }
            for connection in connections {
                try waitUntil("that the store is live") {
                    try connection.ubiquitousStores().first?.state == "live"
                }
            }
            for (name, container) in zip(["a", "b"], containers) { try save(name, container) }
            for (name, container) in zip(["a", "b"], containers) {
                try waitUntil("the notes of both") { try texts("Note", container) == ["a", "b"] }
                #expect(try texts("Draft", container) == [name])
            }
            try connections[0].signOut()
            try waitUntil("that nobody's notes are served") { try texts("Note", containers[0]).isEmpty }
            #expect(try texts("Draft", containers[0]) == ["a"])
            try save("c", containers[0])
            #expect(try texts("Draft", containers[0]) == ["a", "c"])
            #expect(try texts("Note", containers[1]) == ["a", "b"])
        }
    }
}
