package import Coffer
import CofferEmbedded
import CofferLinux
package import CofferModel
import Synchronization
import TestSupport
package import Testing

/// What is below the contexts of a test: contexts behave the same over each.
package enum Backing: Sendable {
    /// A coordinator of this process, over files in a folder of the test's own.
    case embedded
    /// A coordinator of this process, over stores in memory.
    case memory
    /// The service, to which the test is an application of its own.
    case service

    /// Each of them.
    package static let all: [Backing] = [.embedded, .memory, .service]

    /// Those whose stores are files, for tests of what only a file has: values beside it, and other
    /// containers that open it.
    package static let overFiles: [Backing] = [.embedded, .service]

    /// Each case with each of them, for tests of several arguments.
    package static func all<First: Sendable, Second: Sendable>(
        with cases: [(First, Second)]
    ) -> [(First, Second, Backing)] {
        cases.flatMap { one in all.map { (one.0, one.1, $0) } }
    }

    /// Each case with each of them, for tests of several arguments.
    package static func all<First: Sendable, Second: Sendable, Third: Sendable>(
        with cases: [(First, Second, Third)]
    ) -> [(First, Second, Third, Backing)] {
        cases.flatMap { one in all.map { (one.0, one.1, one.2, $0) } }
    }

    /// Each pair of one of `first` and one of `second` with each of them.
    package static func all<First: Sendable, Second: Sendable>(
        with first: [First], _ second: [Second]
    ) -> [(First, Second, Backing)] {
        all(with: first.flatMap { one in second.map { (one, $0) } })
    }

    /// Merges into `context` what a batch operation of this process changed; `isMerged` tells whether it has.
    ///
    /// Here the backings differ: a coordinator of this process tells its contexts before the operation
    /// returns, the service tells the process that asked for it as it tells all others, which may be after
    /// that.
    package func mergeBatch(
        into context: ManagedObjectContext, until isMerged: () throws -> Bool,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        func merges() throws -> Bool {
            context.mergePendingChanges()
            return try isMerged()
        }
        switch self {
        case .embedded, .memory: #expect(try merges(), sourceLocation: location)
        case .service: try waitUntil("the batch operation is merged", isSo: merges)
        }
    }

    /// What all stores are whose tests do not say: `COFFER_TEST_STORE_TYPE` runs the same tests over another
    /// type.
    private static var type: StoreType? {
        CurrentProcess.environment["COFFER_TEST_STORE_TYPE"].flatMap { StoreType(rawValue: $0) }
    }

    /// The tests' own type of store that all stores are of whose tests do not say; the service has none, so
    /// its stores are in files of SQLite then.
    private var ownType: String? {
        guard self == .embedded, let name = CurrentProcess.environment["COFFER_TEST_STORE_TYPE"] else {
            return nil
        }
        return ["json", "remote"].first { $0 == name }
    }

    /// The tests' own types of stores, those of one place.
    private static func ownTypes(_ model: ManagedObjectModel) -> [OwnStoreType] {
        let remotes = Remotes(model: model)
        return [.atomic("json", JSONStore()), .incremental("remote") { remotes.store(named: $0.name) }]
    }

    /// The incremental stores of one place, which outlive the containers over them.
    private final class Remotes: Sendable {
        private let model: ManagedObjectModel
        private let stores = Mutex<[String: ObjectsInMemory]>([:])

        init(model: ManagedObjectModel) { self.model = model }

        func store(named name: String) -> ObjectsInMemory {
            stores.withLock { stores in
                let store = stores[name] ?? ObjectsInMemory(model: model)
                stores[name] = store
                return store
            }
        }
    }

    /// The options of all stores whose tests do not say: `COFFER_TEST_JOURNAL_MODE` runs the same tests over
    /// stores without a log.
    private static var pragmas: [String: String] {
        CurrentProcess.environment["COFFER_TEST_JOURNAL_MODE"].map { ["journal_mode": $0] } ?? [:]
    }

    /// Lends a closure that makes containers over one place, which are not loaded, and the folder of their
    /// files.
    package func withContainers(
        _ model: ManagedObjectModel, stores: [StoreDescription],
        _ body: (_ make: () throws -> PersistentContainer, _ folder: String) throws -> Void
    ) throws {
        let own = try TemporaryFolder()
        defer { own.remove() }
        let (make, folder) = try containers(model, stores, own: own)
        try body(make, folder)
    }

    /// A container whose stores are not loaded, and the folder that their files will be in.
    fileprivate func container(
        _ model: ManagedObjectModel, _ stores: [String], _ type: StoreType?, own: TemporaryFolder
    ) throws -> (PersistentContainer, folder: String) {
        let descriptions = stores.map {
            StoreDescription(
                name: $0, pragmas: Self.pragmas, type: type ?? Self.type,
                ownType: type == nil ? ownType : nil)
        }
        let (make, folder) = try containers(model, descriptions, own: own)
        return (try make(), folder)
    }

    private func containers(
        _ model: ManagedObjectModel, _ stores: [StoreDescription], own: TemporaryFolder
    ) throws -> (() throws -> PersistentContainer, folder: String) {
        switch self {
        case .embedded, .memory:
            let ownTypes = Self.ownTypes(model)
            let stores = self == .memory ? stores.map(Self.inMemory) : stores
            return (
                {
                    try PersistentContainer.embedded(
                        name: "Test", model: model, folder: own.path, stores: stores,
                        ownTypes: ownTypes)
                }, own.path
            )
        case .service:
            let service = try SharedService.get()
            let application = service.newApplication()
            return (
                {
                    try PersistentContainer(
                        name: "Test", model: model, application: application, stores: stores,
                        bus: .explicit(service.bus.address))
                }, service.folder(of: application)
            )
        }
    }
}

extension Backing {
    private static func inMemory(_ store: StoreDescription) -> StoreDescription {
        var store = store
        store.type = .memory
        return store
    }
}

/// Lends a container over new stores of those names.
package func withContainer(
    _ model: ManagedObjectModel, stores: [String] = ["Test"], type: StoreType? = nil, on backing: Backing,
    _ body: (PersistentContainer) throws -> Void
) throws {
    try withContainerAndFolder(model, stores: stores, type: type, on: backing) { container, _ in
        try body(container)
    }
}

/// Lends a container over new stores, and a folder that nothing but their files is below.
package func withContainerAndFolder(
    _ model: ManagedObjectModel, stores: [String] = ["Test"], type: StoreType? = .sqlite, on backing: Backing,
    _ body: (PersistentContainer, _ folder: String) throws -> Void
) throws {
    let own = try TemporaryFolder()
    defer { own.remove() }
    let (container, folder) = try backing.container(model, stores, type, own: own)
    try container.loadStores()
    try body(container, folder)
}

/// Lends the same to what waits without blocking its thread.
package func withContainerAndFolder(
    _ model: ManagedObjectModel, stores: [String] = ["Test"], type: StoreType? = .sqlite, on backing: Backing,
    _ body: (PersistentContainer, _ folder: String) async throws -> Void
) async throws {
    let own = try TemporaryFolder()
    defer { own.remove() }
    let (container, folder) = try backing.container(model, stores, type, own: own)
    try await container.loadStores()
    try await body(container, folder)
}
