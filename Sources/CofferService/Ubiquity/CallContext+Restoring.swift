import CofferContainer
import CofferCoordination
import CofferLinux
import CofferStores
import CofferUbiquity
import CofferWire
import FoundationEssentials
import Logging
import Synchronization

/// A backup that takes the place of a store whose content is shared with other machines.
extension CallContext {
    /// Has the backup catch up, or makes it the content, as the request says; answers from a thread of its
    /// own.
    ///
    /// - Throws: `ServiceError.sharedContent` if the request does not say which.
    func replaceShared(
        _ key: StoreKey, of account: Account, by file: OfferedFile, as request: ReplaceStoreRequestMessage
    ) throws(ServiceError) -> CallOutcome {
        guard let choice = request.sharedReplacement else { throw .sharedContent(key.description) }
        let wait = request.waitMilliseconds
        return try onThread(named: "coffer-restore") { context in
            let (service, caller) = (context.service, context.session.caller)
            do throws(ServiceError) {
                switch choice {
                case .catchUp:
                    return .packing(
                        try service.catchUp(key, of: account, from: file, for: caller, waitMilliseconds: wait)
                    )
                case .makeContent:
                    return .packing(try service.makeContent(of: key, of: account, from: file, for: caller))
                }
            } catch {
                return service.failure(of: error)
            }
        }
    }
}

extension ServiceCore {
    /// The account whose content a store is served with; `nil` if the store follows no account, or its
    /// content belongs to none.
    func account(sharing key: StoreKey) throws(ServiceError) -> Account? {
        try settle(key)
        return try account(try lives?.store(key)?.state.served.account)
    }

    /// Makes an account's store begin again with a backup of it, which gets all that came since: from the
    /// container, and from the former store.
    ///
    /// Waits for programs that have it open, which are asked first.
    fileprivate func catchUp(
        _ key: StoreKey, of account: Account, from file: OfferedFile, for caller: Caller,
        waitMilliseconds: UInt32
    ) throws(ServiceError) -> ReplaceStoreReplyMessage {
        guard let lives else { throw .noSuchStore(key.description) }
        try requireLive(key, account)
        let model = stores.openStore(key)?.persistentStore.file.model
        let copy = try file.copy(replacing: key, model: model, for: caller, in: self)
        try requireOld(copy, of: key, account)
        let start = RestoredStart(copy)
        do throws(ServiceError) {
            try catchUpUnused(key, account, with: start)
        } catch {
            guard case .storeInUse = error else { throw error }
            return try catchUpOpen(key, lives, with: start, waitMilliseconds: waitMilliseconds)
        }
        start.end(.success(()))
        return try start.wait(timeout: .zero)
    }

    /// Refuses a file that cannot be a former state of an account's store.
    private func requireOld(
        _ copy: StoreReplacement, of key: StoreKey, _ account: Account
    ) throws(ServiceError) {
        let facts = try translatingStore { () throws(StoreError) in
            try copy.read { file throws(StoreError) in try SharedFile.facts(of: file) }
        }
        let other = "have it be made the content"
        guard facts.roots.contains(account.root) else {
            throw .unfitReplacement(
                "The file was never shared with the account, so it cannot catch up: \(other).")
        }
        guard facts.isFolded else {
            throw .unfitReplacement(
                "The file has saves that were not written down for other machines yet, so it would double them: \(other)."
            )
        }
        // A container that cannot be reached now is compared when the store is shared.
        guard let path = try lives?.store(key)?.path,
            let sighting = try? FolderCarrier(root: account.path, path: path).look(),
            let present = sighting.folder?.markers, !present.isEmpty
        else { return }
        guard !present.isDisjoint(with: facts.containers) else {
            throw .unfitReplacement(
                "The file is of a container that is gone, or of another store: \(other).")
        }
    }

    /// Asks the programs that have the store open, and waits for the outcome.
    private func catchUpOpen(
        _ key: StoreKey, _ lives: StoreLives, with start: RestoredStart, waitMilliseconds: UInt32
    ) throws(ServiceError) -> ReplaceStoreReplyMessage {
        guard try askToBeginAnew(key, with: start) else { throw .exchangeUnderWay(key.description) }
        beginHandOver(of: key, waitMilliseconds: waitMilliseconds)
        do throws(ServiceError) {
            return try start.wait(timeout: Limits.restoring)
        } catch {
            // No exchange has taken it: then nothing is to begin again, either.
            if lives.takeStart(key) != nil { lives.giveUpExchange(of: key) }
            throw error
        }
    }

    /// Notes that an open store's clients are to be asked; `false` if they are not.
    ///
    /// The exchange that follows begins with the start, and reports its outcome there.
    private func askToBeginAnew(_ key: StoreKey, with start: RestoredStart) throws(ServiceError) -> Bool {
        guard let lives, let store = stores.openStore(key) else { return false }
        return try store.sharing.exclusively { () throws(ServiceError) in
            try lives.change(key) { store throws(ServiceError) in
                guard store.take(.rebuild)?.contains(where: \.isFirstQuestion) ?? false else { return false }
                lives.starts.withLock { $0[key] = start }
                return true
            } ?? false
        }
    }

    /// Does it at once if no session uses the store.
    private func catchUpUnused(
        _ key: StoreKey, _ account: Account, with start: RestoredStart
    ) throws(ServiceError) {
        guard let lives else { return }
        if let store = try stores.claimUnused(key) {
            stores.close(store)
            stores.didChange(store, false)
        }
        // It is shared as before, or with the backup.
        defer { updateResidency() }
        defer { stores.giveBack(key) }
        _ = try lives.settle(key)
        try requireLive(key, account)
        do throws(ServiceError) {
            try start.move(to: try lives.beginAnew(for: account.number, key), now: now())
            let isDone = try lives.change(key) { [now] store throws(ServiceError) in
                store.beginFromBuilding(now: now())
            }
            if isDone != true { throw .exchangeUnderWay(key.description) }
        } catch {
            // If that cannot be written down, it is put aside after a restart.
            try? lives.dropBuilding(for: account.number, key)
            throw error
        }
        if let store = try lives.store(key) { try lives.show(store, of: key) }
        logger.notice("A backup took a shared store's place", metadata: ["store": "\(key.description)"])
    }

    /// Has what a backup holds become the content of an account's store, on all machines: what it has and
    /// the store has not, and what is otherwise in it, is saved as an edit of now.
    fileprivate func makeContent(
        of key: StoreKey, of account: Account, from file: OfferedFile, for caller: Caller
    ) throws(ServiceError) -> ReplaceStoreReplyMessage {
        try requireLive(key, account)
        let restoration = Restoration(try content(of: file, replacing: key, for: caller))
        let uuid = try hand(restoration, to: key, of: account)
        // The store is not held during the wait, so that a sign-in or sign-out is not delayed by it.
        let number = try translatingStore { () throws(StoreError) in
            try restoration.wait(timeout: Limits.restoring)
        }
        guard let number else { throw .late }
        logger.notice(
            "A backup was made the content of a shared store", metadata: ["store": "\(key.description)"])
        return ReplaceStoreReplyMessage(uuid: uuid, number: number)
    }

    private func content(
        of file: OfferedFile, replacing key: StoreKey, for caller: Caller
    ) throws(ServiceError) -> RestoredContent {
        let copy = try file.copy(replacing: key, model: try model(of: key), for: caller, in: self)
        return try translatingStore { () throws(StoreError) in
            let backup = try PersistentStore(file: try copy.takeFile()) { _ in }
            let content = try RestoredContent(of: backup, at: wallTime)
            try backup.close()
            return content
        }
    }

    private func model(of key: StoreKey) throws(ServiceError) -> StoreModel {
        let store = try openToJoin(key)
        defer { giveBack(store) }
        return store.persistentStore.file.model
    }

    /// Gives a restoration to the store of an account.
    ///
    /// - Returns: The store's UUID.
    private func hand(
        _ restoration: Restoration, to key: StoreKey, of account: Account
    ) throws(ServiceError) -> UUID {
        let store = try openToJoin(key)
        defer { giveBack(store) }
        guard store.sharing.content == .live(of: account.number), store.sharing.restore(restoration) else {
            throw .notLive(key.description)
        }
        return store.persistentStore.uuid
    }

    /// Refuses what only an account's own and complete store can do.
    private func requireLive(_ key: StoreKey, _ account: Account) throws(ServiceError) {
        guard let kept = try lives?.store(key), !kept.isRejoining,
            kept.state == .serving(.live(of: account.number))
        else { throw .notLive(key.description) }
    }

    private func translatingStore<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(ServiceError) -> Result {
        do throws(StoreError) { return try body() } catch { throw .store(error) }
    }
}
