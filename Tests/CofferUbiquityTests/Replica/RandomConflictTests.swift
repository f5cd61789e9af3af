import Coffer
import CofferContainer
import CofferModel
import CofferUbiquity
import ContextSupport
import TestSupport
import Testing

/// Random edits on two machines between exchanges: exactly what both set is overruled once, on both.
@Suite struct RandomConflictTests {
    private static let properties = ["name", "mail", "age"]

    @Test(arguments: Seed.several(6)) func `journals have what was lost, and nothing else`(_ seed: Seed)
        throws
    {
        var random = seed.generator()
        try withSharedFolder { shared in
            let model = try teams()
            let devices = [try shared.device("one", model), try shared.device("other", model)]
            let context = devices[0].context()
            for number in 0..<6 { try context.make("Tag", ["name": .string("tag \(number)")]) }
            for number in 0..<6 {
                let person = try context.make("Person", ["name": .string("p\(number)")])
                try person.setObjects([context.all("Tag")[number]], forKey: "tags")
            }
            try context.save()
            exchange(devices)
            var expected: [String] = []
            for round in 0..<4 {
                var written: [String: [AttributeValue]] = [:]
                var edits: [Edits] = []
                for (place, device) in devices.enumerated() {
                    let done = try edit(device, "\(round).\(place)", &random)
                    for (key, value) in done.values { written[key, default: []].append(value) }
                    edits.append(done)
                }
                exchange(devices)
                for (one, other) in [(edits[0], edits[1]), (edits[1], edits[0])] {
                    guard let gone = one.deleted, let name = other.names[gone] else { continue }
                    expected.append("edit \(name)")
                }
                let now = try values(of: devices[0])
                for (key, both) in written
                where both.count == 2 && both[0] != both[1] && now[key] != nil {
                    let lost = both[0] == now[key] ? both[1] : both[0]
                    expected.append("\(key.split(separator: " ").last ?? "") \(lost)")
                }
            }
            for device in devices {
                let entries = try ConflictJournal(of: device.store, after: 0, limit: 1_000).entries
                let found = entries.map { entry in
                    if entry.noted.conflict.kind == .edit {
                        return "edit \(entry.values.first { $0.property == "name" }?.lost ?? .null)"
                    }
                    return "\(entry.property) \(entry.values[0].lost ?? .null)"
                }
                #expect(found.sorted() == expected.sorted())
            }
        }
    }

    @Test(arguments: Seed.several(6))
    func `edits one after the other overrule nothing, through restarts and baselines`(
        _ seed: Seed
    ) throws {
        var random = seed.generator()
        var rules = ExchangeRules()
        rules.step = .seconds(200 * 86_400)
        (rules.baselineLogCount, rules.baselineByteCount, rules.mergedCount) = (3, 0, 4)
        try withSharedFolder { shared in
            let model = try teams()
            let open = { (number: Int) throws in
                try Device(
                    model, in: "\(shared.folder)/\(number)", sharing: "\(shared.folder)/root",
                    clock: shared.clock, rules: rules)
            }
            var opened = try (0..<3).map { Optional(try open($0)) }
            for step in 0..<40 {
                let place = Int.random(in: 0..<3, using: &random)
                if let device = opened[place] { try seeAllAndEdit(device, step, &random) }
                if Int.random(in: 0..<4, using: &random) == 0 { shared.clock.pass(days: 8) }
                if Bool.random(using: &random) { opened[(place + 1) % 3]?.run() }
                if Int.random(in: 0..<3, using: &random) == 0 {
                    try opened[place]?.close()
                    opened[place] = nil
                    opened[place] = try open(place)
                }
            }
            let devices = opened.compactMap(\.self)
            exchange(devices)
            for device in devices {
                let entries = try ConflictJournal(of: device.store, after: 0, limit: 100).entries
                let told = entries.map { "\($0.noted.conflict.kind) \($0.property) \($0.values)" }
                #expect(told.isEmpty)
            }
        }
    }

    /// Saves one edit after all was read, and puts it into the container.
    private func seeAllAndEdit(_ device: Device, _ step: Int, _ random: inout SeededGenerator) throws {
        device.run()
        let context = device.context()
        let people = try context.all("Person")
        let person = people.randomElement(using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: if let person { context.delete(person) }
        case 1, 2: try context.make("Person", ["name": .string("p\(step)")])
        default: try person?.setValue(.string("\(step)"), forKey: "mail")
        }
        try context.save()
        device.run()
    }

    /// What one machine did between two exchanges, by the people's tags.
    private struct Edits {
        var values: [String: AttributeValue] = [:]
        /// The names of those that were edited, as they are then.
        var names: [String: AttributeValue] = [:]
        var deleted: String?
    }

    /// Saves edits of a few people, and now and then a deletion of another one.
    private func edit(
        _ device: Device, _ text: String, _ random: inout SeededGenerator
    ) throws -> Edits {
        let context = device.context()
        var done = Edits()
        let people = try context.all("Person").shuffled(using: &random)
        for person in people.prefix(2) {
            let tag = "\(person.objects(forKey: "tags")[0]["name"])"
            for property in Self.properties.shuffled(using: &random).prefix(2) {
                let value: AttributeValue =
                    property == "age"
                    ? .integer(Int64.random(in: 1..<1_000_000, using: &random))
                    : .string("\(text) \(Int.random(in: 0..<1_000_000, using: &random))")
                try person.setValue(value, forKey: property)
                done.values["\(tag) \(property)"] = value
            }
            done.names[tag] = person["name"]
        }
        if people.count > 2, Int.random(in: 0..<3, using: &random) == 0 {
            done.deleted = "\(people[2].objects(forKey: "tags")[0]["name"])"
            context.delete(people[2])
        }
        try context.save()
        return done
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
}
