import Coffer
import CofferLinux
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Stores of accounts that are made again from their containers.
@Suite struct RebuildTests {
    private func withMachines(
        _ body: (ServiceUnderTest, AccountMachine, String) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let root = "\(folder)/one"
            _ = try Folder.make(at: root)
            let services = [try ServiceUnderTest(), try ServiceUnderTest()]
            defer { for service in services { service.stop() } }
            let other = try AccountMachine(services[1])
            try other.signIn(root)
            do {
                let machine = try AccountMachine(services[0])
                try machine.signIn(root)
                try machine.save("a")
                try other.wait(forNotes: ["a"])
            }
            try body(services[0], other, root)
        }
    }

    /// A machine whose application asks for its store to be made again.
    private func rebuild(_ service: ServiceUnderTest) throws -> AccountMachine {
        try AccountMachine(service, options: UbiquityOptions(rebuildsFromContent: true))
    }

    @Test func `it is empty at once and fills, and what was not exported is in it at the end`() throws {
        try withMachines { service, other, root in
            try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            // The application ends, and then no client has the store open.
            do { try AccountMachine(service).save("b") }
            try service.kill9()
            let again = try rebuild(service)
            #expect(try again.names() == [])
            #expect(try again.status()?.state == "rebuilding")
            try again.save("c")
            try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
            try again.wait(for: "live")
            try again.wait(forNotes: ["a", "b", "c"])
            try other.wait(forNotes: ["a", "b", "c"])
            // It is not asked for again when the service ends.
            try service.kill9()
            try again.wait(forNotes: ["a", "b", "c"])
            #expect(try again.status()?.state == "live")
        }
    }

    @Test func `where it is open its programs are asked, and a service that ends meanwhile goes on`() throws {
        try withMachines { service, other, root in
            try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            let machine = try AccountMachine(service)
            try machine.save("b")
            let again = try rebuild(service)
            try machine.wait(for: "rebuilding")
            try machine.wait(forNotes: [])
            try service.kill9()
            try again.wait(forNotes: [])
            try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
            for machine in [machine, again, other] { try machine.wait(forNotes: ["a", "b"]) }
            try machine.wait(for: "live")
        }
    }
}
