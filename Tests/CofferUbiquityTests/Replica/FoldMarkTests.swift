import Coffer
import CofferContainer
import CofferCoordination
import CofferMerge
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

/// How far saves are on their way to other machines.
@Suite struct FoldMarkTests {
    @Test func `a save is folded, exported, and seen once the other machine has told so`() throws {
        try withSharedFolder { shared in
            let model = try teams()
            let (one, other) = (try shared.device("one", model), try shared.device("other", model))
            exchange([one, other])
            let context = one.context()
            try context.make("Person", ["name": "Ada"])
            try context.save()
            let number = one.store.number
            #expect(one.status.folded < number)
            one.run()
            #expect(one.status.folded >= number && one.status.exported >= number)
            let peer = try #require(other.status.peer)
            #expect(one.status.seenTransactions[peer] ?? 0 < number)
            other.run()
            // What tells it is a log of the other's.
            let elsewhere = other.context()
            try elsewhere.make("Tag", ["name": "seen"])
            try elsewhere.save()
            other.run()
            one.run()
            #expect(one.status.seenTransactions[peer] ?? 0 >= number)
        }
    }

    @Test func `what a container does not take is folded and not exported, and said to be missing`() throws {
        try withSharedFolder { shared in
            let device = try shared.device("one", try teams())
            device.run()
            let root = "\(shared.folder)/root"
            try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            let context = device.context()
            try context.make("Person", ["name": "Ada"])
            try context.save()
            device.run()
            let number = device.store.number
            #expect(device.status.folded >= number && device.status.exported < number)
            #expect(device.status.missing.contains { $0.contains("not in the container") })
            #expect(device.status.missing.contains { $0.contains("cannot be reached") })
            try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
            device.run()
            #expect(device.status.exported >= number && device.status.missing.isEmpty)
        }
    }

    @Test func `after a restart the same is said once the container was looked at`() throws {
        try withSharedFolder { shared in
            let model = try teams()
            let number = try { () throws -> UInt64 in
                let device = try shared.device("one", model)
                let context = device.context()
                try context.make("Person", ["name": "Ada"])
                try context.save()
                device.run()
                defer { try? device.close() }
                return device.store.number
            }()
            let again = try shared.device("one", model)
            again.run()
            #expect(again.status.folded >= number && again.status.exported >= number)
            #expect(again.status.sentByteCount > 0)
        }
    }
}
