import Coffer
import CofferDBus
import CofferModel
import CofferService
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Waiting for saves to be on other machines, and undoing what those overruled, through real services.
@Suite struct SyncProcessTests {
    @Test func `a client waits for its own save, and undoes what another machine overruled`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let root = "\(folder.path)/root"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let one = try SharingMachine(sharing: root, SharedModels.notes())
        defer { one.service.stop() }
        let other = try SharingMachine(sharing: root, SharedModels.notes())
        defer { other.service.stop() }

        let token = try save("name", "draft", on: one, inserting: true)
        try await one.container.waitUntilSynced(.folded, of: token)
        try await one.container.waitUntilSynced(.exported, of: token)
        #expect(try one.container.ubiquityStatus().exportedNumber >= token.numbers.values.max() ?? 0)
        try waitUntil("the note") { try other.container.newContext().texts("Note", "name").count == 1 }
        // What the other one saves tells that it has the first one's.
        _ = try save("text", "words", on: other, inserting: false)
        let peer = try other.container.ubiquityStatus().peer
        try await one.container.waitUntilSynced(.seen(by: .peers([peer])), of: token)
        // A receipt may have told that before the words came.
        try waitUntil("the words") { try one.container.newContext().texts("Note", "text") == ["words"] }

        // The folder is away: both edit what the other one does not see.
        try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
        _ = try save("text", "of one", on: one, inserting: false)
        let waiting = Task { [container = one.container] in try await container.waitUntilSynced(.exported) }
        _ = try save("text", "of other", on: other, inserting: false)
        waiting.cancel()
        await #expect(throws: CofferError.self) { try await waiting.value }
        try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
        try await one.container.waitUntilSynced(.exported)
        try await other.container.waitUntilSynced(.exported)
        try waitUntilEqual(one, other)
        try waitUntil("the conflict on both") {
            try one.container.ubiquitousConflicts().count == 1
                && other.container.ubiquitousConflicts().count == 1
        }
        let conflict = try #require(try one.container.ubiquitousConflicts().first)
        let lost = try #require(conflict.values.first?.lost)
        #expect(conflict.kind == .value && conflict.property == "text")
        try expectConflict(on: other, lost: lost)
        #expect(try one.container.undo(conflict) != nil)
        #expect(try one.container.undo(conflict) == nil)
        try waitUntil("what was lost on the other machine") {
            try other.container.newContext().all("Note").map { $0["text"] } == [lost]
        }
    }

    /// What the bus tells of the one conflict.
    private func expectConflict(on machine: SharingMachine, lost: AttributeValue) throws {
        let path = try #require(
            try ServiceUnderTest.managedObjects(over: machine.service.connection())
                .first { $0.hasSuffix("/Notes") })
        let reply = try machine.service.connection().call(
            BusNames.name, path: path, interface: "org.coffer.Storage1.UbiquitousStore", member: "Conflicts",
            body: [.uint64(0)])
        let rows = try #require(reply.body.first?.elements)
        let row = try #require(rows.first?.elements)
        #expect(rows.count == 1 && reply.body.last == .boolean(false))
        #expect(row[1] == .string("value") && row[3] == .string("Note") && row[4] == .string("text"))
        #expect(lost == row[5].unwrapped.stringValue.map { .string($0) })
    }

    /// Saves a value of the one note; gives its token.
    private func save(
        _ property: String, _ text: String, on machine: SharingMachine, inserting: Bool
    ) throws -> HistoryToken {
        let context = machine.container.newContext()
        let token = Box<HistoryToken?>(nil)
        let observation = context.onNotification { notification in
            if case .didSave(_, _, _, _, let saved) = notification { token.value = saved }
        }
        let note =
            inserting ? try context.insert(entityNamed: "Note") : try #require(try context.all("Note").first)
        try note.setValue(.string(text), forKey: property)
        try context.save()
        observation.cancel()
        return try #require(token.value)
    }

    /// What a notification tells.
    private final class Box<Value> {
        var value: Value
        init(_ value: Value) { self.value = value }
    }
}
