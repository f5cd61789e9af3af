import Coffer
import CofferDBus
import CofferModel
import CofferService
import ContextSupport
import Foundation
import TestSupport
import Testing

/// What other machines write comes in while no application runs.
@Suite struct ClosedApplicationTests {
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

    @Test func `where systemd runs, files wake the service, which ends when it is idle`() throws {
        try withTemporaryFolder { folder in
            let root = "\(folder)/root"
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let one = try SharingMachine(sharing: root, SharedModels.notes())
            defer { one.service.stop() }
            let service = try ServiceUnderTest(
                arguments: ["--idle-timeout", "0.05"], environment: ["XDG_CONFIG_HOME": "\(folder)/config"],
                isMainOfUnit: true)
            defer { service.stop() }
            let systemd = try SystemdUnderTest(on: service.bus.address)
            defer { systemd.stop() }
            let path = "\(folder)/config/systemd/user/coffer-ubiquity-import.path"
            let tool = {
                try ServiceConnection(application: "org.coffer.Tool", bus: .explicit(service.bus.address))
            }
            try tool().signIn(as: "home", at: root)
            try { () throws in
                let container = try Self.container(of: service)
                try waitUntil("the units") {
                    systemd.calls.contains("RestartUnit coffer-ubiquity-import.timer")
                }
                // Else the service may end while the store is still filled.
                try waitUntil("that the store is the account's") {
                    try tool().ubiquitousStores().first?.state == "live"
                }
                _ = container
            }()
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.contains("PathChanged=\(root)/\(SharingMachine.application)/Notes\n"), "\(text)")
            try service.waitUntilGone()
            let context = one.container.newContext()
            try context.insert(entityNamed: "Note").setValue("came", forKey: "name")
            try context.save()
            try waitUntil("that it is in the folder") { try one.status()?.unwrittenFoldCount == 0 }
            // What the unit does.
            let reply = try service.connection().call(
                BusNames.name, path: BusNames.path, interface: BusNames.name, member: "ImportShared")
            #expect(reply.body == [.uint32(1), .uint32(0)])
            try service.waitUntilGone()
            #expect(try Self.container(of: service).newContext().texts("Note", "name") == ["came"])
            try tool().signOut()
            try waitUntil("that nothing is left") { !FileManager.default.fileExists(atPath: path) }
            #expect(systemd.calls.contains("StopUnit coffer-ubiquity-import.path"))
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
