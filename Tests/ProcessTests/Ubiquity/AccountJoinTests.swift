import Coffer
import CofferLinux
import Foundation
import TestSupport
import Testing

/// What is saved beside an account's own store, and joined into it once.
@Suite struct AccountJoinTests {
    private func withMachines(
        localContent: LocalContentChoice? = nil,
        _ body: (AccountMachine, _ open: () throws -> AccountMachine, String) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let root = "\(folder)/one"
            _ = try Folder.make(at: root)
            let (service, other) = (try ServiceUnderTest(), try ServiceUnderTest())
            defer {
                service.stop()
                other.stop()
            }
            let first = try AccountMachine(service)
            try first.signIn(root)
            try body(first, { try AccountMachine(other, localContent: localContent) }, root)
        }
    }

    @Test func `what is saved while an account's store is built is in it afterwards, once`() throws {
        try withMachines { first, open, root in
            var expected: [String] = []
            // As many logs as a store in use is not filled from.
            for number in 10...19 {
                try first.save("note \(number)")
                expected.append("note \(number)")
                try first.waitForExport(of: UInt64(expected.count))
            }
            try open().connection().signIn(as: "one", at: root)
            try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            let second = try open()
            try second.wait(for: "fallback")
            try second.save("a note")
            expected.insert("a note", at: 0)
            #expect(try second.names() == ["a note"])
            try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
            try second.wait(for: "live")
            try second.wait(forNotes: expected)
            try first.save("z note")
            expected.append("z note")
            try first.wait(forNotes: expected)
            try second.wait(forNotes: expected)
            #expect(try second.status()?.firstContent == .present)
        }
    }

    @Test func `what was saved while nobody was signed in is joined where that is asked for, once`() throws {
        try withMachines(localContent: .merge) { first, open, root in
            let second = try open()
            try second.signIn(root)
            try second.save("a")
            try second.waitForExport(of: 1)
            for name in ["b", "c"] {
                try second.signOut()
                #expect(try second.names() == [])
                try second.save(name)
                try second.signIn(root)
                try second.wait(forNotes: name == "b" ? ["a", "b"] : ["a", "b", "c"])
            }
            try first.wait(forNotes: ["a", "b", "c"])
            try second.service.kill9()
            try second.wait(forNotes: ["a", "b", "c"])
        }
    }
}
