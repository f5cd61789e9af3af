import CofferCoordination
import CofferLinux
import CofferModel
import CofferStores
import CofferUbiquity
import CofferWire
import FoundationEssentials
import Logging
import Synchronization

/// What all sessions share: stores, policy, clock, and the sessions themselves.
final class ServiceCore: Sendable {
    /// The service's version, for people.
    static let version = ReleaseVersion.text

    /// Differs for each start of the service.
    let id = UUID()
    let places: StoreFolders
    let stores: StoreRegistry
    /// Which account is signed in; `nil` in the service of all users, which would open the folders of one
    /// user for another.
    let accounts: Accounts?
    /// The stores whose content follows the accounts; `nil` if there are none.
    let lives: StoreLives?
    let policy: any AccessPolicy
    let reactor: Reactor
    let lifecycle: Lifecycle
    let logger: Logger
    /// Logs what happens to stores that several machines share.
    let ubiquityLog: UbiquityLog
    /// Whether the service stays for the sake of shared stores.
    let residency = Residency()
    /// What wakes it instead; `nil` if nothing can.
    let wakeUnits: WakeUnitInstaller?
    /// Logs fetches that take long.
    let slowFetches: SlowFetches
    /// Ends what takes too long.
    let deadlines: TimerQueue
    /// The followers of what the service does.
    var trace: TraceHub { stores.trace }
    /// Seconds since 2001-01-01 UTC.
    let now: @Sendable () -> Double
    /// What users may take of the disk.
    let quotas: UserQuotas
    /// Stores whose objects clients make.
    let migrations = ObjectMigrations()
    /// The shares of clients or users in the workers.
    let shares: WorkAccounts
    /// What stores have written that is not in the containers of accounts that are not served now.
    let debts = Debts()
    /// How long a container's marker is missed before its content counts as removed.
    let containerPatience: Duration
    /// When exchanges of content that failed are tried again.
    let exchangePauses = ExchangePauses()
    /// How long a call over the bus is carried out, which cannot be taken back.
    let busCallTimeout: Duration
    /// How often it was looked which account is signed in.
    ///
    /// Held during that look, and for nothing longer.
    let accountSights = Mutex<UInt64>(0)
    /// Damage that is in the log: each read of a page meets it.
    private let loggedDamage = Mutex<Set<String>>([])
    private let budgets = ClientBudgets()
    private let sessions = Mutex<[UInt64: ServedSession]>([:])
    private let nextSession = Atomic<UInt64>(1)
    private let isClosingLater = Atomic<Bool>(false)
    private let sessionsChanged: @Sendable (ServedSession, _ isOpen: Bool) -> Void
    /// Told of a store of which something else is to be shown of how it is shared.
    let sharingChanged: @Sendable (ServedStore) -> Void

    init(
        places: StoreFolders, stores: StoreRegistry, accounts: Accounts?, lives: StoreLives?,
        policy: any AccessPolicy,
        reactor: Reactor, deadlines: TimerQueue, lifecycle: Lifecycle, logger: Logger,
        wakeUnits: WakeUnitInstaller? = nil, containerPatience: Duration,
        slowFetchThreshold: Duration,
        busCallTimeout: Duration, userQuota: Int?, now: @escaping @Sendable () -> Double,
        sessionsChanged: @escaping @Sendable (ServedSession, _ isOpen: Bool) -> Void,
        sharingChanged: @escaping @Sendable (ServedStore) -> Void
    ) {
        self.places = places
        self.busCallTimeout = busCallTimeout
        self.wakeUnits = wakeUnits
        self.containerPatience = containerPatience
        quotas = UserQuotas(places: places, limit: userQuota)
        shares = WorkAccounts(of: places.isSystem ? .user : .client)
        self.stores = stores
        self.accounts = accounts
        self.lives = lives
        self.policy = policy
        self.reactor = reactor
        self.deadlines = deadlines
        self.lifecycle = lifecycle
        self.logger = logger
        ubiquityLog = UbiquityLog(logger)
        slowFetches = SlowFetches(threshold: slowFetchThreshold, logger: logger)
        self.now = now
        self.sessionsChanged = sessionsChanged
        self.sharingChanged = sharingChanged
    }
}

/// A session, and where it comes from.
struct ServedSession: Sendable {
    let session: Session
    /// `nil` for a session over the bus.
    let channel: ServerChannel?
}

extension ServiceCore {
    /// What a client is told first.
    func greeting(for caller: Caller) -> HelloReplyMessage {
        HelloReplyMessage(
            serviceVersion: Self.version, application: caller.application, service: id,
            frameLimit: UInt32(Limits.frame))
    }

    /// All sessions, in the order in which they began.
    var allSessions: [ServedSession] {
        sessions.withLock { sessions in sessions.values.sorted { $0.session.id < $1.session.id } }
    }

    /// A session by its number; `nil` if it has ended.
    func session(_ id: UInt64) -> ServedSession? { sessions.withLock { $0[id] } }

    /// Begins a session; it counts as use of the service until `end`.
    func beginSession(_ caller: Caller, share: WorkAccount) -> Session {
        let session = makeSession(caller, share)
        begin(ServedSession(session: session, channel: nil))
        return session
    }

    private func makeSession(_ caller: Caller, _ share: WorkAccount) -> Session {
        Session(
            id: nextSession.add(1, ordering: .relaxed).oldValue, caller: caller,
            budget: budgets.take(for: caller.identity), share: share, began: now())
    }

    private func begin(_ served: ServedSession) {
        lifecycle.beginUse()
        let session = served.session
        let caller = session.caller
        sessions.withLock { $0[session.id] = served }
        sessionsChanged(served, true)
        logger.info(
            "A session began",
            metadata: [
                "client": "\(session.id)", "application": "\(caller.application)",
                "pid": "\(caller.processID)",
                "process": "\(caller.processName)",
            ])
    }

    /// Ends a session: its stores are closed, its channel hung up.
    func end(_ session: Session) {
        guard let served = sessions.withLock({ $0.removeValue(forKey: session.id) }) else { return }
        for subscription in session.close() { end(subscription) }
        if let channel = served.channel, channel.close() {
            reactor.remove(channel)
            session.budget.channels.subtract(1, ordering: .relaxed)
        }
        budgets.giveBack(for: session.caller.identity)
        sessionsChanged(served, false)
        logger.info(
            "A session ended", metadata: ["client": "\(session.id)", "calls": "\(session.callCount)"])
        lifecycle.endUse()
    }

    /// Ends a session's use of a store.
    func end(_ subscription: Subscription) {
        subscription.store.publisher.remove(subscription)
        stores.release(subscription.store)
        closeUnusedLater()
    }

    /// Ends the use of a store that no session has.
    func giveBack(_ store: ServedStore) {
        stores.release(store)
        closeUnusedLater()
    }

    /// Makes sure that unused stores are closed later, unless a session uses them by then.
    func closeUnusedLater() {
        if isClosingLater.exchange(true, ordering: .relaxed) { return }
        _ = deadlines.add(after: Limits.unusedStore) { [weak self] in
            guard let self else { return }
            reactor.run { self.closeUnusedNow() }
        }
    }

    private func closeUnusedNow() {
        isClosingLater.store(false, ordering: .relaxed)
        let (closed, areOthersLeft) = stores.closeUnused(for: Limits.unusedStore)
        if areOthersLeft { closeUnusedLater() }
        if closed > 0 { Allocator.returnFreeMemory() }
    }

    /// What a caller is told of an error; what is ours alone is logged, since the caller can do nothing about
    /// it.
    func failure(of error: any Error) -> RPCResult {
        let error = ServiceError(error)
        let detail = error.detail
        if detail.code == .internal {
            logger.error("A call failed inside the service", metadata: ["error": "\(error.logText)"])
        }
        if case .store(.damaged(let path, let what)) = error,
            loggedDamage.withLock({ logged in
                logged.count < Limits.loggedDamage && logged.insert("\(path)\n\(what)").inserted
            })
        {
            logger.error("A store is damaged", metadata: ["file": "\(path)", "error": "\(what)"])
        }
        if error.isExhaustion { reactor.run { [stores] in stores.closeUnused() } }
        return .failure(detail)
    }

    /// Opens a channel; gives the client's end.
    func openChannel(for caller: Caller, share: WorkAccount) throws(ServiceError) -> OwnedDescriptor {
        let channels = allSessions.filter { $0.channel != nil }
        guard channels.count < Limits.channels else { throw .tooManyChannels(limit: Limits.channels) }
        let ofGroup = channels.count { isOfGroup(of: caller, $0.session.caller) }
        guard ofGroup < Limits.channelsPerGroup else {
            throw .tooManyChannels(limit: Limits.channelsPerGroup)
        }
        let own = channels.count { $0.session.caller.busName == caller.busName }
        guard own < Limits.channelsPerCaller else { throw .tooManyChannels(limit: Limits.channelsPerCaller) }
        return try stores.givingBack { () throws(ServiceError) in try makeChannel(for: caller, share: share) }
    }

    private func makeChannel(for caller: Caller, share: WorkAccount) throws(ServiceError) -> OwnedDescriptor {
        do throws(LinuxError) {
            let (ours, theirs) = try SocketPair.make()
            let session = makeSession(caller, share)
            let channel: ServerChannel
            do throws(LinuxError) {
                channel = try reactor.add(Socket(ours), session: session, spillFolder: places.root)
            } catch {
                budgets.giveBack(for: caller.identity)
                throw error
            }
            session.budget.channels.add(1, ordering: .relaxed)
            begin(ServedSession(session: session, channel: channel))
            channel.arm()
            return theirs
        } catch {
            throw .system(error)
        }
    }

    /// Whether two callers are one user of the system's service or, in that of one user, the same client.
    private func isOfGroup(of one: Caller, _ other: Caller) -> Bool {
        places.isSystem ? one.userID == other.userID : one.identity == other.identity
    }

    /// Memory is short on this machine: gives back what is kept for speed alone.
    func giveBackMemory() {
        let closed = stores.closeUnused().closed
        let stores = stores.openStores
        for store in stores { store.persistentStore.giveBackMemory() }
        Allocator.returnFreeMemory()
        logger.info(
            "Gave memory back, since it is short",
            metadata: ["stores": "\(stores.count)", "stores.closed": "\(closed)"])
    }

    /// What a list says of a store.
    func description(of key: StoreKey) throws(ServiceError) -> StoreDescriptionMessage {
        var byteCount: UInt64 = 0
        var path = ""
        let open = stores.openStore(key)
        let present = try places.type(of: key)
        let type = open?.type ?? present
        if let type, type != .memory, let folder = try places.folder(of: key) {
            let file = places.fileName(of: key, type)
            path = "\(folder.path)/\(file)"
            do throws(LinuxError) {
                for suffix in ["", "-wal", "-shm"] {
                    byteCount += UInt64(try folder.facts(of: file + suffix)?.byteCount ?? 0)
                }
            } catch {
                throw .system(error)
            }
        }
        return StoreDescriptionMessage(
            name: StoreNameMessage(
                application: key.application, configuration: key.configuration, name: key.name),
            path: path, byteCount: byteCount, isOpen: open != nil, type: type)
    }
}
