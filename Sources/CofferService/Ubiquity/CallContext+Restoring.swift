import CofferContainer
import CofferCoordination
import CofferLinux
import CofferStores
import CofferUbiquity
import CofferWire
import Logging
import Synchronization

/// A backup that takes the place of a store whose content is shared with other machines.
extension CallContext {
    /// Has the backup catch up, or makes it the content, as the request says; answers from a thread of its
    /// own.
    ///
    /// - Throws: `ServiceError.sharedContent` where it does not say which.
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
    /// The account whose content a store is served with; `nil` where it follows nobody, or is nobody's.
    func account(sharing key: StoreKey) throws(ServiceError) -> Account? {
        try settle(key)
        return try account(try lives?.store(key)?.state.served.account)
    }

    /// Has an account's store begin anew with a backup of it, which gets all that came since: from the
    /// container, and from the store of before.
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
        let roots = try translatingStore { () throws(StoreError) in
            try copy.read { file throws(StoreError) in try SharedFile.roots(of: file) }
        }
        guard roots.contains(account.root) else {
            throw .unfitReplacement(
                "The file was never shared with '\(account.name)', so it cannot catch up: have it be made the content."
            )
        }
        let start = RestoredStart(copy)
        do throws(ServiceError) {
            try catchUpUnused(key, account, with: start)
            start.end(.success(()))
            updateResidency()
        } catch {
            guard case .storeInUse = error else { throw error }
            // Whoever exchanges it from now on uses the start, and says what came of it.
            lives.starts.withLock { $0[key] = start }
            defer { _ = lives.takeStart(key) }
            guard try askToBeginAnew(key) else { throw .exchangeUnderWay(key.description) }
            beginHandOver(of: key, waitMilliseconds: waitMilliseconds)
            return try start.wait(timeout: Limits.restoring)
        }
        return try start.wait(timeout: .zero)
    }

    /// Has an open store's clients be asked; whether they are to be.
    private func askToBeginAnew(_ key: StoreKey) throws(ServiceError) -> Bool {
        guard let store = stores.openStore(key) else { return false }
        return try store.sharing.exclusively { () throws(ServiceError) in
            try lives?.take(.rebuild, key)?.contains(where: \.isFirstQuestion) ?? false
        }
    }

    /// Does it at once where nobody uses the store.
    private func catchUpUnused(
        _ key: StoreKey, _ account: Account, with start: RestoredStart
    ) throws(ServiceError) {
        guard let lives else { return }
        if let store = try stores.claimUnused(key) {
            stores.close(store)
            stores.didChange(store, false)
        }
        defer { stores.giveBack(key) }
        _ = try lives.settle(key)
        try requireLive(key, account)
        try start.move(to: try lives.beginAnew(for: account.number, key), now: now())
        let isDone = try lives.change(key) { [now] store throws(ServiceError) in
            store.beginFromBuilding(now: now())
        }
        if isDone != true { throw .exchangeUnderWay(key.description) }
        if let store = try lives.store(key) { try lives.show(store, of: key) }
        logger.notice("A backup took a shared store's place", metadata: ["store": "\(key.description)"])
    }

    /// Has what a backup holds become the content of an account's store, on all machines: what it has and
    /// the store has not, and what is otherwise in it, is saved as an edit of now.
    fileprivate func makeContent(
        of key: StoreKey, of account: Account, from file: OfferedFile, for caller: Caller
    ) throws(ServiceError) -> ReplaceStoreReplyMessage {
        try requireLive(key, account)
        let store = try openToJoin(key)
        defer { giveBack(store) }
        let present = store.persistentStore
        let copy = try file.copy(replacing: key, model: present.file.model, for: caller, in: self)
        let content = try translatingStore { () throws(StoreError) in
            let backup = try PersistentStore(file: try copy.takeFile()) { _ in }
            let content = try RestoredContent(of: backup, at: wallTime)
            try backup.close()
            return content
        }
        let done = ConditionLock(false)
        let isTaken = store.sharing.restore(content) {
            done.withLock { $0 = true }
            done.broadcast()
        }
        guard isTaken else { throw .notLive(key.description) }
        guard done.wait(timeout: Limits.restoring, until: { $0 ? true : nil }) ?? false else {
            throw .denied("It could not be saved in time: do it again, which doubles nothing.")
        }
        logger.notice(
            "A backup was made the content of a shared store", metadata: ["store": "\(key.description)"])
        return ReplaceStoreReplyMessage(uuid: present.uuid, number: present.number)
    }

    /// Refuses what only an account's own and complete store can do.
    private func requireLive(_ key: StoreKey, _ account: Account) throws(ServiceError) {
        guard let kept = try lives?.store(key), kept.rejoined == nil,
            kept.state == .serving(.live(of: account.number))
        else { throw .notLive(key.description) }
    }

    private func translatingStore<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(ServiceError) -> Result {
        do throws(StoreError) { return try body() } catch { throw .store(error) }
    }
}
