import Coffer
import CofferModel
import ContextSupport
import Foundation
import TestSupport
import Testing

/// A machine that shares a store by a folder: a service with data and a bus of its own, and an application.
struct SharingMachine {
    static let application = "org.coffer.Tests"

    let service: ServiceUnderTest
    let container: PersistentContainer

    /// A machine on which a user is signed in to the account of the folder `root`.
    init(
        sharing root: String, _ model: ManagedObjectModel, environment: [String: String] = [:]
    ) throws {
        service = try ServiceUnderTest(environment: environment)
        try ServiceConnection(
            application: "org.coffer.Tool", bus: .explicit(service.bus.address)
        ).signIn(as: "home", at: root)
        container = try PersistentContainer(
            name: "Notes", model: model, application: Self.application,
            stores: [StoreDescription(name: "Notes", ubiquitousContentName: "Notes")],
            bus: .explicit(service.bus.address))
        try container.loadStores()
    }

    func connection() throws -> ServiceConnection {
        try ServiceConnection(application: "org.coffer.Tool", bus: .explicit(service.bus.address))
    }

    func status() throws -> UbiquitousStoreStatus? { try connection().ubiquitousStores().first }

    /// What the objects hold, whatever their keys are; each is called by its `name`.
    func contents() throws -> [String] {
        let context = container.newContext()
        var lines: [String] = []
        for entity in container.coordinator.model.entities {
            for object in try context.all(entity.name) {
                var line = "\(entity.name) \(object["name"])"
                for attribute in entity.attributes where attribute.name != "name" {
                    line += " \(attribute.name)=\(object[attribute.name])"
                }
                for relationship in entity.relationships {
                    let names = object.objects(forKey: relationship.name).map { "\($0["name"])" }
                    line +=
                        " \(relationship.name)=\(relationship.definition.isOrdered ? names : names.sorted())"
                }
                lines.append(line)
            }
        }
        return lines.sorted()
    }

    /// Whether two machines have exchanged everything, and have the same.
    func equals(_ other: SharingMachine) throws -> Bool {
        guard let first = try status(), let second = try other.status() else { return false }
        guard first.unwrittenFoldCount == 0, second.unwrittenFoldCount == 0,
            first.digest == second.digest, !first.digest.isEmpty
        else { return false }
        return try contents() == other.contents()
    }
}

/// Waits until two machines have exchanged everything, and have the same.
func waitUntilEqual(_ one: SharingMachine, _ other: SharingMachine) throws {
    do {
        try waitUntil("equal data on both machines") { try one.equals(other) }
    } catch {
        Issue.record("\(try one.status() as Any)\n\(try other.status() as Any)")
        throw error
    }
}
