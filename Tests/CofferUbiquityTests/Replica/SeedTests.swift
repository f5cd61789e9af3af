import Coffer
import CofferCoordination
import CofferModel
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Stores that are filled with what an application comes with.
@Suite struct SeedTests {
    private static let batch = 3

    /// A store with teams of people in order, with partners and tags, as one that an application comes with.
    private func bundle(_ folder: SharedFolder) throws -> Device {
        let bundle = try folder.device("bundle", teams())
        let context = bundle.context()
        func insert(_ entity: String, _ name: String) throws -> ManagedObject {
            let object = try context.insert(entityNamed: entity)
            try object.setValue(.string(name), forKey: "name")
            return object
        }
        let tags = try ["red", "blue"].map { try insert("Tag", $0) }
        for letter in ["a", "b"] {
            let team = try insert("Team", "team \(letter)")
            try team.setValue(.string(letter), forKey: "code")
            var people: [ManagedObject] = []
            for name in ["z", "y", "x", "w"] {
                let person = try insert("Person", "\(name) of team \(letter)")
                try person.setValue(.integer(Int64(people.count)), forKey: "age")
                try person.setValue(
                    .string(String(repeating: "m", count: name == "z" ? 150_000 : 3)), forKey: "mail")
                try person.setObjects(tags, forKey: "tags")
                people.append(person)
            }
            try team.setObjects(people, forKey: "people")
            try people[0].setObjects([people[1]], forKey: "partner")
        }
        try context.save()
        return bundle
    }

    /// Fills a device from a store, as far as so many batches.
    private func seed(
        _ device: Device, from bundle: Device, batches: Int = .max
    ) throws {
        let content = try SeedContent(of: bundle.store.file)
        let starts = stride(from: 0, to: content.objectCount, by: Self.batch)
        for start in starts.prefix(batches) {
            device.work.adopt(try content.batch(from: start, count: Self.batch)) {}
            device.run()
        }
    }

    @Test func `machines that are filled at the same time write the same, which is there once`() throws {
        try withSharedFolder { folder in
            let bundle = try bundle(folder)
            let one = try folder.device("one", teams())
            let other = try folder.device("other", teams())
            // Neither has heard of the other when it begins; one was cut off, and begins again.
            try seed(one, from: bundle, batches: 2)
            try seed(one, from: bundle)
            let folds = one.status.lastFold
            try seed(one, from: bundle)
            #expect(one.status.lastFold == folds, "nothing of it is news")
            // Away from the account's folder, as a machine that is offline.
            let apart = try folder.device("apart", teams())
            let content = try SeedContent(of: bundle.store.file)
            for start in stride(from: 0, to: content.objectCount, by: Self.batch) {
                try content.batch(from: start, count: Self.batch).join(
                    into: apart.store, at: folder.clock.now())
            }
            let isSame = try contents(of: one) == contents(of: bundle)
            #expect(isSame)
            try seed(other, from: bundle, batches: 3)
            exchange([one, other, apart])
            for device in [one, other, apart] {
                let isSame = try contents(of: device) == contents(of: bundle)
                #expect(isSame)
                #expect(try device.context().all("Person").count == 8)
            }
        }
    }

    @Test func `what a user edited or deleted stays so, whoever is filled later`() throws {
        try withSharedFolder { folder in
            let bundle = try bundle(folder)
            let one = try folder.device("one", teams())
            try seed(one, from: bundle)
            let context = one.context()
            for person in try context.all("Person") {
                if person["name"] == .string("z of team a") { context.delete(person) }
                if person["name"] == .string("y of team b") {
                    try person.setValue(.string("renamed"), forKey: "name")
                }
            }
            try context.save()
            one.run()
            let expected = try contents(of: one)
            #expect(try context.all("Person").count == 7)
            try seed(one, from: bundle)
            let other = try folder.device("other", teams())
            try seed(other, from: bundle)
            exchange([one, other])
            try seed(other, from: bundle)
            exchange([one, other])
            for device in [one, other] {
                let isSame = try contents(of: device) == expected
                #expect(isSame)
            }
            #expect(try one.context().texts("Person", "name").contains("renamed"))
        }
    }

    @Test func `a store remembers from which others it was filled`() throws {
        try withSharedFolder { folder in
            let one = try folder.device("one", teams())
            let (first, second) = (UUID(), UUID())
            #expect(try !one.store.isSeeded(from: first))
            for seed in [first, second, first] { try one.store.noteSeed(seed, at: folder.clock.now()) }
            #expect(try one.store.isSeeded(from: first) && one.store.isSeeded(from: second))
            #expect(try !one.store.isSeeded(from: UUID()))
        }
    }
}
