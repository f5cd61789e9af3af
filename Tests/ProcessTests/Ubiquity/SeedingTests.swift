import Coffer
import CofferCoordination
import CofferEmbedded
import CofferLinux
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Shared stores that are filled with what an application comes with.
@Suite struct SeedingTests {
    private static let count = 1_200

    /// A store file with many notes.
    private func makeBundle(_ path: String) throws {
        let bundle = try EmbeddedCoordinator.open(
            path: path, model: SharedModels.notes(), mustExist: false, application: "org.coffer.Tests")
        let context = ManagedObjectContext(coordinator: bundle)
        let folder = try context.insert(entityNamed: "Folder")
        try folder.setValue(.string("Welcome"), forKey: "name")
        for number in 1..<Self.count {
            let note = try context.insert(entityNamed: "Note")
            try note.setValue(.string("note \(number)"), forKey: "name")
            try note.setObjects([folder], forKey: "folder")
        }
        try context.save()
    }

    private func withBundle(
        environment: [String: String] = [:],
        _ body: (_ bundle: String, _ root: String, AccountMachine, AccountMachine) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let (bundle, root) = ("\(folder)/Bundle.sqlite", "\(folder)/one")
            try makeBundle(bundle)
            _ = try Folder.make(at: root)
            let services = [try ServiceUnderTest(environment: environment), try ServiceUnderTest()]
            defer { for service in services { service.stop() } }
            let machines = try services.map { try AccountMachine($0) }
            try body(bundle, root, machines[0], machines[1])
        }
    }

    /// Waits until machines have so many notes, in one folder.
    private func wait(for count: Int, on machines: [AccountMachine]) throws {
        for machine in machines {
            try waitUntil("\(count) notes") {
                try AccountMachine.retrying {
                    let context = machine.container.newContext()
                    let folders = try context.all("Folder")
                    return try context.all("Note").count == count && folders.count == 1
                        && folders[0].objects(forKey: "notes").count == count
                }
            }
        }
    }

    @Test func `two machines that are filled at the same time have one copy, which stays as it is edited`()
        throws
    {
        try withBundle { bundle, root, one, other in
            for machine in [one, other] { try machine.signIn(root) }
            try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            var told: [Int] = []
            #expect(try one.container.seed(from: bundle) { seeded, _ in told.append(seeded) } == Self.count)
            #expect(told.allSatisfy { $0 <= Self.count } && told == told.sorted())
            #expect(try other.container.seed(from: bundle) == Self.count)
            try wait(for: Self.count - 1, on: [one, other])
            try AccountMachine.retrying {
                let context = one.container.newContext()
                context.delete(try #require(context.all("Note").first))
                try context.save()
            }
            try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
            try wait(for: Self.count - 2, on: [one, other])
            // Each content is seeded only once; after the sign-out there is another one, which can be seeded.
            #expect(try other.container.seed(from: bundle) == nil)
            try other.signOut()
            #expect(try other.names() == [])
            #expect(try other.container.seed(from: bundle) == Self.count)
            try wait(for: Self.count - 1, on: [other])
        }
    }

    @Test func `what is cut off in the middle is done again, and doubles nothing`() throws {
        let stops = try StoppingPlace()
        try withBundle(environment: stops.environment) { bundle, root, one, other in
            for machine in [one, other] { try machine.signIn(root) }
            try stops.arm(.duringSeed)
            let container = one.container
            let isDone = ConditionLock<Int?>(nil)
            let seeding = Thread {
                // The client sends it again to the next service.
                let count = try? container.seed(from: bundle)
                isDone.withLock { $0 = count ?? 0 }
                isDone.broadcast()
            }
            seeding.start()
            try stops.waitUntilReached(.duringSeed)
            try one.service.kill9()
            #expect(isDone.wait(timeout: .seconds(120), until: { $0 }) == Self.count)
            try wait(for: Self.count - 1, on: [one, other])
            #expect(try other.container.seed(from: bundle) == Self.count)
            try wait(for: Self.count - 1, on: [one, other])
        }
    }

    @Test func `what cannot be filled so is refused`() throws {
        try withBundle { bundle, root, machine, _ in
            func refusal(_ body: () throws -> Void) throws -> String? {
                do {
                    try body()
                    return nil
                } catch CofferError.refused(_, let reason, _, _) {
                    return reason
                }
            }
            #expect(try refusal { try machine.container.seed(from: bundle + "-none") } != nil)
            let plain = try AccountMachine.container(machine.service, nil, nil, named: "Plain")
            #expect(try refusal { try plain.seed(from: bundle) } == "not_shared")
            let needy = try AccountMachine(machine.service, options: UbiquityOptions(needsAccount: true))
            #expect(try refusal { try needy.container.seed(from: bundle) } == "no_account")
            #expect(try machine.names() == [])
        }
    }
}
