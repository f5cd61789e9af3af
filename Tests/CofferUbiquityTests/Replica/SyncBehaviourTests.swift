import Coffer
import CofferContainer
import CofferMerge
import CofferModel
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

/// What frameworks that synchronise Core Data's stores do in known situations: rows S of the table that
/// <doc:Behaviour> tells of, with two machines over one folder.
struct SyncBehaviourTests {
    /// Parents, known by their names, with children of many kinds.
    private func family() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Parent") {
                Field("name", .string).optional()
                Field("date", .integer32).optional()
                Field("strength", .integer32).optional()
                Field("data", .binary).optional()
                One("child", "Child", inverse: "parent").optional()
                Many("children", "Child", inverse: "parentWithSiblings", deleteRule: .cascade)
                Many("orderedChildren", "Child", inverse: "orderedParent", ordered: true)
                Many("friends", "Child", inverse: "testFriends")
                Unique("name")
            }
            Entity("Child") {
                Field("name", .string).optional()
                One("parent", "Parent", inverse: "child").optional()
                One("parentWithSiblings", "Parent", inverse: "children").optional()
                One("orderedParent", "Parent", inverse: "orderedChildren").optional()
                Many("testFriends", "Parent", inverse: "friends")
            }
        }
    }

    private func withDevices(
        rules: ExchangeRules = ExchangeRules(), _ body: (Device, Device) throws -> Void
    ) throws {
        try withSharedFolder { shared in
            let model = try family()
            let devices = try ["1", "2"].map {
                try Device(
                    model, in: "\(shared.folder)/\($0)", sharing: "\(shared.folder)/root",
                    clock: shared.clock, rules: rules)
            }
            try body(devices[0], devices[1])
        }
    }

    /// Changes one machine's store, and saves.
    private func edit(_ device: Device, _ body: (ManagedObjectContext) throws -> Void) throws {
        let context = device.context()
        try body(context)
        try context.save()
    }

    private func value(_ key: String, of name: String, on device: Device) throws -> AttributeValue {
        let context = device.context()
        return try context.named(name)[key]
    }

    private func sync(_ one: Device, _ other: Device) { exchange([one, other]) }

    /// What both hold alike.
    private func common(_ one: Device, _ other: Device) throws -> [String] {
        let lines = try contents(of: one, ["Parent", "Child"])
        #expect(try contents(of: other, ["Parent", "Child"]) == lines)
        return lines
    }
}

extension ManagedObjectContext {
    fileprivate func named(_ name: String, _ entity: String = "Parent") throws -> ManagedObject {
        try #require(all(entity).first { $0["name"].text == name })
    }
}

extension SyncBehaviourTests {
    @Test func `S1, S2: what is inserted comes with its values, and a new name leaves the others`() throws {
        try withDevices { one, other in
            try edit(one) { try $0.make("Parent", ["name": "bob", "date": 10]) }
            sync(one, other)
            #expect(try value("date", of: "bob", on: other) == 10)
            try edit(one) { try $0.named("bob").setValue("dave", forKey: "name") }
            sync(one, other)
            #expect(try value("date", of: "dave", on: other) == 10)
            #expect(try common(one, other).count == 1)
        }
    }

    @Test func `S3: a name that the other machine gave comes back`() throws {
        try withDevices { one, other in
            try edit(one) { try $0.make("Parent", ["name": "bob"]) }
            sync(one, other)
            try edit(other) { try $0.named("bob").setValue("dave", forKey: "name") }
            sync(one, other)
            #expect(try one.context().texts("Parent", "name") == ["dave"])
            #expect(try common(one, other).count == 1)
        }
    }

    @Test(arguments: [true, false])
    func `S5, S7: who has one name on both is one, joined before or only now`(joined: Bool) throws {
        try withDevices { one, other in
            if joined { sync(one, other) }
            for device in [one, other] { try edit(device) { try $0.make("Parent", ["name": "bob"]) } }
            sync(one, other)
            #expect(try common(one, other).count == 1)
        }
    }

    @Test func `S9: a child goes to a new parent`() throws {
        try withDevices { one, other in
            try edit(one) { context in
                let dad = try context.make("Parent", ["name": "dad"])
                try context.make("Child", ["name": "c"]).setObjects([dad], forKey: "parent")
            }
            sync(one, other)
            try edit(other) { context in
                let dad = try context.make("Parent", ["name": "newdad"])
                try context.named("c", "Child").setObjects([dad], forKey: "parent")
            }
            sync(one, other)
            let context = one.context()
            let parents = try context.named("c", "Child").objects(forKey: "parent")
            #expect(parents.map { $0["name"] } == ["newdad"])
            #expect(try context.named("dad").objects(forKey: "child").isEmpty)
            #expect(try common(one, other).count == 3)
        }
    }

    @Test func `S10: a child that is deleted leaves its parent`() throws {
        try withDevices { one, other in
            try edit(one) { context in
                let children = try ["c1", "c2"].map { try context.make("Child", ["name": .string($0)]) }
                try context.make("Parent", ["name": "p"]).setObjects(children, forKey: "children")
            }
            sync(one, other)
            try edit(other) { $0.delete(try $0.named("c1", "Child")) }
            sync(one, other)
            let context = one.context()
            let children = try context.named("p").objects(forKey: "children")
            #expect(children.map { $0["name"] } == ["c2"])
            #expect(children.first?.objects(forKey: "parentWithSiblings").count == 1)
            #expect(try common(one, other).count == 2)
        }
    }

    @Test func `S11: a move within an order comes`() throws {
        try withDevices { one, other in
            try edit(one) { context in
                let children = try ["c1", "c2", "c3"].map { try context.make("Child", ["name": .string($0)]) }
                try context.make("Parent", ["name": "p"]).setObjects(children, forKey: "orderedChildren")
            }
            sync(one, other)
            try edit(other) { context in
                let parent = try context.named("p")
                let children = parent.objects(forKey: "orderedChildren")
                try parent.setObjects([children[0], children[2], children[1]], forKey: "orderedChildren")
            }
            sync(one, other)
            let context = one.context()
            let names = try context.named("p").objects(forKey: "orderedChildren").map { $0["name"].text }
            #expect(names == ["c1", "c3", "c2"])
            #expect(try common(one, other).count == 4)
        }
    }

    @Test func `S13: inserts on both and deletes on one end alike`() throws {
        try withDevices { one, other in
            for (device, names) in [(one, "A"), (other, "FGH"), (one, "BCDE")] {
                try edit(device) { context in
                    for name in names { try context.make("Parent", ["name": .string("\(name)")]) }
                }
            }
            try edit(one) { context in
                for name in ["B", "C", "D"] { context.delete(try context.named(name)) }
            }
            sync(one, other)
            #expect(try common(one, other).count == 5)
            #expect(try one.context().texts("Parent", "name") == ["A", "E", "F", "G", "H"])
        }
    }
}

extension SyncBehaviourTests {
    /// Five named parents with ten named children each.
    private func populate(_ context: ManagedObjectContext) throws {
        for number in 0..<5 {
            let parent = try context.make("Parent", ["name": .string("p\(number)")])
            for (key, count) in [("children", 5), ("orderedChildren", 5)] {
                let children = try (0..<count).map {
                    try context.make("Child", ["name": .string("\(key) \(number) \($0)")])
                }
                try parent.setObjects(children, forKey: key)
            }
        }
    }

    @Test func `S14: all is made on both, deleted and made again`() throws {
        try withDevices { one, other in
            for device in [one, other] { try edit(device, populate) }
            sync(one, other)
            for device in [one, other] {
                try edit(device) { context in
                    for entity in ["Parent", "Child"] {
                        for object in try context.all(entity) { context.delete(object) }
                    }
                }
                try edit(device, populate)
                sync(one, other)
                let context = device.context()
                let parents = try context.all("Parent")
                #expect(parents.count == 5)
                for parent in parents {
                    #expect(parent.objects(forKey: "children").count == 5)
                    #expect(parent.objects(forKey: "orderedChildren").count == 5)
                }
            }
            #expect(try common(one, other).count == 55)
        }
    }

    @Test func `S15, S18, S33: of two inserts the later says what both say, and the rest of both stays`()
        throws
    {
        try withDevices { one, other in
            try edit(one) { try $0.make("Parent", ["name": "bob", "date": 10, "strength": 5]) }
            one.run()
            try edit(other) { try $0.make("Parent", ["name": "bob", "date": 20]) }
            sync(one, other)
            let context = one.context()
            let bob = try context.named("bob")
            #expect(bob["date"] == 20)
            #expect(bob["strength"] == 5)
            #expect(try common(one, other).count == 1)
        }
    }

    @Test func `S17: who is inserted anew is there, whoever deleted the one before`() throws {
        try withDevices { one, other in
            try edit(one) { try $0.make("Parent", ["name": "bob"]) }
            sync(one, other)
            try edit(one) { $0.delete(try $0.named("bob")) }
            try edit(other) { $0.delete(try $0.named("bob")) }
            try edit(other) { try $0.make("Parent", ["name": "bob"]) }
            sync(one, other)
            #expect(try common(one, other).count == 1)
        }
    }

    @Test func `S19: what is said of an object that has not come shows nothing`() throws {
        var replica = Replica(MergeModel(try family()))
        let record = RecordID(high: 1, low: 1)
        let stamp = Stamp(1, peer: PeerID(1), fold: 1)
        replica.join([
            .cell(record, "name", Stamped(Cell(.value(.string("bob"))), stamp)),
            .life(RecordID(high: 1, low: 2), Stamped(Life("Parent", .dead(Death())), stamp)),
        ])
        #expect(replica.graph.seen.objects.isEmpty)
    }

    @Test func `S21, S22: who leads to what the other machine deleted leads to nobody`() throws {
        try withDevices { one, other in
            try edit(one) { context in
                try context.make("Parent", ["name": "p1"])
                try context.make("Parent", ["name": "p2"])
                try context.make("Child", ["name": "c"])
            }
            sync(one, other)
            try edit(one) { context in for parent in try context.all("Parent") { context.delete(parent) } }
            try edit(other) { context in
                let child = try context.named("c", "Child")
                try child.setObjects(try context.all("Parent"), forKey: "testFriends")
                try child.setObjects([try context.named("p1")], forKey: "parent")
            }
            sync(one, other)
            let context = other.context()
            #expect(try context.all("Parent").isEmpty)
            let child = try context.named("c", "Child")
            #expect(child.objects(forKey: "testFriends").isEmpty && child.objects(forKey: "parent").isEmpty)
            #expect(try common(one, other).count == 1)
        }
    }

    @Test(arguments: [10_000, 10_001, 200_000])
    func `S25: data of any size come`(byteCount: Int) throws {
        try withDevices { one, other in
            let data = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0) })
            try edit(one) { try $0.make("Parent", ["name": "p", "data": .binary([UInt8](data))]) }
            sync(one, other)
            let isSame = try value("data", of: "p", on: other) == .binary([UInt8](data))
            #expect(isSame)
        }
    }

    @Test func `S27: two stores that were filled before they joined hold what both held`() throws {
        var rules = ExchangeRules()
        rules.baselineLogCount = 1
        try withDevices(rules: rules) { one, other in
            try edit(one) { try $0.make("Parent", ["name": "a"]) }
            try edit(other) { try $0.make("Parent", ["name": "b"]) }
            sync(one, other)
            sync(one, other)
            #expect(try common(one, other).count == 2)
        }
    }

    @Test func `S30, S31: baselines on both at once lose and double nothing`() throws {
        var rules = ExchangeRules()
        rules.baselineLogCount = 2
        try withDevices(rules: rules) { one, other in
            try edit(other) { context in
                for number in 0..<50 { try context.make("Child", ["name": .string("o\(number)")]) }
            }
            for round in 0..<2 {
                try edit(one) { context in
                    for number in 0..<20 {
                        try context.make("Child", ["name": .string("\(round) \(number)")])
                    }
                }
                one.run()
                other.run()
            }
            for _ in 0..<3 { sync(one, other) }
            #expect(try common(one, other).count == 90)
        }
    }

    @Test func `S34: one key in two entities makes nobody one`() throws {
        try withDevices { one, other in
            try edit(one) { try $0.make("Parent", ["name": "x"]) }
            try edit(other) { try $0.make("Child", ["name": "x"]) }
            sync(one, other)
            #expect(try common(one, other).count == 2)
        }
    }
}
