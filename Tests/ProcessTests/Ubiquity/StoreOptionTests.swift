import Coffer
import CofferLinux
import CofferSQLite
import ContextSupport
import Foundation
import TestSupport
import Testing

/// What applications ask for of stores whose content follows the account.
@Suite struct StoreOptionTests {
    /// A service, and the folder of an account.
    private func withAccount(_ body: (ServiceUnderTest, String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let root = "\(folder)/one"
            _ = try Folder.make(at: root)
            let service = try ServiceUnderTest()
            defer { service.stop() }
            try body(service, root)
        }
    }

    /// Why something is refused; `nil` if it is not.
    private func refusal(_ body: () throws -> Void) throws -> String? {
        do {
            try body()
            return nil
        } catch CofferError.refused(_, let reason, _, _) {
            return reason
        }
    }

    @Test func `a store that needs an account is written in the same context once somebody signs in`() throws
    {
        try withAccount { service, root in
            let machine = try AccountMachine(service, options: UbiquityOptions(needsAccount: true))
            let context = machine.container.newContext()
            func save(_ name: String) throws -> String? {
                try AccountMachine.insert(name, into: context)
                return try refusal { try context.save() }
            }
            #expect(try save("early") == "no_account")
            #expect(try context.texts("Note", "name") == ["early"])
            context.rollback()
            #expect(try context.texts("Note", "name") == [])
            try machine.signIn(root)
            try AccountMachine.retrying { _ = try context.texts("Note", "name") }
            #expect(try save("late") == nil)
            try machine.waitForExport(of: 1)
            try machine.signOut()
            try AccountMachine.retrying { _ = try context.texts("Note", "name") }
            #expect(try save("too late") == "no_account")
            // Another application that does not ask for it saves what belongs to no account.
            try AccountMachine(service).save("nobody's")
        }
    }

    @Test func `stores of different folders and containers have nothing in common`() throws {
        try withAccount { service, root in
            let options: [UbiquityOptions] = [
                UbiquityOptions(), UbiquityOptions(contentURL: URL(string: "Library/Shelf")),
                UbiquityOptions(containerIdentifier: "org.coffer.Group"),
                UbiquityOptions(
                    contentURL: URL(filePath: "\(root)/org.coffer.Group/Shelf/"),
                    containerIdentifier: "org.coffer.Group"),
            ]
            let folders = [
                "org.coffer.Tests/Notes", "org.coffer.Tests/Library/Shelf/Notes", "org.coffer.Group/Notes",
                "org.coffer.Group/Shelf/Notes",
            ]
            let other = try ServiceUnderTest()
            defer { other.stop() }
            for service in [service, other] {
                try ServiceConnection(
                    application: "org.coffer.Tool", bus: .explicit(service.bus.address)
                ).signIn(as: "one", at: root)
            }
            func open(_ place: Int, _ service: ServiceUnderTest) throws -> PersistentContainer {
                try AccountMachine.container(service, "Notes", nil, options[place], named: "Notes\(place)")
            }
            let containers = try options.indices.map { try open($0, service) }
            for (place, container) in containers.enumerated() {
                let context = container.newContext()
                try AccountMachine.insert("of \(place)", into: context)
                try context.save()
            }
            for (place, folder) in folders.enumerated() {
                let container = try open(place, other)
                try waitUntil("the notes of \(folder)") {
                    try AccountMachine.retrying { try container.newContext().texts("Note", "name") }
                        == ["of \(place)"]
                }
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")
                        .contains { $0.hasPrefix("c-") })
            }
        }
    }

    @Test func `what would lead out of a container is refused, and a link in it is not followed`() throws {
        try withAccount { service, root in
            let elsewhere = root + "-elsewhere"
            _ = try Folder.make(at: elsewhere)
            try ServiceConnection(
                application: "org.coffer.Tool", bus: .explicit(service.bus.address)
            ).signIn(as: "one", at: root)
            func open(_ url: String?, in container: String? = nil, as name: String = "Notes") throws {
                let options = UbiquityOptions(
                    contentURL: url.flatMap { URL(string: $0) }, containerIdentifier: container)
                _ = try AccountMachine.container(service, name, nil, options)
            }
            for url in [
                "..", "a/../../b", "a//b", ".hidden", "data", "a/data", "file://\(elsewhere)/a",
                "file://\(root)/another/a", "https://example.org/a",
                "a/\(String(repeating: "b", count: 200))",
            ] {
                #expect(try refusal { try open(url) } == "invalid_name", "\(url)")
            }
            for container in ["..", "a/b", ".a", "a\nb"] {
                #expect(try refusal { try open(nil, in: container) } == "invalid_name", "\(container)")
            }
            #expect(try refusal { try open("a", as: "data") } == "invalid_name")
            _ = try Folder.make(at: "\(root)/org.coffer.Tests")
            try FileManager.default.createSymbolicLink(
                atPath: "\(root)/org.coffer.Tests/link", withDestinationPath: elsewhere)
            let container = try AccountMachine.container(
                service, "Notes", nil, UbiquityOptions(contentURL: URL(string: "link")))
            let context = container.newContext()
            try AccountMachine.insert("a", into: context)
            try context.save()
            let connection = try ServiceConnection(
                application: "org.coffer.Tool", bus: .explicit(service.bus.address))
            try waitUntil("a look at the container") {
                try connection.ubiquitousStores().first?.condition == "away"
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere) == [])
            // Elsewhere it cannot be while it is there.
            #expect(try refusal { try open("b") } == "denied")
        }
    }

    @Test func `what is removed while no account is signed in takes nothing from the accounts`() throws {
        try withAccount { service, root in
            let machine = try AccountMachine(service)
            try machine.save("nobody's")
            try machine.signIn(root)
            try machine.save("of one")
            try machine.waitForExport(of: 1)
            try machine.signOut()
            let support = "\(service.data)/\(AccountMachine.application)/Default/CofferUbiquitySupport"
            let files = try FileManager.default.contentsOfDirectory(atPath: support).sorted()
            #expect(!files.isEmpty)
            try machine.connection().removeStore(
                named: "Notes", application: AccountMachine.application, evenIfOpen: true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: support).sorted() == files)
            // The account's content is there at once, though its folder is away.
            try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            let again = try AccountMachine(service)
            #expect(try again.names() == [])
            try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
            try again.connection().signIn(as: "one", at: root)
            try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            try again.wait(forNotes: ["of one"])
            #expect(try again.status()?.state == "live")
        }
    }

    @Test func `a copy of a shared store is a plain store, with nothing of what other machines need`() throws
    {
        try withAccount { service, root in
            let machine = try AccountMachine(service)
            try machine.signIn(root)
            try machine.save("a")
            try machine.save("b")
            try machine.waitForExport(of: 2)
            for isPlain in [true, false] {
                let path = "\(root)-\(isPlain).sqlite"
                _ = try machine.connection().copyStore(
                    named: "Notes", toFileAt: path, type: .sqlite, application: AccountMachine.application,
                    isPlain: isPlain)
                let connection = try SQLiteConnection(path: path)
                let statement = try connection.prepare(
                    "SELECT group_concat(name) FROM sqlite_master WHERE name LIKE 'COFFER%'")
                #expect(try statement.step())
                let ours = Set(statement.text(0).split(separator: ",").map(String.init))
                let shared: Set = [
                    "COFFER_RECORD", "COFFER_RUN", "COFFER_PEER", "COFFER_FOLD", "COFFER_OUTBOX",
                    "COFFER_VALUE", "COFFER_PIECE", "COFFER_CONFLICT", "COFFER_BASELINE",
                    "COFFER_OBJECT",
                ]
                #expect(ours.isDisjoint(with: shared) && (!isPlain || ours.isEmpty), "\(ours)")
                let names = try connection.prepare("SELECT group_concat(ZNAME) FROM ZNOTE")
                #expect(try names.step() && names.text(0) == "a,b")
            }
            // The store itself is shared on.
            try machine.save("c")
            try machine.waitForExport(of: 3)
        }
    }
}
