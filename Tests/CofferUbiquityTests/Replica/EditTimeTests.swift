import Coffer
import CofferModel
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

@Suite("When what was edited, and by which name it goes")
struct EditTimeTests {
    private func withDevices(_ body: (Device, Device) throws -> Void) throws {
        try withSharedFolder { shared in
            let model = try teams()
            try body(shared.device("one", model), shared.device("other", model))
        }
    }

    private func object(_ name: String, _ entity: String, in context: ManagedObjectContext) throws
        -> ManagedObject
    {
        try #require(try context.all(entity).first { $0["name"] == .string(name) })
    }

    @Test("Of edits that are folded together each has the time of its own save")
    func editsKeepTheirTimes() throws {
        try withDevices { one, other in
            let here = one.context()
            let ada = try here.make("Person", ["name": "Ada"])
            let bob = try here.make("Person", ["name": "Bob"])
            try here.save()
            exchange([one, other])
            try ada.setValue("early", forKey: "mail")
            try here.save()
            let there = other.context()
            try object("Ada", "Person", in: there).setValue("late", forKey: "mail")
            try there.save()
            try ada.setValue(.integer(36), forKey: "age")
            try bob.setValue("last", forKey: "mail")
            try here.save()
            exchange([one, other])
            for device in [one, other] {
                let context = device.context()
                let ada = try object("Ada", "Person", in: context)
                #expect(ada["mail"] == "late")
                #expect(ada["age"] == .integer(36))
                #expect(try object("Bob", "Person", in: context)["mail"] == "last")
            }
        }
    }

    @Test("An object that is brought back is the one that it was, to which others lead")
    func broughtBackIsTheSame() throws {
        try withDevices { one, other in
            let here = one.context()
            _ = try here.make("Team", ["name": "red", "code": "R"])
            _ = try here.make("Person", ["name": "Ada"])
            try here.save()
            exchange([one, other])
            let there = other.context()
            let red = try object("red", "Team", in: there)
            try object("Ada", "Person", in: there).setObjects([red], forKey: "team")
            try there.save()

            let late = one.context()
            late.mergePolicy = .overwrite
            let held = try object("red", "Team", in: late)
            try held.setValue("crimson", forKey: "name")
            here.delete(try object("red", "Team", in: here))
            try here.save()
            one.run()
            try late.save()
            exchange([one, other])
            for device in [one, other] {
                let context = device.context()
                #expect(try context.all("Team").count == 1)
                let team = try object("crimson", "Team", in: context)
                #expect(try object("Ada", "Person", in: context).objects(forKey: "team") == [team])
            }
        }
    }
}
