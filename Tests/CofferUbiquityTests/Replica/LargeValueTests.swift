import Coffer
import CofferContainer
import CofferCoordination
import CofferModel
import CofferSQLite
import CofferStores
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

@Suite("Large values of a store that machines share")
struct LargeValueTests {
    private let clock = TestClock()

    /// Documents with texts and pictures, which may be large.
    private func documents() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Person") {
                Field("name", .string)
                Field("text", .string).optional()
                Field("picture", .binary).optional().externalStorage()
                Unique("name")
            }
        }
    }

    private func withDevices(
        _ quota: Quota = Quota(), _ body: (Device, Device, String) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let root = "\(folder)/root"
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let model = try documents()
            let one = try Device(model, in: "\(folder)/one", sharing: root, clock: clock) {
                QuotaCarrier($0, quota)
            }
            let other = try Device(model, in: "\(folder)/other", sharing: root, clock: clock)
            try body(one, other, root)
        }
    }

    /// Bytes that deflate makes no smaller.
    private func noise(_ count: Int, _ seed: UInt64) -> [UInt8] {
        var (state, bytes) = (seed, [UInt8]())
        bytes.reserveCapacity(count + 4)
        while bytes.count < count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // The upper half is the random one.
            for shift: UInt64 in [32, 40, 48, 56] { bytes.append(UInt8(truncatingIfNeeded: state >> shift)) }
        }
        return Array(bytes[..<count])
    }

    /// Whether a device shows `bytes` as the picture of a person.
    private func picture(of name: String, on device: Device, is bytes: [UInt8]?) throws -> Bool {
        let context = device.context()
        let person = try #require(try context.all("Person").first { $0["name"] == .string(name) })
        return person["picture"] == (bytes.map { .binary($0) } ?? .null)
    }

    private func setText(_ text: String, of name: String, on device: Device) throws {
        let context = device.context()
        let person = try #require(try context.all("Person").first { $0["name"] == .string(name) })
        try person.setValue(.string(text), forKey: "text")
        try context.save()
    }

    private func text(of name: String, on device: Device) throws -> String? {
        let context = device.context()
        guard
            case .string(let text)? = try context.all("Person").first(where: { $0["name"] == .string(name) }
            )?[
                "text"]
        else { return nil }
        return text
    }

    private func values(in root: String) throws -> [String] {
        let folder = "\(root)/\(Device.application)/Store/data"
        return (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    /// The logs of a container.
    private func logs(in root: String) throws -> Set<String> {
        let place = "\(Device.application)/Store"
        let objects = try FolderCarrier(root: root, path: place).list().objects
        let logs = objects.filter { if case .log = $0.identity { true } else { false } }
        return Set(logs.map { "\(root)/\(place)/\($0)" })
    }

    /// Lets more than a week pass, day by day.
    private func passWeek(on device: Device) {
        for _ in 0..<9 {
            clock.pass(days: 1)
            device.run()
        }
    }

    /// How many pieces a store keeps for its container.
    private func owedPieces(of device: Device) throws -> Int64 {
        let count = try device.store.file.makeReader().prepare("SELECT count(*) FROM COFFER_PIECE")
        #expect(try count.step())
        return count.int64(0)
    }

    @Test("A value of many megabytes comes whole, in pieces beside the log")
    func largeValueComes() throws {
        try withDevices { one, other, root in
            let (picture, text) = (noise(9_000_000, 1), String(repeating: "äb", count: 100_000))
            let context = one.context()
            _ = try context.make(
                "Person", ["name": "Ada", "picture": .binary(picture), "text": .string(text)])
            try context.save()
            exchange([one, other])
            #expect(try values(in: root).count == 3)
            #expect(other.status.missingValueCount == 0)
            #expect(try self.picture(of: "Ada", on: other, is: picture))
            #expect(try self.text(of: "Ada", on: other)?.utf8.count == text.utf8.count)
            // What is edited beside it is all that goes.
            try setText("short", of: "Ada", on: other)
            exchange([other, one])
            #expect(try self.text(of: "Ada", on: one) == "short")
            #expect(try self.picture(of: "Ada", on: one, is: picture))
            #expect(try values(in: root).count == 3)
        }
    }

    @Test("A save of more than an object has room for becomes several logs")
    func manyValuesAreCut() throws {
        try withDevices { one, other, root in
            let context = one.context()
            for number in 0..<120 {
                _ = try context.make(
                    "Person",
                    [
                        "name": .string("p\(number)"),
                        "picture": .binary(noise(90_000, UInt64(number))),
                    ])
            }
            try context.save()
            exchange([one, other])
            for number in 0..<120 {
                let isThere = try picture(of: "p\(number)", on: other, is: noise(90_000, UInt64(number)))
                #expect(isThere)
            }
            #expect(try values(in: root).isEmpty)
            #expect(one.status.differing.isEmpty && other.status.differing.isEmpty)
        }
    }

    @Test("A value that has not come is null, which counts as nobody's edit, and comes later")
    func valueComesLater() throws {
        try withDevices { one, other, root in
            let picture = noise(200_000, 7)
            let context = one.context()
            _ = try context.make("Person", ["name": "Ada", "picture": .binary(picture)])
            try context.save()
            one.run()
            let folder = "\(root)/\(Device.application)/Store/data"
            try FileManager.default.moveItem(atPath: folder, toPath: "\(root)/away")
            other.run()
            #expect(try self.picture(of: "Ada", on: other, is: nil))
            #expect(other.status.missingValueCount == 1)
            try setText("edited meanwhile", of: "Ada", on: other)
            other.run()
            try FileManager.default.removeItem(atPath: folder, ifExists: true)
            try FileManager.default.moveItem(atPath: "\(root)/away", toPath: folder)
            exchange([other, one])
            for device in [one, other] {
                #expect(try self.picture(of: "Ada", on: device, is: picture))
                #expect(try text(of: "Ada", on: device) == "edited meanwhile")
            }
            #expect(other.status.missingValueCount == 0)
        }
    }

    @Test("Whoever has a value puts it again where its object is missing or damaged")
    func valueIsPutAgain() throws {
        try withDevices { one, other, root in
            let picture = noise(200_000, 9)
            let context = one.context()
            _ = try context.make("Person", ["name": "Ada", "picture": .binary(picture)])
            try context.save()
            one.run()
            let folder = "\(root)/\(Device.application)/Store/data"
            let name = try #require(try values(in: root).first)
            let whole = try #require(FileManager.default.contents(atPath: "\(folder)/\(name)"))
            var damaged = whole
            damaged[whole.count / 2] ^= 1
            try damaged.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            other.run()
            #expect(try self.picture(of: "Ada", on: other, is: nil))
            #expect(other.status.quarantined.keys.map { "\($0)" } == ["data/\(name)"])
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            exchange([one, other])
            #expect(try values(in: root) == [name])
            #expect(try self.picture(of: "Ada", on: other, is: picture))
            #expect(other.status.quarantined.isEmpty)
        }
    }

    @Test("A value for which there was no room survives that others delete its object, and bring it back")
    func valueOfObjectThatComesBack() throws {
        let quota = Quota()
        try withDevices(quota) { one, other, root in
            let context = one.context()
            let ada = try context.make("Person", ["name": "Ada"])
            try context.save()
            exchange([one, other])
            let (theirs, late) = (other.context(), other.context())
            (late.automaticallyMergesChanges, late.mergePolicy) = (false, .overwrite)
            let held = try #require(try late.all("Person").first)
            #expect(held["name"] == "Ada")
            let known = try logs(in: root)
            theirs.delete(try #require(try theirs.all("Person").first))
            try theirs.save()
            other.run()
            let deletion = try logs(in: root).subtracting(known)
            // A context that has not heard of that makes the object come back.
            try held.setValue("here again", forKey: "text")
            try late.save()
            other.run()
            // The first machine learns that piece by piece, and its edits are the later ones.
            let further = try logs(in: root).subtracting(known).subtracting(deletion)
            #expect(!deletion.isEmpty && !further.isEmpty)
            for log in deletion.union(further) {
                try FileManager.default.moveItem(atPath: log, toPath: "\(log).away")
            }
            for number in 1...4 {
                try ada.setValue(.binary(noise(100, UInt64(number))), forKey: "picture")
                try context.save()
                one.run()
            }
            for log in deletion { try FileManager.default.moveItem(atPath: "\(log).away", toPath: log) }
            let picture = noise(9_000_000, 5)
            quota.refuses { $0 == .data }
            try ada.setValue(.binary(picture), forKey: "picture")
            try context.save()
            one.run()
            #expect(try one.context().all("Person").isEmpty)
            for log in further { try FileManager.default.moveItem(atPath: "\(log).away", toPath: log) }
            other.run()
            one.run()
            #expect(try self.picture(of: "Ada", on: one, is: picture))
            #expect(try self.picture(of: "Ada", on: other, is: nil))
            quota.refuses { _ in false }
            exchange([one, other])
            for device in [one, other] {
                #expect(try self.picture(of: "Ada", on: device, is: picture))
                #expect(device.status.missingValueCount == 0)
            }
            #expect(try owedPieces(of: one) == 2)
            passWeek(on: one)
            #expect(try owedPieces(of: one) == 0)
        }
    }

    @Test("A value for which there was no room goes to the container, though others deleted its object")
    func valueOfDeletedObject() throws {
        let quota = Quota()
        try withDevices(quota) { one, other, root in
            let context = one.context()
            let ada = try context.make("Person", ["name": "Ada"])
            try context.save()
            exchange([one, other])
            let theirs = other.context()
            theirs.delete(try #require(try theirs.all("Person").first))
            try theirs.save()
            quota.refuses { $0 == .data }
            try ada.setValue(.binary(noise(9_000_000, 6)), forKey: "picture")
            try context.save()
            exchange([other, one])
            #expect(try one.context().all("Person").isEmpty)
            #expect(try values(in: root).isEmpty)
            #expect(try owedPieces(of: one) == 2)
            quota.refuses { _ in false }
            one.run()
            let pieces = try values(in: root)
            #expect(pieces.count == 2)
            // What the carrier loses before it was anywhere is put again.
            for piece in pieces {
                try FileManager.default.removeItem(
                    atPath: "\(root)/\(Device.application)/Store/data/\(piece)")
            }
            for _ in 0..<2 { one.run() }
            #expect(try values(in: root).sorted() == pieces.sorted())
            passWeek(on: one)
            #expect(try owedPieces(of: one) == 0)
        }
    }

    @Test("A value that is owed to the container goes along into a store that takes the place of its own")
    func owedValueOfFormerStore() throws {
        let quota = Quota()
        try withDevices(quota) { one, other, root in
            let context = one.context()
            let ada = try context.make("Person", ["name": "Ada"])
            try context.save()
            exchange([one, other])
            let theirs = other.context()
            theirs.delete(try #require(try theirs.all("Person").first))
            try theirs.save()
            quota.refuses { $0 == .data }
            try ada.setValue(.binary(noise(9_000_000, 6)), forKey: "picture")
            try context.save()
            exchange([other, one])
            #expect(try owedPieces(of: one) == 2)
            other.work.adopt(try AdoptableContent(of: one.store, at: WallTime(microseconds: 0))) {}
            other.run()
            #expect(try owedPieces(of: other) == 2)
            #expect(try values(in: root).isEmpty == false, "the other machine has room")
            other.run()
            #expect(try values(in: root).count == 2)
        }
    }

    @Test("Objects that become one keep the large value of the later edit, whoever's row stays")
    func mergedObjectsKeepTheValue() throws {
        try withDevices { one, other, root in
            let (early, late) = (noise(150_000, 3), noise(150_000, 4))
            let context = one.context()
            _ = try context.make("Person", ["name": "Ada", "picture": .binary(early)])
            try context.save()
            let second = other.context()
            _ = try second.make("Person", ["name": "Ada", "picture": .binary(late)])
            try second.save()
            exchange([one, other])
            for device in [one, other] {
                #expect(try device.context().all("Person").count == 1)
            }
            let isLate = try picture(of: "Ada", on: one, is: late)
            #expect(try isLate || picture(of: "Ada", on: one, is: early))
            #expect(try picture(of: "Ada", on: other, is: isLate ? late : early))
        }
    }
}

extension FileManager {
    fileprivate func removeItem(atPath path: String, ifExists: Bool) throws {
        if ifExists, !fileExists(atPath: path) { return }
        try removeItem(atPath: path)
    }
}
