import CofferCoordination
import CofferDBus
package import CofferLinux
import CofferStores
import CofferUbiquity
package import Logging
import Synchronization

/// The storage service: from taking its name on the bus to giving it back.
package final class Service: Sendable {
    let core: ServiceCore
    package let logLevel: LogLevel
    private let configuration: ServiceConfiguration
    private let timer: TimerFD
    private let files: StoreFileWatch
    private let pressure: MemoryPressure?
    private let stopped = ConditionLock(false)
    private let endingWatch: EndingWatch
    private let frontEnd = Mutex<BusFrontEnd?>(nil)
    private let notify = Notify()
    /// The lock of the data folder; `nil` if the folder cannot be written, so that no lock is needed.
    private let lock: LockFile?
    private let hooks: Hooks

    /// Ties parts to a service that is made after them.
    private final class Hooks: Sendable {
        let service = Mutex(Weak<Service>())
        var current: Service? { service.withLock { $0.object } }
    }

    /// Prepares a service: takes the data folder for itself.
    ///
    /// - Throws: `ServiceError.system(.locked)` if another service has the folder.
    package init(_ configuration: ServiceConfiguration, logger: Logger, logLevel: LogLevel) throws {
        let hooks = Hooks()
        self.hooks = hooks
        self.configuration = configuration
        self.logLevel = logLevel
        let root = try Folder.make(at: configuration.dataFolder)
        lock = try Self.lock(root, logger: logger)
        timer = try TimerFD()
        files = try StoreFileWatch(logger: logger) { hooks.current?.core.reactor.run($0) }
        endingWatch = EndingWatch(logger: logger)
        pressure = MemoryPressure(environment: CurrentProcess.environment)
        let places = StoreFolders(root: root, isSystem: configuration.isSystem)
        var defaults = configuration.storeOptions
        // What one request can make of a few bytes is bounded, too.
        if configuration.isSystem { defaults.byteLimit = configuration.userQuota }
        let accounts =
            configuration.isSystem
            ? nil : Accounts(in: root, now: configuration.now) { hooks.current?.announce($0) }
        let lives = accounts.map { StoreLives($0, places: places, now: configuration.now) }
        core = ServiceCore(
            places: places,
            stores: StoreRegistry(
                places: places, sqlDebug: SQLDebug(level: configuration.sqlDebug, logger: logger),
                defaults: defaults, logger: logger,
                willOpen: { key, following throws(ServiceError) in
                    let settled = try lives?.settle(key, following)
                    hooks.current?.core.debts.leave(key, of: settled?.content.account)
                    return settled
                },
                didLose: { key, error in hooks.current?.takeBack(key, error) }
            ) { store, isOpen in hooks.current?.announce(store, isOpen: isOpen) },
            accounts: accounts, lives: lives,
            policy: OwnerPolicy(), reactor: try Reactor(workers: Self.workers, logger: logger),
            deadlines: try TimerQueue(logger: logger),
            lifecycle: Lifecycle(logger: logger, endsWithName: CurrentProcess.isMainOfUnit) { action in
                hooks.current?.perform(action)
            },
            logger: logger, wakeUnits: Self.wakeUnits(configuration, logger: logger),
            containerPatience: configuration.containerPatience,
            slowFetchThreshold: configuration.slowFetchThreshold,
            busCallTimeout: configuration.busCallTimeout, userQuota: configuration.userQuota,
            now: configuration.now,
            sessionsChanged: { session, isOpen in hooks.current?.announce(session, isOpen: isOpen) },
            sharingChanged: { hooks.current?.announceSharing(of: $0) })
        hooks.service.withLock { $0.object = self }
    }
}

extension Service {
    /// What wakes the service for files of other machines, if systemd started it and so can start it again.
    private static func wakeUnits(
        _ configuration: ServiceConfiguration, logger: Logger
    ) -> WakeUnitInstaller? {
        guard !configuration.isSystem, CurrentProcess.isMainOfUnit,
            let home = XDG(environment: CurrentProcess.environment).configHome
        else { return nil }
        return WakeUnitInstaller(bus: configuration.bus, configHome: home, logger: logger)
    }

    /// Takes the data folder; `nil` if the folder cannot be written.
    private static func lock(_ root: Folder, logger: Logger) throws(LinuxError) -> LockFile? {
        do throws(LinuxError) {
            // A service that is about to end may still finish its last commits.
            return try LockFile.acquire(".cofferd.lock", in: root, wait: .seconds(10))
        } catch {
            guard error.isWriteRefused else { throw error }
            logger.warning(
                "The data folder can only be read, and so can its stores",
                metadata: ["data": "\(root.path)", "error": "\(error)"])
            return nil
        }
    }

    /// Serves until told to stop, by a signal or by the idle time.
    ///
    /// - Throws: `ServiceError` or `DBusError` if the bus is not there or the name is taken.
    package func run(signals: SignalFD) throws {
        let connection = try connect()
        let frontEnd = BusFrontEnd(service: self, connection: connection)
        self.frontEnd.withLock { $0 = frontEnd }
        core.stores.handshakes.connect(connection)
        try addSources(signals)
        guard try connection.ask(.requestName(BusNames.name, flags: .doNotQueue)) == .primaryOwner else {
            throw ServiceError.denied(
                "Another service has the name \(BusNames.name): end it first, or choose another bus with --bus."
            )
        }
        let workers = try startWorkers()
        try notify.send(.ready)
        core.logger.notice(
            "Serving",
            metadata: ["data": "\(configuration.dataFolder)", "bus": "\(configuration.bus)"])
        core.lifecycle.start()
        core.reactor.run { [core] in
            core.updateResidency()
            core.deleteFormerDaily()
            core.deliverDebts()
        }
        stopped.wait { $0 ? () : nil }
        finish(workers, connection)
    }

    private func connect() throws(DBusError) -> DBusConnection {
        let hooks = hooks
        return try DBusConnection(
            to: configuration.bus,
            handlers: DBusHandlers(
                onMethodCall: { bus, call in
                    guard let frontEnd = hooks.current?.frontEnd.withLock({ $0 }) else {
                        return bus.refuse(call)
                    }
                    frontEnd.take(call, from: bus)
                },
                onSignal: { bus, signal in hooks.current?.hear(signal, from: bus) },
                onDisconnect: {
                    guard let core = hooks.current?.core else { return }
                    core.logger.notice("The bus is gone, or has closed the connection: stopping")
                    core.lifecycle.handle(.terminate)
                }))
    }

    private func addSources(_ signals: SignalFD) throws(LinuxError) {
        let lifecycle = core.lifecycle
        let logger = core.logger
        let timer = timer
        try core.reactor.addSource(timer.number) {
            if timer.drain() { lifecycle.handle(.timeout) }
        }
        try core.reactor.addSource(signals.number) {
            // A signal that cannot be read now wakes the reactor again.
            while let signal = try? signals.read() {
                logger.notice("Stopping", metadata: ["signal": "\(signal.rawValue)"])
                lifecycle.handle(.terminate)
            }
        }
        let deadlines = core.deadlines
        try core.reactor.addSource(deadlines.number) { deadlines.pass() }
        let files = files
        try core.reactor.addSource(files.number) { files.lookAtUnwatched() }
        if let pressure {
            try core.reactor.addSource(pressure.number, for: pressure.events) { [core] in
                pressure.drain()
                core.giveBackMemory()
            }
        }
    }

    /// How many workers there are, unless long calls hold all.
    private static var workers: Int { max(4, Processors.available * 2) }

    private func startWorkers() throws(LinuxError) -> WorkerPool {
        let server = ChannelServer(service: core)
        let workers = WorkerPool(core.reactor, logger: core.logger) { server.serve($0) }
        try workers.start(Self.workers)
        return workers
    }

    /// Finishes what was begun; saves that were read are committed and answered.
    private func finish(_ workers: WorkerPool, _ connection: DBusConnection) {
        frontEnd.withLock { $0 }?.takeLastCalls()
        core.reactor.stop()
        for store in core.stores.openStores { store.persistentStore.endLongWork() }
        for store in core.stores.openStores { store.persistentStore.waitForLongWork() }
        workers.join()
        // Commits are also led by threads that are not workers, and a leader reads calls, which are for
        // workers.
        repeat {
            for store in core.stores.openStores { store.persistentStore.finishSaves() }
        } while core.reactor.runLast()
        for served in core.allSessions {
            served.channel?.flush()  // Answers that wait for nothing but to be sent.
            core.end(served.session)
        }
        core.stores.closeAll()
        connection.close()
        endingWatch.end()
        core.logger.notice("Stopped")
    }
}

// MARK: The end

extension Service {
    private func perform(_ action: LifecycleAction) {
        let connection = frontEnd.withLock { $0?.connection }
        switch action {
        case .startTimer:
            Allocator.returnFreeMemory()
            setTimer(configuration.idleTimeout)
        case .stopTimer: setTimer(nil)
        case .announceStopping: _ = try? notify.send(.stopping)  // Nobody else to tell.
        case .releaseName:
            connection?.ask(.releaseName(BusNames.name)) { [core] _ in
                // What was sent to the name before is delivered by now.
                core.lifecycle.handle(.nameReleased)
            }
        case .requestName:
            connection?.ask(.requestName(BusNames.name, flags: .doNotQueue)) { [core] result in
                // Without an answer the name is not ours.
                let isOurs = (try? result.get()) == .primaryOwner
                core.lifecycle.handle(isOurs ? .nameAcquired : .nameTaken)
            }
        case .stop:
            endingWatch.begin { [core] in
                for store in core.stores.openStores { store.persistentStore.endReading() }
            }
            stopped.withLock { $0 = true }
            stopped.broadcast()
        }
    }

    private func setTimer(_ timeout: Duration?) {
        do throws(LinuxError) {
            if let timeout { try timer.arm(after: timeout) } else { try timer.disarm() }
        } catch {
            core.logger.error("The idle timer cannot be set", metadata: ["error": "\(error)"])
        }
    }

    private func hear(_ signal: DBusMessage, from bus: DBusBus) {
        // Anybody may send a signal that looks like the bus's own.
        guard signal.sender == DBusName.bus else { return }
        if signal.isSignal("org.freedesktop.DBus", "NameLost"),
            signal.body.first?.stringValue == BusNames.name
        {
            // Our own release is told by its reply, too; otherwise another process has taken the name.
            return core.lifecycle.handle(.nameReleased)
        }
        guard signal.isSignal("org.freedesktop.DBus", "NameOwnerChanged"), signal.body.count == 3,
            let name = signal.body[0].stringValue, let owner = signal.body[2].stringValue
        else { return }
        frontEnd.withLock { $0 }?.nameOwnerChanged(name, new: owner, over: bus)
    }
}

// MARK: What callers see

extension Service {
    /// The open stores that a caller may look at: its own; uid 0 all, without rows.
    func visibleStores(to caller: BusCaller) -> [ServedStore] {
        core.stores.openStores
            .filter { isVisible(userID: $0.key.userID, application: $0.key.application, to: caller) }
            .sorted { $0.key.objectPath < $1.key.objectPath }
    }

    /// Whether what belongs to a user and application may be seen by a caller.
    func isVisible(userID: UInt32, application: String, to caller: BusCaller) -> Bool {
        if let sandbox = caller.sandbox, sandbox != application { return false }
        return caller.userID == userID || caller.userID == 0
    }

    /// Throws unless the caller may change the service as a whole.
    func requireAdministrator(_ caller: BusCaller) throws(ServiceError) {
        if configuration.isSystem && caller.userID != 0 {
            throw .denied("Only uid 0 may change the service of all users.")
        }
        if caller.sandbox != nil {
            throw .denied(
                "A program in a sandbox may neither change the service nor look at other applications.")
        }
    }

    /// The application of the sandbox that a process runs in; `nil` if it runs in none.
    func sandbox(of caller: DBusCredentials) throws(ServiceError) -> String? {
        do throws(LinuxError) {
            let root = configuration.processRoot(caller.processID)
            return try FlatpakInfo.read(root: root, of: caller.processFD)?.applicationID
        } catch  where error.isOutOfDescriptors || error.isOutOfMemory {
            throw .system(error)
        } catch {
            // A process that cannot be looked at must not pass for one without a sandbox.
            throw .denied("It cannot be seen whether process \(caller.processID) runs in a sandbox: \(error)")
        }
    }

    /// Tells the clients that watch the objects of a user and application, and may see them.
    func announcer(userID: UInt32, application: String) -> BusAnnouncer? {
        frontEnd.withLock { $0 }.map { frontEnd in
            let listeners = frontEnd.objectWatchers.filter {
                isVisible(userID: userID, application: application, to: $0)
            }
            return BusAnnouncer(connection: frontEnd.connection, listeners: listeners.map(\.busName))
        }
    }

    /// Tells the clients that watch objects and may see accounts.
    var accountAnnouncer: BusAnnouncer? {
        frontEnd.withLock { $0 }.map { frontEnd in
            let listeners = frontEnd.objectWatchers.filter { $0.sandbox == nil }
            return BusAnnouncer(connection: frontEnd.connection, listeners: listeners.map(\.busName))
        }
    }

    /// The file of an open store has gone: its clients are told to open what is there now.
    private func takeBack(_ key: StoreKey, _ error: StoreError) {
        core.logger.error(
            "A store is closed, since its file has gone; clients open what has its name now",
            metadata: ["store": "\(key.description)", "error": "\(error)"])
        // Not on the thread that found out: it may be leading the store's commits.
        core.reactor.run { [core] in StoreReplacementCoordinator(ofLost: key, in: core).beginWithoutAsking() }
    }

    private func announce(_ store: ServedStore, isOpen: Bool) {
        files.note(store, isOpen: isOpen)
        let announcer = announcer(userID: store.key.userID, application: store.key.application)
        if isOpen {
            announcer?.added(store.key.objectPath, [BoundInterface(StoreInterface.table, store)])
        } else {
            announcer?.removed(store.key.objectPath, store.interfaces.map(\.description.name))
        }
    }

    private func announce(_ served: ServedSession, isOpen: Bool) {
        let owner = served.session.caller
        let announcer = announcer(userID: owner.userID, application: owner.application)
        let client = ClientObject(served: served, core: core)
        if isOpen {
            announcer?.added(BusTree.path(of: client), [BoundInterface(ClientInterface.table, client)])
        } else {
            announcer?.removed(BusTree.path(of: client), [BusNames.clientInterface])
        }
    }
}
