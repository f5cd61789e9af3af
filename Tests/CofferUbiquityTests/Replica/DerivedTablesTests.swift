import Coffer
import CofferCoordination
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferUbiquity
import ContextSupport
import Synchronization
import TestSupport
import Testing

@Suite("What follows of registers is kept with them, so that they are not all read")
struct DerivedTablesTests {
    private let tables = ["COFFER_ROW", "COFFER_LINK", "COFFER_FACT", "COFFER_LARGE"]

    private func fill(_ device: Device, count: Int = 5) throws {
        let context = device.context()
        let tag = try context.make("Tag", ["name": "new"])
        let team = try context.make("Team", ["name": "red", "code": "R"])
        var people = try (0..<count).map { try context.make("Person", ["name": .string("p\($0)")]) }
        // One has a value that stands beside registers.
        people.append(try context.make("Person", ["name": .string(String(repeating: "p", count: 200_000))]))
        try team.setObjects(people, forKey: "people")
        for person in people { try person.setObjects([tag], forKey: "tags") }
        try context.save()
    }

    private func change(_ device: Device, _ statements: [String]) throws {
        try device.store.write { writer throws(StoreError) in
            do throws(SQLiteError) {
                for statement in statements { try writer.connection.execute(statement) }
            } catch {
                throw .malformedRequest("\(error)")
            }
        }
    }

    private func rows(_ device: Device) throws -> [Int64] {
        try device.store.write { writer throws(StoreError) in
            do throws(SQLiteError) {
                var counts: [Int64] = []
                for table in tables {
                    let statement = try writer.connection.prepare("SELECT count(*) FROM \(table)")
                    _ = try statement.step()
                    counts.append(statement.int64(0))
                }
                return counts
            } catch {
                throw .malformedRequest("\(error)")
            }
        }
    }

    @Test(
        "It is made again in a store that an earlier program wrote, or wrote to",
        arguments: [
            [
                "DROP TABLE COFFER_ROW", "DROP TABLE COFFER_LINK", "DROP TABLE COFFER_FACT",
                "DROP TABLE COFFER_LARGE",
                "DELETE FROM COFFER_PEER WHERE name = 'derived'",
            ],
            [
                "DELETE FROM COFFER_LINK", "DELETE FROM COFFER_ROW",
                "DELETE FROM COFFER_FACT",
                "UPDATE COFFER_PEER SET value = randomblob(32) WHERE name = 'derived'",
            ],
        ])
    func formerStore(_ statements: [String]) throws {
        try withSharedFolder { shared in
            var wanted: [Int64] = []
            try { () throws in
                let former = try shared.device("one", teams())
                try fill(former)
                former.run()
                wanted = try rows(former)
                #expect(wanted.allSatisfy { $0 > 0 })
                try change(former, statements)
                try former.close()
            }()
            let device = try shared.device("one", teams())
            #expect(device.tryRunning() == nil)
            let context = device.context()
            let person = try #require(context.all("Person").first)
            person["name"] = "other"
            try context.save()
            #expect(device.tryRunning() == nil)
            #expect(try rows(device) == wanted)
            #expect(try ReplicaVerification.of(device.store)?.differences == [])
        }
    }

    @Test("Opening a store, and a save of one object, look at a few records however many there are")
    func fewRecords() throws {
        let told = Mutex<[SQLDebugEntry]>([])
        let debug = SQLDebug(level: 0) { entry in told.withLock { $0.append(entry) } }
        var options = StoreOptions()
        options.sqlDebug = debug
        try withSharedFolder { shared in
            let count = 200
            try { () throws in
                let former = try shared.device("one", teams())
                let context = former.context()
                for number in 0..<count { try context.make("Person", ["name": .string("p\(number)")]) }
                try context.save()
                former.run()
                try former.close()
            }()
            debug.level = 1
            let device = try Device(
                teams(), in: "\(shared.folder)/one", sharing: "\(shared.folder)/root", clock: shared.clock,
                options: options)
            #expect(device.tryRunning() == nil)
            let context = device.context()
            debug.level = 0
            let person = try #require(context.all("Person").first)
            debug.level = 1
            person["name"] = "other"
            try context.save()
            #expect(device.tryRunning() == nil)
            debug.level = 0
            #expect(device.status.objectCount == count)
            let read = told.withLock { told in
                told.filter { $0.sql.contains("COFFER_") }.reduce(0) { $0 + $1.rows }
            }
            #expect(read > 0 && read < count, "\(read)")
        }
    }

    @Test(
        "What does not follow any more is told by a verification",
        arguments: [
            "DELETE FROM COFFER_ROW", "DELETE FROM COFFER_LINK", "DELETE FROM COFFER_FACT",
            "DELETE FROM COFFER_LARGE", "UPDATE COFFER_ROW SET shown = 0",
            "UPDATE COFFER_PEER SET value = 7 WHERE name = 'objectCount'",
        ])
    func difference(_ statement: String) throws {
        try withSharedFolder { shared in
            let device = try shared.device("one", teams())
            try fill(device)
            device.run()
            #expect(try ReplicaVerification.of(device.store)?.differences == [])
            try change(device, [statement])
            let differences = try #require(try ReplicaVerification.of(device.store)?.differences)
            #expect(differences.contains { $0.contains("do not follow") }, "\(differences)")
        }
    }

    @Test(
        "What nothing can be made of is made again",
        arguments: [
            "UPDATE COFFER_FACT SET value = x'00' WHERE kind = 11",
            "UPDATE OR REPLACE COFFER_LINK SET record = x'00'",
            "UPDATE COFFER_ROW SET record = x'00'", "DROP TABLE COFFER_LARGE",
        ])
    func damagedTables(_ statement: String) throws {
        try withSharedFolder { shared in
            try { () throws in
                let former = try shared.device("one", teams())
                try fill(former)
                former.run()
                try change(former, [statement])
                try former.close()
            }()
            let device = try shared.device("one", teams())
            let context = device.context()
            let team = try #require(context.all("Team").first)
            team["code"] = "B"
            try team.setObjects(Array(context.all("Person").prefix(2)), forKey: "people")
            try context.save()
            // It is found out once something of it is looked up.
            _ = device.tryRunning()
            #expect(device.tryRunning() == nil)
            #expect(device.status.failure == nil)
            #expect(try ReplicaVerification.of(device.store)?.differences == [])
            #expect(try rows(device).allSatisfy { $0 > 0 })
        }
    }
}
