internal import CofferModel
internal import CofferWire

/// Going on with what stands in the place of a store whose file was exchanged.
extension ManagedObjectContext {
    /// Carries out a fetch, and again if it met an exchange of a store's file: what fits is what stands there
    /// now.
    func followingExchanges<Result>(
        _ fetch: () throws(CofferError) -> Result
    ) throws(CofferError) -> Result {
        for _ in 0..<Limits.exchangesOfFetch {
            do throws(CofferError) { return try fetch() } catch {
                guard error.isOfExchange, takeExchanges() else { throw error }
            }
        }
        return try fetch()
    }

    /// Takes in that files of stores were exchanged, before the context comes to it by itself; `false` if
    /// there is nothing of that, or it would cost what was not saved or the state that is pinned.
    func takeExchanges() -> Bool {
        if hasChanges || pinned != nil { return false }
        return takeStoreEvents()
    }

    /// Takes in what waits of the stores themselves and of the connection; whether there were exchanges.
    func takeStoreEvents() -> Bool {
        // In the middle of a merge nothing newer may come in.
        if link != nil || isMerging { return false }
        // What a handler meets that is called in the middle of these.
        var events = unmergedEvents.takeAll()
        let isBehind = zip(coordinator.stores, registry.stores).contains { $0.handle != $1.handle }
        // Another thread has opened what stands there now, and is about to tell it.
        if isBehind, !events.contains(where: \.isExchange) { mailbox.waitForExchange() }
        events += mergesUnasked ? mailbox.take() : mailbox.takeAllButChanges()
        for event in events { merge(event) }
        return events.contains(where: \.isExchange)
    }
}

extension CoordinatorEvent {
    /// Whether files of stores were exchanged.
    var isExchange: Bool { if case .storesDidChange = self { true } else { false } }
}

extension CofferError {
    /// Whether it says that the file of a store was exchanged, and not that it was removed.
    var isOfExchange: Bool {
        if case .refused(StatusCode.aborted.name, ErrorDetailMessage.storeExchanged, _, _) = self {
            true
        } else {
            false
        }
    }
}
