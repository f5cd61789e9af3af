import Coffer
import CofferCoordination
import CofferLinux
import CofferModel
import Foundation
import TestSupport
import Testing

extension ClientProcess {
    /// How many words there are.
    fileprivate func wordCount() throws -> Int? {
        try ask("count", ["entity": "Word"])["count"].flatMap { Int($0) }
    }
}

/// Stores of the service that go to a model by mapping models and stages.
@Suite(.serialized) struct MigrationRouteTests {
    private func connection(_ service: ServiceUnderTest) throws -> ServiceConnection {
        try ServiceConnection(application: "org.coffer.Tests", bus: .explicit(service.bus.address))
    }

    /// The files beside the store that do not belong to an open one.
    private func remains(_ service: ServiceUnderTest) throws -> [String] {
        try Folder(at: LogFile.folder(service)).names().filter { $0.contains("new") || $0.contains("backup") }
    }

    @Test(arguments: ["mapping", "stages"])
    func `opening a store takes it on as a mapping model says, and over stages`(route: String) throws {
        try withService { service in
            let old = try ClientProcess(service)
            for number in 1...3 { try old.insert(number) }
            try old.ask("keepUnsaved", ["title": "last words"])
            let new = try ClientProcess(service, opens: false)
            try new.ask("open", ["store": "Log", "version": "3", "route": route])
            #expect(try new.count() == 4 && new.wordCount() == 4)
            #expect(try old.ask("waitForNotice", ["notice": "didChange"]) == ["notices": "saved didChange"])
            for verb in ["fetch", "count"] {
                #expect(try old.failure(verb)["kind"] == "incompatibleModel")
            }
            let late = try ClientProcess(service, opens: false)
            #expect(try late.failure("open", ["store": "Log"])["kind"] == "incompatibleModel")
            let other = try ClientProcess(service, opens: false)
            try other.ask("open", ["store": "Log", "version": "3", "route": route])
            try other.ask("insert", ["sequence": "9", "title": "B"])
            try new.ask("waitForMerge", ["number": "\(try other.save())"])
            #expect(try new.count() == 5)
            #expect(try remains(service).allSatisfy { $0.contains("backup") })
            #expect(try service.integrity(ofStore: "Log") == [])
            for client in [old, late, new, other] { #expect(try client.end() == .code(0)) }
        }
    }

    @Test
    func `a store with none of the versions is told so, and stays as it is`() throws {
        try withService { service in
            let old = try ClientProcess(service)
            try old.insert(1)
            let new = try ClientProcess(service, opens: false)
            let failure = try new.failure(
                "open", ["store": "Log", "version": "3", "route": "last stages"])
            #expect(failure["reason"] == "unstaged", "\(failure)")
            // No client was asked to leave.
            #expect(try old.insert(2) == 2)
            for client in [old, new] { #expect(try client.end() == .code(0)) }
        }
    }

    @Test
    func `a look tells what a mapping model and the next stage would do, and disturbs nobody`() throws {
        try withService { service in
            let client = try ClientProcess(service)
            for number in 1...3 { try client.insert(number) }
            let connection = try connection(service)
            let last = try LogRoute.model(3)
            let mapped = try connection.migrateStore(
                named: "Log", to: last, by: .mapping(LogRoute.mapping), onlyPlans: true)
            #expect(mapped.plan.entities.first { $0.name == "Word" }?.formerName == "Entry")
            #expect(mapped.plan.entities.first { $0.name == "Entry" }?.objectCount == 3)
            #expect(mapped.plan.obstacles.isEmpty && mapped.number == nil)
            let staged = try connection.migrateStore(
                named: "Log", to: last, by: .stages(LogRoute.stages()), onlyPlans: true)
            #expect(staged.origin == "1" && staged.stages.map(\.name) == ["2"] && staged.later == ["3"])
            let entry = staged.stages.first?.migration.plan.entities.first { $0.name == "Entry" }
            #expect(entry?.properties.contains { $0.name == "rank" && $0.defaultedCount == 3 } == true)

            var wrong = LogRoute.mapping
            wrong.entities[1].attributes = [.init("text", .expression("$source.nothing"))]
            let refused = try connection.migrateStore(
                named: "Log", to: last, by: .mapping(wrong), onlyPlans: true)
            #expect(refused.plan.obstacles.count == 1)
            #expect(throws: CofferError.self) {
                _ = try connection.migrateStore(named: "Log", to: last, by: .mapping(wrong))
            }
            // The last stage is to have the wanted model.
            #expect(throws: CofferError.self) {
                _ = try connection.migrateStore(
                    named: "Log", to: LogRoute.model(2), by: .stages(LogRoute.stages()))
            }
            #expect(try client.insert(4) == 4)
            #expect(try client.ask("waitForMerge", ["number": "0"])["merges"] == "0")
            #expect(try remains(service).isEmpty)
            #expect(try client.end() == .code(0))
        }
    }

    @Test
    func `each stage is told of, and where one is refused the store has the version before`() throws {
        try withService { service in
            let client = try ClientProcess(service)
            for number in 1...3 { try client.insert(number) }
            try client.ask("keepUnsaved", ["title": "last words"])
            let connection = try connection(service)
            let last = try LogRoute.model(3)
            var stages = try LogRoute.stages()
            // Bodies are gone when the second stage comes to be looked at.
            stages[2].mapping?.entities[1].attributes = [.init("text", .expression("$source.body"))]
            #expect(throws: CofferError.self) {
                _ = try connection.migrateStore(named: "Log", to: last, by: .stages(stages))
            }
            #expect(
                try client.ask("waitForNotice", ["notice": "didChange"]) == ["notices": "saved didChange"])
            #expect(try client.isToldOfOtherModel())
            let second = try ClientProcess(service, version: "2")
            #expect(try second.count() == 4)
            var steps: Set<MigrationProgress> = []
            let done = try connection.migrateStore(
                named: "Log", to: last, by: .stages(LogRoute.stages()), keepsBackup: false
            ) { steps.insert($0) }
            #expect(done.origin == "2" && done.stages.map(\.name) == ["3"] && done.plan.obstacles.isEmpty)
            #expect(steps.contains(.rows) && steps.contains(.history))
            #expect(try second.isToldOfOtherModel())
            let again = try connection.migrateStore(named: "Log", to: last, by: .stages(LogRoute.stages()))
            #expect(again.plan.isIdle && again.origin == "3" && again.stages.isEmpty)
            for client in [client, second] { #expect(try client.end() == .code(0)) }
        }
    }

    @Test
    func `a migration object by object that is taken back has changed nothing`() throws {
        try withStoppableService { service, place in
            let client = try ClientProcess(service)
            for number in 1...3 { try client.insert(number) }
            try client.ask("keepUnsaved", ["title": "last words"])
            let connection = try connection(service)
            let model = try LogRoute.model(3)
            let cancellation = CallCancellation()
            let outcome = ConditionLock<CofferError?>(nil)
            try place.arm(.migrationRows)
            let thread = try WorkerThread(name: "migration") {
                do throws(CofferError) {
                    _ = try connection.migrateStore(
                        named: "Log", to: model, by: .mapping(LogRoute.mapping), cancellation: cancellation)
                    outcome.withLock { $0 = .unavailable("it was not taken back") }
                } catch {
                    outcome.withLock { $0 = error }
                }
                outcome.broadcast()
            }
            try place.waitUntilReached(.migrationRows)
            let pid = try #require(try service.pid())
            try waitUntilStopped(pid)
            cancellation.cancel()
            try ProcessControl.kill(pid, .resume)
            let error = outcome.wait(timeout: .seconds(60)) { $0 }
            withExtendedLifetime(thread) {}
            guard case .refused("Cancelled", _, _, _)? = error else {
                Issue.record("\(error as Any)")
                return
            }
            try waitUntil("the store is open again") { (try? client.count()) == 4 }
            // It was asked, and then there was nothing to tell.
            #expect(try client.ask("waitForNotice", ["notice": "saved"]) == ["notices": "saved"])
            #expect(try client.insert(4) == 5)
            #expect(try remains(service).isEmpty)
            #expect(try client.end() == .code(0))
        }
    }
}
