import CofferContainer
import CofferCoordination
import CofferLinux
import CofferUbiquity
import CofferWire
import Logging
import Synchronization

/// Removes a shared store with its content, for all machines: in the container first, then here.
///
/// Shared; used once. Its clients are asked first; if the container cannot be reached, nothing is done.
final class ContentRemoval: Sendable {
    private let key: StoreKey
    private let account: Account
    private let carrier: FolderCarrier
    private let lives: StoreLives
    private let context: CallContext
    private let call: DetachedCall
    private let removedCount = Mutex(0)

    /// A removal of what the account that is signed in has of the store of `key`.
    ///
    /// - Throws: `ServiceError.denied` if the store is not shared; `.noAccount`.
    init(of key: StoreKey, in context: CallContext) throws(ServiceError) {
        let accounts = try context.service.requireAccounts(ofSandboxed: false)
        let account: Account?
        do throws(AccountError) { account = try accounts.current() } catch { throw .account(error) }
        guard let lives = context.service.lives, let kept = try lives.store(key) else {
            throw .denied("'\(key.description)' is not shared: remove it as any other store.")
        }
        guard let account else { throw .noAccount(key.description) }
        try Self.require(account, in: kept)
        do throws(LinuxError) {
            carrier = try FolderCarrier(root: account.path, path: kept.path)
        } catch {
            throw .system(error)
        }
        (self.key, self.account, self.lives, self.context) = (key, account, lives, context)
        call = context.interest.detached()
    }

    /// Begins; the client is answered at the end.
    ///
    /// - Throws: Why it cannot be begun; then it is not answered.
    func begin(waitMilliseconds: UInt32) throws(ServiceError) {
        do throws(ServiceError) {
            let question = try lives.change(key) { store throws(ServiceError) in
                store.lastQuestion += 1
                return store.lastQuestion
            }
            try StoreReplacementCoordinator(
                of: key,
                .work(
                    .init(
                        name: "Removed a shared store with its content",
                        removal: StoreTransitionMessage(kind: .contentRemoved, question: question ?? 0)
                    ) { [self] _, _ throws(ServiceError) in
                        try run()
                    } completion: { [self] result in
                        call.end()
                        answer(result)
                    }), in: context, waitMilliseconds: waitMilliseconds
            ).begin()
        } catch {
            call.end()
            throw error
        }
    }

    /// - Throws: `ServiceError.denied` if the store serves another account than the one that is signed in:
    ///   the content of that other account is not what was to be removed.
    private static func require(_ account: Account, in kept: KeptStore) throws(ServiceError) {
        guard kept.state.served.account != account.number else { return }
        throw .denied(
            "The store '\(kept.name.store)' does not serve the account that is signed in: try again in a moment."
        )
    }

    private func run() throws(ServiceError) {
        guard let kept = try lives.store(key) else { throw .noSuchStore(key.description) }
        try Self.require(account, in: kept)
        let now = context.service.wallTime
        do throws(CarrierError) {
            let count = try carrier.removeContent(of: account.root, at: now)
            removedCount.withLock { $0 = count }
        } catch {
            throw .account(.carrier(error))
        }
        #if DEBUG
        CrashPoint.beforeExchange.pass()
        #endif
        try lives.removeContent(of: account.number, key)
    }

    private func answer(_ result: Result<Void, ServiceError>) {
        let service = context.service
        if case .failure(let error) = result { return context.address.send(service.failure(of: error)) }
        let reply = RemoveUbiquitousContentReplyMessage(
            removedCount: UInt64(clamping: removedCount.withLock { $0 }))
        context.address.send(.packing(reply))
        service.reactor.run { service.updateResidency() }
    }
}

extension StoreLives {
    /// Deletes what an account has here of a store, which no client has open, and makes the store follow no
    /// account.
    fileprivate func removeContent(of account: Int64, _ key: StoreKey) throws(ServiceError) {
        guard let kept = try store(key) else { return }
        try removeFiles(of: kept.contentPlaces(of: account), key)
        try change(key) { [now] store throws(ServiceError) in
            store.removeContent(of: account, now: now())
        }
        try showKept(key)
    }
}

extension CallContext {
    /// The rpc that removes a shared store with its content.
    func removeUbiquitousContent(
        _ request: RemoveUbiquitousContentRequestMessage
    ) throws(ServiceError) -> CallOutcome {
        let key = try key(request.name)
        try require(.administer, key)
        try require(.write, key)
        try service.settle(key)
        try ContentRemoval(of: key, in: self).begin(waitMilliseconds: request.waitMilliseconds)
        return .pending
    }
}
