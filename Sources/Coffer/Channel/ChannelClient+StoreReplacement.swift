internal import CofferWire
internal import Synchronization

/// What the service asks of this process, and tells it, when it takes a store's file from under its clients.
extension ChannelClient {
    /// Answers a call of the service: at once, or once everything that has to act first has done so.
    func answer(_ call: ReceivedFrame, on link: ChannelLink) {
        switch ClientMethod(rawValue: call.header.methodNumber) {
        case .storesWillChange?: storesWillChange(call, on: link)
        case .migrateObjects?: migrateObjects(call, on: link)
        case nil: link.refuse(call.header)
        }
    }

    /// Hands what the service asks in a migration to the thread with the policies.
    private func migrateObjects(_ call: ReceivedFrame, on link: ChannelLink) {
        // Of a later version, or for a migration that has ended: refused, so that the service need not wait.
        guard let request = try? call.payload.message(MigrateObjectsRequestMessage.self),
            let dialogue = dialogues.withLock({ $0[request.work] })
        else { return link.refuse(call.header) }
        dialogue.put(.asked(MigrationQuestion(request, call.header, on: link)))
    }

    private func storesWillChange(_ call: ReceivedFrame, on link: ChannelLink) {
        // What cannot be read is refused, so that the service need not wait.
        guard let request = try? call.payload.message(StoresWillChangeRequestMessage.self) else {
            return link.refuse(call.header)
        }
        if let store = link.store(request.store) { return ask(store, request, in: call.header, on: link) }
        let event = StrayEvent(link: link, content: .question(request, call.header))
        if !strays.withLock({ $0.keep(event) }) { link.answer(call.header) }
    }

    /// Has everything in this process that uses a store save what is left, and answers the service then.
    func ask(
        _ store: ChannelStore, _ request: StoresWillChangeRequestMessage, in call: FrameHeader,
        on link: ChannelLink
    ) {
        let transition = request.transition.map { StoreTransition($0, of: store.uuid) }
        store.listener(
            .storesWillChange(StoresNotice(transition) { [weak link] in link?.answer(call) }))
    }

    /// Takes in that the service took a store from everybody: its file is another one then, or what was to be
    /// done with it failed.
    func parted(_ store: ChannelStore, by push: PushMessage, from link: ChannelLink) {
        guard push.isUnchanged else {
            let transition = push.transition.map { StoreTransition($0, of: store.uuid) }
            return exchange(
                store, .init(isRemoved: push.isRemoved, moved: push.moved, transition: transition))
        }
        link.route(push.store, to: nil)
        // Else it was opened again already, by a call.
        guard store.leave(link, handle: push.store) else { return }
        // If the link is lost, all stores are opened on the next one anyway.
        try? reopen(store, on: link)
    }

    /// Detaches a store whose file no longer exists, and lets its coordinator open what stands there now.
    func exchange(_ store: ChannelStore, _ parting: ChannelStore.Parting) {
        // Else that was told already.
        guard store.part(store.exchanged(isRemoved: parting.isRemoved), parting) else { return }
        closeStore(store)
        store.listener(parting.event)
        store.noteTold()
    }

    /// Waits until this process knows what became of a store that the service took from it, as it told before
    /// it answered a call; `false` if that cannot be waited for.
    func knowsExchange(of store: ChannelStore, _ handle: UInt32, on link: ChannelLink) -> Bool {
        drain()
        // What this thread is about to tell, it need not wait for.
        if feed.isDrainedHere { return false }
        return store.waitUntilLeft(link, handle: handle)
    }

    /// Waits until everything in this process that uses a store was told that another one is in its place, as
    /// the new link has shown.
    func awaitNews(of store: ChannelStore) {
        drain()
        if !feed.isDrainedHere { store.waitUntilTold() }
    }
}

extension ChannelStore {
    /// What calls are told that mean the store as it was before its file was exchanged or removed.
    func exchanged(isRemoved: Bool = false) -> CofferError {
        let name = request.name.name
        let text =
            isRemoved
            ? "The store '\(name)' was removed."
            : "The file of the store '\(name)' was exchanged: fetch again."
        return .refused(
            code: isRemoved ? StatusCode.notFound.name : StatusCode.aborted.name,
            reason: ErrorDetailMessage.storeExchanged, text: text, place: name)
    }
}

/// Answers the service when its last reference is released.
///
/// An observer that has to do something before a store's file is exchanged keeps it until that is done.
package final class StoresNotice: Sendable {
    private let answer: @Sendable () -> Void
    /// Why stores will change whose content follows the account; else `nil`.
    let transition: StoreTransition?

    /// A notice that calls `answer` when the last reference to it is released.
    package init(
        _ transition: StoreTransition? = nil, answer: @escaping @Sendable () -> Void
    ) {
        (self.transition, self.answer) = (transition, answer)
    }

    deinit { answer() }
}
