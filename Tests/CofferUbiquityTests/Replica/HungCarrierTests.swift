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

@Suite("A container that does not answer")
struct HungCarrierTests {
    /// A folder whose reading hangs until the test lets it go on, as on a network that went away.
    private struct HungCarrier: ContainerCarrier {
        let folder: FolderCarrier
        let gate = ConditionLock((isOpen: false, hanging: 0, ended: 0))

        var traits: CarrierTraits { folder.traits }
        func look() throws(CarrierError) -> ContainerSighting { try folder.look() }
        func list() throws(CarrierError) -> CarrierListing { try folder.list() }
        func put(_ object: ContainerObject) throws(CarrierError) { try folder.put(object) }
        func remove(_ names: [ObjectName]) throws(CarrierError) { try folder.remove(names) }
        func putRootMarker(_ object: ContainerObject) throws(CarrierError) {
            try folder.putRootMarker(object)
        }
        func watch(
            _ body: @escaping @Sendable (CarrierHint) -> Void
        ) throws(CarrierError) -> any CarrierWatch {
            try folder.watch(body)
        }

        func get(_ name: ObjectName) throws(CarrierError) -> [UInt8]? {
            gate.withLock { $0.hanging += 1 }
            gate.broadcast()
            gate.wait { $0.isOpen ? () : nil }
            defer {
                gate.withLock { $0.ended += 1 }
                gate.broadcast()
            }
            return try folder.get(name)
        }

        func waitUntilHung() -> Bool {
            gate.wait(timeout: .seconds(60)) { $0.hanging > 0 ? true : nil } ?? false
        }

        func waitUntilAnswered() -> Bool {
            gate.wait(timeout: .seconds(60)) { $0.ended > 0 ? true : nil } ?? false
        }

        func open() {
            gate.withLock { $0.isOpen = true }
            gate.broadcast()
        }
    }

    @Test("Sharing ends at once, the store closes, and what comes late changes nothing")
    func stopping() throws {
        try withTemporaryFolder { folder in
            let (clock, root) = (TestClock(), "\(folder)/root")
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let model = try teams()
            let other = try Device(model, in: "\(folder)/other", sharing: root, clock: clock)
            let context = other.context()
            try context.make("Person", ["name": "Ada"])
            try context.save()
            other.run()

            let one = try Device(model, in: "\(folder)/one", sharing: root, clock: clock)
            let carrier = HungCarrier(
                folder: try FolderCarrier(root: root, path: "\(Device.application)/Store"))
            var environment = UbiquitousStore.Environment { clock.now() }
            environment.report = { event in
                if case .imported = event { Issue.record("something came in after the end") }
            }
            let shared = try UbiquitousStore(one.store, named: "Store", over: carrier, in: environment)
            #expect(carrier.waitUntilHung())
            shared.stop()
            #expect(!shared.waitForCarrier(timeout: .milliseconds(10)), "its thread is left behind")
            // Another one takes its place meanwhile.
            one.run()
            #expect(try contents(of: one) == contents(of: other))
            let number = one.store.number
            carrier.open()
            #expect(shared.waitForCarrier(timeout: .seconds(60)))
            #expect(one.store.number == number)
            try one.close()
            try other.close()
        }
    }

    @Test("A store is closed while its container hangs")
    func closing() throws {
        try withTemporaryFolder { folder in
            let (clock, root) = (TestClock(), "\(folder)/root")
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let model = try teams()
            let other = try Device(model, in: "\(folder)/other", sharing: root, clock: clock)
            let context = other.context()
            try context.make("Person", ["name": "Ada"])
            try context.save()
            other.run()
            let carrier = HungCarrier(
                folder: try FolderCarrier(root: root, path: "\(Device.application)/Store"))
            try { () throws in
                let one = try Device(model, in: "\(folder)/one", sharing: root, clock: clock)
                let shared = try UbiquitousStore(
                    one.store, named: "Store", over: carrier,
                    in: UbiquitousStore.Environment { clock.now() })
                #expect(carrier.waitUntilHung())
                shared.stop()
                try one.close()
            }()
            // Its thread hangs still, and keeps no file.
            let again = try Device(model, in: "\(folder)/one", sharing: root, clock: clock)
            #expect(try contents(of: again).isEmpty)
            carrier.open()
            #expect(carrier.waitUntilAnswered())
            again.run()
            #expect(try contents(of: again) == contents(of: other))
            try again.close()
        }
    }
}
