import Coffer
import CofferContainer
import CofferCoordination
import CofferMerge
import CofferModel
import CofferSQLite
import CofferStores
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

@Suite("A shared store whose file or folder fails now and then")
struct FailingFileTests {
    private func withDevices(_ body: (Device, Device) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let (clock, root) = (TestClock(), "\(folder)/root")
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let model = try teams()
            let one = try Device(model, in: "\(folder)/one", sharing: root, clock: clock)
            let other = try Device(model, in: "\(folder)/other", sharing: root, clock: clock)
            try body(one, other)
        }
    }

    private func add(_ name: String, to device: Device) throws {
        let context = device.context()
        try context.make("Person", ["name": .string(name)])
        try context.save()
    }

    @Test("What a full disk kept from being folded is tried again soon, ever later, and then goes out")
    func fullDisk() throws {
        try withDevices { one, other in
            for device in [one, other] { device.run() }
            try add("Ada", to: one)
            one.store.file.vfs.inject(SQLiteFault(.full, at: .write, repeats: true))
            let pauses = (0..<8).map { _ in one.tryRunning() }
            #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { Duration.seconds($0) })
            #expect(one.status.failure != nil)
            one.store.file.vfs.clearFault()
            #expect(one.tryRunning() == nil)
            #expect(one.status.failure == nil)
            other.run()
            #expect(try contents(of: other) == contents(of: one))
            #expect(try contents(of: other).count == 1)
        }
    }

    @Test("A folder that is away is looked for soon, ever later, and then all goes out")
    func folderIsAway() throws {
        try withDevices { one, other in
            for device in [one, other] { device.run() }
            let root = "\(one.folder)/../root"
            try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            try add("Ada", to: one)
            for _ in 0..<2 {
                let pauses = (0..<8).map { _ in one.tryRunning() }
                #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { Duration.seconds($0) })
                #expect(one.status.condition == .away && one.status.failure == nil)
                try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
                #expect(one.tryRunning() == nil, "the next time it is looked for soon again")
                try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            }
            try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
            other.run()
            #expect(try contents(of: other) == contents(of: one))
            #expect(try contents(of: other).count == 1)
        }
    }

    @Test("Logs that are written already go out while nothing can be folded")
    func logsGoOut() throws {
        try withDevices { one, other in
            for device in [one, other] { device.run() }
            try add("Ada", to: one)
            one.run()
            let store = "\(one.folder)/../root/\(Device.application)/Store"
            for name in try FileManager.default.contentsOfDirectory(atPath: store)
            where name.hasPrefix("l-") { try FileManager.default.removeItem(atPath: "\(store)/\(name)") }
            try add("Bob", to: one)
            one.store.file.vfs.inject(SQLiteFault(.full, at: .write, repeats: true))
            #expect(one.tryRunning() != nil)
            other.run()
            #expect(try contents(of: other).count == 1, "what was lost is put again")
            one.store.file.vfs.clearFault()
        }
    }

    @Test("A log that was seen half-written is tried again soon, though nothing tells of it again")
    func halfWrittenLog() throws {
        try withDevices { one, other in
            try add("Ada", to: one)
            one.run()
            let store = "\(one.folder)/../root/\(Device.application)/Store"
            let name = try #require(
                FileManager.default.contentsOfDirectory(atPath: store).first { $0.hasPrefix("l-") })
            let log = URL(fileURLWithPath: "\(store)/\(name)")
            let whole = try Data(contentsOf: log)
            try whole.prefix(40).write(to: log)
            let pause = try #require(other.tryRunning())
            #expect(pause > .zero && pause <= .seconds(10), "\(pause)")
            #expect(other.status.missing.contains { $0.contains(name) })
            try whole.write(to: log)
            // Each look at its clock takes a second.
            while try contents(of: other).isEmpty, other.tryRunning() != nil {}
            #expect(try contents(of: other) == contents(of: one))
            #expect(other.tryRunning() == nil)
        }
    }

    @Test("Records of its own that cannot be read stand in the status with the reason")
    func unreadableRecords() throws {
        try withTemporaryFolder { folder in
            let (clock, root) = (TestClock(), "\(folder)/root")
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let model = try teams()
            try { () throws in
                let one = try Device(model, in: "\(folder)/one", sharing: root, clock: clock)
                try add("Ada", to: one)
                one.run()
                try one.store.write { writer throws(StoreError) in
                    do throws(SQLiteError) {
                        try writer.connection.execute("UPDATE COFFER_RECORD SET registers = x'ff00'")
                    } catch {
                        throw StoreError(error)
                    }
                }
                try one.close()
            }()
            let again = try Device(model, in: "\(folder)/one", sharing: root, clock: clock)
            // What has nothing to do with them goes out.
            try add("Bob", to: again)
            #expect(again.tryRunning() == nil)
            let exported = again.status.exported
            #expect(exported > 0)
            let context = again.context()
            let ada = try #require(context.all("Person").first { $0["name"] == .string("Ada") })
            ada["name"] = "Eve"
            try context.save()
            _ = again.tryRunning()
            #expect(again.status.failure?.contains("damaged") == true)
            #expect(again.status.missing.contains { $0.contains("damaged") })
            #expect(again.status.exported == exported)
            #expect { try ReplicaVerification.of(again.store) } throws: { "\($0)".contains("damaged") }
        }
    }

    @Test("A number of a transaction that never was has all rows compared", arguments: [-5, 99_999])
    func strangeNumber(_ number: Int64) throws {
        try withTemporaryFolder { folder in
            let (clock, root) = (TestClock(), "\(folder)/root")
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let model = try teams()
            try { () throws in
                let one = try Device(model, in: "\(folder)/one", sharing: root, clock: clock)
                try add("Ada", to: one)
                one.run()
                try one.store.write { writer throws(StoreError) in
                    do throws(SQLiteError) {
                        try writer.connection.execute(
                            "UPDATE COFFER_PEER SET value = \(number) WHERE name = 'folded'")
                    } catch {
                        throw StoreError(error)
                    }
                }
                try one.close()
            }()
            let again = try Device(model, in: "\(folder)/one", sharing: root, clock: clock)
            try add("Bob", to: again)
            again.run()
            let other = try Device(model, in: "\(folder)/other", sharing: root, clock: clock)
            other.run()
            #expect(try contents(of: other) == contents(of: again))
            #expect(try contents(of: other).count == 2)
            #expect(again.status.digest == other.status.digest)
        }
    }
}
