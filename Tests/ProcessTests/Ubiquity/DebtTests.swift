import Coffer
import CofferLinux
import Foundation
import TestSupport
import Testing

/// What was saved for an account and is not in its folder when the user signs out.
@Suite struct DebtTests {
    /// A machine whose account's folder is away, with something that is not there, and what brings it back.
    private func withDebt(
        _ body: (AccountMachine, AccountMachine, _ root: String, _ bringBack: () throws -> Void) throws ->
            Void
    ) throws {
        try withTemporaryFolder { folder in
            let root = "\(folder)/one"
            _ = try Folder.make(at: root)
            let (service, other) = (try ServiceUnderTest(), try ServiceUnderTest())
            defer {
                service.stop()
                other.stop()
            }
            let (machine, second) = (try AccountMachine(service), try AccountMachine(other))
            try machine.signIn(root)
            try machine.save("a")
            try machine.waitForExport(of: 1)
            #expect(try machine.connection().unexportedContents() == [])
            try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            for name in ["b", "c"] {
                try machine.save(name)
                try waitUntil("it is folded") {
                    try machine.status().map { $0.foldedNumber == $0.savedNumber } ?? false
                }
            }
            try body(machine, second, root) {
                try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
            }
        }
    }

    @Test func `a sign-out tells what is not exported, which goes out with nobody signed in`() throws {
        try withDebt { machine, second, root, bringBack in
            let owed = try machine.connection().unexportedContents()
            #expect(owed.map(\.store) == ["Notes"] && owed.map(\.count) == [2] && owed.map(\.account) == [1])
            try machine.signOut()
            #expect(try machine.names() == [])
            try waitUntil("it is told of") {
                try machine.connection().unexportedContents().map(\.account) == [1]
            }
            try bringBack()
            try waitUntil("it is there") { try machine.connection().unexportedContents() == [] }
            try second.signIn(root)
            try second.wait(forNotes: ["a", "b", "c"])
            try machine.save("nobody's")
            try second.save("d")
            try machine.signIn(root)
            try machine.wait(forNotes: ["a", "b", "c", "d"])
        }
    }

    @Test func `what is not exported at a sign-out goes out after a crash`() throws {
        try withDebt { machine, second, root, bringBack in
            // What is saved and not folded yet is owed, too.
            try machine.save("d")
            try machine.connection().signOut()
            try machine.service.kill9()
            try bringBack()
            try waitUntil("the local store") { try machine.names() == [] }
            try second.signIn(root)
            try second.wait(forNotes: ["a", "b", "c", "d"])
        }
    }

    @Test func `whoever signs in again while something is owed has it, and it goes out`() throws {
        try withDebt { machine, second, root, bringBack in
            try machine.signOut()
            try bringBack()
            try machine.signIn(root)
            #expect(try machine.names() == ["a", "b", "c"])
            try machine.save("d")
            try second.signIn(root)
            try second.wait(forNotes: ["a", "b", "c", "d"])
            try waitUntil("nothing is owed") { try machine.connection().unexportedContents() == [] }
        }
    }

    @Test func `the file of a store that is removed goes once its container has all of it`() throws {
        try withDebt { machine, second, root, bringBack in
            let own = "\(machine.service.data)/\(AccountMachine.application)/Default/CofferUbiquitySupport"
            let files = { () throws -> Int in
                try FileManager.default.contentsOfDirectory(atPath: own).count { name in
                    FileManager.default.fileExists(atPath: "\(own)/\(name)/Notes.sqlite")
                }
            }
            #expect(try files() == 1)
            let connection = try ServiceConnection(
                application: AccountMachine.application, bus: .explicit(machine.service.bus.address))
            try connection.removeStore(named: "Notes", evenIfOpen: true)
            #expect(try machine.connection().ubiquitousStores() == [])
            try machine.service.kill9()
            try waitUntil("it is told of") {
                try machine.connection().unexportedContents().map(\.account) == [1]
            }
            #expect(try files() == 1)
            try bringBack()
            try second.signIn(root)
            try second.wait(forNotes: ["a", "b", "c"])
            try waitUntil("the file goes") { try files() == 0 }
            try waitUntil("nothing is owed") { try machine.connection().unexportedContents() == [] }
        }
    }

    @Test func `what a removed store owes goes out where it was shared, also if shared elsewhere since`()
        throws
    {
        try withDebt { machine, second, root, bringBack in
            let connection = try ServiceConnection(
                application: AccountMachine.application, bus: .explicit(machine.service.bus.address))
            try connection.removeStore(named: "Notes", evenIfOpen: true)
            let renamed = try AccountMachine(machine.service, contentName: "Others")
            try renamed.save("other")
            try waitUntil("both are told of") {
                try machine.connection().unexportedContents().map(\.account) == [1, 1]
            }
            try machine.service.kill9()
            try bringBack()
            try second.signIn(root)
            try second.wait(forNotes: ["a", "b", "c"])
            try renamed.wait(forNotes: ["other"])
            try waitUntil("nothing is owed") { try machine.connection().unexportedContents() == [] }
        }
    }

    @Test func `what was saved before the folder was ever reached is owed, too`() throws {
        try withTemporaryFolder { folder in
            let root = "\(folder)/one"
            _ = try Folder.make(at: root)
            let (service, other) = (try ServiceUnderTest(), try ServiceUnderTest())
            defer {
                service.stop()
                other.stop()
            }
            try ServiceConnection(
                application: "org.coffer.Tool", bus: .explicit(service.bus.address)
            ).signIn(as: "one", at: root)
            try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            let machine = try AccountMachine(service)
            try machine.wait(for: "fallback")
            #expect(try machine.connection().unexportedContents() == [])
            try machine.save("early")
            #expect(try machine.connection().unexportedContents().map(\.count) == [1])
            try machine.signOut()
            #expect(try machine.names() == [])
            try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
            let second = try AccountMachine(other)
            try second.signIn(root)
            try second.wait(forNotes: ["early"])
            try machine.signIn(root)
            try machine.wait(forNotes: ["early"])
        }
    }
}
