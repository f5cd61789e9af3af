import CofferContainer
import CofferCoordination
import CofferDBus
import CofferLinux
import CofferUbiquity
import CofferWire
import Logging
import Synchronization

/// How one open store follows the accounts, and is shared with other machines while it is an account's.
///
/// Shared.
final class StoreSharing: Sendable {
    private struct State: Sendable {
        /// What it is served with as long as it is open; `nil` if its content follows no account.
        var content: ServedContent?
        /// What it is called in containers.
        var contentName = ""
        /// What shares it; `nil` if it is not an account's own.
        var store: UbiquitousStore?
        /// What looks whether its account's own store is complete.
        var lookout: ContainerLookout?
        /// What fills its account's own store meanwhile.
        var builder: StoreBuilder?
        /// The account with which it is shared, or is to be.
        var account: Account?
        /// The number of the look at the signed-in account that it follows.
        var turn: UInt64 = 0
        var isOver = false
        /// How many objects came from other machines.
        var importedCount: UInt64 = 0
        /// What was told last of it on the bus.
        var told: [String: DBusValue]?
        /// What was logged last of where its content is.
        var logged: Bool?
    }

    private let state = Mutex(State())
    /// Held while the store is made to follow an account: others wait for this store alone, and for no
    /// carrier.
    private let following = Mutex(())

    /// Says what the store is served with, before others find it.
    func serve(_ settled: SettledStore?) {
        state.withLock { state in
            (state.content, state.contentName) = (settled?.content, settled?.contentName ?? "")
        }
    }

    /// What it is called in containers; empty if its content follows no account.
    var contentName: String { state.withLock { $0.contentName } }

    /// What it is served with; `nil` if its content follows no account.
    var content: ServedContent? { state.withLock { $0.content } }

    /// Whether its content follows the accounts and it was not served with any yet.
    var isNew: Bool { state.withLock { $0.content != nil && $0.turn == 0 } }

    /// Makes the store follow the account that is signed in, unless that look or a later one is followed
    /// already.
    ///
    /// - Returns: What ended by that: it has left the store, and a call of its carrier may be under way.
    func follow(
        _ sight: AccountSight, _ body: (Account?) throws -> UbiquitousStore?
    ) rethrows -> UbiquitousStore? {
        try following.withLock { _ in
            let isLate = state.withLock { state in
                if state.turn >= sight.turn || state.isOver { return true }
                state.turn = sight.turn
                return false
            }
            return isLate ? nil : try body(sight.account)
        }
    }

    /// Does something while nothing makes the store follow another account.
    func exclusively<Result, Failure>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try following.withLock { _ throws(Failure) in try body() }
    }

    /// Shares the store with an account, or looks whether that can be begun; with no account if the store
    /// is not that account's.
    ///
    /// - Parameters:
    ///   - account: The account that is signed in.
    ///   - make: Begins the sharing.
    ///   - look: Begins to look.
    /// - Returns: What ended by that.
    func share(
        _ account: Account?, by make: (Account) throws -> UbiquitousStore,
        lookingBy look: (Account) throws -> ContainerLookout
    ) rethrows -> UbiquitousStore? {
        let (content, former, present) = state.withLock { ($0.content, $0.account, $0.store) }
        let account = content?.account == account?.number ? account : nil
        let isShared = content.map { !$0.isLocalStorage } ?? false
        if former == account, account == nil || (present != nil) == isShared { return nil }
        present?.stop()
        let builder = state.withLock { state in
            (state.store, state.account, state.lookout) = (nil, account, nil)
            return state.builder.take()
        }
        builder?.stop()
        guard let account else { return present }
        if isShared {
            let store = try make(account)
            if !keep({ $0.store = store }) { store.stop() }
        } else {
            let lookout = try look(account)
            _ = keep { $0.lookout = lookout }
        }
        return present
    }

    /// Begins to fill an account's own store while this one serves, unless that is done already.
    func build(for account: Account, by make: () throws -> StoreBuilder?) rethrows {
        let isWanted = state.withLock { state in
            state.content == .fallback(of: account.number) && state.account == account
                && state.builder == nil && !state.isOver
        }
        guard isWanted, let builder = try make() else { return }
        if !keep({ $0.builder = builder }) { builder.stop() }
    }

    /// Gives what fills its account's own store to the caller, which ends it.
    func takeBuilder() -> StoreBuilder? { state.withLock { $0.builder.take() } }

    /// Looks again whether its account's own store is complete, and at what fills that.
    func lookAgain() {
        let (lookout, builder) = state.withLock { ($0.lookout, $0.builder) }
        builder?.hurry()
        if builder == nil { lookout?.lookAgain() }
    }

    /// Joins what another store of this machine holds, if this one is shared.
    func adopt(_ content: AdoptableContent, done: @escaping @Sendable () -> Void) {
        state.withLock { $0.store }?.adopt(content, done: done)
    }

    /// Makes what a backup holds the store's content, for all machines; `false` if the store is not shared
    /// now.
    func restore(_ restoration: Restoration) -> Bool {
        guard let store = state.withLock({ $0.store }) else { return false }
        store.restore(restoration)
        return true
    }

    /// Waits until what was saved up to a transaction is written down for other machines, if it is shared.
    func waitUntilFolded(_ number: UInt64, timeout: Duration) {
        _ = state.withLock { $0.store }?.waitUntilFolded(number, timeout: timeout)
    }

    /// Keeps what was made; `false` if it is over.
    private func keep(_ body: (inout State) -> Void) -> Bool {
        state.withLock { state in
            if state.isOver { return false }
            body(&state)
            return true
        }
    }

    /// Notes that what it is served with is the account's own from now on.
    func becomeLive(_ account: Int64) {
        state.withLock { state in
            switch state.content {
            case .fallback(of: account), .rebuilding(of: account): state.content = .live(of: account)
            default: break
            }
        }
    }

    /// Ends the sharing, before the store is closed: nothing of it touches the store from then on.
    ///
    /// - Returns: What ended; a call of its carrier may be under way still.
    @discardableResult
    func end() -> UbiquitousStore? {
        let (store, lookout, builder) = state.withLock { state in
            state.isOver = true
            return (state.store.take(), state.lookout.take(), state.builder.take())
        }
        store?.stop()
        builder?.stop()
        withExtendedLifetime(lookout) {}
        return store
    }
}

/// What is told of it.
extension StoreSharing {
    /// Whether and what is new on the bus.
    enum News {
        case first, more, nothing
    }

    /// Notes what is told of it on the bus now.
    func tell(_ values: [String: DBusValue]) -> News {
        state.withLock { state in
            let former = state.told
            state.told = values
            return former == nil ? .first : former == values ? .nothing : .more
        }
    }

    /// Counts objects that came from other machines.
    func noteImport(of count: Int) { state.withLock { $0.importedCount += UInt64(clamping: count) } }

    /// How many objects came from other machines since the store was opened.
    var importedCount: UInt64 { state.withLock { $0.importedCount } }

    /// Brings in what is in its container now; whether that was done in time.
    func finishRound(timeout: Duration) -> Bool {
        state.withLock { $0.store }?.finishRound(timeout: timeout) ?? false
    }

    /// The objects of its container that are known, `limit` at most.
    func objects(limit: Int) -> [CarriedObject] {
        // Not under the lock: they may be many.
        state.withLock { $0.store }?.objects(limit: limit) ?? []
    }

    /// How far it is; `nil` if it is not shared.
    var status: UbiquityStatus? { state.withLock { $0.store?.status } }

    /// Whether it is shared with an account that is signed in, or is to be.
    var isOfAccount: Bool { state.withLock { $0.account != nil } }

    /// How far its account's own store is that is filled meanwhile; `nil` if none is.
    var building: UbiquityStatus? { state.withLock { $0.builder?.status } }

    /// What was found out of the container of an account whose own store is not complete.
    var lookedAt: ContainerLookout.Finding? { state.withLock { $0.lookout?.finding } }

    /// Where its content is, once that is known and unless it was logged: under which id it is shared, and
    /// whether that is on this machine alone.
    func takeLogged() -> (peer: String, isLocal: Bool)? {
        state.withLock { state in
            guard let content = state.content, state.logged != content.isLocalStorage else { return nil }
            let peer = state.store?.status.peer
            if peer == nil, !content.isLocalStorage { return nil }
            state.logged = content.isLocalStorage
            return (peer.map { "\($0)" } ?? "local", content.isLocalStorage)
        }
    }
}
