import Coffer
import CofferCoordination
import CofferLinux
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Backups that take the places of stores which machines share.
@Suite struct SharedReplacementTests {
    /// Two machines of one account, of which one has a backup with the notes 'a' and 'b'; since then 'b' was
    /// deleted and 'c' was added.
    private func withMachines(
        environment: [String: String] = [:],
        _ body: (_ services: [ServiceUnderTest], _ other: AccountMachine, _ root: String, _ backup: String)
            throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let (root, backup) = ("\(folder)/one", "\(folder)/backup.sqlite")
            _ = try Folder.make(at: root)
            let services = [try ServiceUnderTest(environment: environment), try ServiceUnderTest()]
            defer { for service in services { service.stop() } }
            let other = try AccountMachine(services[1])
            try other.signIn(root)
            do {
                let machine = try AccountMachine(services[0])
                try machine.signIn(root)
                for name in ["a", "b"] { try machine.save(name) }
                try other.wait(forNotes: ["a", "b"])
                _ = try machine.connection().backUpStore(
                    named: "Notes", toFileAt: backup, application: AccountMachine.application)
                try other.delete("b")
                try machine.wait(forNotes: ["a"])
                try machine.save("c")
                try other.wait(forNotes: ["a", "c"])
            }
            try body(services, other, root, backup)
        }
    }

    private func replace(
        _ machine: AccountMachine, with backup: String, _ shared: SharedReplacement?
    ) throws {
        try machine.connection().replaceStore(
            named: "Notes", withFileAt: backup, application: AccountMachine.application, shared: shared)
    }

    @Test func `whoever replaces a shared store is asked what becomes of the content`() throws {
        try withMachines { services, other, _, backup in
            let machine = try AccountMachine(services[0])
            let error = #expect(throws: CofferError.self) { try replace(machine, with: backup, nil) }
            #expect(error?.reason == "shared_content")
            #expect(try machine.names() == ["a", "c"], "nothing has happened")
        }
    }

    @Test func `made the content, it is what all machines have, in contexts that stay open`() throws {
        try withMachines { services, other, _, backup in
            let machine = try AccountMachine(services[0])
            let context = machine.container.newContext()
            let kept = try #require(try context.all("Note").first { $0["name"] == .string("a") })
            try replace(machine, with: backup, .makeContent)
            for machine in [machine, other] { try machine.wait(forNotes: ["a", "b"]) }
            let name = withExtendedLifetime(context) { kept["name"] }
            #expect(name == .string("a"))
            #expect(try machine.status()?.state == "live")
        }
    }

    @Test func `it catches up in the place of an open store, and what was saved just before stays`() throws {
        try withMachines { services, other, _, backup in
            let machine = try AccountMachine(services[0])
            let peer = try machine.status()?.peer
            // Whether or not it has gone out by then.
            try machine.save("d")
            try replace(machine, with: backup, .catchUp)
            try machine.wait(for: "live")
            #expect(try machine.status()?.peer != peer)
            for machine in [machine, other] { try machine.wait(forNotes: ["a", "c", "d"]) }
        }
    }

    @Test func `it catches up in the place of a store that is damaged, which nobody can open`() throws {
        try withMachines { services, other, _, backup in
            let file = try #require(
                try AccountMachine(services[0]).connection().stores(ofAllApplications: true).first?.path)
            try services[0].kill9()
            let handle = try #require(FileHandle(forUpdatingAtPath: file))
            try handle.write(contentsOf: Data(repeating: 0xAA, count: 4_096))
            try handle.close()
            try? FileManager.default.removeItem(atPath: file + "-wal")
            let tool = try ServiceConnection(
                application: "org.coffer.Tool", bus: .explicit(services[0].bus.address))
            try tool.replaceStore(
                named: "Notes", withFileAt: backup, application: AccountMachine.application, shared: .catchUp)
            let machine = try AccountMachine(services[0])
            for machine in [machine, other] { try machine.wait(forNotes: ["a", "c"]) }
            try machine.wait(for: "live")
            #expect(try tool.formerContents().count == 1, "the damaged file is kept for a while")
            // Nothing waits for what cannot be read.
            try waitUntil("that nothing is left to be joined") {
                do { try replace(machine, with: backup, .makeContent) } catch { return false }
                return true
            }
            for machine in [machine, other] { try machine.wait(forNotes: ["a", "b"]) }
        }
    }

    @Test(arguments: [CrashPoint.beforeExchange, .afterExchange])
    func `a service that ends while a backup takes its place has the content in the end`(point: CrashPoint)
        throws
    {
        let stops = try StoppingPlace()
        try withMachines(environment: stops.environment) { services, other, _, backup in
            let machine = try AccountMachine(services[0])
            try stops.arm(point)
            let tool = try machine.connection()
            let replacing = Thread {
                _ = try? tool.replaceStore(
                    named: "Notes", withFileAt: backup, application: AccountMachine.application,
                    shared: .catchUp)
            }
            replacing.start()
            try stops.waitUntilReached(point)
            try services[0].kill9()
            for machine in [machine, other] { try machine.wait(forNotes: ["a", "c"]) }
            try machine.wait(for: "live")
            let former = try machine.connection().formerContents()
            #expect(former.count == 1, "the file that does not serve: \(former)")
            try machine.save("d")
            for machine in [machine, other] { try machine.wait(forNotes: ["a", "c", "d"]) }
        }
    }

    @Test func `a file of another account cannot catch up, and takes no place`() throws {
        try withMachines { services, other, root, backup in
            let machine = try AccountMachine(services[0])
            let second = root + "-second"
            _ = try Folder.make(at: second)
            try machine.signOut()
            try machine.signIn(second)
            let error = #expect(throws: CofferError.self) { try replace(machine, with: backup, .catchUp) }
            #expect(error?.reason == "unfit_replacement")
            #expect(try machine.names() == [])
            #expect(try machine.status()?.state == "live")
        }
    }

    @Test func `while a backup cannot take its place the account's content is served on`() throws {
        try withMachines { services, other, root, backup in
            let machine = try AccountMachine(services[0])
            // It is not a store any more.
            try Data("SQLite format 3\0 and no more".utf8).write(to: URL(filePath: backup))
            for choice in [SharedReplacement.catchUp, .makeContent] {
                #expect(throws: CofferError.self) { try replace(machine, with: backup, choice) }
            }
            #expect(try machine.status()?.state == "live")
            try machine.save("d")
            try other.wait(forNotes: ["a", "c", "d"])
        }
    }
}

extension CofferError {
    fileprivate var reason: String? {
        if case .refused(_, let reason, _, _) = self { reason } else { nil }
    }
}
