import Coffer
import CofferModel
import CofferUbiquity
import ContextSupport
import TestSupport
import Testing

@Suite("Rules that hold on each machine, and not on both together")
struct ViolationTests {
    /// Teams of at most three people, who must have photos.
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Person") {
                Field("name", .string)
                Field("photo", .binary).externalStorage()
                One("team", "Team", inverse: "people").optional()
            }
            Entity("Team") {
                Field("name", .string)
                Many("people", "Person", inverse: "team").count(minimum: 0, maximum: 3)
            }
        }
    }

    private func add(_ count: Int, on device: Device, to prefix: String) throws {
        let context = device.context()
        let team = try #require(context.all("Team").first)
        for number in 0..<count {
            let person = try context.make(
                "Person", ["name": .string("\(prefix)\(number)"), "photo": .binary([1])])
            try person.setObjects([team], forKey: "team")
        }
        try context.save()
    }

    @Test("What merging brought about is listed, hinders no save that makes it no worse, and can be repaired")
    func tooMany() throws {
        try withSharedFolder { shared in
            let (one, other) = (try shared.device("one", model()), try shared.device("other", model()))
            #expect(try ReplicaViolations.of(one.store) == nil)
            let context = one.context()
            let team = try context.make("Team", ["name": "red"])
            try context.save()
            exchange([one, other])
            try add(2, on: one, to: "a")
            try add(3, on: other, to: "b")
            exchange([one, other])
            for device in [one, other] {
                let found = try #require(try ReplicaViolations.of(device.store))
                #expect(found.count == 1 && found.first.map(\.reason) == ["too_many"])
                #expect(found.first.map(\.properties) == [["people"]])
            }
            let found = try #require(try ReplicaViolations.of(one.store))
            #expect(found.first.first?.object == team.objectID)
            #expect(found.first.first?.text.contains("has 5 objects, and takes 3") ?? false, "\(found)")
            try team.setValue("blue", forKey: "name")
            try context.save()
            #expect(throws: CofferError.self) { try add(1, on: other, to: "c") }
            let people = try context.all("Person")
            context.delete(people[0])
            try context.save()
            context.delete(people[1])
            try context.save()
            exchange([one, other])
            for device in [one, other] {
                #expect(try ReplicaViolations.of(device.store)?.count == 0)
            }
        }
    }
}
