import CofferContainer
import CofferCoordination
import CofferLinux
import CofferModel
import CofferUbiquity
import CofferWire
import Logging
import Synchronization

extension ServiceCore {
    /// Makes a store that is to be opened follow the accounts as a request says, from now on.
    ///
    /// - Throws: `ServiceError` if it cannot.
    func follow(
        _ key: StoreKey, by request: OpenStoreRequestMessage, for caller: Caller
    ) throws(ServiceError) {
        let location = try location(of: key, request, for: caller)
        let present = try places.type(of: key)
        guard stores.openStore(key)?.type ?? present ?? .sqlite == .sqlite else { throw Self.unshared }
        let isNew = try lives?.store(key) == nil
        try lives?.enable(
            key, as: request.ubiquitousContentName, at: location, localContent: request.localContent)
        guard isNew else { return }
        // Called something else before, it may owe something there.
        deliverDebts()
        // A store that is open only in case a client asks for it has the former content.
        try stores.closeIfUnused(key)
        reactor.run { [self] in updateResidency() }
    }

    /// Makes a store that no client has open that of the current account, whatever it was when it was open.
    func settle(_ key: StoreKey) throws(ServiceError) {
        if stores.openStore(key) == nil { _ = try lives?.settle(key) }
    }

    /// Makes the content of a removed store follow no account: else a client that makes a store of its name
    /// would share that content, unasked.
    func part(_ key: StoreKey, keepsOwing: Bool) throws(ServiceError) {
        try lives?.part(key, keepsOwing: keepsOwing)
        if keepsOwing { deliverDebts() }
    }

    /// What stores are told that cannot be shared.
    static let unshared = ServiceError.denied(
        "Only stores in files of SQLite that are open for writing can be shared.")

    /// Has each open store whose content follows the accounts do so now.
    func followAccount() { follow(stores.openStores) }

    /// Makes stores follow the account that is signed in now, and waits a while for the carriers that are
    /// left.
    func follow(_ stores: [ServedStore]) {
        var ended: [UbiquitousStore] = []
        do {
            let sight = try lookAtAccount()
            for store in stores {
                // One that cannot follow leaves none of the others with the account of before.
                do { if let former = try follow(store, sight) { ended.append(former) } } catch {
                    logger.error(
                        "A store cannot be shared",
                        metadata: ["store": "\(store.key.description)", "error": "\(error)"])
                }
            }
        } catch {
            logger.error("Stores cannot be shared", metadata: ["error": "\(error)"])
        }
        UbiquitousStore.waitForCarriers(of: ended, telling: logger)
    }

    /// Makes a store follow the account that was seen to be signed in; gives what ended by that.
    private func follow(_ store: ServedStore, _ sight: AccountSight) throws -> UbiquitousStore? {
        try adoptIfNamed(store)
        guard store.sharing.content != nil else { return nil }
        store.isResident.store(residency.stays, ordering: .relaxed)
        // What is shown of it changes also if its container cannot be reached.
        defer { sharingChanged(store) }
        let ended = try follow(sight, store)
        logPlace(of: store)
        return ended
    }

    /// A store that was opened before it got its content name is served with what belongs to no account.
    private func adoptIfNamed(_ store: ServedStore) throws(ServiceError) {
        if store.sharing.content == nil, let settled = try lives?.served(store.key) {
            store.sharing.serve(settled)
        }
    }

    /// Begins the exchange of a store's content after its clients from before a crash had time to come
    /// back, so that they are asked, too.
    private func beginHandOverOnceClientsAreBack(of store: ServedStore) {
        let (key, now, end) = (store.key, Monotonic.now, lives?.returnEnd ?? 0)
        guard store.wasLeftOpen.load(ordering: .relaxed), now < end else {
            return reactor.run { self.beginHandOver(of: key) }
        }
        let rest = Duration.nanoseconds(end - now)
        let isFirstBack = store.hasClientBack.load(ordering: .relaxed)
        _ = deadlines.add(after: isFirstBack ? min(rest, Limits.returnOfOthers) : rest) { [weak self] in
            guard let self else { return }
            reactor.run {
                // Another look may have had it exchanged meanwhile; what cannot be read is told there.
                if let lives = self.lives, let kept = try? lives.store(key), kept.question == nil { return }
                self.beginHandOver(of: key)
            }
        }
    }

    /// The account that is signed in now.
    private func lookAtAccount() throws -> AccountSight {
        try accountSights.withLock { count in
            count += 1
            return AccountSight(turn: count, account: try accounts?.current())
        }
    }

    private func follow(_ sight: AccountSight, _ store: ServedStore) throws -> UbiquitousStore? {
        try store.sharing.follow(sight) { account in
            guard let lives, try lives.store(store.key) != nil else { return nil }
            let isToAsk = try lives.change(store.key) { kept throws(ServiceError) in
                kept.follow(account?.number)
            }
            if isToAsk ?? false { beginHandOverOnceClientsAreBack(of: store) }
            let former = try share(store, with: account)
            if case .live = store.sharing.content, account != nil { adoptLocalContent(into: store) }
            return former
        }
    }

    /// Shares a store with an account, or looks whether that can be begun.
    func share(_ store: ServedStore, with account: Account?) throws -> UbiquitousStore? {
        guard let kept = try lives?.store(store.key) else { return nil }
        let name = kept.contentName
        var environment = ubiquityEnvironment(of: store)
        environment.root = account?.root
        let carrier = { (account: Account) throws in
            try FolderCarrier(root: account.path, path: kept.path)
        }
        return try store.sharing.share(account) { [environment] account in
            try UbiquitousStore(
                store.persistentStore, named: name, over: try carrier(account), in: environment)
        } lookingBy: { account in
            let weak = Weak(store)
            return try ContainerLookout(
                try carrier(account), of: account.root, pauses: environment.pauses
            ) { [self] finding in
                guard let store = weak.object else { return true }
                return take(finding, of: account, store)
            }
        }
    }

    /// Takes what was found out of an account's container; whether that is enough.
    private func take(
        _ finding: ContainerLookout.Finding, of account: Account, _ store: ServedStore
    ) -> Bool {
        defer { sharingChanged(store) }
        switch finding {
        case .unreachable: return false
        case .empty, .small:
            reactor.run { self.becomeLive(store, account) }
            return true
        case .large:
            reactor.run { self.beginBuilding(store, account) }
            return true
        }
    }

    /// Begins to fill the account's own store beside the one that serves meanwhile.
    private func beginBuilding(_ store: ServedStore, _ account: Account) {
        do {
            try store.sharing.exclusively {
                try store.sharing.build(for: account) { try build(account, beside: store) }
            }
            sharingChanged(store)
        } catch {
            logger.error(
                "A store cannot be filled",
                metadata: ["store": "\(store.key.description)", "error": "\(error)"])
            tryAgainLater(store.key)
        }
    }

    /// Makes the store that served meanwhile the account's own from now on.
    private func becomeLive(_ store: ServedStore, _ account: Account) {
        do {
            try store.sharing.exclusively {
                // One that was served before tells nothing of the one that is served now.
                guard stores.openStore(store.key) === store,
                    try lives?.take(.small(account.number), store.key) != nil
                else { return }
                store.sharing.becomeLive(account.number)
                _ = try share(store, with: account)
                adoptLocalContent(into: store)
            }
            exchangePauses.end(store.key)
            sharingChanged(store)
        } catch {
            logger.error(
                "A store cannot be shared",
                metadata: ["store": "\(store.key.description)", "error": "\(error)"])
            tryAgainLater(store.key)
        }
    }

    /// Logs where the content of a store is, as Core Data does, once for each change of that.
    func logPlace(of store: ServedStore) {
        guard let (peer, isLocal) = store.sharing.takeLogged() else { return }
        logger.notice(
            "Coffer: Ubiquity: \(peer):\(store.key.name) - Using local storage: \(isLocal ? 1 : 0)",
            metadata: ["store": "\(store.key.description)"])
    }
}

extension ContainerCondition {
    /// A word for it, as status and logs have it.
    var word: String {
        switch self {
        case .new: "new"
        case .there(.open): "there"
        case .there(.readOnly): "read-only"
        case .there(.full): "full"
        case .doubtful: "doubtful"
        case .away: "away"
        case .emptied: "emptied"
        case .replaced: "replaced"
        case .locked: "locked"
        case .newer: "newer"
        }
    }
}
