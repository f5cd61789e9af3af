import Coffer
import CofferCoordination
import CofferModel
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Unique attributes of each type, with values that are nearly the same: what a merge takes for one key the
/// unique index of a store takes for one, too.
@Suite("Unique attributes of each type")
struct UniqueKindsTests {
    private static let values: [String: [AttributeValue]] = [
        "whole": [0, 1, -1, .max, .min].map { .integer($0) },
        "flag": [.boolean(true), .boolean(false)],
        "double": [0, -0.0, 0.1, 0.1.nextUp, 1e300, .infinity, .leastNonzeroMagnitude].map { .double($0) },
        "float": [0, -0.0, 0.1, Float(0.1).nextUp, .greatestFiniteMagnitude].map { .float($0) },
        "decimal": [
            "0", "1", "1.0", "1.00", "12345678901234567890", "12345678901234567891", "0.1",
            "0.1000000000000000000000000001",
        ].compactMap { Decimal(string: $0) }.map { .decimal($0) },
        "text": ["", "a", "A", "a ", "a\0", "a\0b", "\u{e9}", "e\u{301}", "\u{212b}", "\u{c5}"]
            .map { .string($0) },
        "date": [0, -0.0, 0.1, 0.1.nextUp, 8e8, (8e8).nextUp, -1e12].map {
            .date(Date(timeIntervalSinceReferenceDate: $0))
        },
        "bytes": [[], [0], [0, 0], [255], Array("a".utf8)].map { .binary($0) },
        "number": [UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), .allZeros].map {
            .uuid($0)
        },
        "link": ["", "http://a", "http://A", "http://a/", "e\u{301}", "\u{e9}"].map { .uri($0) },
    ]

    private func things() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Thing") {
                Field("name", .string)
                Field("whole", .integer64).optional()
                Field("flag", .boolean).optional()
                Field("double", .double).optional()
                Field("float", .float).optional()
                Field("decimal", .decimal).optional()
                Field("text", .string).optional()
                Field("date", .date).optional()
                Field("bytes", .binary).optional()
                Field("number", .uuid).optional()
                Field("link", .uri).optional()
                for property in Self.values.keys.sorted() { Unique(property) }
            }
        }
    }

    /// Saves a thing with a random value, or gives one to a thing that is there, unless its store refuses.
    private func edit(_ device: Device, _ random: inout SeededGenerator) throws {
        let context = device.context()
        let things = try context.all("Thing")
        let property = try #require(Self.values.keys.sorted().randomElement(using: &random))
        let value = try #require(Self.values[property]?.randomElement(using: &random))
        if Bool.random(using: &random), let thing = things.randomElement(using: &random) {
            try thing.setValue(value, forKey: property)
        } else {
            let name = AttributeValue.string("\(Int.random(in: 0..<1_000_000, using: &random))")
            _ = try context.make("Thing", ["name": name, property: value])
        }
        do throws(CofferError) {
            try context.save()
        } catch {
            guard case .constraints = error else { throw error }
        }
    }

    @Test("What is nearly one key is merged as stores keep it", arguments: Seed.several(6))
    func machinesAgree(_ seed: Seed) throws {
        var random = seed.generator()
        try withSharedFolder { folder in
            let model = try things()
            let devices = [try folder.device("one", model), try folder.device("other", model)]
            for _ in 0..<12 {
                for device in devices {
                    for _ in 0..<Int.random(in: 1...6, using: &random) { try edit(device, &random) }
                }
                exchange(devices)
                #expect(devices.allSatisfy { $0.status.quarantined.isEmpty })
            }
            #expect(try contents(of: devices[0], ["Thing"]) == contents(of: devices[1], ["Thing"]))
            for device in devices { #expect(try device.store.integrityCheck().isEmpty) }
        }
    }
}

extension UUID {
    fileprivate static var allZeros: UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
}
