import Coffer
import CofferModel
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

@Suite("A backup that is made the content")
struct RestoredContentTests {
    /// A device with a copy of another one's store as it is now.
    private func backUp(
        _ name: String, _ model: ManagedObjectModel, in shared: SharedFolder, as copy: String = "backup"
    ) throws -> Device {
        try FileManager.default.copyItem(
            atPath: "\(shared.folder)/\(name)", toPath: "\(shared.folder)/\(copy)")
        return try shared.device(copy, model)
    }

    private func restore(_ backup: Device, in device: Device, _ clock: TestClock) throws {
        let restoration = Restoration(try RestoredContent(of: backup.store, at: clock.now()))
        device.work.restore(restoration)
        device.run()
        #expect(try restoration.wait(timeout: .zero) != nil)
    }

    private func person(_ name: String, on device: Device) throws -> (ManagedObjectContext, ManagedObject) {
        let context = device.context()
        return (context, try #require(try context.all("Person").first { $0["name"] == .string(name) }))
    }

    @Test func `what was changed, deleted and added since is as it was, on all machines`() throws {
        try withSharedFolder { shared in
            let model = try teams()
            let one = try shared.device("one", model)
            let context = one.context()
            let team = try context.make("Team", ["name": .string("Blue"), "code": .string("b")])
            for name in ["Ada", "Bob", "Eve"] {
                try context.make("Person", ["name": .string(name)]).setObjects([team], forKey: "team")
            }
            try context.save()
            let other = try shared.device("other", model)
            exchange([one, other])
            let then = try contents(of: one)
            let backup = try backUp("one", model, in: shared)
            do {
                let (context, ada) = try person("Ada", on: one)
                try ada.setValue(.integer(7), forKey: "age")
                try context.make("Person", ["name": .string("Tim")])
                try context.save()
                let (others, bob) = try person("Bob", on: other)
                others.delete(bob)
                let team = try #require(try others.all("Team").first)
                try team.setObjects(team.objects(forKey: "people").reversed(), forKey: "people")
                // Its code is one of another team then.
                try team.setValue(.null, forKey: "code")
                try others.save()
                try others.make("Team", ["name": .string("Red"), "code": .string("b")])
                try others.save()
            }
            exchange([one, other])
            #expect(try contents(of: one) != then)
            try restore(backup, in: one, shared.clock)
            #expect(try contents(of: one) == then)
            exchange([one, other])
            #expect(try contents(of: other) == then)
            let folds = one.status.lastFold
            try restore(backup, in: one, shared.clock)
            #expect(one.status.lastFold == folds, "nothing of it is otherwise")
        }
    }

    @Test func `objects of a backup from before the store was shared are the ones that they were`() throws {
        try withSharedFolder { shared in
            let model = try teams()
            let one = try shared.device("one", model)
            let context = one.context()
            for name in ["Ada", "Bob"] { try context.make("Person", ["name": .string(name)]) }
            try context.save()
            let backup = try backUp("one", model, in: shared)
            one.run()
            let (others, ada) = try person("Ada", on: one)
            try ada.setValue(.integer(7), forKey: "age")
            others.delete(try #require(try others.all("Person").first { $0["name"] == .string("Bob") }))
            try others.save()
            one.run()
            try restore(backup, in: one, shared.clock)
            let (again, restored) = try person("Ada", on: one)
            #expect(restored.objectID == ada.objectID)
            let age = withExtendedLifetime(again) { restored["age"] }
            #expect(age == .integer(0))
            #expect(try contents(of: one).count == 2)
        }
    }

    @Test func `what was saved just before a backup has the name that it got after`() throws {
        try withSharedFolder { shared in
            let model = try teams()
            let one = try shared.device("one", model)
            let context = one.context()
            try context.make("Person", ["name": .string("Ada")])
            try context.save()
            one.run()
            try context.make("Person", ["name": .string("Bob")])
            try context.save()
            let backup = try backUp("one", model, in: shared)
            one.run()
            let folds = one.status.lastFold
            try restore(backup, in: one, shared.clock)
            #expect(one.status.lastFold == folds, "all is as it was")
            #expect(try contents(of: one).count == 2)
        }
    }

    @Test func `what was saved before a backup and deleted since is restored twice as the same`() throws {
        try withSharedFolder { shared in
            let model = try teams()
            let one = try shared.device("one", model)
            one.run()
            let context = one.context()
            let ada = try context.make("Person", ["name": .string("Ada")])
            try context.save()
            // A copy is folded when it is restored, so each is restored once.
            let backup = try backUp("one", model, in: shared)
            let again = try backUp("one", model, in: shared, as: "again")
            one.run()
            context.delete(ada)
            try context.save()
            one.run()
            try restore(backup, in: one, shared.clock)
            #expect(try contents(of: one).count == 1)
            let folds = one.status.lastFold
            try restore(again, in: one, shared.clock)
            #expect(one.status.lastFold == folds, "nothing of it is otherwise")
        }
    }

    @Test func `what was never shared, of another store, is restored twice as the same`() throws {
        try withSharedFolder { shared in
            let model = try teams()
            let one = try shared.device("one", model)
            let stranger = try shared.device("stranger", model)
            let context = stranger.context()
            try context.make("Person", ["name": .string("Eve")])
            try context.save()
            // Reading it folds what is in it: so each restoration reads a copy of its own.
            let copy = try backUp("stranger", model, in: shared)
            try restore(stranger, in: one, shared.clock)
            let folds = one.status.lastFold
            let (first, eve) = try person("Eve", on: one)
            try restore(copy, in: one, shared.clock)
            let (second, again) = try person("Eve", on: one)
            #expect(eve.objectID == again.objectID && one.status.lastFold == folds)
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test func `a restoration that was given up changes nothing`() throws {
        try withSharedFolder { shared in
            let model = try teams()
            let one = try shared.device("one", model)
            let backup = try backUp("one", model, in: shared)
            let context = one.context()
            try context.make("Person", ["name": .string("Ada")])
            try context.save()
            let restoration = Restoration(try RestoredContent(of: backup.store, at: shared.clock.now()))
            one.work.restore(restoration)
            #expect(try restoration.wait(timeout: .zero) == nil)
            one.run()
            #expect(try contents(of: one).count == 1)
        }
    }

    @Test func `objects that became one since stay one`() throws {
        try withSharedFolder { shared in
            let model = try teams()
            let one = try shared.device("one", model)
            let other = try shared.device("other", model)
            let context = one.context()
            let red = try context.make("Team", ["name": .string("Red")])
            let blue = try context.make("Team", ["name": .string("Blue"), "code": .string("c")])
            for (name, team) in [("Ada", red), ("Bob", blue)] {
                try context.make("Person", ["name": .string(name)]).setObjects([team], forKey: "team")
            }
            try context.save()
            exchange([one, other])
            let backup = try backUp("one", model, in: shared)
            // Two teams get one code, each on its machine.
            let (here, there) = (one.context(), other.context())
            let codes = [(here, "Blue", "x"), (there, "Red", "x")]
            for (context, name, code) in codes {
                let team = try #require(try context.all("Team").first { $0["name"] == .string(name) })
                try team.setValue(.string(code), forKey: "code")
                try context.save()
            }
            exchange([one, other])
            #expect(try one.context().all("Team").count == 1)
            try restore(backup, in: one, shared.clock)
            exchange([one, other])
            for device in [one, other] {
                let context = device.context()
                #expect(try context.all("Team").count == 1)
                let people = try context.all("Person")
                #expect(people.count == 2)
                #expect(people.allSatisfy { $0.objects(forKey: "team").count == 1 })
            }
        }
    }

    @Test func `large values that are gone come back, and go to other machines`() throws {
        try withSharedFolder { shared in
            let model = try ManagedObjectModel {
                Entity("Person") {
                    Field("name", .string)
                    Field("picture", .binary).optional().externalStorage()
                }
            }
            let one = try shared.device("one", model)
            let picture = AttributeValue.binary((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            do {
                let context = one.context()
                try context.make("Person", ["name": .string("Ada"), "picture": picture])
                try context.save()
            }
            let backup = try backUp("one", model, in: shared)
            let (context, ada) = try person("Ada", on: one)
            context.delete(ada)
            try context.save()
            one.run()
            try restore(backup, in: one, shared.clock)
            let other = try shared.device("other", model)
            exchange([one, other])
            for device in [one, other] {
                let (context, ada) = try person("Ada", on: device)
                let isSame = withExtendedLifetime(context) { ada["picture"] == picture }
                #expect(isSame)
            }
        }
    }

    @Test("Whatever was saved since, all shows what it showed", arguments: Seed.several(10))
    func restoresAnything(_ seed: Seed) throws {
        var random = seed.generator()
        try withSharedFolder { shared in
            let model = try teams()
            let devices = try ["one", "other"].map { try shared.device($0, model) }
            func edit(_ count: Int) throws {
                for _ in 0..<count {
                    let device = devices[Int.random(in: 0..<2, using: &random)]
                    if Int.random(in: 0..<3, using: &random) == 0 {
                        device.run()
                    } else {
                        try editAtRandom(device, &random)
                    }
                }
            }
            try edit(25)
            exchange(devices)
            let then = try contents(of: devices[0])
            let backup = try backUp("one", model, in: shared)
            try edit(25)
            exchange(devices)
            try restore(backup, in: devices[0], shared.clock)
            let teams = try devices[0].context().all("Team").count
            exchange(devices)
            let now = try contents(of: devices[0])
            // Teams that became one stay one, and have the members of all.
            if teams == then.count(where: { $0.hasPrefix("Team") }) {
                #expect(now == then, "COFFER_SEED=\(seed)")
            }
            #expect(try contents(of: devices[1]) == now, "COFFER_SEED=\(seed)")
            #expect(try ReplicaVerification.of(devices[0].store)?.differences == [])
        }
    }
}
