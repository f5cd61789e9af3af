import Coffer
import CofferLinux
import CofferModel
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

@Suite("What another store of the machine holds")
struct AdoptedContentTests {
    private func people() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Person") {
                Field("name", .string)
                Field("text", .string).optional()
                Field("picture", .binary).optional().externalStorage()
                Unique("name")
            }
        }
    }

    private func save(_ name: String, _ values: [String: AttributeValue], on device: Device) throws {
        let context = device.context()
        let person = try context.insert(entityNamed: "Person")
        try person.setValue(.string(name), forKey: "name")
        for (key, value) in values { try person.setValue(value, forKey: key) }
        try context.save()
    }

    private func names(_ device: Device) throws -> [String] { try device.context().texts("Person", "name") }

    /// Makes a device join what a store holds that is not shared.
    private func join(_ local: Device, into device: Device, _ clock: TestClock) throws {
        device.work.adopt(try AdoptableContent(of: local.store, at: clock.now())) {}
        device.run()
    }

    @Test func `is joined once, with its large values, and goes to other machines`() throws {
        try withSharedFolder { folder in
            let model = try people()
            let one = try folder.device("one", model)
            let other = try folder.device("other", model)
            // Its work is never done.
            let local = try folder.device("local", model)
            let picture = AttributeValue.binary(
                (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
            try save("both", ["text": .string("here")], on: one)
            exchange([one, other])
            try save("both", [:], on: local)
            try save("apart", ["picture": picture], on: local)
            for _ in 0..<2 {
                try join(local, into: one, folder.clock)
                exchange([one, other])
                for device in [one, other] {
                    #expect(try names(device) == ["apart", "both"])
                    let context = device.context()
                    let people = try context.all("Person")
                    let apart = try #require(people.first { $0["name"] == .string("apart") })
                    let isSame = apart["picture"] == picture
                    #expect(isSame)
                    let both = try #require(people.first { $0["name"] == .string("both") })
                    #expect(both["text"] == .string("here"))
                }
            }
            let folds = one.status.lastFold
            try join(local, into: one, folder.clock)
            #expect(one.status.lastFold == folds, "nothing of it is news")
            try save("later", [:], on: local)
            try join(local, into: one, folder.clock)
            exchange([one, other])
            #expect(try names(other) == ["apart", "both", "later"])
        }
    }

    @Test func `has many large values, and all come`() throws {
        try withSharedFolder { folder in
            let model = try people()
            let one = try folder.device("one", model)
            let other = try folder.device("other", model)
            let local = try folder.device("local", model)
            for number in 0..<18 {
                let picture = AttributeValue.binary([UInt8](repeating: UInt8(number), count: 120_000))
                try save("\(number)", ["picture": picture], on: local)
            }
            try join(local, into: one, folder.clock)
            exchange([one, other])
            for device in [one, other] {
                let context = device.context()
                let people = try context.all("Person")
                #expect(people.count == 18)
                let others = people.filter { person in
                    guard case .binary(let bytes) = person["picture"] else { return true }
                    return bytes.count != 120_000 || "\(bytes[0])" != person["name"].text
                }
                #expect(others.isEmpty)
            }
            #expect(try Folder(at: local.folder).names().allSatisfy { !$0.contains(".values") })
        }
    }
}
