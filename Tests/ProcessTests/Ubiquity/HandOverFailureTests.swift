import Coffer
import CofferLinux
import CofferSQLite
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Exchanges of content that fail, and are tried again.
@Suite struct HandOverFailureTests {
    /// A machine whose account has so many logs in its folder, which is away, and another machine that is
    /// signed in and has nothing of that yet.
    private func withFallback(
        _ count: Int,
        _ body: (AccountMachine, _ expected: [String], _ root: String, _ bringBack: () throws -> Void)
            async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let root = "\(folder)/one"
            _ = try Folder.make(at: root)
            let expected = try Self.fill(root, count)
            let other = try ServiceUnderTest()
            defer { other.stop() }
            try ServiceConnection(
                application: "org.coffer.Tool", bus: .explicit(other.bus.address)
            ).signIn(as: "one", at: root)
            try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            let second = try AccountMachine(other)
            try second.wait(for: "fallback")
            try second.save("a note")
            try await body(second, ["a note"] + expected, root) {
                try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
            }
        }
    }

    /// Has a machine write so many logs, which is gone then: it would put back what is missing.
    private static func fill(_ root: String, _ count: Int) throws -> [String] {
        let service = try ServiceUnderTest()
        defer { service.stop() }
        let first = try AccountMachine(service)
        try first.signIn(root)
        let names = (10..<10 + count).map { "note \($0)" }
        for (place, name) in names.enumerated() {
            try first.save(name)
            try first.waitForExport(of: UInt64(place) + 1)
        }
        return names
    }

    /// Keeps others from writing down what becomes of stores.
    private static func withLockedAccounts<Result>(
        of machine: AccountMachine, _ body: () throws -> Result
    ) throws -> Result {
        let database = try SQLiteConnection(path: "\(machine.service.data)/accounts.db")
        try database.begin(.immediate)
        defer { try? database.rollback() }
        return try body()
    }

    @Test func `a store becomes the account's once that can be written down`() async throws {
        try await withFallback(1) { machine, expected, root, bringBack in
            try Self.withLockedAccounts(of: machine) {
                try bringBack()
                try waitUntil("that the folder is seen") { try machine.status()?.condition == "there" }
                #expect(try machine.status()?.state == "fallback")
                #expect(try machine.names() == ["a note"])
            }
            try machine.wait(for: "live")
            try machine.wait(forNotes: expected)
        }
    }

    @Test func `an exchange that failed is tried again, and what is saved meanwhile is in it`() async throws {
        try await withFallback(10) { machine, expected, root, bringBack in
            // The client that is asked answers late, so that the lock comes before the exchange.
            let context = try machine.container.newBackgroundContext()
            let (isBusy, isFree) = (ConditionLock(false), ConditionLock(false))
            let busy = Task {
                await context.perform { _ in
                    isBusy.withLock { $0 = true }
                    isBusy.broadcast()
                    isFree.wait { $0 ? () : nil }
                }
            }
            isBusy.wait { $0 ? () : nil }
            try bringBack()
            try machine.wait(for: "asking")
            try Self.withLockedAccounts(of: machine) {
                isFree.withLock { $0 = true }
                isFree.broadcast()
                try machine.wait(for: "fallback")
                try machine.save("b note")
            }
            await busy.value
            try machine.wait(for: "live")
            try machine.wait(forNotes: [expected[0], "b note"] + expected.dropFirst())
        }
    }

    @Test func `a store of an older model that is built is taken to the new one`() async throws {
        try await withFallback(10) { machine, expected, root, bringBack in
            let logs = "\(root)-away/\(AccountMachine.application)/Notes"
            let log = try #require(
                try FileManager.default.contentsOfDirectory(atPath: logs).first { $0.hasPrefix("l-") })
            try FileManager.default.moveItem(atPath: "\(logs)/\(log)", toPath: "\(root)-\(log)")
            try bringBack()
            try waitUntil("that it is built from what is there") {
                try machine.status().map { $0.condition == "there" && $0.firstContent != .unknown } ?? false
            }
            try machine.service.kill9()
            let model = try SharedModels.ratedNotes()
            let newer = try PersistentContainer(
                name: "Notes", model: model, application: AccountMachine.application,
                stores: [StoreDescription(name: "Notes", ubiquitousContentName: "Notes")],
                bus: .explicit(machine.service.bus.address))
            try newer.loadStores()
            try FileManager.default.moveItem(
                atPath: "\(root)-\(log)",
                toPath: "\(root)/\(AccountMachine.application)/Notes/\(log)")
            try machine.wait(for: "live")
            try waitUntil("all notes") {
                try AccountMachine.retrying {
                    try newer.newContext().texts("Note", "name").sorted() == expected
                }
            }
        }
    }

    @Test func `without the list of accounts a plain store opens, and a shared one says why it does not`()
        throws
    {
        try withTemporaryFolder { folder in
            let service = try ServiceUnderTest()
            defer { service.stop() }
            do {
                let machine = try AccountMachine(service)
                try machine.signIn(folder)
                try machine.save("shared")
                let plain = try AccountMachine.container(service, nil, nil, named: "Plain")
                let context = plain.newContext()
                try AccountMachine.insert("plain", into: context)
                try context.save()
            }
            try service.kill9()
            try "Not a database".write(
                toFile: "\(service.data)/accounts.db", atomically: true, encoding: .utf8)
            let plain = try AccountMachine.container(service, nil, nil, named: "Plain")
            #expect(try plain.newContext().texts("Note", "name") == ["plain"])
            for (contentName, name) in [("Notes", "Notes"), (nil, "Notes"), ("New", "New")] {
                let refused = #expect(throws: CofferError.self) {
                    _ = try AccountMachine.container(service, contentName, nil, named: name)
                }
                let isOfAccounts = if case .refused(_, "accounts", _, _) = refused { true } else { false }
                #expect(isOfAccounts, "\(refused as Any)")
            }
        }
    }
}
