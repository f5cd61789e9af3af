import Coffer
import CofferDBus
import CofferLinux
import CofferSQLite
import ContextSupport
import Foundation
import TestSupport
import Testing

/// A store whose content follows the account that is signed in.
@Suite struct AccountLifeTests {
    /// A service, and the folders of two accounts.
    private func withAccounts(_ body: (ServiceUnderTest, String, String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let roots = ["one", "two"].map { "\(folder)/\($0)" }
            for root in roots {
                try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            }
            let service = try ServiceUnderTest()
            defer { service.stop() }
            try body(service, roots[0], roots[1])
        }
    }

    @Test func `each account has its own content, and so has nobody`() throws {
        try withAccounts { service, one, two in
            let machine = try AccountMachine(service)
            try machine.save("nobody's")
            #expect(try machine.status()?.state == "local" && machine.status()?.condition == "signed-out")
            try machine.signIn(one)
            #expect(try machine.names() == [])
            try machine.save("of one")
            try machine.waitForExport(of: 1)
            try machine.signIn(two)
            #expect(try machine.names() == [])
            try machine.save("of two")
            try machine.waitForExport(of: 1)
            // What is written there is each account's own.
            let other = try ServiceUnderTest()
            defer { other.stop() }
            let second = try AccountMachine(other)
            try second.signIn(two)
            try second.wait(forNotes: ["of two"])
            try machine.signIn(one)
            #expect(try machine.names() == ["of one"])
            try machine.signOut()
            #expect(try machine.names() == ["nobody's"])
            // As after a restart of the machine.
            try service.kill9()
            try machine.wait(forNotes: ["nobody's"])
            try machine.signIn(two)
            #expect(try machine.names() == ["of two"])
            try second.signIn(one)
            try second.wait(forNotes: ["of one"])
        }
    }

    @Test func `what nobody has open is removed for whoever is signed in, and for nobody else`() throws {
        try withAccounts { service, one, _ in
            func fill() throws {
                let machine = try AccountMachine(service, localContent: .merge)
                try machine.save("of one")
                try machine.signIn(one)
                try machine.waitForExport(of: 1)
                try machine.signOut()
            }
            try fill()
            try service.kill9()
            let connection = try ServiceConnection(
                application: AccountMachine.application, bus: .explicit(service.bus.address))
            try connection.removeStore(named: "Notes")
            // What was saved before anybody signed in is the account's by now, in the file that it was in.
            let file = "\(service.data)/\(AccountMachine.application)/Default/Notes.sqlite"
            #expect(FileManager.default.fileExists(atPath: file))
            let machine = try AccountMachine(service, localContent: .merge)
            try machine.signIn(one)
            try machine.wait(forNotes: ["of one"])
        }
    }

    @Test func `what a context has not saved goes to the account that it belongs to`() async throws {
        try await withTemporaryFolder { folder in
            let roots = ["\(folder)/one", "\(folder)/two"]
            for root in roots { _ = try Folder.make(at: root) }
            let service = try ServiceUnderTest()
            defer { service.stop() }
            let machine = try AccountMachine(service)
            try machine.signIn(roots[0])
            let context = try machine.container.newBackgroundContext()
            let events = machine.container.storeTransitions
            try await context.perform { context in try AccountMachine.insert("unsaved", into: context) }
            try machine.signIn(roots[1])
            #expect(try machine.names() == [])
            let left = try await context.perform { context in
                (context.hasChanges, try context.texts("Note", "name"))
            }
            #expect(left.0 == false && left.1 == [])
            try machine.signIn(roots[0])
            #expect(try machine.names() == ["unsaved"])
            try machine.signOut()
            #expect(try machine.names() == [])
            let told = await Self.transitions(events, 3)
            #expect(told.asked == [.accountAdded, .accountAdded, .accountRemoved])
            #expect(told.done.map(\.kind) == told.asked)
            #expect(told.done[0].removed == told.done[1].added && told.done[0].added == told.done[1].removed)
        }
    }

    /// What is told until so many exchanges are done.
    private static func transitions(
        _ events: AsyncStream<StoreTransitionEvent>, _ count: Int
    ) async -> (asked: [StoreTransition.Kind], done: [StoreTransition]) {
        var (asked, done): ([StoreTransition.Kind], [StoreTransition]) = ([], [])
        for await event in events {
            switch event {
            case .willChange(let transition): asked.append(transition.kind)
            case .didChange(let transition): done.append(transition)
            }
            if done.count == count { break }
        }
        return (asked, done)
    }

    @Test func `a store that existed before is kept apart, or becomes the account's where that is asked for`()
        throws
    {
        try withAccounts { service, one, two in
            var machine = try AccountMachine(service, contentName: nil)
            try machine.save("early")
            try machine.connection().signIn(as: "one", at: one)
            machine = try AccountMachine(service)
            try machine.wait(for: "live")
            #expect(try machine.names() == [])
            try machine.signOut()
            #expect(try machine.names() == ["early"])
            machine = try AccountMachine(service, localContent: .merge)
            try machine.signIn(two)
            #expect(try machine.names() == ["early"])
            try machine.waitForExport(of: 1)
            try machine.signOut()
            #expect(try machine.names() == [])
            let other = try ServiceUnderTest()
            defer { other.stop() }
            let second = try AccountMachine(other)
            try second.signIn(two)
            try second.wait(forNotes: ["early"])
        }
    }

    @Test func `a file that was shared with an account before each had its own is that account's`() throws {
        try withAccounts { service, one, two in
            do {
                let machine = try AccountMachine(service)
                try machine.signIn(one)
                try machine.save("shared")
                try machine.waitForExport(of: 1)
            }
            try service.kill9()
            try Self.makeFileOfBefore(service)
            let machine = try AccountMachine(service)
            try machine.wait(for: "live")
            #expect(try machine.names() == ["shared"])
            try machine.signIn(two)
            #expect(try machine.names() == [])
            try machine.signOut()
            #expect(try machine.names() == [])
            try machine.signIn(one)
            #expect(try machine.names() == ["shared"])
        }
    }

    /// Moves an account's files to the folder in which files were shared before, and deletes what is known
    /// of them.
    private static func makeFileOfBefore(_ service: ServiceUnderTest) throws {
        let base = "\(service.data)/\(AccountMachine.application)/Default"
        let support = "\(base)/CofferUbiquitySupport"
        let own = try #require(try FileManager.default.contentsOfDirectory(atPath: support).first)
        for name in try FileManager.default.contentsOfDirectory(atPath: "\(support)/\(own)") {
            try? FileManager.default.removeItem(atPath: "\(base)/\(name)")
            try FileManager.default.moveItem(atPath: "\(support)/\(own)/\(name)", toPath: "\(base)/\(name)")
        }
        let database = try SQLiteConnection(path: "\(service.data)/accounts.db")
        try database.execute("DELETE FROM STORE; DELETE FROM PLACE;")
    }

    @Test func `a store is there at once where the folder of its account is away`() throws {
        try withAccounts { service, one, _ in
            let machine = try AccountMachine(service)
            try machine.signIn(one)
            try FileManager.default.moveItem(atPath: one, toPath: one + "-away")
            let second = try AccountMachine.container(service, "Notes", nil)
            #expect(try second.newContext().texts("Note", "name") == [])
            let other = try ServiceUnderTest()
            defer { other.stop() }
            try FileManager.default.moveItem(atPath: one + "-away", toPath: one)
            try ServiceConnection(
                application: "org.coffer.Tool", bus: .explicit(other.bus.address)
            ).signIn(as: "one", at: one)
            try FileManager.default.moveItem(atPath: one, toPath: one + "-away")
            let new = try AccountMachine(other)
            try new.save("early")
            #expect(try new.status()?.state == "fallback" && new.status()?.firstContent == .unknown)
            try FileManager.default.moveItem(atPath: one + "-away", toPath: one)
            try new.wait(for: "live")
            #expect(try new.names() == ["early"])
            do {
                try machine.wait(forNotes: ["early"])
            } catch {
                Issue.record("\(try new.status() as Any)")
                throw error
            }
        }
    }
}
