import Coffer
import CofferContainer
import CofferCoordination
import CofferLinux
import CofferSQLite
import CofferStores
import CofferUbiquity
import ContextSupport
import TestSupport
import Testing

@Suite("A disk that is full while a baseline is written")
struct FullBaselineTests {
    private func withDevice(
        _ quota: Quota = Quota(), _ body: (Device, Device) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let (clock, root) = (TestClock(), "\(folder)/root")
            _ = try Folder.make(at: root)
            let model = try teams()
            var rules = ExchangeRules()
            rules.baselineLogCount = 3
            let device = try Device(
                model, in: "\(folder)/one", sharing: root, clock: clock, rules: rules
            ) { QuotaCarrier($0, quota) }
            let other = try Device(model, in: "\(folder)/other", sharing: root, clock: clock)
            for number in 0..<6 {
                try save("\(number)", on: device)
                // The baseline is due in the last round.
                if number < 2 { device.run() }
            }
            try body(device, other)
        }
    }

    private func save(_ name: String, on device: Device) throws {
        let context = device.context()
        try context.make("Person", ["name": .string(name)])
        try context.save()
    }

    /// Whether the device has written a baseline that is in the container.
    private func expectWhole(_ device: Device, _ other: Device) throws {
        for _ in 0..<4 { for device in [device, other] { device.run() } }
        #expect(device.status.condition == .there(.open))
        #expect(try contents(of: device).count == 7)
        #expect(try contents(of: other) == contents(of: device))
        #expect(other.status.quarantined.isEmpty)
        #expect(try device.store.integrityCheck().isEmpty)
        let names = try FolderCarrier(
            root: "\(device.folder)/../root", path: "\(Device.application)/Store"
        ).list().objects
        #expect(names.contains { if case .baseline = $0.identity { true } else { false } })
    }

    @Test("There is no room in the container: saves go on, the status says so, and it is tried again")
    func fullContainer() throws {
        let quota = Quota()
        try withDevice(quota) { device, other in
            quota.refuses { object in
                switch object {
                case .baseline, .part: true
                default: false
                }
            }
            for _ in 0..<3 {
                _ = device.tryRunning()
                #expect(device.status.condition == .there(.full))
            }
            try save("more", on: device)
            quota.refuses { _ in false }
            try expectWhole(device, other)
        }
    }

    @Test("There is no room at home, at some write of the store's file", arguments: Seed.several(4))
    func fullHome(_ seed: Seed) throws {
        var random = seed.generator()
        let step = Int.random(in: 0..<60, using: &random)
        try withDevice { device, other in
            let vfs = device.store.file.vfs
            vfs.inject(
                SQLiteFault(
                    .full, at: [.write, .gatheredWrite], on: [.database, .wal, .journal], skipping: step,
                    repeats: true))
            for _ in 0..<2 { _ = device.tryRunning() }
            vfs.clearFault()
            try save("more", on: device)
            try expectWhole(device, other)
        }
    }
}
