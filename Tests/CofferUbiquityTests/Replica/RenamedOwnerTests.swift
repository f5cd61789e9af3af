import Coffer
import CofferModel
import CofferStores
import CofferUbiquity
import ContextSupport
import Synchronization
import TestSupport
import Testing

@Suite("An owner of many that gets another name")
struct RenamedOwnerTests {
    private let count = 300

    @Test func `has none of its members read, on the machine that saved it and on others`() throws {
        let told = Mutex<[SQLDebugEntry]>([])
        let debug = SQLDebug(level: 0) { entry in told.withLock { $0.append(entry) } }
        var options = StoreOptions()
        options.sqlDebug = debug
        try withSharedFolder { shared in
            let devices = try ["one", "other"].map { name in
                try Device(
                    teams(), in: "\(shared.folder)/\(name)", sharing: "\(shared.folder)/root",
                    clock: shared.clock, options: options)
            }
            let context = devices[0].context()
            let people = try (0..<count).map { try context.make("Person", ["name": .string("p\($0)")]) }
            // One has its members in an order, the other shares them with others of its kind.
            let owners = [
                try context.make("Team", ["name": "team"]), try context.make("Tag", ["name": "tag"]),
            ]
            for owner in owners { try owner.setObjects(people, forKey: "people") }
            try context.save()
            exchange(devices)
            for owner in owners { owner["name"] = "new" }
            try context.save()
            debug.level = 1
            exchange(devices)
            debug.level = 0
            let most = try #require(told.withLock { $0.max { $0.rows < $1.rows } })
            #expect(most.rows < count, "\(most.sql)")
            for device in devices {
                let owners = try contents(of: device, ["Team", "Tag"])
                #expect(owners.count == 2 && owners.allSatisfy { $0.contains("new") && $0.contains("p299") })
                #expect(try ReplicaVerification.of(device.store)?.differences == [])
            }
        }
    }

    @Test func `and another member in one save has both on all machines`() throws {
        try withSharedFolder { shared in
            let devices = [try shared.device("one", teams()), try shared.device("other", teams())]
            let context = devices[0].context()
            let people = try (0..<4).map { try context.make("Person", ["name": .string("p\($0)")]) }
            let owners = [
                try context.make("Team", ["name": "team"]), try context.make("Tag", ["name": "tag"]),
            ]
            for owner in owners { try owner.setObjects(Array(people[..<3]), forKey: "people") }
            try context.save()
            exchange(devices)
            for owner in owners {
                owner["name"] = "new"
                try owner.setObjects([people[3], people[1], people[0]], forKey: "people")
            }
            try context.save()
            exchange(devices)
            for device in devices {
                #expect(
                    try contents(of: device, ["Team"]).first?.contains(
                        #"people=["string(\"p3\")", "string(\"p1\")", "string(\"p0\")"]"#) ?? false)
                #expect(try contents(of: device, ["Tag"]) == contents(of: devices[0], ["Tag"]))
                #expect(try ReplicaVerification.of(device.store)?.differences == [])
            }
        }
    }
}
