import CofferCoordination
import CofferLinux
import CofferStores
import CofferUbiquity
import CofferWire
import Logging
import Synchronization

/// Rebuilding an account's store from its container, as applications ask for it.
extension ServiceCore {
    /// Rebuilds a store before it is opened: at once if no session uses it.
    ///
    /// - Throws: `ServiceError.exchangeUnderWay` if its clients are asked first, see `whenExchanged`.
    func rebuildBeforeOpening(_ key: StoreKey) throws(ServiceError) {
        guard let lives, try lives.store(key) != nil else { return }
        lives.rebuilds.withLock { _ = $0.insert(key) }
        do throws(ServiceError) {
            if let store = try stores.claimUnused(key) {
                stores.close(store)
                stores.didChange(store, false)
            }
            defer { stores.giveBack(key) }
            _ = try lives.settle(key)
        } catch {
            guard case .storeInUse = error else { throw error }
            guard let store = stores.openStore(key), try beginRebuilding(store) else { return }
            beginHandOver(of: key)
            throw .exchangeUnderWay(key.description)
        }
    }

    /// Rebuilds a store that another client opened in between, once its clients have let it go.
    func rebuildAfterOpening(_ store: ServedStore) {
        do throws(ServiceError) {
            if try beginRebuilding(store) { reactor.run { self.beginHandOver(of: store.key) } }
        } catch {
            logger.error(
                "A store cannot be rebuilt",
                metadata: ["store": "\(store.key.description)", "error": "\(error)"])
        }
    }

    /// Whether clients are to be asked for a store that is to be rebuilt, and was not rebuilt when it was
    /// opened.
    private func beginRebuilding(_ store: ServedStore) throws(ServiceError) -> Bool {
        guard let lives, lives.takeRebuild(store.key) else { return false }
        return try store.sharing.exclusively { () throws(ServiceError) in
            try lives.take(.rebuild, store.key)?.contains(where: \.isFirstQuestion) ?? false
        }
    }

    /// Joins what the former file has, and the container may not have, into a store that was rebuilt.
    func joinFormerContent(of key: StoreKey, into store: ServedStore) throws(ServiceError) {
        guard let lives, let kept = try lives.store(key),
            case .place(let place) = kept.rejoining(into: store.sharing.content)
        else { return }
        let forget: @Sendable () throws(ServiceError) -> Void = { () throws(ServiceError) in
            try lives.change(key) { store throws(ServiceError) in store.forgetRejoined(kept.rejoined) }
        }
        let found: AdoptableContent?
        do throws(ServiceError) {
            found = try content(of: place, key, store.persistentStore.file.model)
        } catch {
            // It stays among what was put aside.
            if error.isOfUnreadableFile { try forget() }
            throw error
        }
        guard let content = found else { return try forget() }
        // If the store is closed before, that is joined when the store opens again.
        store.sharing.adopt(content) { [logger] in
            do throws(ServiceError) {
                try forget()
                logger.notice(
                    "Joined what a store had before it was rebuilt",
                    metadata: ["store": "\(key.description)"])
            } catch {
                logger.error(
                    "What happened to a store cannot be written down",
                    metadata: ["store": "\(key.description)", "error": "\(error)"])
            }
        }
    }
}

extension ServiceError {
    /// Whether a file will never be read as the store that it was.
    fileprivate var isOfUnreadableFile: Bool {
        switch self {
        case .store(.damaged), .store(.notAStore), .store(.unknownModel), .store(.incompatible): true
        default: false
        }
    }
}

extension StoreLives {
    /// Whether a client that opened a store wanted it to be filled again, and that is not done yet.
    fileprivate func takeRebuild(_ key: StoreKey) -> Bool { rebuilds.withLock { $0.remove(key) != nil } }

    /// Begins a store that no client has open from the start, if that is asked for.
    func rebuildIfAsked(_ key: StoreKey) throws(ServiceError) {
        guard takeRebuild(key) else { return }
        let dropped = try change(key) { [now] store throws(ServiceError) in store.rebuild(now: now()) }
        try removeFiles(of: dropped ?? [], key)
    }
}
