import Coffer
import CofferContainer
import CofferCoordination
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferUbiquity
import ContextSupport
import TestSupport
import Testing

/// A machine that ends at any step of folding, exporting and importing: what it had is old or new, and all
/// machines are equal once it goes on.
@Suite("A machine that ends while it exchanges")
struct SharingFaultTests {
    /// No run has so many steps.
    private static let mostSteps = 2_000

    @Test(
        "Each write, sync and truncation of the store's file may be the last",
        arguments: [(SQLiteFault.Effect.ioError, 0), (.shortWrite, 2), (.full, 4)])
    func fileBreaks(_ effect: SQLiteFault.Effect, first: Int) throws {
        // Each effect at each step, or steps in turns.
        let (first, pace) = TestScope.isAll() ? (0, 1) : (first, 6)
        for step in stride(from: first, to: Self.mostSteps, by: pace) {
            let vfs = try SQLiteVFS()
            var options = StoreOptions()
            options.vfs = vfs
            let didBreak = try run(options: options) { device in
                vfs.inject(
                    SQLiteFault(
                        effect, at: [.open, .write, .gatheredWrite, .sync, .truncate, .delete],
                        on: [.database, .wal, .journal], skipping: step, repeats: true))
                device.work.run()
                defer { vfs.clearFault() }
                return vfs.faultCount > 0
            }
            if !didBreak {
                #expect(step > 3, "a run writes")
                return
            }
        }
        Issue.record("a run has more steps than can be")
    }

    @Test("Each call of the carrier may be the last, before or after its work", arguments: [false, true])
    func carrierBreaks(_ isAfter: Bool) throws {
        for step in 0..<Self.mostSteps {
            var carrier: BreakingCarrier?
            let didBreak = try run(
                over: { folder in
                    let made = BreakingCarrier(folder, after: step, doingItsWork: isAfter)
                    carrier = made
                    return made
                },
                { device in
                    device.work.run()
                    return carrier?.isBroken ?? false
                })
            if !didBreak {
                #expect(step > 3, "a run calls the carrier")
                return
            }
        }
        Issue.record("a run has more steps than can be")
    }

    /// Makes a device fold, export and import at once, whatever comes of it, and looks at what two devices
    /// have in the end; gives what `body` gives.
    private func run(
        options: StoreOptions = StoreOptions(),
        over wrap: (FolderCarrier) -> any ContainerCarrier = { $0 }, _ body: (Device) throws -> Bool
    ) throws -> Bool {
        try withTemporaryFolder { folder in
            let (clock, root) = (TestClock(), "\(folder)/root")
            _ = try Folder.make(at: root)
            let model = try teams()
            let other = try Device(model, in: "\(folder)/other", sharing: root, clock: clock)
            // A file is closed once its device is not used any more.
            func lend<Result>(
                options: StoreOptions = StoreOptions(),
                over wrap: (FolderCarrier) -> any ContainerCarrier = { $0 },
                _ body: (Device) throws -> Result
            ) throws -> Result {
                let device = try Device(
                    model, in: "\(folder)/one", sharing: root, clock: clock, options: options, over: wrap)
                let result = try body(device)
                try device.close()
                return result
            }
            try lend { device in
                let context = device.context()
                let team = try context.make("Team", ["name": "red", "code": "R"])
                let person = try context.make("Person", ["name": "Ada"])
                try team.setObjects([person], forKey: "people")
                try context.save()
                for device in [device, other, device, other] { device.run() }
            }
            try edit(other, "there", 30)
            other.run()
            let didBreak = try lend(options: options, over: wrap) { device in
                try edit(device, "here", 40)
                let didBreak = try body(device)
                #expect(try contents(of: device).contains { $0.contains("here") }, "what was saved stays")
                return didBreak
            }
            try lend { device in
                for _ in 0..<3 { for device in [device, other] { device.run() } }
                #expect(device.status.digest == other.status.digest)
                let present = try contents(of: device)
                #expect(try present == contents(of: other))
                #expect(present.count == 4, "\(present)")
                for device in [device, other] {
                    #expect(device.status.quarantined.isEmpty)
                    #expect(try device.store.integrityCheck().isEmpty)
                    #expect(try ReplicaVerification.of(device.store)?.differences == [])
                }
            }
            return didBreak
        }
    }

    /// Edits the person, and puts another one into the team.
    private func edit(_ device: Device, _ name: String, _ age: Int64) throws {
        let context = device.context()
        let person = try #require(context.all("Person").first)
        try person.setValue(.integer(age), forKey: "age")
        let member = try context.make("Person", ["name": .string(name)])
        try member.setObjects(context.all("Team"), forKey: "team")
        try context.save()
    }
}
