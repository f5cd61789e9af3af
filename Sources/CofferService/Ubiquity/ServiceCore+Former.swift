import CofferCoordination
import CofferLinux
import CofferStores
import CofferUbiquity
import CofferWire
import Logging

/// Keeping what was put aside of shared stores for a while, and bringing it back.
extension ServiceCore {
    /// Deletes what was put aside for long enough, now and each day.
    func deleteFormerDaily() {
        guard lives != nil else { return }
        deleteFormer()
        _ = deadlines.add(after: Limits.formerPause) { [weak self] in
            guard let self else { return }
            reactor.run { self.deleteFormerDaily() }
        }
    }

    private func deleteFormer() {
        do throws(ServiceError) {
            guard let (deleted, failed) = try lives?.deleteFormer() else { return }
            for key in deleted {
                logger.notice(
                    "Deleted what was put aside of a store for 30 days",
                    metadata: ["store": "\(key.description)"])
            }
            for (key, error) in failed {
                logger.warning(
                    "What was put aside of a store cannot be deleted now; it is tried again",
                    metadata: ["store": "\(key.description)", "error": "\(error.logText)"])
            }
        } catch {
            logger.error("It cannot be read what was put aside", metadata: ["error": "\(error.logText)"])
        }
    }

    /// Joins what was put aside into what a store is served with; `completion` is called at the end, on some
    /// thread.
    ///
    /// - Throws: Why it cannot be begun; then it is not called.
    func restore(
        _ number: Int64, of key: StoreKey,
        completion: @escaping @Sendable (Result<Void, ServiceError>) -> Void
    ) throws(ServiceError) {
        guard let kept = try lives?.kept(key),
            let place = kept.places.first(where: { $0.number == number && $0.role == .former })
        else {
            throw .denied("Nothing of the number \(number) was put aside of \(key.description).")
        }
        let store = try openToJoin(key)
        let isFitting = place.account == nil || place.account == store.sharing.content?.account
        guard isFitting else {
            giveBack(store)
            throw .denied("It belongs to an account that is not signed in: sign in to it first.")
        }
        do throws(LinuxError) {
            _ = try WorkerThread(name: "coffer-restore") { [self] in
                defer { giveBack(store) }
                completion(Result { () throws(ServiceError) in try join(place, into: store) })
            }
        } catch {
            giveBack(store)
            throw .system(error)
        }
    }

    /// A store with the model that it has; the caller gives it back.
    func openToJoin(_ key: StoreKey) throws(ServiceError) -> ServedStore {
        let request = OpenStoreRequestMessage(
            name: StoreNameMessage(
                application: key.application, configuration: key.configuration, name: key.name),
            modelID: [], mustExist: true)
        guard case .opened(let store, _) = try stores.open(key, request: request, model: nil) else {
            throw .noSuchStore(key.description)
        }
        if store.sharing.isNew { follow([store]) }
        return store
    }

    private func join(_ place: KeptStore.Place, into store: ServedStore) throws(ServiceError) {
        let model = store.persistentStore.file.model
        guard let content = try content(of: place, store.key, model) else {
            throw .denied("The file that was put aside is not there any more.")
        }
        if store.sharing.status == nil {
            do throws(StoreError) {
                return try content.join(into: store.persistentStore, at: wallTime)
            } catch {
                throw .store(error)
            }
        }
        let done = ConditionLock(false)
        store.sharing.adopt(content) {
            done.withLock { $0 = true }
            done.broadcast()
        }
        let isDone = done.wait(timeout: Limits.restoring) { $0 ? true : nil } ?? false
        if !isDone { throw .denied("It could not be joined in time: do it again, which doubles nothing.") }
    }
}
