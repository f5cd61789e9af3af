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
    @Test("All machines show the same at the end, whatever was saved where", arguments: Seed.fresh(12))
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
                    try edit(device, &random)
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

    @Test("Machines that die at any write end equal, and keep what was saved", arguments: Seed.fresh(8))
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
                } else if let tags = try? edit(device, &random, deletesTags: false) {
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

    /// Saves a few random edits; the names of new tags that were saved.
    @discardableResult
    private func edit(
        _ device: Device, _ random: inout SeededGenerator, deletesTags: Bool = true
    ) throws -> [String] {
        var made: [String] = []
        let context = device.context()
        var people = try context.all("Person")
        var teams = try context.all("Team")
        var tags = try context.all("Tag")
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let name = AttributeValue.string("\(Int.random(in: 0..<1_000_000, using: &random))")
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: people.append(try context.make("Person", ["name": name]))
            case 2:
                let code = "\(Int.random(in: 0..<5, using: &random))"
                teams.append(try context.make("Team", ["name": name, "code": .string(code)]))
            case 3:
                tags.append(try context.make("Tag", ["name": name]))
                made.append(name.text)
            case 4:
                try people.randomElement(using: &random)?
                    .setValue(.integer(Int64.random(in: 0..<100, using: &random)), forKey: "age")
            case 5: try people.randomElement(using: &random)?.setValue(name, forKey: "mail")
            case 6:
                if let team = teams.randomElement(using: &random) {
                    try people.randomElement(using: &random)?.setObjects([team], forKey: "team")
                }
            case 7:
                if let person = people.randomElement(using: &random) {
                    let partner = people.randomElement(using: &random).map { [$0] } ?? []
                    try person.setObjects(partner.filter { $0 !== person }, forKey: "partner")
                }
            case 8:
                let some = tags.filter { _ in Bool.random(using: &random) }
                try people.randomElement(using: &random)?.setObjects(some, forKey: "tags")
            case 9:
                if let team = teams.randomElement(using: &random) {
                    let members = team.objects(forKey: "people")
                    try team.setObjects(members.shuffled(using: &random), forKey: "people")
                }
            case 10:
                if let team = teams.randomElement(using: &random) {
                    let code = "\(Int.random(in: 0..<5, using: &random))"
                    try team.setValue(Bool.random(using: &random) ? .null : .string(code), forKey: "code")
                }
            default:
                let all = people + teams + (deletesTags ? tags : [])
                if let object = all.randomElement(using: &random) {
                    context.delete(object)
                    people.removeAll { $0.isDeleted || $0 === object }
                    teams.removeAll { $0 === object }
                    tags.removeAll { $0 === object }
                }
            }
        }
        // Two teams of one code are refused.
        do throws(CofferError) {
            try context.save()
        } catch {
            guard case .constraints = error else { throw error }
            return []
        }
        return made
    }
}
