import Coffer
import CofferModel
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

@Suite("Objects that become one while contexts have them")
struct SuccessorTests {
    /// Lends two devices that share the teams 'first' and 'second'.
    private func withDevices(_ body: (Device, Device) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let clock = TestClock()
            let root = "\(folder)/root"
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let model = try teams()
            let one = try Device(model, in: "\(folder)/one", sharing: root, clock: clock)
            let other = try Device(model, in: "\(folder)/other", sharing: root, clock: clock)
            let context = one.context()
            _ = try context.make("Team", ["name": "first", "code": "A"])
            try context.save()
            one.run()
            _ = try context.make("Team", ["name": "second", "code": "B"])
            try context.save()
            exchange([one, other])
            try body(one, other)
        }
    }

    private func team(_ name: String, in context: ManagedObjectContext) throws -> ManagedObject {
        try #require(try context.all("Team").first { $0["name"] == .string(name) })
    }

    /// Has both teams get one code, each on another device.
    private func join(_ one: Device, _ other: Device) throws {
        for (device, name) in [(one, "second"), (other, "first")] {
            let context = device.context()
            try team(name, in: context).setValue("X", forKey: "code")
            try context.save()
        }
        exchange([one, other])
    }

    @Test("Whoever holds both is told which of them is which now, and the id of before leads to it")
    func bothAreHeld() throws {
        try withDevices { one, other in
            let context = one.context()
            let (first, second) = (try team("first", in: context), try team("second", in: context))
            let ids = [first.objectID, second.objectID]
            var changes: [ObjectIDChange] = []
            let token = context.onNotification { notification in
                if case .didChangeIDs(let change) = notification { changes.append(change) }
            }
            try join(one, other)
            context.mergePendingChanges()
            let change = try #require(changes.first)
            let isFirstLeft = change.newID(of: ids[1]) == ids[0]
            #expect(isFirstLeft || change.newID(of: ids[0]) == ids[1])
            let (left, gone) = isFirstLeft ? (ids[0], ids[1]) : (ids[1], ids[0])
            #expect(change.newID(of: left) == nil)
            #expect(context.object(with: gone).objectID == left)
            #expect(try context.all("Team").map(\.objectID) == [left])
            _ = token
        }
    }

    @Test(
        "An object that is held alone goes on as the one that it became, with what was not saved",
        arguments: [true, false])
    func objectGoesOn(isNested: Bool) throws {
        try withDevices { one, other in
            let outer = one.context()
            let ids = try ["first", "second"].map { try team($0, in: outer).objectID }
            // Whichever of them goes: one context holds the first, and one the second.
            let contexts = ids.map { _ in isNested ? one.context().newChild() : one.context() }
            let held = zip(contexts, ids).map { $0.object(with: $1) }
            var guests: [ManagedObject] = []
            for (place, context) in contexts.enumerated() {
                context.mergePolicy = .mergeByPropertyObjectTrump
                context.parent?.mergePolicy = .mergeByPropertyObjectTrump
                try held[place].setValue(.string("unsaved \(place)"), forKey: "name")
                let guest = try context.make("Person", ["name": .string("guest \(place)")])
                try guest.setObjects([held[place]], forKey: "team")
                guests.append(guest)
            }
            try join(one, other)
            for context in contexts {
                context.parent?.mergePendingChanges()
                context.mergePendingChanges()
            }
            let left = try #require(try one.context().all("Team").first).objectID
            for (place, context) in contexts.enumerated() {
                #expect(held[place].objectID == left)
                #expect(held[place]["name"] == .string("unsaved \(place)"))
                #expect(held[place]["code"] == "X")
                #expect(guests[place].objects(forKey: "team").map(\.objectID) == [left])
                try context.save()
                try context.parent?.save()
                for other in contexts {
                    other.parent?.mergePendingChanges()
                    other.mergePendingChanges()
                }
            }
            let last = one.context()
            #expect(try team("unsaved 1", in: last).objects(forKey: "people").count == 2)
        }
    }
}
