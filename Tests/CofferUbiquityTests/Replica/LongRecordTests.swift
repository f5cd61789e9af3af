import Coffer
import CofferContainer
import CofferCoordination
import CofferSQLite
import CofferStores
import CofferUbiquity
import ContextSupport
import TestSupport
import Testing

@Suite("Objects with more links than are kept in one run")
struct LongRecordTests {
    private static let count = 100

    /// Rules by which ten links fill a run; millions do by the usual ones.
    private static var rules: ExchangeRules {
        var rules = ExchangeRules()
        rules.step = .seconds(200 * 86_400)
        rules.runByteCount = 500
        rules.baselineLogCount = 3
        return rules
    }

    private func device(_ name: String, in shared: SharedFolder) throws -> Device {
        try Device(
            teams(), in: "\(shared.folder)/\(name)", sharing: "\(shared.folder)/root", clock: shared.clock,
            rules: Self.rules)
    }

    /// How many runs a device's file has besides the first of each record.
    private func furtherRunCount(of device: Device) throws -> Int64 {
        let statement = try device.store.file.makeReader().prepare("SELECT count(*) FROM COFFER_RUN")
        return try statement.step() ? statement.int64(0) : -1
    }

    /// What a device has: its registers' digest, and what its objects hold.
    private func state(of device: Device) throws -> [String] {
        #expect(device.status.differing.isEmpty)
        return ["\(device.status.digest)"] + (try contents(of: device))
    }

    /// Lends `body` a device that is opened again, and that has done its work before and after it.
    ///
    /// - Returns: What it has then.
    private func reopened(
        _ name: String, in shared: SharedFolder, _ body: (Device) throws -> Void = { _ in }
    ) throws -> [String] {
        let device = try device(name, in: shared)
        device.run()
        try body(device)
        device.run()
        let state = try state(of: device)
        try device.close()
        return state
    }

    /// Saves an object with many tags and one with many people, in an order.
    private func fill(_ one: Device) throws {
        let context = one.context()
        let person = try context.make("Person", ["name": "Ada"])
        let team = try context.make("Team", ["name": "red"])
        let tags = try (0..<Self.count).map { try context.make("Tag", ["name": .string("t\($0)")]) }
        let people = try (0..<Self.count).map { try context.make("Person", ["name": .string("p\($0)")]) }
        try person.setObjects(tags, forKey: "tags")
        try team.setObjects(people, forKey: "people")
        try context.save()
        one.run()
        #expect(try furtherRunCount(of: one) >= 10)
    }

    /// Takes 30 tags away.
    private func untag(_ device: Device) throws {
        let context = device.context()
        let person = try #require(context.all("Person").first { $0["name"] == "Ada" })
        try person.setObjects(Array(person.objects(forKey: "tags").dropFirst(30)), forKey: "tags")
        try context.save()
    }

    /// Adds a tag.
    private func tag(_ device: Device) throws {
        let context = device.context()
        let tag = try context.make("Tag", ["name": "late"])
        let person = try #require(context.all("Person").first { $0["name"] == "Ada" })
        try person.setObjects(person.objects(forKey: "tags") + [tag], forKey: "tags")
        try context.save()
    }

    @Test func `they are read again after a start, and others join them`() throws {
        try withSharedFolder { shared in
            let filled = try reopened("one", in: shared, fill)
            #expect(try reopened("one", in: shared) == filled)
            #expect(try reopened("other", in: shared) == filled)
            // Both write to what is in runs already, and do not know of each other.
            _ = try reopened("other", in: shared) { other in
                #expect(try furtherRunCount(of: other) >= 10)
                try untag(other)
            }
            let merged = try reopened("one", in: shared, tag)
            #expect(try reopened("other", in: shared) == merged)
            #expect(try reopened("one", in: shared) == merged)
            let tagged = merged.filter { $0.hasPrefix("Tag ") && $0.contains("Ada") }
            #expect(tagged.count == Self.count - 30 + 1)
        }
    }

    @Test func `they leave no run behind once they are buried`() throws {
        try withSharedFolder { shared in
            _ = try reopened("one", in: shared, fill)
            _ = try reopened("one", in: shared) { one in
                let context = one.context()
                for object in try context.all("Person") + context.all("Team") { context.delete(object) }
                try context.save()
                one.run()
                #expect(try furtherRunCount(of: one) > 0)
                shared.clock.pass(days: 91)
                for number in 0..<10 where try furtherRunCount(of: one) > 0 {
                    // What brings a baseline about, which buries them.
                    try context.make("Tag", ["name": .string("later\(number)")])
                    try context.save()
                    one.run()
                }
                #expect(try furtherRunCount(of: one) == 0)
            }
        }
    }
}
