import Coffer
import CofferDBus
import CofferLinux
import CofferModel
import CofferService
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Two services, each with its own data and bus, that share a store by a folder.
@Suite struct SharedStoreProcessTests {
    private func withMachines(_ body: (SharingMachine, SharingMachine, String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let root = "\(folder)/root"
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let one = try SharingMachine(sharing: root, SharedModels.notes())
            defer { one.service.stop() }
            let other = try SharingMachine(sharing: root, SharedModels.notes())
            defer { other.service.stop() }
            try body(one, other, root)
        }
    }

    private func note(_ name: String, in context: ManagedObjectContext) throws -> ManagedObject {
        let note = try context.insert(entityNamed: "Note")
        try note.setValue(.string(name), forKey: "name")
        return note
    }

    /// The names of all notes, in order.
    private func names(_ machine: SharingMachine) throws -> [String] {
        try machine.container.newContext().texts("Note", "name")
    }

    @Test func `edits of two properties on two machines meet in the contexts that are open on both`() throws {
        try withMachines { one, other, _ in
            let context = one.container.newContext()
            let note = try self.note("draft", in: context)
            try context.save()
            let elsewhere = other.container.newContext()
            var copy: ManagedObject?
            try waitUntil("the note") {
                copy = try elsewhere.fetch(FetchRequest<ManagedObject>(entityName: "Note")).first
                return copy != nil
            }
            let theirs = try #require(copy)
            try note.setValue(.string("final"), forKey: "name")
            try theirs.setValue(.string("words"), forKey: "text")
            try context.save()
            try elsewhere.save()
            for (context, object) in [(context, note), (elsewhere, theirs)] {
                try waitUntil("both edits in one context") {
                    // What was pushed is merged before whatever a context is asked for.
                    _ = try context.fetch(FetchRequest<ManagedObject>(entityName: "Folder"))
                    return object["name"] == .string("final") && object["text"] == .string("words")
                }
            }
            try waitUntilEqual(one, other)
            let status = try #require(try one.status())
            #expect(status.condition == "there")
            #expect(status.peers.count == 1)
            #expect(status.objectCount == 1)
        }
    }

    @Test func `the bus tells of how a store is shared, and of what comes`() throws {
        try withMachines { one, other, root in
            let listener = try other.service.connection()
            let objects = try ServiceUnderTest.managedObjects(over: listener)
            let path = try #require(objects.first { $0.hasSuffix("/Notes") })
            let interface = "org.coffer.Storage1.UbiquitousStore"
            let properties = { () throws -> [String: DBusValue] in
                try other.service.connection().call(
                    BusNames.name, path: path, interface: "org.freedesktop.DBus.Properties",
                    member: "GetAll", body: [.string(interface)]
                ).argument(0, \.propertyValues)
            }
            #expect(try properties()["ContentName"]?.stringValue == "Notes")
            let context = one.container.newContext()
            _ = try note("told", in: context)
            try context.save()
            var told: [String: DBusValue] = [:]
            while told["Imported"]?.uint64Value != 1 {
                let signal = try #require(try listener.nextSignal(timeoutMilliseconds: 60_000))
                guard signal.path == path,
                    signal.isSignal("org.freedesktop.DBus.Properties", "PropertiesChanged"),
                    try signal.argument(0, \.stringValue) == interface
                else { continue }
                told = try signal.argument(1, \.propertyValues)
            }
            #expect(told["Objects"]?.uint64Value == 1 && told["Peers"]?.uint32Value == 1, "\(told)")
            #expect(told["Condition"]?.stringValue == "there" && told["LastError"]?.stringValue == "")
            try waitUntilEqual(one, other)
            let status = try #require(try one.status())
            try waitUntil("that the bus says as much") {
                try properties()["Digest"]?.stringValue == status.digest
            }
            try other.connection().signOut()
            while told["Condition"]?.stringValue != "signed-out" {
                let signal = try #require(try listener.nextSignal(timeoutMilliseconds: 60_000))
                guard signal.isSignal("org.freedesktop.DBus.Properties", "PropertiesChanged"),
                    try signal.argument(0, \.stringValue) == interface
                else { continue }
                told = try signal.argument(1, \.propertyValues)
            }
        }
    }

    @Test func `a folder that is away keeps nobody from saving, and all comes once it is back`() throws {
        try withMachines { one, other, root in
            let context = one.container.newContext()
            _ = try note("first", in: context)
            try context.save()
            try waitUntil("the note") { try names(other).count == 1 }
            try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            for (place, machine) in [one, other].enumerated() {
                let context = machine.container.newContext()
                for number in 0..<5 { _ = try note("away \(place) \(number)", in: context) }
                try context.save()
            }
            for machine in [one, other] {
                try waitUntil("that it is away") { try machine.status()?.condition == "away" }
            }
            #expect(try names(one).count == 6)
            try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
            // No client saves anything more: the machines find it by themselves.
            try waitUntilEqual(one, other)
            #expect(try names(one).count == 11)
        }
    }

    @Test func `services that are killed again and again lose no save, and double none`() throws {
        let seed = Seed.printed(for: "kills of two services that exchange")
        var random = seed.generator()
        let kills = CurrentProcess.environment["COFFER_SHARING_KILLS"].flatMap { Int($0) } ?? 6
        try withMachines { one, other, _ in
            let context = one.container.newContext()
            _ = try note("common", in: context)
            try context.save()
            try waitUntil("the note") { try names(other).count == 1 }
            let writers = try [
                NoteWriter("one", on: one, editing: "common"),
                NoteWriter("other", on: other, editing: "common"),
            ]
            for _ in 0..<kills {
                // A save hurries a fold, a fold an export, an export an import: kills meet each of them.
                try writers[Int.random(in: 0..<2, using: &random)].wait(
                    for: Int.random(in: 1...20, using: &random))
                try (Bool.random(using: &random) ? one : other).service.kill9()
            }
            let saved = try writers.flatMap { try $0.end() }
            // The service that was killed last works again once a client calls it.
            _ = (try names(one), try names(other))
            try waitUntilEqual(one, other)
            #expect(try names(one) == (saved + ["common"]).sorted())
            for machine in [one, other] {
                let status = try machine.status()
                #expect(status?.failure == nil && status?.quarantined == [] && status?.differing == [])
                let path = try #require(machine.service.managedObjects().first { $0.hasSuffix("/Notes") })
                #expect(try machine.service.integrity(of: path).isEmpty)
            }
        }
    }
}
