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

/// Random saves on several machines that exchange now and then: at the end all show the same.
@Suite("Random saves on several machines")
struct RandomSharingTests {
    @Test("All machines show the same at the end, whatever was saved where", arguments: Seed.several(12))
    func machinesConverge(_ seed: Seed) throws {
        var random = seed.generator()
        try withTemporaryFolder { folder in
            let clock = TestClock()
            let root = "\(folder)/root"
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let model = try teams()
            let devices = try (0..<3).map {
                try Device(model, in: "\(folder)/\($0)", sharing: root, clock: clock)
            }
            for _ in 0..<60 {
                let device = devices[Int.random(in: 0..<3, using: &random)]
                if Int.random(in: 0..<3, using: &random) == 0 {
                    device.run()
                } else {
                    try editAtRandom(device, &random)
                }
            }
            for _ in 0..<4 { for device in devices { device.run() } }
            #expect(Set(devices.map { "\($0.status.digest)" }).count == 1)
            let first = try contents(of: devices[0])
            for device in devices.dropFirst() { #expect(try contents(of: device) == first) }
            for device in devices {
                #expect(device.status.objectCount == first.count)
                #expect(try device.store.integrityCheck().isEmpty)
            }
        }
    }

    @Test("Machines that die at any write end equal, and keep what was saved", arguments: Seed.several(8))
    func machinesDie(_ seed: Seed) throws {
        var random = seed.generator()
        try withTemporaryFolder { folder in
            let (clock, root) = (TestClock(), "\(folder)/root")
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let model = try teams()
            func start(_ place: Int) throws -> (device: Device, vfs: SQLiteVFS) {
                var options = StoreOptions()
                let vfs = try SQLiteVFS()
                options.vfs = vfs
                let device = try Device(
                    model, in: "\(folder)/\(place)", sharing: root, clock: clock, options: options)
                return (device, vfs)
            }
            var machines = try (0..<3).map { try Optional(start($0)) }
            var (saved, deaths) = (Set<String>(), 0)
            /// Lets a machine do something, whatever comes of it; whether it died.
            func act(_ device: Device, on vfs: SQLiteVFS) -> Bool {
                if Int.random(in: 0..<3, using: &random) == 0 {
                    vfs.inject(
                        SQLiteFault(
                            .ioError, at: [.open, .write, .gatheredWrite, .sync, .truncate, .delete],
                            on: [.database, .wal, .journal],
                            skipping: Int.random(in: 0..<40, using: &random), repeats: true))
                }
                if Bool.random(using: &random) {
                    device.work.run()
                } else if let tags = try? editAtRandom(device, &random, deletesTags: false) {
                    saved.formUnion(tags)
                }
                if vfs.faultCount > 0 { return true }
                vfs.clearFault()
                return false
            }
            for _ in 0..<60 {
                let place = Int.random(in: 0..<3, using: &random)
                guard machines[place].map({ act($0.device, on: $0.vfs) }) ?? false else { continue }
                deaths += 1
                machines[place] = nil  // Its file is closed before it is opened again.
                machines[place] = try start(place)
            }
            let devices = machines.compactMap(\.?.device)
            for _ in 0..<4 { for device in devices { device.run() } }
            let first = try contents(of: devices[0])
            for device in devices {
                #expect(try contents(of: device) == first, "COFFER_SEED=\(seed)")
                #expect(try device.store.integrityCheck().isEmpty)
                #expect(try ReplicaVerification.of(device.store)?.differences == [])
                let tags = Set(try device.context().all("Tag").map { $0["name"].text })
                #expect(saved.isSubset(of: tags), "COFFER_SEED=\(seed) after \(deaths) deaths")
            }
        }
    }
}
