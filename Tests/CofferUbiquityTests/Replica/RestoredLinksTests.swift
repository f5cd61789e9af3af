import Coffer
import CofferModel
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

@Suite("A backup of linked objects that is made the content")
struct RestoredLinksTests {
    private func desks() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Desk") {
                Field("name", .string)
                Field("code", .string).optional()
                One("lamp", "Lamp", inverse: "desk").optional()
                Many("marks", "Mark", inverse: "desks")
                Unique("code")
            }
            Entity("Lamp") {
                Field("name", .string)
                One("desk", "Desk", inverse: "lamp").optional()
            }
            Entity("Mark") {
                Field("name", .string)
                Many("desks", "Desk", inverse: "marks")
            }
        }
    }

    private func restore(_ backup: Device, in device: Device, _ clock: TestClock) throws {
        let restoration = Restoration(try RestoredContent(of: backup.store, at: clock.now()))
        device.work.restore(restoration)
        device.run()
        #expect(try restoration.wait(timeout: .zero) != nil)
    }

    @Test func `partners and members of objects that became one are those of the one`() throws {
        try withSharedFolder { shared in
            let model = try desks()
            let one = try shared.device("one", model)
            let other = try shared.device("other", model)
            let context = one.context()
            try context.make("Desk", ["name": .string("A")])
            let second = try context.make("Desk", ["name": .string("B"), "code": .string("c")])
            try context.make("Lamp", ["name": .string("L")]).setObjects([second], forKey: "desk")
            try context.make("Mark", ["name": .string("M")]).setObjects([second], forKey: "desks")
            try context.save()
            exchange([one, other])
            try FileManager.default.copyItem(
                atPath: "\(shared.folder)/one", toPath: "\(shared.folder)/one-backup")
            let backup = try shared.device("one-backup", model)
            // Two desks get one code, each on its machine.
            for (context, name) in [(one.context(), "B"), (other.context(), "A")] {
                let desk = try #require(try context.all("Desk").first { $0["name"] == .string(name) })
                try desk.setValue(.string("x"), forKey: "code")
                try context.save()
            }
            exchange([one, other])
            try restore(backup, in: one, shared.clock)
            let folds = one.status.lastFold
            try restore(backup, in: one, shared.clock)
            #expect(one.status.lastFold == folds, "nothing of it is otherwise")
            exchange([one, other])
            for device in [one, other] {
                let context = device.context()
                #expect(try context.all("Desk").count == 1)
                let lamp = try #require(try context.all("Lamp").first)
                #expect(lamp.objects(forKey: "desk").count == 1)
                let mark = try #require(try context.all("Mark").first)
                #expect(mark.objects(forKey: "desks").count == 1)
            }
        }
    }
}
