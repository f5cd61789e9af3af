import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import TestSupport
import Testing

/// Two users that every system has, 'daemon' and 'bin': the bus lets in none that it cannot look up.
private let (alice, bob): (UInt32, UInt32) = (1, 2)

/// Only root can be several users.
private let isRoot = CurrentProcess.userID == 0

@Test(.enabled(if: isRoot, "clients of two users are started as root"))
func `users of the system's bus see nothing of each other`() throws {
    try withService(isSystem: true) { service in
        try withTemporaryFolder { folder in
            let python = try PythonProgram(messagesIn: folder)
            // The bus and the messages are for everybody, the data is not.
            try run("chmod", ["-R", "a+rX", folder, service.bus.path])

            // Which user listens for which other, until its own store was changed so often.
            let listeners = try [(bob, alice, 1), (alice, bob, 2)].map { user, other, count in
                let listener = try python.start(
                    "eavesdrop", ["\(other)", "\(count)"], on: service.bus, user: user)
                let heard = try #require(listener.outputLines())
                #expect(try heard.next(timeout: .seconds(60)) == "listening")
                return (process: listener, heard: heard)
            }
            let owners = try [alice, bob].map { user in
                let owner = try python.start("owner", on: service.bus, user: user)
                let state = try #require(owner.outputLines())
                #expect(try state.next(timeout: .seconds(60)) == "open")
                return owner
            }

            for (user, other) in [(bob, alice), (alice, bob)] {
                let peek = try python.start("peek", ["\(other)"], on: service.bus, user: user)
                let seen = try #require(peek.outputLines())
                let found = try seen.next(timeout: .seconds(60))
                #expect(found == "found []")
                #expect(try peek.waitForExit(timeout: .seconds(60)) == .code(0))
            }

            // What root sees: that they are there, but no row.
            let objects = try service.managedObjects()
            #expect(
                objects.contains(Notes.path("Notes", user: alice))
                    && objects.contains(Notes.path("Notes", user: bob)))
            let root = try service.channel()
            let list: ListStoresReplyMessage = try root.call(
                .listStores, ListStoresRequestMessage(allApplications: true))
            #expect(list.stores.isEmpty, "these would be root's own")

            // More of Alice's while Bob listens, and then the one thing that he must hear; likewise of Bob's
            // while Alice does.
            func write(_ title: String, as user: UInt32) throws {
                let writer = try python.start("writer", [title, "2"], on: service.bus, user: user)
                #expect(try writer.waitForExit(timeout: .seconds(60)) == .code(0))
            }
            try write("More", as: alice)
            try write("Mine", as: bob)
            for owner in owners { try owner.kill(.kill) }
            try write("Last", as: alice)
            for listener in listeners {
                #expect(try listener.heard.next(timeout: .seconds(60)) == "heard []")
                #expect(try listener.process.waitForExit(timeout: .seconds(60)) == .code(0))
            }

            for user in [alice, bob] {
                let file = try Folder(at: service.data).folder("\(user)/org.coffer.Tests/Default").facts(
                    of: "Notes.sqlite")
                #expect(file?.permissions == 0o600)
            }
        }
    }
}
