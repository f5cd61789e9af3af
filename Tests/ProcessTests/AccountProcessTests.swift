import Coffer
import CofferDBus
import CofferLinux
import CofferService
import Foundation
import TestSupport
import Testing

@Suite struct AccountProcessTests {
    private static let path = BusNames.path + "/accounts"

    private func connection(_ service: ServiceUnderTest, _ application: String) throws -> ServiceConnection {
        try ServiceConnection(application: application, bus: .explicit(service.bus.address))
    }

    private func call(
        _ member: String, _ body: [DBusValue] = [], on service: ServiceUnderTest
    ) throws -> DBusMessage {
        try service.connection().call(
            BusNames.name, path: Self.path, interface: "org.coffer.Storage1.Accounts", member: member,
            body: body)
    }

    private func property(
        _ name: String, of interface: String, at path: String, on service: ServiceUnderTest
    ) throws -> DBusValue {
        try service.connection().call(
            BusNames.name, path: path, interface: "org.freedesktop.DBus.Properties", member: "Get",
            body: [.string("org.coffer.Storage1." + interface), .string(name)]
        ).body[0].unwrapped
    }

    @Test func `applications hear of an administrator who signs in, each with a token of its own`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let service = try ServiceUnderTest()
            defer { service.stop() }
            do {
                let notes = try connection(service, "org.example.Notes")
                let tasks = try connection(service, "org.example.Tasks")
                var tokens = try notes.ubiquityIdentityTokens().makeAsyncIterator()
                #expect(await tokens.next() == .some(nil))
                let reply = try call("SignIn", [.string("home"), .string(folder)], on: service)
                let token = try #require(await tokens.next() ?? nil)
                #expect(try notes.ubiquityIdentityToken() == token)
                #expect(try tasks.ubiquityIdentityToken() != token)
                let path = try reply.argument(0, \.objectPathValue)
                #expect(try property("Name", of: "Account", at: path, on: service) == .string("home"))
                #expect(try property("SignedIn", of: "Account", at: path, on: service) == .boolean(true))
                #expect(
                    try property("Current", of: "Accounts", at: Self.path, on: service) == .objectPath(path))
                _ = try call("SignOut", on: service)
                #expect(await tokens.next() == .some(nil))
                #expect(try property("SignedIn", of: "Account", at: path, on: service) == .boolean(false))
                #expect(throws: DBusError.self) { try call("SignOut", on: service) }
            }
        }
    }

    @Test func `a sign-in outlives a killed service, and clients hear what changed`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let service = try ServiceUnderTest()
            defer { service.stop() }
            do {
                let notes = try connection(service, "org.example.Notes")
                let account = try notes.signIn(as: "home", at: folder)
                let token = try #require(try notes.ubiquityIdentityToken())
                var tokens = try notes.ubiquityIdentityTokens().makeAsyncIterator()
                #expect(await tokens.next() == token)
                try service.kill9()
                #expect(try notes.accounts() == [account])
                #expect(try notes.ubiquityIdentityToken() == token)
                try notes.signOut()
                #expect(await tokens.next() == .some(nil))
                #expect(try notes.accounts().map(\.signedIn) == [nil])
            }
        }
    }

    @Test func `a process that only listens hears of a sign-out after the service was lost`() async throws {
        try await withTemporaryFolder { folder in
            let service = try ServiceUnderTest()
            defer { service.stop() }
            try connection(service, "org.example.Notes").signIn(as: "home", at: folder)
            // Nothing but the stream is kept.
            var tokens = try connection(service, "org.example.Tasks").ubiquityIdentityTokens()
                .makeAsyncIterator()
            #expect(await tokens.next() ?? nil != nil)
            try service.kill9()
            _ = try call("SignOut", on: service)
            #expect(await tokens.next() == .some(nil))
        }
    }

    @Test func `what cannot be signed in to is refused with what to do`() throws {
        try withTemporaryFolder { (folder) throws in
            try withService { (service) throws in
                let notes = try connection(service, "org.example.Notes")
                for (name, path) in [("", folder), ("home", "relative"), ("home", folder + "/none")] {
                    #expect {
                        try notes.signIn(as: name, at: path)
                    } throws: {
                        if case CofferError.refused(_, _, let text, _) = $0 { text.count > 20 } else { false }
                    }
                }
                #expect(try notes.accounts().isEmpty)
            }
        }
    }

    @Test func `the service of all users signs nobody in, and says where to`() throws {
        try withTemporaryFolder { (folder) throws in
            try withService(isSystem: true) { (service) throws in
                let notes = try connection(service, "org.example.Notes")
                #expect(try notes.ubiquityIdentityToken() == nil)
                #expect {
                    try notes.signIn(as: "home", at: folder)
                } throws: {
                    guard case CofferError.refused(_, "denied", let text, _) = $0 else { return false }
                    return text.contains("session bus")
                }
                #expect(try Folder(at: folder).names().isEmpty)
                #expect(try !service.managedObjects().contains(Self.path))
            }
        }
    }
}
