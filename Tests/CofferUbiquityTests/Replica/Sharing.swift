import CofferContainer
import CofferModel
import CofferStores
import CofferUbiquity
import Foundation
import TestSupport
import Testing

/// A folder in which devices share one container.
struct SharedFolder {
    let folder: String
    let clock = TestClock()

    /// The device with a name, whose store is opened with `model`, and migrated to it if it is of another
    /// one; its saves are made when the clock says.
    func device(
        _ name: String, _ model: ManagedObjectModel, by mapping: MappingModel? = nil
    ) throws -> Device {
        var options = StoreOptions()
        options.migration = MigrationOptions(mapping: mapping)
        options.environment = StoreEnvironment(now: { [clock] in clock.time })
        let device = try Device(
            model, in: "\(folder)/\(name)", sharing: "\(folder)/root", clock: clock, options: options)
        return device
    }
}

/// Lends a folder in which devices share one container.
func withSharedFolder(_ body: (SharedFolder) throws -> Void) throws {
    try withTemporaryFolder { folder in
        try FileManager.default.createDirectory(
            atPath: "\(folder)/root", withIntermediateDirectories: true)
        try body(SharedFolder(folder: folder))
    }
}

/// Lets devices exchange until nothing more comes.
func exchange(_ devices: [Device]) {
    for _ in 0..<3 { for device in devices { device.run() } }
    #expect(Set(devices.map { "\($0.status.digest)" }).count == 1)
}

extension TestClock {
    /// Seconds since 2001, as stores count them.
    var time: Double { Double(now().microseconds) / 1e6 - 978_307_200 }
}
