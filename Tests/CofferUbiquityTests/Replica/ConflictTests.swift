import Coffer
import CofferCoordination
import CofferModel
import CofferStores
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

/// What merging overruled stands in the journals of both machines, and can be undone.
@Suite struct ConflictTests {
    /// Lends two devices that share a person called Ada.
    private func withDevices(_ body: (Device, Device) throws -> Void) throws {
        try withSharedFolder { shared in
            let model = try teams()
            let (one, other) = (try shared.device("one", model), try shared.device("other", model))
            let context = one.context()
            try context.make("Person", ["name": "Ada", "mail": "a@example.org"])
            try context.save()
            exchange([one, other])
            try body(one, other)
        }
    }

    private func edit(_ device: Device, _ body: (ManagedObject) throws -> Void) throws {
        let context = device.context()
        try body(try #require(try context.all("Person").first { $0["name"] == "Ada" }))
        try context.save()
    }

    private func journal(_ device: Device) throws -> [ConflictJournal.Entry] {
        try ConflictJournal(of: device.store, after: 0, limit: 100).entries
    }

    private func undo(_ entry: ConflictJournal.Entry, on device: Device) throws -> UInt64 {
        try ConflictUndo.undo(
            entry.noted.number, in: device.store,
            by: SaveOrigin(application: Device.application, process: "test", timestamp: 800_000_000))
    }

    @Test func `a value that another one overruled is kept on both machines, and can be set again`() throws {
        try withDevices { one, other in
            try edit(one) { try $0.setValue("one@example.org", forKey: "mail") }
            try edit(other) { try $0.setValue("other@example.org", forKey: "mail") }
            exchange([one, other])
            let stayed = try #require(try one.context().all("Person").first)["mail"]
            let gone: AttributeValue = stayed == "one@example.org" ? "other@example.org" : "one@example.org"
            for device in [one, other] {
                let entry = try #require(try journal(device).first)
                #expect(try journal(device).count == 1)
                #expect(entry.noted.conflict.kind == .value && entry.property == "mail")
                #expect(entry.values.map(\.lost) == [gone] && entry.values.map(\.kept) == [stayed])
                #expect(entry.isOwn == ((device === one) == (gone == "one@example.org")))
            }
            let entry = try #require(try journal(one).first)
            #expect(try undo(entry, on: one) > 0)
            #expect(try undo(entry, on: one) == 0)
            #expect(try journal(one).first?.noted.isUndone == true)
            exchange([one, other])
            for device in [one, other] {
                #expect(try device.context().all("Person").map { $0["mail"] } == [gone])
            }
            // The device that undoes it has seen both.
            #expect(try journal(other).count == 1 && journal(one).count == 1)
        }
    }

    @Test func `edits one after the other, and of different properties, overrule nobody`() throws {
        try withDevices { one, other in
            try edit(one) { try $0.setValue("one@example.org", forKey: "mail") }
            try edit(other) { try $0.setValue(3, forKey: "age") }
            exchange([one, other])
            try edit(other) { try $0.setValue("other@example.org", forKey: "mail") }
            exchange([one, other])
            try edit(one) { try $0.setValue("one@example.org", forKey: "mail") }
            exchange([one, other])
            #expect(try journal(one).isEmpty && journal(other).isEmpty)
        }
    }

    @Test func `a deletion that met an edit is told with all values, which make the object again`() throws {
        try withDevices { one, other in
            try edit(one) { try $0.setValue("late@example.org", forKey: "mail") }
            let context = other.context()
            context.delete(try #require(try context.all("Person").first))
            try context.save()
            exchange([one, other])
            #expect(try one.context().all("Person").isEmpty)
            for device in [one, other] {
                let entry = try #require(try journal(device).first)
                #expect(try journal(device).count == 1 && entry.noted.conflict.kind == .edit)
                #expect(entry.values.first { $0.property == "mail" }?.lost == "late@example.org")
            }
            let entry = try #require(try journal(one).first)
            #expect(try undo(entry, on: one) > 0)
            exchange([one, other])
            for device in [one, other] {
                let person = try #require(try device.context().all("Person").first)
                #expect(person["mail"] == "late@example.org" && person["name"] == "Ada")
            }
        }
    }

    @Test func `a deletion of what was seen, and one on both machines, overrule nobody`() throws {
        try withDevices { one, other in
            try edit(one) { try $0.setValue("seen@example.org", forKey: "mail") }
            exchange([one, other])
            for device in [one, other] {
                let context = device.context()
                context.delete(try #require(try context.all("Person").first))
                try context.save()
            }
            exchange([one, other])
            #expect(try journal(one).isEmpty && journal(other).isEmpty)
        }
    }

    @Test func `what two objects that become one do not both show is kept`() throws {
        try withDevices { one, other in
            for (device, name) in [(one, "red"), (other, "rot")] {
                let context = device.context()
                try context.make("Team", ["name": .string(name), "code": "R"])
                try context.save()
            }
            exchange([one, other])
            let stayed = try #require(try one.context().all("Team").first)["name"]
            let gone: AttributeValue = stayed == "red" ? "rot" : "red"
            for device in [one, other] {
                let entry = try #require(try journal(device).first)
                #expect(try journal(device).count == 1 && entry.noted.conflict.kind == .merge)
                #expect(entry.values.map(\.property) == ["name"] && entry.values.map(\.lost) == [gone])
            }
            #expect(try undo(try #require(try journal(other).first), on: other) > 0)
            exchange([one, other])
            #expect(try one.context().all("Team").map { $0["name"] } == [gone])
        }
    }

    @Test func `a link that a rule shows as null is kept, and can be made again`() throws {
        try withDevices { one, other in
            let context = one.context()
            for name in ["Bob", "Cem"] { try context.make("Person", ["name": .string(name)]) }
            try context.save()
            exchange([one, other])
            for (device, name) in [(one, "Bob"), (other, "Cem")] {
                let context = device.context()
                let people = try context.all("Person")
                let ada = try #require(people.first { $0["name"] == "Ada" })
                try #require(people.first { $0["name"] == .string(name) }).setObjects(
                    [ada], forKey: "partner")
                try context.save()
            }
            exchange([one, other])
            for device in [one, other] {
                let entries = try journal(device)
                #expect(!entries.isEmpty)
                #expect(
                    entries.allSatisfy {
                        $0.property == "partner" || $0.values.contains { $0.property == "partner" }
                    })
            }
            let entry = try #require(
                try journal(one).first { $0.noted.conflict.kind == .move || $0.noted.conflict.kind == .value }
            )
            #expect(try undo(entry, on: one) > 0)
            exchange([one, other])
            #expect(try contents(of: one) == contents(of: other))
        }
    }

    @Test func `a deletion that somebody keeps from taking place is told, and done once nobody does`() throws
    {
        try withSharedFolder { shared in
            let model = try ManagedObjectModel {
                Entity("Person") {
                    Field("name", .string)
                    One("team", "Team", inverse: "people").optional()
                }
                Entity("Team") {
                    Field("name", .string)
                    Many("people", "Person", inverse: "team", deleteRule: .deny)
                }
            }
            let (one, other) = (try shared.device("one", model), try shared.device("other", model))
            let context = one.context()
            let team = try context.make("Team", ["name": "red"])
            try context.save()
            exchange([one, other])
            let elsewhere = other.context()
            let person = try elsewhere.make("Person", ["name": "Ada"])
            try person.setObjects(elsewhere.all("Team"), forKey: "team")
            try elsewhere.save()
            context.delete(team)
            try context.save()
            exchange([one, other])
            for device in [one, other] {
                let entry = try #require(try journal(device).first)
                #expect(try journal(device).count == 1 && entry.noted.conflict.kind == .deletion)
                #expect(entry.entity == "Team" && entry.isOwn == (device === one))
                #expect(try device.context().all("Team").count == 1)
            }
            let entry = try #require(try journal(one).first)
            // The rule holds here, too.
            #expect(throws: ConflictUndo.Refusal.self) { try undo(entry, on: one) }
            elsewhere.mergePendingChanges()
            elsewhere.delete(person)
            try elsewhere.save()
            exchange([one, other])
            #expect(try undo(entry, on: one) > 0)
            exchange([one, other])
            #expect(try other.context().all("Team").isEmpty)
        }
    }

    @Test func `the journal forgets what is older than 90 days`() throws {
        try withSharedFolder { shared in
            let model = try teams()
            let (one, other) = (try shared.device("one", model), try shared.device("other", model))
            let context = one.context()
            try context.make("Person", ["name": "Ada"])
            try context.save()
            exchange([one, other])
            for days in [Int64(0), 91] {
                shared.clock.pass(days: days)
                try edit(one) { try $0.setValue(.string("one \(days)"), forKey: "mail") }
                try edit(other) { try $0.setValue(.string("other \(days)"), forKey: "mail") }
                exchange([one, other])
            }
            #expect(try journal(one).map(\.noted.number) == [2])
            #expect(throws: ConflictUndo.Refusal.unknown(1)) {
                try ConflictUndo.undo(
                    1, in: one.store,
                    by: SaveOrigin(application: Device.application, process: "test", timestamp: 800_000_000))
            }
        }
    }

    @Test func `what is older than 90 days goes when the store opens, too`() throws {
        try withSharedFolder { shared in
            let model = try teams()
            let one = try shared.device("one", model)
            var other: Device? = try shared.device("other", model)
            try fill(one, try #require(other))
            #expect(try journal(#require(other)).count == 1)
            for (days, count) in [(Int64(89), 1), (2, 0)] {
                shared.clock.pass(days: days)
                try other?.close()
                other = nil
                let again = try shared.device("other", model)
                again.run()
                #expect(try journal(again).count == count)
                other = again
            }
        }
    }

    /// Brings a conflict about.
    private func fill(_ one: Device, _ other: Device) throws {
        let context = one.context()
        try context.make("Person", ["name": "Ada"])
        try context.save()
        exchange([one, other])
        for (device, mail) in [(one, "one"), (other, "other")] {
            try edit(device) { try $0.setValue(.string(mail), forKey: "mail") }
        }
        exchange([one, other])
    }
}
