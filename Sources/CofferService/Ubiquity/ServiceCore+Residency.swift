import CofferLinux
import CofferUbiquity
import CofferWire
import Logging
import Synchronization

/// Whether the service stays for the sake of shared stores, though no client uses it.
///
/// Shared.
final class Residency: Sendable {
    private struct State {
        var stays = false
        var isWatching = false
    }

    private let state = Mutex(State())

    /// Whether it stays.
    var stays: Bool { state.withLock { $0.stays } }

    /// Notes whether it stays; whether that is news.
    func note(_ stays: Bool) -> Bool {
        state.withLock { state in
            defer { state.stays = stays }
            return state.stays != stays
        }
    }

    /// Whether a look at the stores is to be planned: none is yet.
    func beginWatching() -> Bool {
        state.withLock { state in
            defer { state.isWatching = true }
            return !state.isWatching
        }
    }

    /// The look that was planned begins.
    func endWatching() { state.withLock { $0.isWatching = false } }
}

extension ServiceCore {
    /// Sees to it that what other machines write comes in while no client runs: shares the stores that are
    /// remembered, and stays, as long as an account is signed in.
    func updateResidency() {
        let isSharing = isSignedIn && !sharedStores.isEmpty
        if !isSharing { wakeUnits?.remove() }
        let stays = isSharing && !isWoken
        let isNews = residency.note(stays)
        for store in stores.openStores where store.sharing.content != nil {
            store.isResident.store(stays, ordering: .relaxed)
        }
        if isSharing { resumeSharing() }
        if stays {
            if isNews { lifecycle.beginUse() }
            lookAgainLater()
        } else if isNews {
            lifecycle.endUse()
            closeUnusedLater()
        }
    }

    /// Whether arriving files wake the service, so that it need not stay.
    private var isWoken: Bool {
        guard let wakeUnits, let path = try? accounts?.current()?.path else { return false }
        let folders = sharedStores.map { "\(path)/\($0.path)" }
        return wakeUnits.install(WakeUnits(watching: folders))
    }

    private var isSignedIn: Bool {
        guard let accounts else { return false }
        do throws(AccountError) {
            return try accounts.current() != nil
        } catch {
            logger.error("The accounts cannot be read", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// The stores whose content follows the accounts, whether or not a client has them open.
    private var sharedStores: [(key: StoreKey, path: String)] {
        do throws(ServiceError) {
            return try lives?.all() ?? []
        } catch {
            logger.error("It cannot be read which stores are shared", metadata: ["error": "\(error.logText)"])
            return []
        }
    }

    /// Shares the stores that no client has open, as many as leave room for others.
    private func resumeSharing() {
        for (key, _) in sharedStores where stores.openStore(key) == nil {
            if stores.openStores.count >= Limits.residentStores { return }
            do throws(ServiceError) {
                try resumeSharing(key)
            } catch {
                // Its file was removed: it is filled again when a client opens it.
                if case .noSuchStore = error { continue }
                logger.warning(
                    "A shared store is not kept up to date, since it cannot be opened",
                    metadata: ["store": "\(key.description)", "error": "\(error.logText)"])
            }
        }
    }

    /// Brings in what other machines wrote for the stores that are shared, whether or not a client runs.
    ///
    /// - Returns: How many stores have all that is in their containers, and how many could not be brought so
    ///   far in time.
    func importShared() -> (done: Int, left: Int) {
        resumeSharing()
        let end = Monotonic.now + Limits.importTime.wholeNanoseconds
        var (done, left) = (0, 0)
        for store in stores.openStores where store.sharing.status != nil {
            let now = Monotonic.now
            let rest = Duration.nanoseconds(end > now ? end - now : 0)
            if store.sharing.finishRound(timeout: rest) { done += 1 } else { left += 1 }
        }
        return (done, left)
    }

    private func resumeSharing(_ key: StoreKey) throws(ServiceError) {
        let request = OpenStoreRequestMessage(
            name: StoreNameMessage(
                application: key.application, configuration: key.configuration, name: key.name),
            modelID: [], mustExist: true)
        // With the model that it has: if a client opens it with another one, it is opened again.
        guard case .opened(let store, _) = try stores.open(key, request: request, model: nil) else { return }
        defer { giveBack(store) }
        if store.sharing.isNew { follow([store]) }
        store.isResident.store(residency.stays, ordering: .relaxed)
        logger.info("A store is shared while no client runs", metadata: ["store": "\(key.description)"])
    }

    /// Stores are closed when room is needed: they are shared again when there may be some.
    private func lookAgainLater() {
        guard residency.beginWatching() else { return }
        _ = deadlines.add(after: Limits.residencyPause) { [weak self] in
            guard let self else { return }
            reactor.run {
                self.residency.endWatching()
                self.updateResidency()
            }
        }
    }
}
