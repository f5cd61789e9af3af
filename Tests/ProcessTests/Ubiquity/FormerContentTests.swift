import Coffer
import CofferLinux
import Foundation
import TestSupport
import Testing

/// What was put aside of stores: how long it is kept, and how it comes back.
@Suite struct FormerContentTests {
    private func withService(
        localContent: LocalContentChoice? = nil,
        _ body: (AccountMachine, _ root: String, _ setDays: (Double) throws -> Void) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let root = "\(folder)/one"
            _ = try Folder.make(at: root)
            let clock = "\(folder)/days"
            let service = try ServiceUnderTest(
                environment: ["COFFER_TEST_CONTAINER_PATIENCE": "300", "COFFER_TEST_CLOCK": clock])
            defer { service.stop() }
            try body(AccountMachine(service, localContent: localContent), root) { days in
                try "\(days)".write(toFile: clock, atomically: true, encoding: .utf8)
            }
        }
    }

    /// A store of an account whose container was deleted.
    private func empty(_ machine: AccountMachine, _ root: String) throws {
        try machine.signIn(root)
        for name in ["a", "b"] { try machine.save(name) }
        try machine.waitForExport(of: 2)
        try AccountMachine.deleteContainer(in: root)
        try machine.wait(forNotes: [])
        try machine.wait(for: "live")
    }

    @Test func `what a deleted container held is brought back where that is asked for, once`() throws {
        try withService { machine, root, _ in
            try empty(machine, root)
            try machine.save("c")
            let former = try machine.connection().formerContents()
            #expect(former.map(\.store) == ["Notes"] && former.first?.account == 1)
            let content = try #require(former.first)
            #expect(content.byteCount > 0)
            #expect(abs(content.until.timeIntervalSince(content.since) - 30 * 86_400) < 1)
            for _ in 0..<2 {
                try machine.connection().restore(content)
                #expect(try machine.names() == ["a", "b", "c"])
            }
            #expect(try machine.connection().formerContents() == former)
            try machine.waitForExport(of: 3)
            let other = try ServiceUnderTest()
            defer { other.stop() }
            let second = try AccountMachine(other)
            try second.signIn(root)
            try second.wait(forNotes: ["a", "b", "c"])
            // It is that account's alone.
            try machine.signOut()
            #expect(throws: CofferError.self) { try machine.connection().restore(content) }
            #expect(try machine.names() == [])
        }
    }

    @Test func `what was put aside is deleted after 30 days, and not before`() throws {
        try withService { machine, root, setDays in
            try empty(machine, root)
            let own = "\(machine.service.data)/\(AccountMachine.application)/Default"
            let support = "\(own)/CofferUbiquitySupport"
            let folders = { try FileManager.default.contentsOfDirectory(atPath: support).count }
            #expect(try folders() == 2)
            for (days, count) in [(29.9, 1), (30.1, 0)] {
                try setDays(days)
                try machine.service.kill9()
                try waitUntil("what is left after \(days) days") {
                    try machine.connection().formerContents().count == count
                }
                try waitUntil("the folders") { try folders() == count + 1 }
                #expect(try machine.names() == [])
            }
        }
    }

    @Test func `what was saved before a sign-in is put aside if it is not wanted, and comes back`() throws {
        try withService(localContent: .discard) { machine, root, _ in
            try machine.save("early")
            #expect(try machine.connection().formerContents() == [])
            try machine.signIn(root)
            #expect(try machine.names() == [])
            try machine.save("own")
            let content = try #require(try machine.connection().formerContents().first)
            #expect(content.account == nil)
            try machine.signOut()
            #expect(try machine.names() == [])
            // Content without an account goes back to the local store, or to the account that is signed in.
            try machine.connection().restore(content)
            try machine.wait(forNotes: ["early"])
            try machine.signIn(root)
            try machine.wait(forNotes: ["own"])
            try machine.connection().restore(content)
            try machine.wait(forNotes: ["early", "own"])
            try machine.waitForExport(of: 2)
        }
    }
}
