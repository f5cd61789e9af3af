internal import CofferFormats
internal import CofferLinux
public import CofferModel
internal import CofferWire

/// A model, the stores that keep its objects, and contexts over them.
///
/// ```swift
/// let container = try PersistentContainer(name: "Notes", model: model, application: "org.example.Notes")
/// try container.loadStores()
/// let notes = try container.viewContext.fetch(FetchRequest<Note>())
/// ```
///
/// Shared. The stores are the service's, which the bus starts when the first is loaded; containers of one
/// application on one bus share one connection to it.
public final class PersistentContainer: Sendable {
    /// The container's name, and its store's if no other is given.
    public let name: String
    /// The model of all stores.
    public let model: ManagedObjectModel
    /// The stores that `loadStores` opens.
    public let storeDescriptions: [StoreDescription]
    package let coordinator: any PersistentStoreCoordinator
    private let openStore: @Sendable (StoreDescription) throws(CofferError) -> Void
    // One call loads at a time: each store is opened once.
    private let loading = ConditionLock(Loading())
    @MainActor private var mainContext: ManagedObjectContext?
    @MainActor private var mainContextStoreCount = 0

    private struct Loading {
        /// How many stores are open.
        var count = 0
        var isUnderWay = false
    }

    /// A container whose stores are not loaded yet.
    ///
    /// The stores belong to `application`, a reverse-DNS id; a sandbox's own id counts instead of it. If no
    /// stores are given, there is one with the container's name.
    /// - Throws: `.unavailable` if the system refuses a thread, `.refused` if the model is too large to
    ///   travel.
    public init(
        name: String, model: ManagedObjectModel, application: String? = nil, stores: [StoreDescription] = [],
        bus: ServiceAddress = .standard
    ) throws(CofferError) {
        self.name = name
        self.model = model
        storeDescriptions = stores.isEmpty ? [StoreDescription(name: name)] : stores
        let client = try ClientRegistry.client(address: bus, application: application)
        let remote = try RemoteCoordinator(model: model, client: client)
        coordinator = remote
        openStore = { (store) throws(CofferError) in
            _ = try remote.addStore(try store.request(), by: store.migrationRoute)
        }
    }

    /// A container over a coordinator of another kind; `openStore` adds a store to it.
    package init(
        name: String, coordinator: any PersistentStoreCoordinator, stores: [StoreDescription],
        openStore: @escaping @Sendable (StoreDescription) throws(CofferError) -> Void
    ) {
        self.name = name
        model = coordinator.model
        storeDescriptions = stores.isEmpty ? [StoreDescription(name: name)] : stores
        self.coordinator = coordinator
        self.openStore = openStore
    }

    /// A container whose model is read from an `.xcdatamodeld`, an `.xcdatamodel` or a file in Xcode's form.
    ///
    /// - Throws: `.refused` with the place in the file if it cannot be read, and as the other initialiser.
    public convenience init(
        name: String, modelFile: String, application: String? = nil, stores: [StoreDescription] = [],
        bus: ServiceAddress = .standard
    ) throws(CofferError) {
        let model: ManagedObjectModel
        do throws(FormatError) { model = try ModelFile.read(path: modelFile) } catch {
            throw .refused(
                code: StatusCode.invalidArgument.name, reason: "model_file", text: "\(error)",
                place: modelFile)
        }
        try self.init(name: name, model: model, application: application, stores: stores, bus: bus)
    }
}

extension PersistentContainer {
    /// Opens the stores; blocks until they are there.
    ///
    /// Calling it again opens those that failed before, and new ones for those that were removed meanwhile;
    /// calls at the same time wait for each other.
    /// - Throws: `.unavailable` with what to check if there is no bus or service, `.incompatibleModel`,
    ///   `.refused`.
    public func loadStores() throws(CofferError) {
        let _: Bool = loading.wait { state in
            if state.isUnderWay { return nil }
            state.isUnderWay = true
            return true
        }
        defer {
            loading.withLock { $0.isUnderWay = false }
            loading.signal()
        }
        let count = loading.withLock { $0.count }
        for (place, store) in storeDescriptions.prefix(count).enumerated()
        where coordinator.isRemoved(storeAt: place) {
            try openStore(store)
        }
        for store in storeDescriptions.dropFirst(count) {
            try openStore(store)
            loading.withLock { $0.count += 1 }
        }
    }

    /// Opens the stores.
    ///
    /// - Throws: `.unavailable` with what to check if there is no bus or service, `.incompatibleModel`,
    ///   `.refused`.
    public func loadStores() async throws(CofferError) {
        try await Blocking.run { () throws(CofferError) in try self.loadStoresNow() }
    }

    private func loadStoresNow() throws(CofferError) { try loadStores() }
}

extension PersistentContainer {
    /// The main actor's context, for what the user sees; what others save is merged into it as it comes.
    @MainActor public var viewContext: ManagedObjectContext {
        let count = coordinator.stores.count
        if let mainContext {
            if count != mainContextStoreCount {
                mainContext.refreshStores()
                mainContextStoreCount = count
            }
            return mainContext
        }
        let context = ManagedObjectContext(coordinator: coordinator, name: "view")
        context.wakeUp = { [weak self] in
            Task { @MainActor in self?.mergeIntoViewContext() }
        }
        context.isObservable = true
        context.mailbox.owner = ContextOwner(
            isCurrent: { $0 === MainActor.shared || WorkerThread.isMain },
            serve: { [weak self] in
                MainActor.assumeIsolated { self?.mainContext?.serveChildren(isWaiting: true) }
            })
        mainContext = context
        mainContextStoreCount = count
        return context
    }

    @MainActor private func mergeIntoViewContext() {
        mainContext?.handleArrivals()
    }

    /// A new context with a thread of its own.
    ///
    /// - Throws: `.unavailable` if the system refuses a thread.
    public func newBackgroundContext(name: String = "", author: String = "") throws(CofferError)
        -> BackgroundContext
    {
        do throws(LinuxError) {
            return try BackgroundContext(coordinator: coordinator, name: name, author: author)
        } catch {
            throw .unavailable("No thread can be started: \(error)")
        }
    }

    /// Does something with a new context on a thread of its own.
    ///
    /// Objects stay inside: hand out ids and values.
    ///
    /// ```swift
    /// let count = try await container.performBackgroundTask { context in
    ///     context.insert(Note.self).title = "Milk"
    ///     try context.save()
    ///     return try context.count(for: FetchRequest<Note>())
    /// }
    /// ```
    ///
    /// - Throws: What `body` throws; `CofferError.unavailable` if the system refuses a thread.
    public func performBackgroundTask<Result: Sendable>(
        name: String = "", author: String = "", _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await newBackgroundContext(name: name, author: author).perform(body)
    }

    /// A new context for the caller, as for command line tools.
    ///
    /// It belongs to the actor or thread that it is handed to; changes of others are merged when it fetches
    /// or saves.
    public func newContext(name: String = "", author: String = "") -> sending ManagedObjectContext {
        ManagedObjectContext(coordinator: coordinator, name: name, author: author)
    }
}
