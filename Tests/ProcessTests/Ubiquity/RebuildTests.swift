import Coffer
import CofferLinux
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Stores of accounts that are made anew from their containers.
@Suite(.timeLimit(.minutes(10))) struct RebuildTests {
    private func withMachines(
        _ body: (AccountMachine, AccountMachine, String) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let root = "\(folder)/one"
            _ = try Folder.make(at: root)
            let services = [try ServiceUnderTest(), try ServiceUnderTest()]
            defer { for service in services { service.stop() } }
            let machines = try services.map { try AccountMachine($0) }
            for machine in machines { try machine.signIn(root) }
            try machines[0].save("a")
            try machines[1].wait(forNotes: ["a"])
            try body(machines[0], machines[1], root)
        }
    }

    /// A machine whose application has its store made anew.
    private func rebuild(_ machine: AccountMachine) throws -> AccountMachine {
        try AccountMachine(machine.service, options: UbiquityOptions(rebuildsFromContent: true))
    }

    @Test func `it is empty at once and fills, and what was not exported is in it at the end`() throws {
        try withMachines { machine, other, root in
            try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            try machine.save("b")
            // As when the application starts again.
            try machine.service.kill9()
            let again = try rebuild(machine)
            #expect(try again.names() == [])
            #expect(try again.status()?.state == "rebuilding")
            try again.save("c")
            try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
            try again.wait(for: "live")
            try again.wait(forNotes: ["a", "b", "c"])
            try other.wait(forNotes: ["a", "b", "c"])
            // It is not asked for again when the service ends.
            try machine.service.kill9()
            try again.wait(forNotes: ["a", "b", "c"])
            #expect(try again.status()?.state == "live")
        }
    }

    @Test func `where it is open its programs are asked, and a service that ends meanwhile goes on`() throws {
        try withMachines { machine, other, root in
            try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            try machine.save("b")
            let again = try rebuild(machine)
            try machine.wait(for: "rebuilding")
            try machine.wait(forNotes: [])
            try machine.service.kill9()
            try again.wait(forNotes: [])
            try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
            for machine in [machine, again, other] { try machine.wait(forNotes: ["a", "b"]) }
            try machine.wait(for: "live")
        }
    }
}
