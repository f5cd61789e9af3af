import CofferContainer
import CofferLinux
import CofferStores
import CofferUbiquity
import CofferWire
import FoundationEssentials
import Synchronization

/// What a store is served with whose content follows the accounts.
struct SettledStore: Sendable {
    let content: ServedContent
    /// What it is called in containers.
    let contentName: String
    /// Where another one of its files is, if there is any.
    let other: Folder?
}

/// The stores whose content follows the accounts: which content each serves, and where its files are.
///
/// Shared. What is told here is in the accounts' database already.
final class StoreLives: Sendable {
    let accounts: Accounts
    let places: StoreFolders
    let now: @Sendable () -> Double
    /// `nil` before they were read.
    private let stores = Mutex<[StoreKey: KeptStore]?>(nil)
    /// The stores that are rebuilt when they are opened next.
    let rebuilds = Mutex<Set<StoreKey>>([])
    /// The first content of stores that are being rebuilt, until their clients have closed them.
    let starts = Mutex<[StoreKey: RestoredStart]>([:])
    /// Held while one of them is changed and written down, and for nothing longer.
    private let changing = Mutex(())
    /// Until when clients of a service that was killed may come back, on the clock of `Monotonic`.
    let returnEnd = Monotonic.now + Limits.returnOfClients.wholeNanoseconds

    init(_ accounts: Accounts, places: StoreFolders, now: @escaping @Sendable () -> Double) {
        (self.accounts, self.places, self.now) = (accounts, places, now)
    }

    /// What is kept of a store; `nil` if its content follows no account.
    ///
    /// - Throws: `ServiceError.account` if that cannot be read. A store that never had another file than
    ///   its own needs no account: its content follows none then.
    func store(_ key: StoreKey) throws(ServiceError) -> KeptStore? {
        do throws(ServiceError) { try load() } catch {
            if try places.hasOtherFiles(key) { throw error }
            return nil
        }
        guard let store = stores.withLock({ $0?[key] }), !store.contentName.isEmpty else { return nil }
        return store
    }

    /// The stores whose content follows the accounts, and where each is below an account's folder.
    func all() throws(ServiceError) -> [(key: StoreKey, path: String)] {
        try load()
        let stores = stores.withLock { $0 ?? [:] }.filter { !$0.value.contentName.isEmpty }
        return stores.sorted { $0.key.description < $1.key.description }
            .map { ($0.key, $0.value.path) }
    }

    /// What is kept of a store, also if its content follows no account any more.
    func kept(_ key: StoreKey) throws(ServiceError) -> KeptStore? {
        try load()
        return stores.withLock { $0?[key] }
    }

    /// What is kept of all stores, also of those whose content follows no account any more.
    func kept() throws(ServiceError) -> [(key: StoreKey, store: KeptStore)] {
        try load()
        return stores.withLock { $0 ?? [:] }.sorted { $0.key.description < $1.key.description }
            .map { ($0.key, $0.value) }
    }

    /// Makes the content of a removed store follow no account: a new store of its name begins from the start.
    ///
    /// If `keepsOwing` is `true`, the file stays until its container has what it owes; then it is deleted.
    func part(_ key: StoreKey, keepsOwing: Bool = false) throws(ServiceError) {
        if try store(key) == nil { return }
        try change(key) { [now] store throws(ServiceError) in
            store.part(keepsOwing: keepsOwing, now: now())
        }
        try showKept(key)
    }

    /// Sets the place that a store is opened from: that of its content, which follows no account any more.
    func showKept(_ key: StoreKey) throws(ServiceError) {
        if let kept = stores.withLock({ $0?[key] }) { try show(kept, of: key) }
    }

    /// Whether a store is served with an account's content, in a file that may owe something to a container.
    func mayOwe(_ key: StoreKey) throws(ServiceError) -> Bool {
        try store(key)?.state.served.account != nil
    }

    /// Reads what is kept of all stores, and where each is served from, unless that was done.
    func load() throws(ServiceError) {
        if stores.withLock({ $0 != nil }) { return }
        try changing.withLock { _ throws(ServiceError) in
            if stores.withLock({ $0 != nil }) { return }
            var found: [StoreKey: KeptStore] = [:]
            for store in try translating({ () throws(AccountError) in try accounts.stores() }) {
                let key = try StoreKey(
                    userID: CurrentProcess.userID, application: store.name.application,
                    configuration: store.name.configuration, name: store.name.store)
                found[key] = store
                try show(store, of: key)
            }
            stores.withLock { $0 = found }
        }
    }

    /// Changes what is kept of a store, which is written down before it is told; `nil` if there is none.
    @discardableResult
    func change<Result: Sendable>(
        _ key: StoreKey, _ body: (inout KeptStore) throws(ServiceError) -> Result
    ) throws(ServiceError) -> Result? {
        try load()
        return try changing.withLock { _ throws(ServiceError) in
            guard let former = stores.withLock({ $0?[key] }) else { return nil }
            var store = former
            let result = try body(&store)
            if store != former { try keep(store, of: key) }
            return result
        }
    }

    /// Makes the content of a store follow the accounts from now on.
    ///
    /// - Throws: `ServiceError.denied` if it is called something else already, or is somewhere else.
    func enable(
        _ key: StoreKey, as contentName: String, at location: ContentLocation,
        localContent: LocalContentMessage?
    ) throws(ServiceError) {
        try load()
        try changing.withLock { _ throws(ServiceError) in
            let former = stores.withLock { $0?[key] }
            if let name = former?.contentName, !name.isEmpty, !name.utf8.elementsEqual(contentName.utf8) {
                throw .denied("The store is shared as '\(name)' already: ask for that name.")
            }
            if let former, !former.contentName.isEmpty, former.location != location {
                throw .denied(
                    "The store is shared in another folder or container already: '\(former.path)'.")
            }
            var store =
                former
                ?? KeptStore(
                    KeptStore.Name(
                        application: key.application, configuration: key.configuration, store: key.name),
                    contentName: contentName, now: now())
            if store.contentName.isEmpty || former == nil {
                store.rejoin(as: contentName, at: location, now: now())
            }
            store.localContent = localContent ?? store.localContent
            if store != former { try keep(store, of: key) }
        }
    }

    private func keep(_ store: KeptStore, of key: StoreKey) throws(ServiceError) {
        try translating { () throws(AccountError) in try accounts.keep(store) }
        stores.withLock { $0?[key] = store }
    }

    /// Notes that what a store is served with could not be exchanged, whether or not that can be written
    /// down: after a restart no client waits for it anyway.
    func giveUpExchange(of key: StoreKey) {
        changing.withLock { _ in
            stores.withLock { stores in _ = stores?[key]?.take(.failed) }
        }
    }

    func translating<Result>(
        _ body: () throws(AccountError) -> Result
    ) throws(ServiceError) -> Result {
        do throws(AccountError) { return try body() } catch { throw .account(error) }
    }
}

extension StoreLives {
    /// Where the file of a content is; the folder is made if it is missing.
    func folder(of place: KeptStore.Place, _ key: StoreKey) throws(ServiceError) -> Folder {
        try places.makeFolder(of: key, in: try name(of: place, key))
    }

    /// Whether there is a file in a place.
    func hasFile(_ place: KeptStore.Place?, _ key: StoreKey) throws(ServiceError) -> Bool {
        guard let place else { return false }
        return try places.hasFile(key, in: try name(of: place, key))
    }

    /// Sets the place that a store is opened from to that of its content; only while its key is claimed.
    func show(_ store: KeptStore, of key: StoreKey) throws(ServiceError) {
        guard let place = store.current(of: store.state.served.account) else { return }
        places.placements[key] = try name(of: place, key)
    }

    /// The folder of a place, relative to that of the store's own file; `nil` for that one.
    func name(of place: KeptStore.Place, _ key: StoreKey) throws(ServiceError) -> String? {
        if place.number == 0 { return nil }
        let name = KeptStore.Name(
            application: key.application, configuration: key.configuration, store: key.name)
        let folder = try translating { () throws(AccountError) in
            try accounts.folderName(of: place.number, of: name)
        }
        return "\(StorePlacements.folderName)/\(folder)"
    }
}

extension StoreLives {
    /// Takes something that happens to a store.
    ///
    /// - Returns: What is to be done; `nil` if it means nothing to the store.
    func take(_ event: StoreOccurrence, _ key: StoreKey) throws(ServiceError) -> [StoreAction]? {
        try change(key) { store throws(ServiceError) in store.take(event) } ?? nil
    }

    /// Makes a store that no client has open, and whose key is claimed, follow the account that is signed in.
    ///
    /// - Returns: What it is served with; `nil` if its content follows no account.
    func settle(_ key: StoreKey) throws(ServiceError) -> SettledStore? {
        guard try store(key) != nil else { return nil }
        return try settle(key, with: currentAccount())
    }

    private func currentAccount() throws(ServiceError) -> Account? {
        try translating { () throws(AccountError) in try accounts.current() }
    }

    private func settle(_ key: StoreKey, with account: Account?) throws(ServiceError) -> SettledStore? {
        try prepare(account, key)
        let place = try store(key)?.current(of: account?.number)
        let hasFile = try hasFile(place, key)
        try change(key) { [now] store throws(ServiceError) in
            store.settle(account?.number, hasFile: hasFile, now: now())
        }
        try rebuildIfAsked(key)
        return try served(key)
    }

    /// Makes a store that is opened follow the account that is signed in, as far as it is to.
    func settle(_ key: StoreKey, _ following: StoreRegistry.Following) throws(ServiceError) -> SettledStore? {
        switch following {
        case .yes: try settleUnlessAwaited(key)
        case .no: try served(key)
        case .unless(let former): try serves(former, key) ? try served(key) : try settleUnlessAwaited(key)
        }
    }

    /// Makes a store follow the account that is signed in, unless clients that had another content open are
    /// to be asked first.
    private func settleUnlessAwaited(_ key: StoreKey) throws(ServiceError) -> SettledStore? {
        guard let kept = try store(key) else { return nil }
        // Read once, for a sign-in may come between two reads.
        let account = try currentAccount()
        return try awaitsClients(of: kept, key, for: account)
            ? try served(key) : try settle(key, with: account)
    }

    /// Whether a store is served with the file of this UUID.
    private func serves(_ uuid: UUID, _ key: StoreKey) throws(ServiceError) -> Bool {
        guard let store = try store(key), let place = store.current(of: store.state.served.account),
            try hasFile(place, key)
        else { return false }
        let folder = try folder(of: place, key)
        do throws(StoreError) {
            return try SharedFile(places.fileName(of: key), in: folder).uuid() == uuid
        } catch {
            throw .store(error)
        }
    }

    /// Whether another content is to be served than was when a service ended that was killed: clients that
    /// had that open come back.
    private func awaitsClients(
        of store: KeptStore, _ key: StoreKey, for account: Account?
    ) throws(ServiceError) -> Bool {
        let served = store.state.served.account
        guard account?.number != served, Monotonic.now < returnEnd, let place = store.current(of: served)
        else { return false }
        return try places.isLeftOpen(key, in: try name(of: place, key))
    }

    /// What a store is served with; `nil` if its content follows no account.
    func served(_ key: StoreKey) throws(ServiceError) -> SettledStore? {
        guard let store = try store(key) else { return nil }
        try show(store, of: key)
        let content = store.state.served
        for place in store.places where place != store.current(of: content.account) {
            guard try hasFile(place, key) else { continue }
            return SettledStore(
                content: content, contentName: store.contentName, other: try folder(of: place, key))
        }
        return SettledStore(content: content, contentName: store.contentName, other: nil)
    }

    /// Makes a place for a content, if there is none yet.
    func makePlace(of content: ServedContent, _ key: StoreKey) throws(ServiceError) -> Folder {
        let place = try change(key) { [now] store throws(ServiceError) in
            store.place(of: content, now: now())
        }
        guard let place else { throw .noSuchStore(key.description) }
        return try folder(of: place, key)
    }

    /// Serves another content, in one row; only while the store's key is claimed.
    ///
    /// - Returns: Whether that is still wanted.
    func swap(_ key: StoreKey, to content: ServedContent) throws(ServiceError) -> Bool {
        let isSwapped = try change(key) { [now] store throws(ServiceError) in
            store.swap(to: content, now: now())
        }
        if let store = try store(key) { try show(store, of: key) }
        return isSwapped ?? true
    }

    /// Finds out what an account begins with that has nothing of the store here yet.
    ///
    /// No client has the store open.
    func prepare(_ account: Account?, _ key: StoreKey) throws(ServiceError) {
        guard let kept = try store(key) else { return }
        let local = kept.current(of: nil)
        guard try hasFile(local, key) else { return }
        if kept.places.count == 1 { try giveShared(kept, key) }
        guard let account else { return }
        try change(key) { [now] store throws(ServiceError) in
            store.begin(for: account.number, now: now())
        }
    }

    /// Gives a file that an account was shared with, before each account had a file of its own, to that
    /// account.
    private func giveShared(_ store: KeptStore, _ key: StoreKey) throws(ServiceError) {
        guard let place = store.current(of: nil) else { return }
        let folder = try folder(of: place, key)
        let roots: Set<ContainerID>
        do throws(StoreError) {
            roots = try SharedFile(places.fileName(of: key), in: folder).roots()
        } catch {
            throw .store(error)
        }
        if roots.isEmpty { return }
        let known = try translating { () throws(AccountError) in try accounts.all() }
        let matching = known.filter { roots.contains($0.root) }
        guard let owner = matching.first(where: { $0.signedIn != nil }) ?? matching.first else { return }
        try change(key) { [now] store throws(ServiceError) in
            store.giveLocal(to: owner.number, isWhole: true, now: now())
        }
    }
}
