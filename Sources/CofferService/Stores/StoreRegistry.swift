import CofferCoordination
import CofferFormats
import CofferLinux
import CofferModel
import CofferStores
import CofferUbiquity
import CofferWire
import FoundationEssentials
import Logging
import Synchronization

/// The stores that the service has open, one for each file.
///
/// Shared. A caller that needs a store which another worker opens at the moment waits for that. No caller
/// waits for a store whose file is being exchanged: that takes as long as clients take, and would hold a
/// worker. Callers that want to open the store are called at the end.
final class StoreRegistry: Sendable {
    /// Whether a store that is opened follows the account that is signed in, if its content follows the
    /// accounts.
    enum Following {
        case yes
        /// Not while its content is exchanged: it is served as before until that is done.
        case no
        /// Not if it was served with the store of this UUID before the service ended: a client had that open,
        /// and is asked first.
        case unless(UUID)
    }

    private enum Entry {
        case opening
        /// Open, and used by so many sessions.
        case open(ServedStore, users: Int)
    }

    private let entries = ConditionLock<[StoreKey: Entry]>([:])
    /// Stores whose files are being exchanged, and what to run at the end of that; taken inside the lock of
    /// `entries`.
    private let exchanged = Mutex<[StoreKey: [@Sendable () -> Void]]>([:])
    let places: StoreFolders
    let logger: Logger
    /// What receives the SQL of all stores.
    let sqlDebug: SQLDebug
    /// The followers of what the service does.
    let trace = TraceHub()
    /// The names on the bus that are asked before the content of stores is exchanged.
    let handshakes = BusHandshakes()
    let models = ModelRegistry(
        ofUser: .init(count: Limits.modelsOfUser, byteCount: Limits.modelBytesOfUser),
        ofAll: .init(count: Limits.models, byteCount: Limits.modelBytes))
    /// What every store is opened with that its client says nothing of.
    let defaults: StoreOptions
    /// Asked, while its key is claimed, for what a store is served with whose content follows the accounts.
    private let willOpen: @Sendable (StoreKey, Following) throws(ServiceError) -> SettledStore?
    /// Told when a store was opened or closed.
    let didChange: @Sendable (ServedStore, _ isOpen: Bool) -> Void
    /// Told when the file of an open store has gone.
    private let didLose: @Sendable (StoreKey, StoreError) -> Void

    init(
        places: StoreFolders, sqlDebug: SQLDebug, defaults: StoreOptions, logger: Logger,
        willOpen: @escaping @Sendable (StoreKey, Following) throws(ServiceError) -> SettledStore?,
        didLose: @escaping @Sendable (StoreKey, StoreError) -> Void,
        didChange: @escaping @Sendable (ServedStore, _ isOpen: Bool) -> Void
    ) {
        self.places = places
        self.sqlDebug = sqlDebug
        self.defaults = defaults
        self.logger = logger
        self.willOpen = willOpen
        self.didChange = didChange
        self.didLose = didLose
    }

    /// The stores that are open.
    var openStores: [ServedStore] {
        entries.withLock { entries in
            entries.values.compactMap { if case .open(let store, _) = $0 { store } else { nil } }
        }
    }

    /// An open store.
    func openStore(_ key: StoreKey) -> ServedStore? {
        openStores.first { $0.key == key }
    }
}

extension StoreRegistry {
    /// Opens a store, or finds it open; the caller uses it until `release`.
    ///
    /// `model` is the one that the request names, if it is known.
    func open(
        _ key: StoreKey, request: OpenStoreRequestMessage, model: StoreModel?
    ) throws(ServiceError) -> Opening {
        if let store = try reserve(key, for: request, model) {
            do throws(ServiceError) {
                let opening = try join(store, for: request, model: model)
                if case .opened = opening { return opening }
                release(store)
                return opening
            } catch {
                release(store)
                throw error
            }
        }
        do throws(ServiceError) {
            closeUnusedIfCrowded()
            let opening = try givingBack { () throws(ServiceError) in
                try openFile(key, for: request, model: model)
            }
            if case .opened(let store, _) = opening {
                try admit(store)
            } else {
                setEntry(key, nil)
            }
            return opening
        } catch {
            setEntry(key, nil)
            throw error
        }
    }

    /// Makes a store that was just opened known to callers, unless another file with its UUID is open: ids
    /// and tokens would mean both.
    ///
    /// The store is told of before other callers find it: so its removal is told of only after that.
    private func admit(_ store: ServedStore) throws(ServiceError) {
        let file = store.persistentStore.file
        var isTold = false
        while true {
            let twin: (store: ServedStore, users: Int)? = entries.withLock { entries in
                for case .open(let other, let users) in entries.values
                where other.persistentStore.uuid == file.uuid {
                    if users == 0 { entries[other.key] = .opening }
                    return (other, users)
                }
                if isTold { entries[store.key] = .open(store, users: 1) }
                return nil
            }
            guard let twin else {
                if isTold { return entries.broadcast() }
                didChange(store, true)
                isTold = true
                continue
            }
            if twin.users > 0 {
                if isTold { didChange(store, false) }
                close(store)
                throw .duplicateStore(
                    uuid: "\(file.uuid)", path: file.path, openPath: twin.store.persistentStore.file.path)
            }
            // No session uses it any more.
            close(twin.store)
            didChange(twin.store, false)
            setEntry(twin.store.key, nil)
        }
    }

    /// Ends a session's use of the store; it stays open for the next, until room is needed.
    func release(_ store: ServedStore) {
        entries.withLock { entries in
            guard case .open(let current, let users) = entries[store.key], current === store else { return }
            if users == 1 { store.unusedSince.store(Monotonic.now, ordering: .relaxed) }
            entries[store.key] = .open(store, users: users - 1)
        }
    }

    /// Closes the stores that no session has used for so long; says how many there were, and whether others
    /// are left.
    @discardableResult
    func closeUnused(for time: Duration = .zero) -> (closed: Int, areOthersLeft: Bool) {
        let now = Monotonic.now
        let (unused, areOthersLeft) = entries.withLock { entries in
            var unused: [ServedStore] = []
            var areOthersLeft = false
            for case .open(let store, users: 0) in entries.values {
                // Only if room is needed.
                if time > .zero, store.isResident.load(ordering: .relaxed) { continue }
                let since = store.unusedSince.load(ordering: .relaxed)
                if now < since + time.wholeNanoseconds { areOthersLeft = true } else { unused.append(store) }
            }
            for store in unused { entries[store.key] = .opening }
            return (unused, areOthersLeft)
        }
        for store in unused {
            close(store)
            didChange(store, false)
            setEntry(store.key, nil)
        }
        return (unused.count, areOthersLeft)
    }

    /// Does what needs descriptors or memory; once more if they run out, and unused stores give some back.
    func givingBack<Result>(_ body: () throws(ServiceError) -> Result) throws(ServiceError) -> Result {
        do throws(ServiceError) {
            return try body()
        } catch {
            guard error.isExhaustion, closeUnused().closed > 0 else { throw error }
            return try body()
        }
    }

    /// Closes unused stores if a good part of the descriptors is taken: others need some, too.
    private func closeUnusedIfCrowded() {
        guard let descriptors = CurrentProcess.descriptors,
            descriptors.open > descriptors.limit / Limits.shareOfDescriptors
        else { return }
        let closed = closeUnused().closed
        if closed == 0 { return }
        logger.info("Closed unused stores, since descriptors get few", metadata: ["stores": "\(closed)"])
    }

    /// Claims the right to exchange a store's file, until `endExchange`.
    func beginExchange(_ key: StoreKey) throws(ServiceError) {
        let isFirst = exchanged.withLock { exchanged in
            if exchanged[key] != nil { return false }
            exchanged[key] = []
            return true
        }
        if !isFirst { throw .exchangeUnderWay(key.description) }
    }

    /// Ends the exclusive right to exchange a file; returns what waits for that.
    func endExchange(_ key: StoreKey) -> [@Sendable () -> Void] {
        exchanged.withLock { $0.removeValue(forKey: key) } ?? []
    }

    /// Calls `body` when the exchange of a store's file is over; `false` if none is under way.
    func whenExchanged(_ key: StoreKey, _ body: @escaping @Sendable () -> Void) -> Bool {
        exchanged.withLock { exchanged in
            exchanged[key]?.append(body)
            return exchanged[key] != nil
        }
    }

    private func isExchanged(_ key: StoreKey) -> Bool { exchanged.withLock { $0[key] != nil } }

    /// Takes an open store out, even one in use, and claims its key; `nil` if it is not open.
    ///
    /// Callers that want to open it are called after `giveBack`.
    func claim(_ key: StoreKey) -> ServedStore? {
        let store: ServedStore? = entries.wait { entries -> ServedStore?? in
            switch entries[key] {
            case .opening: return nil
            case .open(let store, _):
                entries[key] = .opening
                return .some(store)
            case nil:
                entries[key] = .opening
                return .some(nil)
            }
        }
        if let store { didChange(store, false) }
        return store
    }

    /// Allows a claimed store to be opened again.
    func giveBack(_ key: StoreKey) { setEntry(key, nil) }

    /// Closes every store, after its last commit.
    func closeAll() {
        let stores = openStores
        entries.withLock { $0 = [:] }
        let ended = stores.compactMap { $0.sharing.end() }
        for store in stores { close(store) }
        UbiquitousStore.waitForCarriers(of: ended, telling: logger)
    }

    func close(_ store: ServedStore) {
        store.sharing.end()
        do throws(StoreError) {
            try store.persistentStore.close()
        } catch {
            logger.warning(
                "A store was left with its log, which is read when it opens again",
                metadata: ["store": "\(store.key.description)", "error": "\(error)"])
        }
    }

    private enum Reservation: Sendable {
        case store(ServedStore)
        case claimed
        /// Claimed from a store that no session uses, and that was opened otherwise than it is to be now.
        case unfit(ServedStore)
        /// Open and used, and can only be read; what it would take to write into its file, if that is
        /// Coffer's matter.
        case isReadOnly(Adoption?, path: String)
        case isExchanged
        case isFull
        /// By the stores of one user.
        case isFullOfOwn
    }

    /// The open store, for one more session; or the right to open it: a caller that gets `nil` must settle
    /// the key.
    ///
    /// A store without users is opened again if another model or other options are asked for. A store that
    /// could only be read when it was opened, and may be written by now, is to be opened again for a
    /// writer; while others read it, that cannot be done.
    /// - Throws: `.exchangeUnderWay` if its file has gone and another is to come, see `whenExchanged`;
    ///   `.readOnly`; `.tooManyStores`.
    private func reserve(
        _ key: StoreKey, for request: OpenStoreRequestMessage, _ model: StoreModel?
    ) throws(ServiceError) -> ServedStore? {
        while true {
            let found: Reservation = entries.wait { entries in
                switch entries[key] {
                case .open(let store, users: 0) where !store.isOpened(as: request, model):
                    entries[key] = .opening
                    return .unfit(store)
                case .open(let store, _)
                where store.persistentStore.file.isOpenedReadOnly && !request.isReadOnly:
                    let file = store.persistentStore.file
                    return .isReadOnly(request.adopts ? nil : file.adoption, path: file.path)
                case .open(let store, let users):
                    entries[key] = .open(store, users: users + 1)
                    return .store(store)
                case .opening: return isExchanged(key) ? .isExchanged : nil
                case nil:
                    if entries.count >= Limits.stores { return .isFull }
                    if isFull(entries.keys, of: key.userID) { return .isFullOfOwn }
                    entries[key] = .opening
                    return .claimed
                }
            }
            switch found {
            case .store(let store): return store
            case .claimed: return nil
            case .unfit(let store):
                close(store)
                didChange(store, false)
                return nil
            case .isReadOnly(let adoption?, let path): throw .store(adoption.refusal(path: path))
            case .isReadOnly(nil, _): throw .readOnly(key.description)
            case .isExchanged: throw .exchangeUnderWay(key.description)
            case .isFull: try makeRoom()
            case .isFullOfOwn: try makeRoom(of: key.userID)
            }
        }
    }

    /// Takes a store out that no session uses, and claims its key; `nil` if it is not open.
    func claimUnused(_ key: StoreKey) throws(ServiceError) -> ServedStore? {
        let (store, users, isLeaving): (ServedStore?, Int, Bool) = entries.wait { entries in
            switch entries[key] {
            case .opening: return isExchanged(key) ? (nil, 0, true) : nil
            case .open(let store, let users):
                if users == 0 { entries[key] = .opening }
                return (store, users, false)
            case nil:
                entries[key] = .opening
                return (nil, 0, false)
            }
        }
        if isLeaving { throw .exchangeUnderWay(key.description) }
        if users > 0 { throw .storeInUse(key.description, sessions: users) }
        return store
    }

    /// Closes a store that no session uses; if `userID` is given, one of that user.
    private func makeRoom(of userID: UInt32? = nil) throws(ServiceError) {
        let unused: ServedStore? = entries.withLock { entries in
            for case .open(let store, users: 0) in entries.values
            where userID == nil || store.key.userID == userID {
                entries[store.key] = .opening
                return store
            }
            return nil
        }
        guard let unused else {
            throw .tooManyStores(limit: userID == nil ? Limits.stores : Limits.storesPerUser)
        }
        close(unused)
        didChange(unused, false)
        setEntry(unused.key, nil)
    }

    private func setEntry(_ key: StoreKey, _ entry: Entry?) {
        entries.withLock { $0[key] = entry }
        entries.broadcast()
    }

    private func openFile(
        _ key: StoreKey, for request: OpenStoreRequestMessage, model: StoreModel?
    ) throws(ServiceError) -> Opening {
        guard entries.withLock({ $0.count }) <= Limits.stores else {
            throw .tooManyStores(limit: Limits.stores)
        }
        if model == nil, !request.modelID.isEmpty { return .needModel }
        let settled = try willOpen(key, isExchanged(key) ? .no : request.former.map { .unless($0) } ?? .yes)
        if let settled, request.mustExist || model == nil { try makeFile(of: key, like: settled.other) }
        if !isExchanged(key) { try places.finishMoves(of: key) }
        let (type, folder) = try place(of: key, for: request)
        do throws(StoreError) {
            if !isExchanged(key), type == .sqlite {
                try StoreReplacement.removeRemains(of: places.fileName(of: key), in: folder)
                try StoreBackup.removeAll(
                    of: CallContext.unnamedCopy(of: places.fileName(of: key)), in: folder)
            }
            let wasLeftOpen = type == .sqlite && places.isLeftOpen(places.fileName(of: key), in: folder)
            let opened = try open(type, in: folder, key: key, model: model, for: request)
            let store = ServedStore(
                key: key, persistentStore: try coordinate(opened, key), pragmas: request.pragmas,
                trace: trace,
                handshakes: handshakes)
            store.wasLeftOpen.store(wasLeftOpen, ordering: .relaxed)
            store.sharing.serve(settled)
            models.keep(opened.model, of: key.userID)
            logger.info(
                "Opened a store", metadata: ["store": "\(key.description)", "created": "\(opened.isCreated)"])
            return .opened(store, isCreated: opened.isCreated)
        } catch {
            switch error {
            case .notFound: throw .noSuchStore(key.description)
            case .lockedByOther(_, CurrentProcess.id): throw .storeHeld(key.description)
            case .incompatible(let differing, let missing, let unknown, let changes):
                return .incompatible(
                    IncompatibleModelMessage(
                        differing: differing, missing: missing, unknown: unknown, firstOf: changes))
            default: throw .store(error)
            }
        }
    }

    /// Opens the file for writing even if this session only reads, since the next may write; unless it
    /// cannot be written.
    private func open(
        _ type: StoreType, in folder: Folder, key: StoreKey, model: StoreModel?,
        for request: OpenStoreRequestMessage
    ) throws(StoreError) -> StoreFile {
        var options = options(request, of: key.userID, hasModel: model != nil)
        options.type = type
        do throws(StoreError) {
            return try StoreFile.open(
                in: folder, fileName: places.fileName(of: key, type), model: model,
                configuration: key.configuration, options: options)
        } catch {
            guard case .readOnly = error, request.isReadOnly else { throw error }
            options.isReadOnly = true
            return try StoreFile.open(
                in: folder, fileName: places.fileName(of: key, type), model: model,
                configuration: key.configuration, options: options)
        }
    }

    private func options(
        _ request: OpenStoreRequestMessage, of userID: UInt32, hasModel: Bool
    ) -> StoreOptions {
        var options = defaults
        options.mustExist = request.mustExist || !hasModel
        options.foreignFiles = request.isReadOnly ? .read : request.adopts ? .adopted : .refused
        options.keepsIndexes = request.isReadOnly
        options.pragmas = request.pragmas
        if openStores.count(where: { $0.key.userID == userID && $0.hasOwnCacheSize }) >= Limits.ownCacheSizes
        {
            for name in request.pragmas.keys where name.lowercased() == ServedStore.cacheSize {
                options.pragmas[name] = nil
            }
        }
        options.sqlDebug = sqlDebug
        options.missingValues = MissingValues(logger: logger)
        options.sendsAnswers = true
        options.patience = Limits.lockPatience
        return options
    }

    /// What a store is opened with to be migrated.
    func options(forMigration migration: MigrationOptions, adopts: Bool) -> StoreOptions {
        var options = defaults
        options.foreignFiles = adopts ? .adopted : .refused
        options.migration = migration
        options.sqlDebug = sqlDebug
        options.patience = Limits.lockPatience
        return options
    }

    private func coordinate(_ file: StoreFile, _ key: StoreKey) throws(StoreError) -> PersistentStore {
        let logger = logger
        if file.isReadOnly, !file.isOpenedReadOnly {
            logger.warning(
                "A store can only be read",
                metadata: ["store": "\(key.description)", "reason": "\(file.readOnlyError)"])
        }
        if let name = file.sharedFileSystem {
            logger.warning(
                "A store is on a file system that other machines share, so it has no log: saves wait for reads",
                metadata: ["store": "\(key.description)", "file system": "\(name)"])
        }
        file.place.whenLost { [didLose] error in didLose(key, error) }
        return try PersistentStore(file: file) { error in
            logger.warning(
                "The log could not be moved into the file, or old history could not be deleted; both are tried again",
                metadata: ["store": "\(key.description)", "error": "\(error)"])
        }
    }
}
