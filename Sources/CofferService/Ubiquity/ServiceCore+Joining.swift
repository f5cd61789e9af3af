import CofferContainer
import CofferCoordination
import CofferLinux
import CofferStores
import CofferUbiquity
import CofferWire
import Logging

/// Bringing what several files of a store hold into one.
extension ServiceCore {
    /// Microseconds since 1970.
    var wallTime: WallTime {
        WallTime(secondsSince2001: now())
    }

    /// What a store's file that no client has open holds; `nil` if there is none.
    func content(
        of place: KeptStore.Place?, _ key: StoreKey, _ model: StoreModel
    ) throws(ServiceError) -> AdoptableContent? {
        guard let place, let lives, try lives.hasFile(place, key) else { return nil }
        let folder = try lives.folder(of: place, key)
        let file = try stores.openFile(of: key, in: folder, model)
        do throws(StoreError) {
            let store = try PersistentStore(file: file) { _ in }
            let content = try AdoptableContent(of: store, at: wallTime)
            try store.close()
            return content
        } catch {
            throw .store(error)
        }
    }

    /// Joins what was saved while no account was signed in into an account's own store, if that is asked
    /// for, and what that store had before it was made again.
    func adoptLocalContent(into store: ServedStore) {
        let key = store.key
        do throws(LinuxError) {
            _ = try WorkerThread(name: "coffer-join") { [self] in
                do throws(ServiceError) {
                    try joinFormerContent(of: key, into: store)
                } catch {
                    logger.error(
                        "What a store had before it was rebuilt could not be joined; it is kept",
                        metadata: ["store": "\(key.description)", "error": "\(error)"])
                }
                do throws(ServiceError) {
                    try joinLocalContent(of: key, into: store)
                } catch {
                    logger.error(
                        "What was saved while no account was signed in could not be joined; it is kept",
                        metadata: ["store": "\(key.description)", "error": "\(error)"])
                }
            }
        } catch {
            logger.error("No thread can be started", metadata: ["error": "\(error)"])
        }
    }

    private func joinLocalContent(of key: StoreKey, into store: ServedStore) throws(ServiceError) {
        guard let lives, let kept = try lives.store(key) else { return }
        let hasFile = try lives.hasFile(kept.current(of: nil), key)
        let places = try lives.change(key) { [now] store throws(ServiceError) in
            store.beginJoining(hasFile: hasFile, now: now())
        }
        for place in places ?? [] { try join(place, of: key, into: store, lives) }
    }

    /// Joins what belonged to no account and was given to one.
    private func join(
        _ place: KeptStore.Place, of key: StoreKey, into store: ServedStore, _ lives: StoreLives
    ) throws(ServiceError) {
        guard let content = try content(of: place, key, store.persistentStore.file.model) else { return }
        store.sharing.adopt(content) { [self] in
            do throws(ServiceError) {
                try lives.change(key) { [now] store throws(ServiceError) in
                    store.noteJoined(place.number, now: now())
                }
                logger.notice(
                    "Joined what was saved while no account was signed in",
                    metadata: ["store": "\(key.description)"])
            } catch {
                // It is joined again, which changes nothing.
                logger.error(
                    "What happened to a store cannot be written down",
                    metadata: ["store": "\(key.description)", "error": "\(error)"])
            }
        }
    }

    /// Fills an account's own store from its container while another one serves.
    ///
    /// - Throws: What keeps it from being begun.
    func build(_ account: Account, beside store: ServedStore) throws -> StoreBuilder? {
        guard let lives, let kept = try lives.store(store.key) else { return nil }
        let key = store.key
        let place = try lives.change(key) { [now] kept throws(ServiceError) in
            kept.building(for: account.number)
                ?? kept.add(for: account.number, as: .building, now: now())
        }
        guard let place else { return nil }
        let file = try stores.openFile(
            of: key, in: try lives.folder(of: place, key), store.persistentStore.file.model)
        var environment = ubiquityEnvironment(of: store)
        environment.root = account.root
        environment.didShow = { [weak self, weak store] in
            guard let self, let store else { return }
            sharingChanged(store)
            buildAnewIfGone(store, account)
        }
        let carrier = try FolderCarrier(root: account.path, path: kept.path)
        return try StoreBuilder(file, named: kept.contentName, over: carrier, in: environment) { [self] in
            // What cannot be read now is asked when the container is looked at next.
            guard (try? lives.store(key))?.state == .serving(.fallback(of: account.number)),
                !exchangePauses.isPausing(key)
            else { return }
            reactor.run { self.finishBuilding(of: key, account) }
        }
    }

    private func finishBuilding(of key: StoreKey, _ account: Account) {
        do throws(ServiceError) {
            guard try lives?.take(.built(account.number), key) != nil else { return }
            beginHandOver(of: key)
        } catch {
            logger.error(
                "A store that is complete cannot take its place",
                metadata: ["store": "\(key.description)", "error": "\(error)"])
        }
    }
}
