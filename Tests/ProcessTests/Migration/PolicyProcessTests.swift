import Coffer
import CofferLinux
import CofferModel
import CofferWire
import Foundation
import TestSupport
import Testing

/// Stores of the service that are migrated by policies and work of clients.
@Suite(.serialized) struct PolicyProcessTests {
    private func connection(_ service: ServiceUnderTest) throws -> ServiceConnection {
        try ServiceConnection(application: "org.coffer.Tests", bus: .explicit(service.bus.address))
    }

    /// A service with some entries in the store.
    private func withEntries(_ body: (ServiceUnderTest) throws -> Void) throws {
        try withService { service in
            let old = try ClientProcess(service)
            try old.insert(1, title: "one")
            try old.insert(2, title: "two words")
            try old.insert(3, title: "three more words")
            #expect(try old.end() == .code(0))
            try body(service)
        }
    }

    /// The store has its old model and all entries, and nothing is left of another.
    private func expectWhole(_ service: ServiceUnderTest) throws {
        let client = try ClientProcess(service)
        #expect(try client.count() == 3)
        #expect(try service.integrity(ofStore: "Log") == [])
        let names = try Folder(at: LogFile.folder(service)).names()
        #expect(!names.contains { $0.contains(".new") || $0.contains("backup") }, "\(names)")
        #expect(try client.end() == .code(0))
    }

    @Test
    func `a client's policies make the objects while others wait, and old ones are told`() throws {
        try withEntries { service in
            let old = try ClientProcess(service)
            try old.ask("keepUnsaved", ["title": "last words"])
            let migrating = try ClientProcess(service, opens: false)
            let done = try migrating.ask("migrate")
            #expect(done["hasBackup"] == "true" && done["number"] != "0", "\(done)")
            #expect(try old.failure("count")["kind"] != nil)
            let new = try ClientProcess(service, opens: false)
            try new.ask("open", ["store": "Log", "version": "3"])
            #expect(try new.count() == 4)
            #expect(try new.ask("count", ["entity": "Word"])["count"] == "8")
            #expect(try service.integrity(ofStore: "Log") == [])
            #expect(try migrating.ask("migrate")["number"] == "0", "it has the model")
            for client in [old, migrating, new] { #expect(try client.end() == .code(0)) }
        }
    }

    @Test
    func `a client that dies between its objects leaves the old store whole`() throws {
        try withEntries { service in
            let migrating = try ClientProcess(service, opens: false)
            try migrating.post("migrate", ["stopsAt": "two words"])
            #expect(try migrating.next() == ["stopped": "two words"])
            try ProcessControl.kill(migrating.child.id, .kill)
            try expectWhole(service)
            let again = try ClientProcess(service, opens: false)
            #expect(try again.ask("migrate")["hasBackup"] == "true")
            #expect(try again.end() == .code(0))
        }
    }

    @Test
    func `a client that hangs is not waited for, and the old store is whole`() throws {
        try withEntries { service in
            let migrating = try ClientProcess(service, opens: false)
            try migrating.post("migrate", ["stopsAt": "three more words", "timeout": "3000"])
            #expect(try migrating.next() == ["stopped": "three more words"])
            try expectWhole(service)
            try ProcessControl.kill(migrating.child.id, .kill)
        }
    }

    @Test
    func `the service that dies while policies are asked leaves the old store whole`() throws {
        try withEntries { service in
            let migrating = try ClientProcess(service, opens: false)
            try migrating.post("migrate", ["stopsAt": "two words"])
            #expect(try migrating.next() == ["stopped": "two words"])
            try ProcessControl.kill(migrating.child.id, .stop)
            try service.kill9()
            try ProcessControl.kill(migrating.child.id, .kill)
            try expectWhole(service)
        }
    }

    /// Throws when all is made.
    private final class FailingPolicy: EntityMigrationPolicy {
        func performCustomValidation(
            for mapping: MappingModel.Entity, with manager: MigrationManager
        ) throws {
            throw Refusal(description: "not today")
        }
    }

    /// Leaves out what every word must have.
    private final class WordlessPolicy: EntityMigrationPolicy {
        func createDestinationInstances(
            for source: ManagedObject, in mapping: MappingModel.Entity, with manager: MigrationManager
        ) throws {
            _ = try manager.destinationContext.insert(entityNamed: "Word")
        }
    }

    private struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    @Test
    func `what policies throw or leave out ends it, and so does a client that knows of no policy`() throws {
        try withEntries { service in
            let connection = try connection(service)
            let model = try LogRoute.model(3)
            func migrate(_ policy: @escaping () -> any EntityMigrationPolicy) throws(CofferError) {
                try connection.migrateStore(
                    named: "Log", to: model, by: LogRoute.custom, policies: ["WordPolicy": policy])
            }
            do throws(CofferError) {
                try migrate { FailingPolicy() }
                Issue.record("it was migrated")
            } catch {
                guard case .refused(_, "policy", let text, _) = error else { throw error }
                #expect(text.hasSuffix("not today"), "\(text)")
            }
            do throws(CofferError) {
                try migrate { WordlessPolicy() }
                Issue.record("it was migrated")
            } catch {
                guard case .validation(let failures) = error else { throw error }
                #expect(failures.count == 3)
            }
            let work = MigrationWorkMessage(id: UUID(), policies: ["WordPolicy"])
            do throws(CofferError) {
                _ = try connection.migrateStore(
                    named: "Log", to: model, by: .mapping(LogRoute.custom), work: work)
                Issue.record("it was migrated")
            } catch {
                guard case .refused(_, "unknown_method", _, _) = error else { throw error }
            }
            // Without its policy the mapping model says too little.
            do throws(CofferError) {
                _ = try connection.migrateStore(named: "Log", to: model, by: .mapping(LogRoute.custom))
                Issue.record("it was migrated")
            } catch {
                guard case .refused(_, "unmigratable", let text, _) = error else { throw error }
                #expect(text.contains("'WordPolicy'"))
            }
            try expectWhole(service)
        }
    }

    @Test(arguments: ["noise", "an error without a reason", "done at once"])
    func `a client that answers nonsense gets an error, and the old store is whole`(answer: String) throws {
        try withEntries { service in
            let client = try service.channel()
            let model: RegisterModelReplyMessage = try client.call(
                .registerModel, RegisterModelRequestMessage(model: LogRoute.model(3)))
            let request = MigrateStoreRequestMessage(
                name: StoreNameMessage(name: "Log"), modelID: model.modelID,
                route: MigrationRouteMessage(mapping: LogRoute.custom),
                work: MigrationWorkMessage(id: UUID(), policies: ["WordPolicy"]))
            let call = try client.start(.migrateStore, request.packed())
            let question = try client.waitForCall().header
            #expect(question.methodNumber == ClientMethod.migrateObjects.rawValue)
            let payload: [UInt8] =
                switch answer {
                case "noise": [0xFF, 0xFF, 0xFF]
                case "done at once": try MigrateObjectsReplyMessage(isDone: true).packed()
                default: [0xFF]
                }
            let reply = FrameHeader(
                kind: .reply, callID: question.callID, payloadByteCount: payload.count,
                status: answer == "an error without a reason" ? .internal : .ok)
            try client.send(reply.bytes + payload)
            if answer == "done at once" {
                // The service cannot tell whether the policy wanted no objects: they are gone, as it said,
                // and a copy of the store before is there.
                let done = try MigrateStoreReplyMessage(packed: client.reply(to: call))
                #expect(!done.backup.isEmpty)
                return
            }
            let refusal = #expect(throws: ProcessTests.Refusal.self) { try client.reply(to: call) }
            #expect(refusal?.reason == "policy")
            try expectWhole(service)
        }
    }

    @Test
    func `work between stages is done in the store, and nobody takes it on before`() throws {
        try withEntries { service in
            let connection = try connection(service)
            var isReady = false
            var done: [String] = []
            var stages = try LogRoute.stages().map { MigrationStage($0) }
            stages[1].willMigrate = { container in
                done.append("before 2: \(try container.newContext().count(for: Self.entries))")
            }
            stages[1].didMigrate = { container in
                if !isReady { throw Refusal(description: "not ready") }
                let context = container.newContext()
                for entry in try context.fetch(Self.entries) { entry["rank"] = .integer(3) }
                try context.save()
                done.append("after 2")
            }
            stages[2].mapping = LogRoute.custom
            stages[2].policies = ["WordPolicy": { MappedWords() }]
            do throws(CofferError) {
                try connection.migrateStore(named: "Log", through: stages)
                Issue.record("it was migrated")
            } catch {
                guard case .refused(_, "stage", let text, _) = error else { throw error }
                #expect(text.hasSuffix("not ready"), "\(text)")
            }
            // The store is at version 2, whose work is not done.
            let early = try ClientProcess(service, opens: false)
            let failure = try early.failure("open", ["store": "Log", "version": "3", "route": "mapping"])
            #expect(failure["reason"] == "stage", "\(failure)")
            isReady = true
            let steps = try connection.migrateStore(named: "Log", through: stages)
            #expect(steps.map(\.stage) == ["3"])
            #expect(done == ["before 2: 3", "after 2"])
            try early.ask("open", ["store": "Log", "version": "3"])
            #expect(try early.count() == 3)
            #expect(try early.ask("count", ["entity": "Word"])["count"] == "3")
            #expect(try early.end() == .code(0))
            let file = try LogFile(service)
            #expect(try file.number("SELECT count(*) FROM ZENTRY WHERE ZRANK = 3") == 3)
        }
    }

    /// Makes one word of each title.
    private final class MappedWords: EntityMigrationPolicy {
        func createDestinationInstances(
            for source: ManagedObject, in mapping: MappingModel.Entity, with manager: MigrationManager
        ) throws {
            try manager.createDestinationInstance(for: source, in: mapping)["text"] = source["title"]
        }
    }

    private static var entries: FetchRequest<ManagedObject> { FetchRequest(entityName: "Entry") }
}
