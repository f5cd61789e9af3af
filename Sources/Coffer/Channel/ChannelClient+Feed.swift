internal import CofferModel
internal import CofferWire
internal import FoundationEssentials
internal import Synchronization

/// Telling observers what happened, in order.
extension ChannelClient {
    /// Takes a push from the thread that reads.
    func took(_ payload: ReceivedPayload, from link: ChannelLink, isIdle: Bool) {
        if feed.append(.push(payload, link)), !isIdle { idleReader.wake() }
    }

    /// Takes a call of the service from the thread that reads: it has its turn after what came before.
    func took(_ call: ReceivedFrame, from link: ChannelLink, isIdle: Bool) {
        if feed.append(.call(call, link)), !isIdle { idleReader.wake() }
    }

    /// What the idle reader does after each event.
    func work() {
        drain()
        guard isToBeRestored else { return }
        do throws(CofferError) {
            _ = try currentLink()
        } catch {
            // The next caller tries again, and is told why it fails.
        }
        drain()
    }

    /// Tells observers what waits, unless another thread does.
    func drain() {
        guard feed.begin() else { return }
        while let work = feed.next() {
            switch work {
            case .items(let items):
                for item in items { notify(item) }
            case .catchUp:
                for store in openStores { _ = catchUp(store) }
            }
        }
    }

    private var openStores: [ChannelStore] {
        stores.withLock { $0.byHandle.values.sorted { $0.handle < $1.handle } }
    }

    /// As often as the store with a UUID is open.
    private func openStores(_ uuid: UUID) -> [ChannelStore] {
        var found: [ChannelStore] = []
        stores.withLock { for store in $0.byHandle.values where store.uuid == uuid { found.append(store) } }
        if found.count > 1 { found.sort { $0.handle < $1.handle } }
        return found
    }

    private func notify(_ item: ChannelFeed.Item) {
        switch item {
        case .push(let payload, let link):
            // What a push that cannot be read would tell, history tells.
            guard let push = try? payload.message(PushMessage.self) else { return catchUp(on: link) }
            notify(push, on: link)
        case .call(let frame, let link): answer(frame, on: link)
        case .ownSave(let save, let frame): notify(save, frame)
        case .opened(let store, let link, let opened, let place):
            begin(store, on: link, as: opened, at: place)
        case .disconnected: notifyListeners(.disconnected)
        case .reconnected:
            notifyListeners(.reconnected)
            // What happened meanwhile was not told.
            identityListeners.notify()
            syncListeners.notify()
        }
    }

    /// Asks history for what a push said that cannot be read: it is of a later version, or too large.
    private func catchUp(on link: ChannelLink) {
        // What a lost link does not tell is told when the stores are open again.
        for store in openStores where link.failure == nil { _ = catchUp(store) }
    }

    private func begin(
        _ store: ChannelStore, on link: ChannelLink, as opened: StoreOpenedMessage,
        at place: ChannelStore.Opened
    ) {
        defer { endOpening(on: link) }
        link.route(opened.store, to: store)
        if store.isClosed { return link.route(opened.store, to: nil) }  // Before it had its turn here.
        switch place {
        case .exchanged: return exchange(store, .init())
        case .again where !store.request.watch:
            // The service tells of what was read over this channel alone, and that is nothing yet.
            store.position.withLock { $0.restart(at: opened.number) }
            store.listener(.reload(store: store.handle, number: opened.number))
        case .new, .again:
            let isBehind = store.position.withLock { $0.isBehind || $0.known != opened.number }
            // If the link is lost, what waits for this is lost, too.
            if isBehind, !catchUp(store, to: opened.number) { return }
        }
        for event in strays.withLock({ $0.take(opened.store, on: link) }) {
            switch event.content {
            case .push(let push): notify(push, to: store, from: link)
            case .question(let question, let call): ask(store, question, in: call, on: link)
            }
        }
    }

    private func notify(_ push: PushMessage, on link: ChannelLink) {
        if push.kind == .identityDidChange { return identityListeners.notify() }
        if push.kind == .syncDidChange { return syncListeners.notify() }
        if let store = link.store(push.store) { return notify(push, to: store, from: link) }
        // Of a link that is lost nothing is opened any more.
        if link.failure != nil { return }
        // Else it is of a store that was closed.
        _ = strays.withLock { $0.keep(StrayEvent(link: link, content: .push(push))) }
    }

    private func notify(_ push: PushMessage, to store: ChannelStore, from link: ChannelLink) {
        if push.kind == .storesDidChange {
            return parted(store, by: push, from: link)
        }
        if push.kind == .storesWillChange { return store.listener(.storesWillChange(nil)) }
        if push.kind == .reload {
            // It says of no transaction what it did, so whatever was told before, what was read may be stale.
            store.position.withLock { $0.advance(to: push.number) }
            return store.listener(.reload(store: store.handle, number: push.number))
        }
        let hasGap = store.position.withLock { position in
            if position.hasGap(before: push.previous) { return true }
            if push.kind == .historySince { position.advance(to: push.previous) }
            return push.kind == .historySince
        }
        // What a lost link does not tell is told when the store is open again: until then its position stays.
        if hasGap, link.failure != nil || !catchUp(store, to: push.number) { return }
        guard store.position.withLock({ $0.note(push.number) }) else { return }
        switch push.kind {
        case .bookmark: store.listener(.bookmark(store: store.handle, number: push.number))
        case .didSave, .didImport, .storesWillChange, .storesDidChange, .idsChanged, .identityDidChange,
            .progress, .syncDidChange, .historySince, .reload:
            if let transaction = push.transaction {
                store.listener(.transaction(transaction, store: store.handle, origin: nil))
            }
        }
    }

    /// Tells a save of this process to everything in it that has the store open.
    private func notify(_ save: LocalSave, _ frame: ReceivedFrame) {
        guard case .saved(let saved) = save.reply(in: frame), saved.isWritten else { return }
        var transaction: TransactionMessage?
        for store in openStores(save.store.uuid) {
            guard store.position.withLock({ $0.noteOwn(saved.number) }), store.isHeard(save.origin) else {
                continue
            }
            let told = transaction ?? save.transaction(saved)
            transaction = told
            store.listener(.transaction(told, store: store.handle, origin: save.origin))
        }
    }

    /// Fetches from history what was not told; if that is refused, all that was read up to `number` may be
    /// stale.
    ///
    /// `false` if the service is gone: then the store's position stays, and what is missing is told once it
    /// is open again.
    private func catchUp(_ store: ChannelStore, to number: UInt64 = 0) -> Bool {
        store.position.withLock { $0.beginCatchingUp() }
        guard notifyHistory(of: store, to: number) else { return false }
        store.position.withLock { $0.endCatchingUp() }
        return true
    }

    private func notifyHistory(of store: ChannelStore, to number: UInt64) -> Bool {
        var hasMore = true
        while hasMore {
            let known = store.position.withLock { $0.known }
            let request = HistoryRequestMessage(store: store.handle, storeUUID: store.uuid, after: known)
            let reply: HistoryReplyMessage
            do throws(CofferError) {
                reply = try history(request, of: store)
            } catch .unavailable {
                return false
            } catch {
                let number = store.position.withLock { position in
                    position.advance(to: number)
                    return position.latest
                }
                store.listener(.reload(store: store.handle, number: number))
                return true
            }
            switch reply {
            case .transactions(_, let number, _) where number < known:
                // The file was put back to an earlier state.
                store.position.withLock { $0.restart(at: number) }
                store.listener(.reload(store: store.handle, number: number))
                return true
            case .transactions(let transactions, let number, let more):
                for transaction in transactions where store.position.withLock({ $0.note(transaction.number) })
                {
                    store.listener(.transaction(transaction, store: store.handle, origin: nil))
                }
                hasMore = more && !transactions.isEmpty
                if !hasMore { store.position.withLock { $0.advance(to: number) } }
            case .expired(_, let current, _):
                store.position.withLock { $0.restart(at: current) }
                store.listener(.reload(store: store.handle, number: current))
                return true
            }
        }
        return true
    }

    /// Transactions of a store after a number.
    func history(_ request: HistoryRequestMessage, of store: ChannelStore) throws(CofferError)
        -> HistoryReplyMessage
    {
        try call(.history, request, of: store, reply: HistoryReplyMessage.self)
    }
}
