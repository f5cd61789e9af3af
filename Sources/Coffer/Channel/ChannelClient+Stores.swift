internal import CofferLinux
internal import CofferModel
internal import CofferWire
internal import Synchronization

/// Opening stores, and opening them again on another channel.
extension ChannelClient {
    private enum Opening {
        case opened(StoreOpenedMessage)
        case lost(LinkFailure)
    }

    /// Opens a store, whose events go to `listener` from then on; saves of this process only if `isHeard`
    /// says so.
    ///
    /// The model is what `request.modelID` names, for a service that does not know it yet.
    /// - Throws: `.incompatibleModel`, `.refused`, `.unavailable`.
    func openStore(
        _ request: OpenStoreRequestMessage, model: ManagedObjectModel?,
        route: MigrationRoute = .inferred,
        isHeard: @escaping ChannelStore.Interest = { _ in true }, listener: @escaping ChannelStore.Listener
    ) throws(CofferError) -> (ChannelStore, StoreOpenedMessage) {
        var losses = 0
        while true {
            let link = try currentLink()
            switch try open(request, model, by: route, on: link) {
            case .opened(let opened):
                let handle = stores.withLock { table in
                    table.lastHandle += 1
                    return table.lastHandle
                }
                // A client that reconnects to a store with another model by then does not migrate it back.
                var again = request
                again.migrates = false
                again.route = nil
                again.sharing.rebuilds = false
                let store = ChannelStore(
                    handle: handle, request: again, model: model, opened: opened, link: link,
                    isHeard: isHeard, listener: listener)
                stores.withLock { $0.byHandle[handle] = store }
                _ = feed.append(.opened(store, link, opened, .new))
                drain()
                return (store, opened)
            case .lost(let failure):
                linkWasLost(link)
                losses += 1
                if losses > Limits.resends {
                    throw .unavailable(
                        "The service was lost \(losses) times while it opened a store (\(failure)).")
                }
            }
        }
    }

    /// Closes a store without waiting for the service.
    func closeStore(_ store: ChannelStore) {
        stores.withLock { _ = $0.byHandle.removeValue(forKey: store.handle) }
        guard let (link, handle) = store.close() else { return }
        link.route(handle, to: nil)
        close(handle, on: link)
    }

    private func close(_ handle: UInt32, on link: ChannelLink) {
        // A request of a few bytes always packs; and what a dead link loses is closed with it.
        if let payload = try? CloseStoreRequestMessage(store: handle).packed() {
            link.post(.closeStore, payload, now: true)
        }
    }

    /// Gives up a pinned state of a store without waiting for the service.
    func unpin(_ generation: UInt64, of store: ChannelStore) {
        let place = store.state.withLock { state in state.link.map { ($0, state.serviceHandle) } }
        guard let (link, handle) = place else { return }
        // A request of a few bytes always packs; and what a dead link loses ended with it.
        let request = ReleaseRequestMessage(store: handle, generation: generation)
        if let payload = try? request.packed() { link.post(.release, payload, now: true) }
    }

    /// Notes rows that the process holds no longer; the service hears of them with the next call.
    func release(_ primaryKeys: [Int64], tree: Int, of store: ChannelStore) {
        guard store.release(primaryKeys, tree: tree) else { return }
        guard let link = store.state.withLock({ $0.link }) else { return }
        // A store that cannot be used any more has nothing to release.
        guard let (handle, releases) = try? store.open(on: link) else { return }
        post(releases, handle, on: link, now: true)
    }

    /// What the service calls `store` on `link`; opens it there if that was not done.
    func ensureOpen(_ store: ChannelStore, on link: ChannelLink) throws(CofferError) -> UInt32 {
        if let untold = contexts.untold(on: link), let payload = try? untold.packed() {
            link.post(.release, payload, now: false)  // A message of a few bytes always packs.
        }
        if let (handle, releases) = try store.open(on: link) {
            if !releases.isEmpty { post(releases, handle, on: link, now: false) }
            return handle
        }
        // The link was made while the store was being opened on the one before.
        try reopen(store, on: link)
        return try store.open(on: link)?.handle ?? 0  // 0 where the link is lost already; nobody reads it.
    }

    /// Opens all stores on a new link.
    func reopenStores(on link: ChannelLink) throws(CofferError) {
        let all = stores.withLock { $0.byHandle.values.sorted { $0.handle < $1.handle } }
        for store in all { try reopen(store, on: link) }
    }

    /// Opens a store on a link on which it is not open; what the service says of it is kept for calls.
    ///
    /// - Throws: `.unavailable` if the link is lost.
    func reopen(_ store: ChannelStore, on link: ChannelLink) throws(CofferError) {
        do throws(CofferError) {
            var request = store.request
            request.former = store.uuid
            switch try open(request, store.model, on: link) {
            case .opened(let opened):
                guard let place = store.reopened(opened, on: link) else {
                    endOpening(on: link)
                    return close(opened.store, on: link)
                }
                // Telling of it may fetch history, over the link that is being made: another thread does
                // that.
                if feed.append(.opened(store, link, opened, place)) { idleReader.wake() }
            case .lost(let failure): throw .unavailable("The service hung up: \(failure).")
            }
        } catch {
            // One store that is gone must not keep the others from coming back.
            if link.failure != nil { throw error }
            store.fail(error)
        }
    }

    /// Opens a store on a link; if that succeeds, the opening ends when observers are told of it.
    private func open(
        _ request: OpenStoreRequestMessage, _ model: ManagedObjectModel?,
        by route: MigrationRoute = .inferred, on link: ChannelLink
    ) throws(CofferError) -> Opening {
        strays.withLock { $0.beginOpening(on: link) }
        var isOpen = false
        defer { if !isOpen { endOpening(on: link) } }
        let opening = try askToOpen(request, model, by: route, on: link)
        if case .opened = opening { isOpen = true }
        return opening
    }

    /// Nothing that comes by an unknown handle is of a store that was being opened.
    func endOpening(on link: ChannelLink) {
        for event in strays.withLock({ $0.endOpening(on: link) }) {
            if case .question(_, let call) = event.content { link.answer(call) }
        }
    }

    private func askToOpen(
        _ request: OpenStoreRequestMessage, _ model: ManagedObjectModel?, by route: MigrationRoute,
        on link: ChannelLink
    ) throws(CofferError) -> Opening {
        var request = request
        for isSecond in [false, true] {
            let reply: OpenStoreReplyMessage
            switch try ask(.openStore, request, on: link, reply: OpenStoreReplyMessage.self) {
            case .failure(let failure): return .lost(failure)
            case .success(let message): reply = message
            }
            switch reply {
            case .opened(let opened): return .opened(opened)
            case .incompatible(let reasons):
                throw .incompatibleModel(
                    differing: reasons.differing, missing: reasons.missing, unknown: reasons.unknown,
                    changes: reasons.changes)
            case .needModel:
                guard let model, !isSecond else {
                    throw .protocolViolation(
                        "The service asks for a model that it has, or that no request named.")
                }
                // Those of all versions are sent only if they are needed, which is hardly ever.
                if request.route != nil {
                    request.route = MigrationRouteMessage(route, namingModels: true)
                }
                let register = RegisterModelRequestMessage(model: model)
                if case .failure(let failure) = try ask(
                    .registerModel, register, on: link, reply: RegisterModelReplyMessage.self)
                {
                    return .lost(failure)
                }
            }
        }
        throw .protocolViolation("The service wants the model again.")
    }

    private func ask<Reply: WireMessage>(
        _ method: ChannelMethod, _ request: some WireMessage, on link: ChannelLink, reply: Reply.Type
    ) throws(CofferError) -> Result<Reply, LinkFailure> {
        switch link.call(method, try ChannelClient.packed(request)) {
        case .reply(let frame):
            guard frame.header.status == .ok else {
                throw CofferError(detail: frame.payload.copied, status: frame.header.status)
            }
            return .success(try ChannelClient.message(frame))
        case .lost(let failure, _): return .failure(failure)
        case .unsendable(let text): throw ChannelClient.unsendable(text)
        case .timedOut: return .failure(.closed)
        }
    }

    private func post(
        _ releases: [(tree: Int, keys: [Int64])], _ handle: UInt32, on link: ChannelLink, now: Bool
    ) {
        for (tree, keys) in releases {
            let message = ReleaseRequestMessage(store: handle, entity: tree, primaryKeys: keys)
            // More keys than fit into a frame stay held until the channel ends.
            if let payload = try? message.packed() { link.post(.release, payload, now: now) }
        }
    }
}
