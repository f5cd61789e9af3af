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

    /// Takes in that a store moved, or is back, before the context comes to it by itself; `false` if there is
    /// nothing of that: another exchange costs what was not saved, and has its turn.
    func takeMoves() -> Bool {
        // A child hears of moves from its parent.
        if link != nil { return takeReturns() }
        awaitExchange()
        func waits(_ isMeant: (CoordinatorEvent) -> Bool) -> Bool {
            unmergedEvents.contains(where: isMeant) || mailbox.contains(where: isMeant)
        }
        if !waits(\.losesNothing) || waits({ $0.isExchange && !$0.losesNothing }) { return false }
        return takeStoreEvents()
    }

    /// Takes in that a store of the parent is back, which may have come to know it in the middle of a call.
    private func takeReturns() -> Bool {
        if isMerging { return false }
        let places = mailbox.takeReturns()
        if !places.isEmpty { storesDidReturn(places) }
        return !places.isEmpty
    }

    /// Takes in what waits of the stores themselves and of the connection; whether there were exchanges.
    private func takeStoreEvents() -> Bool {
        // In the middle of a merge nothing newer may come in.
        if link != nil || isMerging { return false }
        awaitExchange()
        // The first are what a handler meets that is called in the middle of them.
        let events =
            unmergedEvents.takeAll() + (mergesUnasked ? mailbox.take() : mailbox.takeAllButChanges())
        for event in events { merge(event) }
        return events.contains(where: \.isExchange)
    }

    /// Waits if another thread has opened what stands in a store's place now, and is about to tell it.
    private func awaitExchange() {
        let isBehind = zip(coordinator.stores, registry.stores).contains { $0.handle != $1.handle }
        if isBehind, !unmergedEvents.contains(where: \.isExchange) { mailbox.waitForExchange() }
    }
}

extension CoordinatorEvent {
    /// Whether files of stores were exchanged, or a store came that had been removed.
    var isExchange: Bool {
        switch self {
        case .storesDidChange, .storeDidReturn: true
        case .transaction, .reload, .bookmark, .storesWillChange, .disconnected, .reconnected: false
        }
    }

    /// Whether a store's objects are in another file now, or a store is back of which nothing is left.
    var losesNothing: Bool { if case .storeDidReturn = self { true } else { moved != nil } }
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
