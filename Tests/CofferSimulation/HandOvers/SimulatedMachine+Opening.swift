internal import CofferContainer
internal import CofferUbiquity
internal import CofferWire

/// Opening the store, and following the account that is signed in.
extension SimulatedMachine {
    /// `CallContext+Stores.swift`: a client opens the store; it waits while the file is exchanged.
    func open(by client: Int, localContent: LocalContentMessage?, rebuilds: Bool = false) throws(Death) {
        clients[client].isRunning = true
        clients[client].isWaiting = clients[client].handle == nil || clients[client].isWaiting
        if !clients[client].isWaiting { return }
        if rebuilds { try rebuildBeforeOpening() }
        if life.exchange?.parted != nil { return }
        try enable(localContent)
        let store = try openStore()
        try followAccount()
        guard life.open?.generation == store else { return }
        subscribe(client)
        if life.wantsRebuild, life.exchange == nil {
            life.wantsRebuild = false
            let isToAsk = try take(.rebuild)?.contains(where: \.isFirstQuestion) ?? false
            if isToAsk { life.reactor.append(.beginHandOver) }
        }
    }

    private func subscribe(_ client: Int) {
        guard let store = life.open else { return }
        life.open?.clients.insert(client)
        let former = clients[client].place
        // As `ChannelStore` does: a store with another UUID is another one, and nothing of it is kept.
        if former != store.place { clients[client].reset() }
        clients[client].handle = store.generation
        clients[client].place = store.place
        clients[client].basis = store.content?.account
        (clients[client].isWaiting, clients[client].isAsked) = (false, false)
        let content = store.content.map { "\($0)" } ?? "a store that follows no account"
        say("client \(client) has \(content), file \(store.place)")
    }

    /// `StoreLives.swift`, `enable`.
    private func enable(_ localContent: LocalContentMessage?) throws(Death) {
        let former = life.kept
        var store =
            former
            ?? KeptStore(
                KeptStore.Name(application: "org.example", configuration: "", store: "Notes"),
                contentName: "Notes", now: seconds)
        if store.contentName.isEmpty || former == nil {
            store.rejoin(as: "Notes", at: ContentLocation(), now: seconds)
        }
        store.localContent = localContent ?? store.localContent
        if store != former { try keep(store) }
    }

    /// `StoreRegistry.swift`: opens the store unless it is open.
    ///
    /// - Returns: Which one it is.
    @discardableResult
    func openStore() throws(Death) -> Int {
        if let store = life.open { return store.generation }
        // While its content is exchanged, it is served as before until that is done.
        if life.exchange == nil { try settle() }
        // What is served may owe something again.
        life.paid = []
        let content = followed?.state.served
        let place = life.kept?.current(of: life.kept?.state.served.account)?.number ?? 0
        try makeFile(at: place)
        let store = OpenStore(generation: nextGeneration(), place: place, content: content)
        life.open = store
        return store.generation
    }

    /// `StoreLives.swift`: a store that no client has open follows the account that is signed in.
    func settle() throws(Death) {
        guard followed != nil else { return }
        let account = disk.signedIn
        try prepare(account)
        let hasFile = hasFile(followed?.current(of: account))
        try change { $0.settle(account, hasFile: hasFile, now: seconds) }
        guard life.wantsRebuild else { return }
        life.wantsRebuild = false
        for place in try change({ $0.rebuild(now: seconds) }) ?? [] { try removeFile(at: place.number) }
    }

    /// `StoreLives.swift`: what an account begins with.
    func prepare(_ account: Int64?) throws(Death) {
        guard let kept = followed, hasFile(kept.current(of: nil)), let account else { return }
        try change { $0.begin(for: account, now: seconds) }
    }

    /// `ServiceCore+Rebuilding.swift`: rebuilds the store at once if no client has it open.
    private func rebuildBeforeOpening() throws(Death) {
        guard followed != nil else { return }
        life.wantsRebuild = true
        if let store = life.open, !store.clients.isEmpty {
            life.wantsRebuild = false
            guard try take(.rebuild)?.contains(where: \.isFirstQuestion) ?? false else { return }
            return try beginHandOver()
        }
        if life.exchange != nil { return }
        life.open = nil
        try settle()
    }

    /// `ServiceCore+Following.swift`: the store follows the account that is signed in, while it is open.
    func followAccount() throws(Death) {
        guard life.exchange?.parted == nil, life.open != nil else { return }
        let served = followed?.state.served
        if life.open?.content == nil { life.open?.content = served }
        life.open?.hasFollowed = true
        guard life.open?.content != nil, followed != nil else { return }
        let account = disk.signedIn
        if try change({ $0.follow(account) }) ?? false { life.reactor.append(.beginHandOver) }
        share(with: account)
        if case .live = life.open?.content, account != nil { joinOthers() }
    }

    /// `StoreSharing.swift`, `share`: with its account, or it is looked whether that can be begun.
    func share(with signedIn: Int64?) {
        guard var store = life.open, let content = store.content else { return }
        let account = content.account == signedIn ? signedIn : nil
        let isShared = !content.isLocalStorage
        if store.account == account, account == nil || (store.sharing != nil) == isShared { return }
        (store.sharing, store.builder, store.lookout, store.account) = (nil, nil, nil, account)
        if let account {
            if isShared {
                store.sharing = sharing(of: store.place, for: account)
            } else {
                store.lookout = false
            }
        }
        life.open = store
    }

    func sharing(of place: Int64, for account: Int64) -> Sharing? {
        disk.files[place].map { Sharing(place, $0, root: containers[account]?.root) }
    }

    /// `ServiceCore+Joining.swift`, `adoptLocalContent`: a thread of its own joins what other files hold.
    func joinOthers() {
        guard let store = life.open, let content = store.content else { return }
        let job = ServiceLife.Job.joinFormer(store.generation, content)
        if !life.threads.contains(job) { life.threads.append(job) }
    }

    /// `ServiceCore+Residency.swift`: what is shared is open, also while no client runs.
    func updateResidency() throws(Death) {
        guard disk.signedIn != nil, followed != nil, life.open == nil, life.exchange == nil else { return }
        try openStore()
        if !(life.open?.hasFollowed ?? true) { try followAccount() }
    }

    /// `StoreRegistry.swift`: a store that no client has open is closed.
    func closeUnused() {
        guard let store = life.open, store.clients.isEmpty, life.exchange == nil else { return }
        say("closes the store")
        life.open = nil
    }
}
