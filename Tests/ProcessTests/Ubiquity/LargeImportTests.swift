import Coffer
import CofferLinux
import ContextSupport
import Foundation
import TestSupport
import Testing

/// What happens while an account's content comes in that takes a while.
@Suite struct LargeImportTests {
    private static let count = 1_200
    /// More than what is joined into whatever serves meanwhile.
    private static let logCount = 12

    /// A machine that has just signed in to an account with thousands of notes of another machine.
    private func withImport(
        _ body: (
            _ service: ServiceUnderTest, _ machine: AccountMachine, _ other: AccountMachine, _ root: String
        )
            throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let root = "\(folder)/one"
            _ = try Folder.make(at: root)
            let services = [try ServiceUnderTest(), try ServiceUnderTest()]
            defer { for service in services { service.stop() } }
            let other = try AccountMachine(services[1])
            try other.signIn(root)
            let logLength = Self.count / Self.logCount
            for log in 0..<Self.logCount {
                let context = other.container.newContext()
                for number in 0..<logLength {
                    try AccountMachine.insert("n\(log * logLength + number)", into: context)
                }
                try context.save()
                try other.waitForExport(of: UInt64((log + 1) * logLength))
            }
            let machine = try AccountMachine(services[0])
            try machine.connection().signIn(as: "one", at: root)
            try machine.wait(for: "fallback")
            try body(services[0], machine, other, root)
        }
    }

    @Test func `an account that is switched in the middle of it keeps its content to itself`() throws {
        try withImport { _, machine, other, root in
            let second = root + "-second"
            _ = try Folder.make(at: second)
            try machine.signIn(second)
            #expect(try machine.names() == [])
            try machine.save("of the second")
            try machine.waitForExport(of: 1)
            // Back and forth, before anybody can have answered.
            for root in [root, second, root] {
                try machine.connection().signIn(as: root == second ? "one-second" : "one", at: root)
            }
            try waitUntil("the content of the first") { try machine.names().count == Self.count }
            try machine.wait(for: "live")
            try machine.save("of the first")
            try waitUntil("that it is on the other machine") { try other.names().contains("of the first") }
            #expect(try other.names().count == Self.count + 1)
            try machine.signIn(second)
            #expect(try machine.names() == ["of the second"])
        }
    }

    @Test func `a service that is killed in it goes on, and what was saved meanwhile is there once`() throws {
        let seed = Seed.printed(for: "kills of a service that fills a store")
        var random = seed.generator()
        try withImport { service, machine, other, _ in
            var saved: [String] = []
            for number in 0..<4 {
                try machine.save("mine \(number)")
                saved.append("mine \(number)")
                for _ in 0..<Int.random(in: 0...4, using: &random) { _ = try machine.status() }
                try service.kill9()
            }
            let expected = (0..<Self.count).map { "n\($0)" } + saved
            try machine.wait(for: "live")
            for machine in [machine, other] {
                try waitUntil("all notes") {
                    try machine.status()?.objectCount == UInt64(expected.count)
                }
                let isSame = try machine.names() == expected.sorted()
                #expect(isSame, "COFFER_SEED=\(seed)")
            }
        }
    }
}
