import Coffer
import CofferContainer
import CofferCoordination
import CofferLinux
import CofferModel
import CofferStores
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

/// A machine that has much to read of others, while a user works with it.
@Suite struct LongReadingTests {
    /// A folder that tells of what is read, and notes in which order things were done.
    private struct ToldCarrier: ContainerCarrier {
        let folder: FolderCarrier
        let done = ConditionLock<[String]>([])
        let willGet: @Sendable (_ number: Int) -> Void

        var traits: CarrierTraits { folder.traits }
        func look() throws(CarrierError) -> ContainerSighting { try folder.look() }
        func list() throws(CarrierError) -> CarrierListing { try folder.list() }
        func remove(_ names: [ObjectName]) throws(CarrierError) { try folder.remove(names) }
        func putRootMarker(_ object: ContainerObject) throws(CarrierError) {
            try folder.putRootMarker(object)
        }
        func watch(
            _ body: @escaping @Sendable (CarrierHint) -> Void
        ) throws(CarrierError) -> any CarrierWatch {
            try folder.watch(body)
        }

        func put(_ object: ContainerObject) throws(CarrierError) {
            try folder.put(object)
            if case .log = object.identity { done.withLock { $0.append("put log") } }
        }

        func get(_ name: ObjectName) throws(CarrierError) -> [UInt8]? {
            let number = done.withLock { done in
                done.append("get")
                return done.count { $0 == "get" }
            }
            done.broadcast()
            willGet(number)
            return try folder.get(name)
        }
    }

    @Test func `what is saved meanwhile goes out before all is read`() throws {
        try withTemporaryFolder { folder in
            let (clock, root) = (TestClock(), "\(folder)/root")
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let model = try teams()
            let other = try Device(model, in: "\(folder)/other", sharing: root, clock: clock)
            let context = other.context()
            for number in 0..<12 {
                try context.make("Person", ["name": .string("person \(number)")])
                try context.save()
                other.run()
            }
            let one = try Device(model, in: "\(folder)/one", sharing: root, clock: clock)
            let makeContext = one.maker
            let carrier = ToldCarrier(
                folder: try FolderCarrier(root: root, path: "\(Device.application)/Store")
            ) { number in
                guard number == 4 else { return }
                let writer = makeContext()
                #expect(throws: Never.self) {
                    try writer.make("Person", ["name": "Ada"])
                    try writer.save()
                }
            }
            var environment = UbiquitousStore.Environment { clock.now() }
            environment.quiet = .zero
            environment.readsAtOnce = 5
            let shared = try UbiquitousStore(one.store, named: "Store", over: carrier, in: environment)
            #expect(
                carrier.done.wait(timeout: .seconds(60)) { $0.count { $0 == "get" } >= 12 ? true : nil }
                    ?? false)
            #expect(shared.waitForCarrier(timeout: .seconds(60)))
            shared.stop()
            let done = carrier.done.withLock { $0 }
            let put = try #require(done.firstIndex(of: "put log"))
            #expect(done.prefix(put).count { $0 == "get" } < 10, "\(done)")
            other.run()
            #expect(try contents(of: one) == contents(of: other))
            #expect(try contents(of: one).count == 13)
            try one.close()
            try other.close()
        }
    }
}
