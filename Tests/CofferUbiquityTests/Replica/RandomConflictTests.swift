import Coffer
import CofferModel
import CofferUbiquity
import ContextSupport
import TestSupport
import Testing

/// Random edits on two machines between exchanges: exactly what both set is overruled once, on both.
@Suite struct RandomConflictTests {
    private static let properties = ["name", "mail", "age"]

    @Test(arguments: Seed.fresh(6)) func `journals have what was lost, and nothing else`(_ seed: Seed) throws
    {
        var random = seed.generator()
        try withSharedFolder { shared in
            let model = try teams()
            let devices = [try shared.device("one", model), try shared.device("other", model)]
            let context = devices[0].context()
            for number in 0..<6 { try context.make("Tag", ["name": .string("tag \(number)")]) }
            for number in 0..<4 {
                let person = try context.make("Person", ["name": .string("p\(number)")])
                try person.setObjects([context.all("Tag")[number]], forKey: "tags")
            }
            try context.save()
            exchange(devices)
            var expected: [String] = []
            for round in 0..<4 {
                var written: [String: [AttributeValue]] = [:]
                for (place, device) in devices.enumerated() {
                    for (key, value) in try edit(device, "\(round).\(place)", &random) {
                        written[key, default: []].append(value)
                    }
                }
                exchange(devices)
                let now = try values(of: devices[0])
                for (key, both) in written where both.count == 2 && both[0] != both[1] {
                    let lost = both[0] == now[key] ? both[1] : both[0]
                    expected.append("\(key) \(lost)")
                }
            }
            for device in devices {
                let entries = try ConflictJournal(of: device.store, after: 0, limit: 1_000).entries
                let tags = try tags(of: device)
                let found = entries.map { entry in
                    "\(tags[entry.primaryKey ?? 0] ?? "?") \(entry.property) \(entry.values[0].lost ?? .null)"
                }
                #expect(found.sorted() == expected.sorted())
            }
        }
    }

    /// Saves edits of a few people; tells what was set, by object and property.
    private func edit(
        _ device: Device, _ text: String, _ random: inout SeededGenerator
    ) throws -> [String: AttributeValue] {
        let context = device.context()
        var written: [String: AttributeValue] = [:]
        for person in try context.all("Person").shuffled(using: &random).prefix(2) {
            let tag = "\(person.objects(forKey: "tags")[0]["name"])"
            for property in Self.properties.shuffled(using: &random).prefix(2) {
                let value: AttributeValue =
                    property == "age"
                    ? .integer(Int64.random(in: 1..<1_000_000, using: &random))
                    : .string("\(text) \(Int.random(in: 0..<1_000_000, using: &random))")
                try person.setValue(value, forKey: property)
                written["\(tag) \(property)"] = value
            }
        }
        try context.save()
        return written
    }

    /// The people's values, by their tag.
    private func values(of device: Device) throws -> [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        let context = device.context()
        for person in try context.all("Person") {
            let tag = "\(person.objects(forKey: "tags")[0]["name"])"
            for property in Self.properties { values["\(tag) \(property)"] = person[property] }
        }
        return values
    }

    /// The people's tags, by their keys.
    private func tags(of device: Device) throws -> [Int64: String] {
        var tags: [Int64: String] = [:]
        let context = device.context()
        for person in try context.all("Person") {
            guard case .permanent(let key) = person.objectID.key else { continue }
            tags[key] = "\(person.objects(forKey: "tags")[0]["name"])"
        }
        return tags
    }
}
