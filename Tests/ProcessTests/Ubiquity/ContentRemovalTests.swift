import Coffer
import CofferCoordination
import CofferLinux
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Shared stores that are removed with their content, for all machines.
@Suite struct ContentRemovalTests {
    private func withMachines(
        _ count: Int, _ body: ([AccountMachine], String) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let root = "\(folder)/one"
            _ = try Folder.make(at: root)
            let services = try (0..<count).map { _ in try ServiceUnderTest() }
            defer { for service in services { service.stop() } }
            let machines = try services.map { try AccountMachine($0) }
            for machine in machines { try machine.signIn(root) }
            try body(machines, root)
        }
    }

    /// Removes the store of a machine's application.
    @discardableResult private func remove(_ machine: AccountMachine) throws -> Int {
        try machine.connection().removeUbiquitousContent(
            ofStore: "Notes", application: AccountMachine.application)
    }

    private func refusal(_ body: () throws -> Void) throws -> String? {
        do {
            try body()
            return nil
        } catch CofferError.refused(_, let reason, _, _) {
            return reason
        }
    }

    /// What was written of objects' values into the container.
    private func objects(_ root: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(AccountMachine.application)/Notes")
            .filter { $0.hasPrefix("l-") || $0.hasPrefix("b-") || $0.hasPrefix("p-") }
    }

    @Test func `what is removed is gone on all machines, and nobody puts it back`() throws {
        try withMachines(2) { machines, root in
            let (one, other) = (machines[0], machines[1])
            try one.save("old")
            try other.wait(forNotes: ["old"])
            try other.save("other")
            try one.wait(forNotes: ["old", "other"])
            // As on a machine that is off meanwhile.
            try other.service.kill9()
            #expect(try remove(one) > 0)
            #expect(try objects(root).isEmpty)
            #expect(
                try refusal { _ = try one.container.newContext().texts("Note", "name") } == "store_exchanged")
            let folder = "\(one.service.data)/\(AccountMachine.application)/Default/CofferUbiquitySupport"
            let left = try FileManager.default.subpathsOfDirectory(atPath: folder)
            #expect(left.filter { $0.hasSuffix(".sqlite") } == [])
            try other.wait(forNotes: [])
            try other.wait(for: "live")
            #expect(try objects(root).isEmpty)
            // An application that adds it again begins from the start.
            let again = try AccountMachine(one.service)
            try again.wait(for: "live")
            try again.save("new")
            try other.wait(forNotes: ["new"])
            let third = try ServiceUnderTest()
            defer { third.stop() }
            let late = try AccountMachine(third)
            try late.signIn(root)
            try late.wait(forNotes: ["new"])
        }
    }

    @Test func `it is refused where no account is signed in, nothing is shared, or the folder is away`()
        throws
    {
        try withMachines(1) { machines, root in
            let machine = machines[0]
            try machine.save("a")
            try machine.waitForExport(of: 1)
            try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            #expect(try refusal { try remove(machine) } != nil)
            try machine.wait(forNotes: ["a"])
            try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
            #expect(
                try refusal {
                    try machine.connection().removeUbiquitousContent(
                        ofStore: "Nothing", application: AccountMachine.application)
                } == "denied")
            try machine.save("b")
            try machine.waitForExport(of: 2)
            try machine.signOut()
            #expect(try refusal { try remove(machine) } == "no_account")
            #expect(try !objects(root).isEmpty)
        }
    }

    @Test func `a service that ends in the middle goes on without the content`() throws {
        try withTemporaryFolder { folder in
            let root = "\(folder)/one"
            _ = try Folder.make(at: root)
            let stops = try StoppingPlace()
            let service = try ServiceUnderTest(environment: stops.environment)
            defer { service.stop() }
            let machine = try AccountMachine(service)
            try machine.signIn(root)
            try machine.save("old")
            try machine.waitForExport(of: 1)
            try stops.arm(.beforeExchange)
            let connection = try machine.connection()
            let removing = Thread {
                _ = try? connection.removeUbiquitousContent(
                    ofStore: "Notes", application: AccountMachine.application)
            }
            removing.start()
            try stops.waitUntilReached(.beforeExchange)
            try service.kill9()
            try machine.wait(forNotes: [])
            try machine.wait(for: "live")
            #expect(try objects(root).isEmpty)
            try machine.save("new")
            try machine.waitForExport(of: 1)
        }
    }
}
