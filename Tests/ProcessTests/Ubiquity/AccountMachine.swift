import Coffer
import ContextSupport
import Foundation
import TestSupport
import Testing

/// A machine with an application whose store follows the account that is signed in.
final class AccountMachine {
    static let application = "org.coffer.Tests"
    let service: ServiceUnderTest
    private(set) var container: PersistentContainer

    init(
        _ service: ServiceUnderTest, contentName: String? = "Notes", localContent: LocalContentChoice? = nil,
        options: UbiquityOptions = UbiquityOptions()
    ) throws {
        self.service = service
        container = try Self.container(service, contentName, localContent, options)
    }

    static func container(
        _ service: ServiceUnderTest, _ contentName: String?, _ localContent: LocalContentChoice?,
        _ options: UbiquityOptions = UbiquityOptions(), named name: String = "Notes"
    ) throws -> PersistentContainer {
        var description = StoreDescription(
            name: name, ubiquitousContentName: contentName, localContent: localContent)
        description.ubiquity = options
        let container = try PersistentContainer(
            name: "Notes", model: SharedModels.notes(), application: application,
            stores: [description], bus: .explicit(service.bus.address))
        try container.loadStores()
        return container
    }

    func connection() throws -> ServiceConnection {
        try ServiceConnection(application: "org.coffer.Tool", bus: .explicit(service.bus.address))
    }

    func status() throws -> UbiquitousStoreStatus? { try connection().ubiquitousStores().first }

    /// Waits until applications have such content.
    func wait(for state: String) throws {
        try waitUntil("that the store is \(state)") { try status()?.state == state }
    }

    /// Waits until what was saved is in the account's folder.
    func waitForExport(of count: UInt64) throws {
        try waitUntil("the export") {
            try status().map { $0.objectCount == count && $0.unwrittenFoldCount == 0 } ?? false
        }
    }

    /// Signs in to another account than before, and waits until the application has its content.
    func signIn(_ root: String) throws {
        let former = store
        try connection().signIn(as: String(root.split(separator: "/").last ?? "home"), at: root)
        try waitUntil("another store") { store != former }
        try wait(for: "live")
    }

    func signOut() throws {
        let former = store
        try connection().signOut()
        try waitUntil("another store") { store != former }
        try wait(for: "local")
    }

    /// The handle of the store that the application has.
    private var store: UInt32? { container.coordinator.stores.first?.handle }

    /// The names of all notes, in order.
    func names() throws -> [String] {
        try container.newContext().texts("Note", "name").sorted()
    }

    /// Does something with a store once its clients know that its exchange is over.
    static func retrying<Result>(_ body: () throws -> Result) throws -> Result {
        var result: Result?
        try waitUntil("that the exchange of the store is over") {
            do {
                result = try body()
                return true
            } catch CofferError.refused(_, "store_exchanged", _, _) {
                return false
            }
        }
        return try #require(result)
    }

    /// Waits until other machines have such notes.
    func wait(forNotes expected: [String]) throws {
        do {
            try waitUntil("the notes") { try names() == expected }
        } catch {
            Issue.record("\(try names()) \(try status() as Any)")
            throw error
        }
    }

    /// Saves a note.
    func save(_ name: String) throws {
        try Self.retrying {
            let context = container.newContext()
            try Self.insert(name, into: context)
            try context.save()
        }
    }

    /// Deletes a note.
    func delete(_ name: String) throws {
        try Self.retrying {
            let context = container.newContext()
            let notes = try context.all("Note")
            context.delete(try #require(notes.first { $0["name"] == .string(name) }))
            try context.save()
        }
    }

    /// Deletes what an account has of the application, as a user does who does not know that it is in use.
    ///
    /// While the marker is there, files that are deleted before the marker are put back.
    static func deleteContainer(in root: String) throws {
        let path = "\(root)/\(application)"
        while FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    static func insert(_ name: String, into context: ManagedObjectContext) throws {
        try context.insert(entityNamed: "Note").setValue(.string(name), forKey: "name")
    }
}
