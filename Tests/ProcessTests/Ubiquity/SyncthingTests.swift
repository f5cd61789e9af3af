import Coffer
import CofferModel
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Two machines whose folders Syncthing keeps in step.
@Suite(
    .enabled(if: Syncthing.isInstalled, "Debian's package syncthing is not there"))
struct SyncthingTests {
    /// A machine, a context that stays open on it, and what carries its folder.
    private struct Place {
        let machine: SharingMachine
        let context: ManagedObjectContext
        let carrier: Syncthing

        init(_ carrier: Syncthing) throws {
            machine = try SharingMachine(sharing: carrier.folder, SharedModels.teams())
            context = machine.container.newContext()
            self.carrier = carrier
        }

        /// The object of that name, in the open context.
        func find(_ entity: String, _ name: String) throws -> ManagedObject {
            try #require(context.all(entity).first { $0["name"] == .string(name) })
        }

        func names(_ object: ManagedObject, _ key: String) -> [String] {
            object.objects(forKey: key).map { $0["name"].text }
        }
    }

    private func withPlaces(_ body: (Place, Place) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let (first, second) = try Syncthing.pair(beneath: folder)
            try first.start()
            try second.start()
            let one = try Place(first)
            defer { one.machine.service.stop() }
            // The account has to come before a user signs in to it there.
            try waitUntil("the marker of the account") {
                try FileManager.default.contentsOfDirectory(atPath: second.folder)
                    .contains { $0.hasSuffix(".coffer") }
            }
            let other = try Place(second)
            defer { other.machine.service.stop() }
            try body(one, other)
            try first.stop()
            try second.stop()
        }
    }

    @Test(.leftToAll) func `conflicts of each kind end alike, after one machine was offline`() throws {
        try withPlaces { one, other in
            try fill(one)
            try waitUntilEqual(one.machine, other.machine)

            try other.carrier.stop()
            try editFirst(one)
            try editLater(other)
            #expect(try other.find("Person", "Ada")["mail"] == .null, "nothing comes while it is offline")
            try other.carrier.start()
            try waitUntilEqual(one.machine, other.machine)

            for place in [one, other] { try check(place) }
            #expect(try other.machine.status()?.quarantined == [])
            // Nothing that both have is carried again.
            let lines = try FileManager.default.subpathsOfDirectory(atPath: one.carrier.folder)
            #expect(!lines.contains { $0.contains("sync-conflict") }, "\(lines)")
        }
    }

    private func fill(_ place: Place) throws {
        let context = place.context
        let make = { (entity: String, name: String) in
            try context.make(entity, ["name": .string(name)])
        }
        let (red, blue) = (try make("Team", "red"), try make("Team", "blue"))
        _ = (try make("Tag", "new"), try make("Tag", "old"))
        _ = (try make("Team", "doomed"), try make("Person", "Bob"))
        try make("Person", "Ada").setObjects([red], forKey: "team")
        let queue = try ["q1", "q2", "q3"].map { try make("Person", $0) }
        try blue.setObjects(queue, forKey: "people")
        try context.save()
    }

    /// What is done on the machine whose folder is still carried.
    private func editFirst(_ place: Place) throws {
        let ada = try place.find("Person", "Ada")
        try ada.setValue("ada@example.org", forKey: "mail")
        try ada.setValue(30, forKey: "age")
        try ada.setObjects([place.find("Tag", "new")], forKey: "tags")
        try place.find("Person", "Bob").setObjects([place.find("Team", "red")], forKey: "team")
        place.context.delete(try place.find("Team", "doomed"))
        try place.find("Team", "blue").setObjects(
            ["q3", "q1", "q2"].map { try place.find("Person", $0) }, forKey: "people")
        try place.context.make("Team", ["name": "green", "code": "G"])
        try place.context.save()
    }

    /// What is done, later, on the machine whose folder is not carried.
    private func editLater(_ place: Place) throws {
        let ada = try place.find("Person", "Ada")
        try ada.setValue(31, forKey: "age")
        try ada.setObjects([place.find("Tag", "old")], forKey: "tags")
        try place.find("Person", "Bob").setObjects([place.find("Team", "blue")], forKey: "team")
        try place.find("Team", "doomed").setValue("D", forKey: "code")
        let cy = try place.context.make("Person", ["name": "Cy"])
        try cy.setObjects([place.find("Team", "doomed")], forKey: "team")
        try place.context.save()
        let green = try place.context.make("Team", ["name": "vert", "code": "G"])
        try green.setObjects([ada], forKey: "people")
        try place.context.save()
    }

    /// Whether a context that was open all the time shows what both edits give.
    private func check(_ place: Place) throws {
        let ada = try place.find("Person", "Ada")
        #expect(ada["mail"] == "ada@example.org", "an edit that only one made")
        #expect(ada["age"] == 31, "the later of two edits of one property")
        #expect(place.names(ada, "tags").sorted() == ["new", "old"], "members that each added")
        let green = try place.context.all("Team").filter { $0["code"] == "G" }
        #expect(green.count == 1 && green[0]["name"] == "vert", "one object of a unique value")
        #expect(place.names(ada, "team") == ["vert"], "the later of two to-one references")
        let teams = try place.context.all("Team").map { $0["name"].text }
        #expect(!teams.contains("doomed"), "a deleted object that was edited stays deleted")
        #expect(
            try !place.context.all("Person").contains { $0["name"] == "Cy" },
            "what was put into it meanwhile goes too")
        let blue = place.names(try place.find("Team", "blue"), "people")
        #expect(blue.filter { $0 != "Bob" } == ["q3", "q1", "q2"], "an order that one changed: \(blue)")
        #expect(blue.contains("Bob"), "the later of two to-one references")
    }
}
