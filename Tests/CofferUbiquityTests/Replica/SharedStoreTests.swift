import Coffer
import CofferContainer
import CofferModel
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

@Suite("Two machines share a store")
struct SharedStoreTests {
    /// Lends two devices over one folder.
    private func withDevices(_ body: (Device, Device, TestClock, String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let clock = TestClock()
            let root = "\(folder)/root"
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let model = try teams()
            let one = try Device(model, in: "\(folder)/one", sharing: root, clock: clock)
            let other = try Device(model, in: "\(folder)/other", sharing: root, clock: clock)
            try body(one, other, clock, folder)
        }
    }

    /// Lets devices exchange until nothing more comes.
    private func exchange(_ devices: Device...) {
        for _ in 0..<3 { for device in devices { device.run() } }
        #expect(Set(devices.map { "\($0.status.digest)" }).count == 1)
    }

    @Test("What is saved on one comes to the other, with all that it is related to")
    func objectsCome() throws {
        try withDevices { one, other, _, _ in
            let context = one.context()
            let team = try context.make("Team", ["name": "red", "code": "R"])
            let tag = try context.make("Tag", ["name": "new"])
            var people: [ManagedObject] = []
            for number in 0..<3 {
                let person = try context.make("Person", ["name": .string("p\(number)"), "age": .integer(30)])
                try person.setObjects([tag], forKey: "tags")
                people.append(person)
            }
            try people[0].setObjects([people[1]], forKey: "partner")
            try team.setObjects([people[2], people[0], people[1]], forKey: "people")
            try context.save()
            exchange(one, other)
            #expect(try contents(of: one) == contents(of: other))
            #expect(try contents(of: other).count == 5)
        }
    }

    @Test("Two properties of one object that were edited on both sides are both kept")
    func editsMerge() throws {
        try withDevices { one, other, _, _ in
            let context = one.context()
            let person = try context.make("Person", ["name": "Ada", "age": 36])
            try context.save()
            exchange(one, other)
            try person.setValue("ada@example.org", forKey: "mail")
            try context.save()
            let elsewhere = other.context()
            try #require(elsewhere.all("Person").first).setValue(37, forKey: "age")
            try elsewhere.save()
            exchange(one, other)
            #expect(try contents(of: one) == contents(of: other))
            let merged = try #require(one.context().all("Person").first)
            #expect(merged["mail"] == "ada@example.org")
            #expect(merged["age"] == 37)
        }
    }

    @Test("A deletion takes along what its rule says, on the other machine too")
    func deletionsCome() throws {
        try withDevices { one, other, _, _ in
            let context = one.context()
            let team = try context.make("Team", ["name": "red"])
            let person = try context.make("Person", ["name": "Ada"])
            try context.make("Person", ["name": "Bob"])
            try person.setObjects([team], forKey: "team")
            try context.save()
            exchange(one, other)
            let elsewhere = other.context()
            elsewhere.delete(try #require(elsewhere.all("Team").first))
            try elsewhere.save()
            exchange(one, other)
            #expect(try contents(of: one) == contents(of: other))
            #expect(try one.context().all("Person").count == 1)
            #expect(try one.context().all("Team").isEmpty)
        }
    }

    @Test("Objects with one unique value, inserted on both sides, become one row that keeps its key")
    func uniqueObjectsJoin() throws {
        try withDevices { one, other, _, _ in
            for (device, name) in [(one, "red"), (other, "rot")] {
                let context = device.context()
                let team = try context.make("Team", ["name": .string(name), "code": "R"])
                let person = try context.make("Person", ["name": .string("of \(name)")])
                try team.setObjects([person], forKey: "people")
                try context.save()
            }
            let keys = try [one, other].map { try $0.context().all("Team")[0].objectID }
            exchange(one, other)
            #expect(try contents(of: one) == contents(of: other))
            #expect(try one.context().all("Team").count == 1)
            let merged = one.context()
            #expect(try merged.all("Team")[0].objects(forKey: "people").count == 2)
            #expect(try [one, other].map { try $0.context().all("Team")[0].objectID } == keys)
        }
    }

    @Test("Unique values that objects exchange come over at once")
    func uniqueValuesSwap() throws {
        try withDevices { one, other, _, _ in
            let context = one.context()
            let red = try context.make("Team", ["name": "red", "code": "1"])
            let blue = try context.make("Team", ["name": "blue", "code": "2"])
            try context.save()
            exchange(one, other)
            try red.setValue(.null, forKey: "code")
            try context.save()
            try blue.setValue("1", forKey: "code")
            try context.save()
            try red.setValue("2", forKey: "code")
            try context.save()
            exchange(one, other)
            #expect(try contents(of: one) == contents(of: other))
            #expect(
                try contents(of: other).contains {
                    $0.contains("blue") && $0.contains("code=1") || $0.contains("\"1\"")
                })
        }
    }

    @Test("A store goes on after it was closed, and writes nothing twice")
    func storesGoOn() throws {
        try withDevices { one, other, clock, folder in
            let status = try { () throws -> UbiquityStatus in
                let third = try Device(teams(), in: "\(folder)/3", sharing: "\(folder)/root", clock: clock)
                let context = third.context()
                try context.make("Person", ["name": "Ada"])
                try context.save()
                exchange(third, other)
                try third.close()
                return third.status
            }()
            let again = try Device(teams(), in: "\(folder)/3", sharing: "\(folder)/root", clock: clock)
            exchange(again, other)
            #expect(again.status.lastFold == status.lastFold)
            #expect(again.status.peer == status.peer)
            let elsewhere = again.context()
            try #require(elsewhere.all("Person").first).setValue(40, forKey: "age")
            try elsewhere.save()
            exchange(again, other)
            #expect(try contents(of: again) == contents(of: other))
            #expect(try other.context().all("Person").map { $0["age"] } == [40])
            exchange(one, other)
            #expect(try contents(of: one) == contents(of: other))
        }
    }

    @Test("A first join shows how much of the container it has read")
    func joinsShowProgress() throws {
        try withDevices { one, other, _, _ in
            let context = one.context()
            for number in 0..<5 {
                try context.make("Person", ["name": .string("\(number)")])
                try context.save()
                one.run()
            }
            #expect(one.status.listedCount == 0, "what it wrote itself is not to be read")
            other.run()
            #expect(other.status.listedCount == 5 && other.status.unreadCount == 0, "\(other.status)")
            let shown = other.shown.map { [$0.unreadCount, $0.objectCount] }
            for left in [4, 3, 2, 1, 0] { #expect(shown.contains([left, 5 - left]), "\(shown)") }
        }
    }

    @Test("A store that existed before comes whole, and so do edits of its rows")
    func storesAreAdopted() throws {
        try withDevices { one, other, _, _ in
            let context = one.context()
            let team = try context.make("Team", ["name": "red"])
            for number in 0..<700 {
                let person = try context.make("Person", ["name": .string("\(number)")])
                try person.setObjects([team], forKey: "team")
            }
            try context.save()
            exchange(one, other)
            #expect(try contents(of: one) == contents(of: other))
            context.delete(team)
            try context.save()
            exchange(one, other)
            #expect(try contents(of: other).isEmpty)
        }
    }
}
