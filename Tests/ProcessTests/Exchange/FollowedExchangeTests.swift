import Coffer
import CofferLinux
import ContextSupport
import FoundationEssentials
import TestSupport
import Testing

/// Applications that go on reading while the service takes files from under them.
@Suite(.serialized) struct FollowedExchangeTests {
    /// Fetches again and again, from its beginning to its end, in each of the forms that a fetch has.
    private final class Timer: Sendable {
        private struct State {
            var count = 0
            var failure: String?
            var isEnding = false
        }

        private let state = ConditionLock(State())
        private let thread: WorkerThread

        init(_ container: PersistentContainer, _ entity: String) throws {
            thread = try WorkerThread(name: "timer") { [state] in
                let context = container.newContext()
                while !state.withLock({ $0.isEnding }) {
                    let failure = Self.fetchAll(entity, in: context)
                    state.withLock { state in
                        state.count += 1
                        state.failure = state.failure ?? failure
                    }
                    state.broadcast()
                }
            }
        }

        private static func fetchAll(_ entity: String, in context: ManagedObjectContext) -> String? {
            let request = FetchRequest<ManagedObject>(entityName: entity)
            do {
                for object in try context.fetch(request) { _ = object.objectID }
                _ = try context.count(for: request)
                _ = try context.fetchIDs(request)
                _ = try context.fetchDictionaries(request)
                return nil
            } catch {
                return "\(error)"
            }
        }

        /// Waits until it has fetched once more from beginning to end.
        func fetchOnce() throws {
            let before = state.withLock { $0.count }
            try waitUntil("another fetch") { state.withLock { $0.count > before + 1 } }
        }

        /// What failed first; `nil` if nothing did.
        func end() -> String? {
            state.withLock { $0.isEnding = true }
            thread.join()
            return state.withLock { $0.failure }
        }
    }

    private func log(_ service: ServiceUnderTest) throws -> PersistentContainer {
        let container = try PersistentContainer(
            name: "Log", model: LogModel.make(), application: "org.coffer.Tests",
            stores: [StoreDescription(name: "Log")], bus: .explicit(service.bus.address))
        try container.loadStores()
        return container
    }

    private func connection(_ service: ServiceUnderTest) throws -> ServiceConnection {
        try ServiceConnection(application: "org.coffer.Tests", bus: .explicit(service.bus.address))
    }

    @Test func `an application that fetches all the time sees no error through moves and migrations`() throws
    {
        try withService { service in
            let writer = try ClientProcess(service)
            for number in 1...3 { try writer.insert(number) }
            #expect(try writer.end() == .code(0))
            let timer = try Timer(log(service), "Entry")
            let connection = try connection(service)
            for type in [StoreType.binary, .sqlite, .xml, .sqlite] {
                try timer.fetchOnce()
                _ = try connection.migratePersistentStore(named: "Log", to: type)
            }
            try timer.fetchOnce()
            #expect(timer.end() == nil)
        }
    }

    @Test func `calls wait for the end of a migration, and then hear what differs`() throws {
        try withService { service in
            let writer = try ClientProcess(service)
            for number in 1...3 { try writer.insert(number) }
            #expect(try writer.end() == .code(0))
            let timer = try Timer(log(service), "Entry")
            try timer.fetchOnce()
            let model = try LogModel.make(version: 2)
            _ = try connection(service).migrateStore(named: "Log", to: model, keepsBackup: false)
            try timer.fetchOnce()
            let failure = try #require(timer.end())
            #expect(failure.contains("Entry.body"), "\(failure)")
        }
    }

    @Test func `nor does it through twenty accounts`() throws {
        try withTemporaryFolder { folder in
            let roots = try ["one", "two"].map { name in
                _ = try Folder.make(at: "\(folder)/\(name)")
                return "\(folder)/\(name)"
            }
            let service = try ServiceUnderTest()
            defer { service.stop() }
            let machine = try AccountMachine(service)
            let timer = try Timer(machine.container, "Note")
            for number in 0..<20 {
                try machine.signIn(roots[number % 2])
                try timer.fetchOnce()
            }
            #expect(timer.end() == nil)
        }
    }

    @Test func `contexts of all threads hear how ids became others, whoever meets the move first`() throws {
        try withService { service in
            let writer = try ClientProcess(service)
            for number in 1...3 { try writer.insert(number) }
            #expect(try writer.end() == .code(0))
            let container = try log(service)
            let timer = try Timer(container, "Entry")
            let context = container.newContext()
            let objects = try context.all("Entry")
            var changes = 0
            let token = context.onNotification { notification in
                if case .didChangeIDs = notification { changes += 1 }
            }
            for (round, type) in [StoreType.binary, .sqlite, .binary, .sqlite].enumerated() {
                _ = try connection(service).migratePersistentStore(named: "Log", to: type)
                try waitUntil("the move") {
                    context.mergePendingChanges()
                    return changes == round + 1
                }
                #expect(objects.allSatisfy { !$0.isDeleted && $0["title"] == "A" })
            }
            #expect(timer.end() == nil)
            token.cancel()
        }
    }
}
