import Coffer
import CofferCoordination
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferUbiquity
import ContextSupport
import TestSupport
import Testing

@Suite("What a store keeps for others is compared with its rows")
struct VerificationTests {
    private func withDevice(_ body: (Device) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let root = "\(folder)/root"
            _ = try Folder.make(at: root)
            try body(try Device(teams(), in: "\(folder)/one", sharing: root, clock: TestClock()))
        }
    }

    private func fill(_ device: Device) throws {
        let context = device.context()
        let tag = try context.make("Tag", ["name": "new"])
        let team = try context.make("Team", ["name": "red", "code": "R"])
        let people = try (0..<5).map { try context.make("Person", ["name": .string("p\($0)")]) }
        try team.setObjects(people, forKey: "people")
        for person in people { try person.setObjects([tag], forKey: "tags") }
        try context.save()
    }

    private func change(_ store: PersistentStore, _ statement: String) throws {
        try store.write { writer throws(StoreError) in
            do throws(SQLiteError) {
                try writer.connection.execute(statement)
            } catch {
                throw .malformedRequest("\(error)")
            }
        }
    }

    @Test(
        "A digest that an earlier program left as it was, or did not write, is made of the registers",
        arguments: [
            "UPDATE COFFER_PEER SET value = zeroblob(16) || randomblob(32) WHERE name = 'digest'",
            "DELETE FROM COFFER_PEER WHERE name = 'digest'",
        ])
    func formerDigest(_ statement: String) throws {
        try withDevice { device in
            try fill(device)
            device.run()
            let digest = device.status.digest
            try change(device.store, statement)
            #expect(try ReplicaReading.of(device.store).digest == digest)
            #expect(try ReplicaVerification.of(device.store)?.differences == [])
        }
    }

    @Test("A store that was never shared keeps nothing")
    func nothingKept() throws {
        try withDevice { device in
            try fill(device)
            #expect(try ReplicaVerification.of(device.store) == nil)
        }
    }

    @Test("Nothing differs after a fold, what is saved later is not compared, and nothing is written")
    func nothingDiffers() throws {
        try withDevice { device in
            try fill(device)
            device.run()
            let number = device.store.number
            let found = try #require(try ReplicaVerification.of(device.store))
            #expect(found.objectCount == 7 && found.unfoldedCount == 0 && found.differences == [])
            #expect(found.digest == device.status.digest)
            let context = device.context()
            try context.all("Person")[0].setValue(40, forKey: "age")
            context.delete(try context.all("Tag")[0])
            try context.make("Person", ["name": "late"])
            try context.save()
            let later = try #require(try ReplicaVerification.of(device.store))
            #expect(later.unfoldedCount >= 3 && later.differences == [], "\(later)")
            #expect(device.store.number == number + 1)
            device.run()
            let last = try #require(try ReplicaVerification.of(device.store))
            #expect(last.objectCount == 7 && last.unfoldedCount == 0 && last.differences == [], "\(last)")
        }
    }

    @Test(
        "What was changed behind the registers is told",
        arguments: [
            ("UPDATE ZPERSON SET ZNAME = 'x' WHERE Z_PK = 1", 1, "says something else"),
            ("UPDATE ZPERSON SET ZTEAM = NULL WHERE Z_PK = 2", 2, "says something else"),
            ("DELETE FROM ZTAG", 1, "no row does"),
            ("DELETE FROM COFFER_RECORD WHERE entity = 'Team'", 1, "no register says anything"),
            (
                "UPDATE COFFER_PEER SET value = zeroblob(16) || substr(value, 17) WHERE name = 'digest'", 1,
                "another digest than the file says"
            ),
        ])
    func differencesAreTold(_ statement: String, count: Int, words: String) throws {
        try withDevice { device in
            try fill(device)
            device.run()
            try change(device.store, statement)
            let found = try #require(try ReplicaVerification.of(device.store))
            #expect(found.differenceCount >= count, "\(found)")
            #expect(found.differences.contains { $0.contains(words) }, "\(found)")
        }
    }
}
