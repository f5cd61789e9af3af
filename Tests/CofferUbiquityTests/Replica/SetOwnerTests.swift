import Coffer
import CofferContainer
import CofferCoordination
import CofferMerge
import CofferModel
import CofferSQLite
import CofferStores
import CofferUbiquity
import ContextSupport
import TestSupport
import Testing

/// To-many relationships without inverse in shared stores: each member has one owner, the same everywhere.
@Suite struct SetOwnerTests {
    private func boxes() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Box") {
                Field("name", .string)
                Many("things", "Thing")
                Many("listed", "Thing", deleteRule: .cascade, ordered: true)
            }
            Entity("Thing") { Field("name", .string) }
        }
    }

    /// Lends two devices that share the boxes a and b, and the things x, y and z.
    private func withDevices(_ body: (Device, Device) throws -> Void) throws {
        try withSharedFolder { shared in
            let model = try boxes()
            let (one, other) = (try shared.device("one", model), try shared.device("other", model))
            let context = one.context()
            for name in ["a", "b"] { try context.make("Box", ["name": .string(name)]) }
            for name in ["x", "y", "z"] { try context.make("Thing", ["name": .string(name)]) }
            try context.save()
            exchange([one, other])
            try body(one, other)
        }
    }

    private func find(
        _ entity: String, _ name: String, in context: ManagedObjectContext
    ) throws -> ManagedObject {
        try #require(try context.all(entity).first { $0["name"] == .string(name) })
    }

    /// Gives a box these things and no others.
    private func put(
        _ things: [String], into box: String, _ property: String = "things", on device: Device
    ) throws {
        let context = device.context()
        try find("Box", box, in: context)
            .setObjects(try things.map { try find("Thing", $0, in: context) }, forKey: property)
        try context.save()
    }

    /// What each box has.
    private func contents(_ device: Device, _ property: String = "things") throws -> [String: [String]] {
        let context = device.context()
        var found: [String: [String]] = [:]
        for box in try context.all("Box") {
            let names = box.objects(forKey: property).map { $0["name"].text }
            found[box["name"].text] = property == "listed" ? names : names.sorted()
        }
        return found
    }

    @Test func `two machines that put one object into two sets agree on one of them`() throws {
        try withDevices { one, other in
            try put(["x", "y"], into: "a", on: one)
            try put(["x", "z"], into: "b", on: other)
            exchange([one, other])
            let found = try contents(one)
            #expect(try contents(other) == found)
            #expect(found.values.flatMap { $0 }.sorted() == ["x", "y", "z"], "\(found)")
            for device in [one, other] {
                #expect(try ReplicaVerification.of(device.store)?.differences == [])
            }
        }
    }

    @Test func `an object that moves to another set, or out of all, does so everywhere`() throws {
        try withDevices { one, other in
            try put(["x", "y"], into: "a", on: one)
            exchange([one, other])
            try put(["x"], into: "b", on: other)
            exchange([one, other])
            for device in [one, other] {
                let found = try contents(device)
                #expect(found == ["a": ["y"], "b": ["x"]], "\(found)")
            }
            try put([], into: "a", on: one)
            exchange([one, other])
            for device in [one, other] { #expect(try contents(device) == ["a": [], "b": ["x"]]) }
        }
    }

    @Test func `a set without inverse keeps its order, and takes its objects along`() throws {
        try withDevices { one, other in
            try put(["z", "x"], into: "a", "listed", on: one)
            exchange([one, other])
            try put(["x", "y", "z"], into: "a", "listed", on: other)
            exchange([one, other])
            for device in [one, other] {
                #expect(try contents(device, "listed") == ["a": ["x", "y", "z"], "b": []])
            }
            // Put in by one machine while the other deletes what it is put into.
            try put(["y", "x"], into: "a", "listed", on: one)
            let context = other.context()
            context.delete(try find("Box", "a", in: context))
            try context.save()
            exchange([one, other])
            for device in [one, other] {
                #expect(try device.context().all("Thing").isEmpty)
                #expect(try contents(device, "listed") == ["b": []])
            }
        }
    }

    @Test func `what was overruled can be put back`() throws {
        try withDevices { one, other in
            try put(["x"], into: "a", on: one)
            exchange([one, other])
            try put(["x", "y"], into: "b", on: other)
            try put(["x", "y"], into: "a", on: one)
            exchange([one, other])
            let overruled = try [one, other].flatMap { device in
                try ConflictJournal(of: device.store, after: 0, limit: 100).entries.map { (device, $0) }
            }
            let (device, entry) = try #require(overruled.first)
            let before = try contents(device)
            _ = try ConflictUndo.undo(
                entry.noted.number, in: device.store,
                by: SaveOrigin(application: Device.application, process: "test", timestamp: 800_000_000))
            exchange([one, other])
            #expect(try contents(device) != before)
            #expect(try contents(one) == contents(other))
        }
    }

    /// Makes of the owners that a file keeps as registers pairs, as earlier builds wrote them.
    private func keepOwnersAsPairs(inFile path: String) throws {
        let connection = try SQLiteConnection(path: path, mode: .readWrite)
        var records: [[UInt8]: [Register]] = [:]
        let reading = try connection.prepare("SELECT id, registers FROM COFFER_RECORD")
        while try reading.step() {
            records[reading.blob(0)] = try RegisterContent.registers(in: reading.blob(1), from: .ownFile)
        }
        var count = 0
        for (id, registers) in records {
            for case .cell(let member, "Box.things", let cell) in registers {
                records[id]?.removeAll { $0.key == .cell(member, "Box.things") }
                guard let owner = cell.value.record else { continue }
                let key = PairKey(RelationshipName("Box", "things"), first: owner, second: member)
                let home = [owner.high, owner.low].flatMap { word in
                    (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
                }
                records[home]?.append(.pair(key, Stamped(true, cell.stamp)))
                count += 1
            }
        }
        #expect(count == 2)
        for (id, registers) in records {
            let statement = try connection.prepare("UPDATE COFFER_RECORD SET registers = ?1 WHERE id = ?2")
            try statement.bind(try RegisterContent.bytes(of: registers), at: 1)
            try statement.bind(id, at: 2)
            try statement.run()
        }
        try connection.execute("DELETE FROM COFFER_PEER WHERE name = 'digest'")
    }

    @Test func `members that an earlier build kept as pairs stay with their owners`() throws {
        try withSharedFolder { shared in
            let model = try boxes()
            let other = try shared.device("other", model)
            func edit(_ device: Device, _ body: (ManagedObjectContext) throws -> Void) throws {
                let context = device.context()
                try body(context)
                try context.save()
            }
            do {
                let one = try shared.device("one", model)
                try edit(one) { context in
                    let things = try ["x", "y"].map { try context.make("Thing", ["name": .string($0)]) }
                    try context.make("Box", ["name": "a"]).setObjects(things, forKey: "things")
                }
                exchange([one, other])
                try one.close()
                try keepOwnersAsPairs(inFile: one.folder + "/Store.sqlite")
            }
            func expectMembers(_ one: Device, _ box: String) throws {
                #expect(try contents(one) == [box: ["x", "y"]])
                #expect(try ReplicaVerification.of(one.store)?.differences == [])
            }
            // The owner is written alone, and then a member comes from elsewhere.
            do {
                let one = try shared.device("one", model)
                try edit(one) { try find("Box", "a", in: $0).setValue("b", forKey: "name") }
                one.run()
                try expectMembers(one, "b")
                try one.close()
            }
            let again = try shared.device("one", model)
            try edit(other) { try find("Thing", "x", in: $0).setValue("x", forKey: "name") }
            // The other machine never had the pairs, so that digests are not compared.
            for _ in 0..<3 { for device in [again, other] { device.run() } }
            try expectMembers(again, "b")
            try expectMembers(other, "b")
        }
    }
}
