import Coffer
import CofferModel
import ContextSupport
import Foundation
import TestSupport
import Testing

/// What other machines write comes in while no application runs.
@Suite(.timeLimit(.minutes(15))) struct ClosedApplicationTests {
    @Test func `a service that was started anew brings in what came, though no client opens the store`()
        throws
    {
        try withTemporaryFolder { folder in
            let root = "\(folder)/root"
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let one = try SharingMachine(sharing: root, SharedModels.notes())
            defer { one.service.stop() }
            let service = try ServiceUnderTest(arguments: ["--idle-timeout", "0.05"])
            defer { service.stop() }
            let tool = {
                try ServiceConnection(application: "org.coffer.Tool", bus: .explicit(service.bus.address))
            }
            try tool().signIn(as: "home", at: root)
            try { () throws in
                let container = try Self.container(of: service)
                try waitUntil("the exchange") {
                    try tool().ubiquitousStores().first?.condition == "there"
                }
                _ = container
            }()
            // Nothing of the former process is left but its files.
            try service.kill9()
            // Starts it, and opens no store.
            let first = try tool().status().service
            try waitUntil("the store, shared without a client") {
                try tool().ubiquitousStores().first?.condition == "there"
            }
            let context = one.container.newContext()
            let note = try context.insert(entityNamed: "Note")
            try note.setValue("came", forKey: "name")
            try context.save()
            try waitUntil("the note, with no client") {
                try tool().ubiquitousStores().first?.objectCount == 1
            }
            #expect(try tool().status().service == first, "it stayed")
            let container = try Self.container(of: service)
            #expect(try container.newContext().texts("Note", "name") == ["came"])
            // After sign-out nothing keeps it.
            try tool().signOut()
            try waitUntil("that the store is not shared") {
                try tool().ubiquitousStores().allSatisfy { $0.condition == "signed-out" }
            }
        }
    }

    private static func container(of service: ServiceUnderTest) throws -> PersistentContainer {
        let container = try PersistentContainer(
            name: "Notes", model: SharedModels.notes(), application: SharingMachine.application,
            stores: [StoreDescription(name: "Notes", ubiquitousContentName: "Notes")],
            bus: .explicit(service.bus.address))
        try container.loadStores()
        return container
    }
}
