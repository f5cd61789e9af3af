import Coffer
import CofferMerge
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

@Suite("A store whose file was copied or put back")
struct CopiedFileTests {
    private func insert(_ name: String, into device: Device) throws {
        let context = device.context()
        try context.make("Person", ["name": .string(name)])
        try context.save()
    }

    /// Makes a device save something and exchange; gives the id under which it wrote.
    private func save(_ name: String, on device: String, in shared: SharedFolder) throws -> PeerID? {
        let device = try shared.device(device, teams())
        try insert(name, into: device)
        device.run()
        try device.close()
        return device.status.peer
    }

    private func copy(_ device: String, to other: String, in shared: SharedFolder) throws {
        let files = FileManager.default
        try? files.removeItem(atPath: "\(shared.folder)/\(other)")
        try files.copyItem(atPath: "\(shared.folder)/\(device)", toPath: "\(shared.folder)/\(other)")
    }

    @Test func `a copy writes under an id of its own from its first fold on`() throws {
        try withSharedFolder { shared in
            let peer = try save("Ada", on: "one", in: shared)
            try copy("one", to: "copy", in: shared)
            let one = try shared.device("one", teams())
            let other = try shared.device("copy", teams())
            try insert("Bob", into: one)
            try insert("Eve", into: other)
            one.run()
            #expect(one.status.peer == peer, "whoever stayed where it was goes on")
            other.run()
            #expect(other.status.peer != peer)
            #expect(other.status.lastFold == 1, "nothing of the copy went out under the id of the other")
            exchange([one, other])
            #expect(try contents(of: one, ["Person"]).count == 3)
            #expect(try contents(of: one) == contents(of: other))
        }
    }

    @Test func `a backup that was put back takes what came after it from the folder`() throws {
        try withSharedFolder { shared in
            let peer = try save("Ada", on: "one", in: shared)
            try copy("one", to: "backup", in: shared)
            _ = try save("Bob", on: "one", in: shared)
            try copy("backup", to: "one", in: shared)
            let one = try shared.device("one", teams())
            try insert("Eve", into: one)
            exchange([one])
            #expect(one.status.peer != peer)
            let names = try contents(of: one, ["Person"])
            #expect(names.count == 3, "\(names)")
            #expect(one.status.unreadCount == 0, "what it wrote under its former id is not waited for")
            let other = try shared.device("other", teams())
            exchange([one, other])
            #expect(try contents(of: other) == contents(of: one))
        }
    }
}
