import Coffer
import CofferCoordination
import CofferLinux
import CofferModel
import Foundation
import TestSupport
import Testing

/// A store of the service, and applications of two versions.
@Suite(.serialized) struct MigrationProcessTests {
    private func connection(_ service: ServiceUnderTest) throws -> ServiceConnection {
        try ServiceConnection(application: "org.coffer.Tests", bus: .explicit(service.bus.address))
    }

    /// The copies beside the store.
    private func copies(_ service: ServiceUnderTest) throws -> [String] {
        try Folder(at: LogFile.folder(service)).names().filter { $0.contains("backup") }
    }

    @Test
    func `a new version takes the store on, and the old one saves first and is told what differs`() throws {
        try withService { service in
            let old = try ClientProcess(service)
            for number in 1...3 { try old.insert(number) }
            try old.ask("keepUnsaved", ["title": "last words"])
            // This object is not saved when the store is about to change.
            try old.ask("insert", ["sequence": "9", "title": "unsaved"])
            let new = try ClientProcess(service, version: "2")
            #expect(try new.count() == 4)
            #expect(try old.ask("waitForNotice", ["notice": "didChange"]) == ["notices": "saved didChange"])
            try old.ask("waitForEvents", ["event": "storesDidChange"])
            #expect(try old.ask("lost") == ["lost": "unsaved"])
            for verb in ["fetch", "count"] {
                let failure = try old.failure(verb)
                #expect(failure["kind"] == "incompatibleModel", "\(verb): \(failure)")
                #expect(failure["changes"]?.contains("Entry.body") == true, "\(failure)")
            }
            // Neither a second old one nor the first in a new attempt takes it back.
            let late = try ClientProcess(service, opens: false)
            #expect(try late.failure("open", ["store": "Log"])["kind"] == "incompatibleModel")
            let other = try ClientProcess(service, version: "2")
            try other.ask("insert", ["sequence": "5", "title": "B"])
            let number = try other.save()
            #expect(number == 6, "behind three saves, the last words and the migration")
            try new.ask("waitForMerge", ["number": "\(number)"])
            #expect(try new.count() == 5)
            #expect(try copies(service) == ["Log.sqlite.backup-4"])
            #expect(try service.integrity(ofStore: "Log") == [])
            for client in [old, late, new, other] { #expect(try client.end() == .code(0)) }
        }
    }

    @Test
    func `a store that nobody has open is taken on by the first of several that open it`() throws {
        try withStoppableService { service, place in
            let old = try ClientProcess(service)
            for number in 1...3 { try old.insert(number) }
            #expect(try old.end() == .code(0))
            let pid = try #require(try service.pid())
            try place.arm(.migrationRows)
            let clients = try (0..<4).map { _ in try ClientProcess(service, opens: false) }
            for client in clients { try client.post("open", ["store": "Log", "version": "2"]) }
            try place.waitUntilReached(.migrationRows)
            try waitUntilStopped(pid)
            try ProcessControl.kill(pid, .resume)
            for client in clients {
                try client.answer()
                #expect(try client.count() == 3)
            }
            #expect(try copies(service).count == 1)
            for client in clients { #expect(try client.end() == .code(0)) }
        }
    }

    @Test
    func `a look at a migration disturbs nobody, and what is in the way of one neither`() throws {
        try withService { service in
            let client = try ClientProcess(service)
            for number in 1...3 { try client.insert(number) }
            let reply = try connection(service).migrateStore(
                named: "Log", to: LogModel.make(version: 2), onlyPlans: true)
            let plan = reply.plan
            let entry = try #require(plan.entities.first { $0.name == "Entry" })
            #expect(entry.objectCount == 3 && plan.dropsData && plan.obstacles.isEmpty)
            #expect(entry.properties.first { $0.name == "rank" }?.defaultedCount == 3)
            #expect(entry.properties.first { $0.name == "body" }?.examples.first?.value == "a")
            #expect(reply.number == nil && reply.backup == nil)

            let numbers = try ManagedObjectModel {
                Entity("Entry") {
                    Field("writer", .integer64).default(0)
                    Field("sequence", .integer64).default(0)
                    Field("title", .integer64).optional()
                    Unique("writer", "sequence")
                }
            }
            do {
                _ = try connection(service).migrateStore(named: "Log", to: numbers)
                Issue.record("migrated")
            } catch CofferError.refused(_, "unmigratable", let text, _) {
                #expect(text.contains("3 values of 'Entry.title' cannot be turned"))
            }
            #expect(try client.insert(4) == 4)
            #expect(try copies(service).isEmpty)
            // No client was asked to leave.
            let events = try client.ask("waitForMerge", ["number": "0"])
            #expect(events["merges"] == "0")
            #expect(try client.end() == .code(0))
        }
    }

    @Test
    func `a migration tells its steps, and keeps no copy where none is wanted`() throws {
        try withService { service in
            let client = try ClientProcess(service)
            try client.insert(1)
            var steps: [MigrationProgress] = []
            let reply = try connection(service).migrateStore(
                named: "Log", to: LogModel.make(version: 2), keepsBackup: false
            ) { step in if steps.last != step { steps.append(step) } }
            #expect(steps == MigrationProgress.allCases)
            #expect(reply.number == 2 && reply.backup == nil)
            #expect(try copies(service).isEmpty)
            #expect(try client.isToldOfOtherModel())
            // A client may take the store back if it asks for just that; clients with the newer model then
            // lose it.
            let back = try connection(service).migrateStore(named: "Log", to: LogModel.make())
            #expect(back.plan.isReturn && back.number == 3)
            // What it had read is of the store before; what it fetches is there now.
            #expect(try client.count() == 1)
            #expect(try client.end() == .code(0))
        }
    }

    @Test
    func `a migration that is taken back has changed nothing`() throws {
        try withService { service in
            let (still, client) = (try ClientProcess(service), try ClientProcess(service))
            for number in 1...2 { try client.insert(number) }
            try client.ask("keepUnsaved", ["title": "last words"])
            // It answers nothing, and is waited for.
            try ProcessControl.kill(still.child.id, .stop)
            let connection = try connection(service)
            let model = try LogModel.make(version: 2)
            let cancellation = CallCancellation()
            let outcome = ConditionLock<CofferError?>(nil)
            let thread = try WorkerThread(name: "migration") {
                do throws(CofferError) {
                    _ = try connection.migrateStore(
                        named: "Log", to: model, wait: .seconds(60), cancellation: cancellation)
                    outcome.withLock { $0 = .unavailable("it was not taken back") }
                } catch {
                    outcome.withLock { $0 = error }
                }
                outcome.broadcast()
            }
            #expect(try client.ask("waitForNotice", ["notice": "saved"]) == ["notices": "saved"])
            cancellation.cancel()
            // What is answered was read behind it.
            #expect(try connection.stores().map(\.name) == ["Log"])
            try ProcessControl.kill(still.child.id, .resume)
            let error = outcome.wait(timeout: .seconds(60)) { $0 }
            withExtendedLifetime(thread) {}
            guard case .refused("Cancelled", _, _, _)? = error else {
                Issue.record("\(error as Any)")
                return
            }
            try waitUntil("the store is open again") { (try? client.count()) == 3 }
            // It was asked, and then there was nothing to tell.
            #expect(try client.ask("waitForNotice", ["notice": "saved"]) == ["notices": "saved"])
            #expect(try client.insert(4) == 4)
            #expect(try copies(service).isEmpty)
            #expect(try service.integrity(ofStore: "Log") == [])
            for client in [still, client] { #expect(try client.end() == .code(0)) }
        }
    }
}

extension OneAtATime {
    /// The service is killed while it migrates.
    @Suite(.serialized) struct KilledMigrationTests {
        private static let points: [CrashPoint] = [
            .migrationChecking, .migrationRows, .migrationIndexes, .migrationHistory,
        ]

        @Test(arguments: points)
        func `the old store is whole wherever the service dies in a migration`(point: CrashPoint) throws {
            try withStoppableService { service, place in
                let old = try ClientProcess(service)
                for number in 1...3 { try old.insert(number) }
                #expect(try old.end() == .code(0))
                try place.arm(point)
                let new = try ClientProcess(service, opens: false)
                try new.post("open", ["store": "Log", "version": "2"])
                try place.waitUntilReached(point)
                // No client is left to begin it again.
                try ProcessControl.kill(new.child.id, .kill)
                try service.kill9()
                let again = try ClientProcess(service)
                #expect(try again.count() == 3)
                #expect(try again.insert(4) == 4)
                #expect(try service.integrity(ofStore: "Log") == [])
                // A copy of what did not come about is noted, so that it goes in its time.
                let names = try Folder(at: LogFile.folder(service)).names().filter { $0.contains("backup") }
                #expect(names == ["Log.sqlite.backup-3"])
                #expect(try LogFile(service).copies() == names)
                let next = try ClientProcess(service, version: "2")
                #expect(try next.count() == 4)
                #expect(try service.integrity(ofStore: "Log") == [])
                for client in [again, next] { #expect(try client.end() == .code(0)) }
            }
        }

        @Test(arguments: Seed.several(2))
        func `a migration comes to its end though the service is killed at random moments`(seed: Seed) throws
        {
            print("killed at random moments, seed \(seed)")
            try withService { service in
                let count = 20_000
                let old = try ClientProcess(service)
                try old.ask("batchInsert", ["writer": "1", "count": "\(count)", "title": "A"])
                #expect(try old.end() == .code(0))
                var random = seed.generator()
                let moment = try RandomMoment()
                let new = try ClientProcess(service, opens: false)
                try new.post("open", ["store": "Log", "version": "2"])
                for _ in 0..<4 {
                    try moment.pass(within: 200_000, &random)
                    try service.killOnceItRuns()
                }
                try new.answer()
                #expect(try new.count() == count)
                #expect(try service.integrity(ofStore: "Log") == [])
                #expect(try new.end() == .code(0))
                try service.kill9()
                let file = try LogFile(service)
                try file.expectWhole()
                #expect(try file.entries().count == count)
            }
        }
    }
}
