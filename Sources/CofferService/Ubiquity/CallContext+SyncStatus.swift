import CofferUbiquity
import CofferWire

/// The rpc by which clients learn how far their saves are on their way to other machines.
extension CallContext {
    func syncStatus(_ request: SyncStatusRequestMessage) throws(ServiceError) -> SyncStatusReplyMessage {
        let subscription = try use(request.store)
        try require(.read, subscription.store.key)
        // Before it is looked at: what changes after that is pushed.
        if request.watches { subscription.awaitSync() }
        return SyncStatusReplyMessage(
            store: try UbiquitousStoreMessage(subscription.store, in: service))
    }
}

extension ServiceCore {
    /// Tells the clients that asked for it that a shared store is further, each once.
    func pushSyncDidChange(of store: ServedStore) {
        for entry in store.publisher.entries where entry.subscription.takeSyncWait() {
            let push = PushMessage(
                kind: .syncDidChange, store: entry.subscription.handle, number: 0, previous: 0)
            // A few bytes always pack; a client that is told asks again before there is another push.
            guard let bytes = try? push.packed() else { continue }
            entry.sink.send(push: bytes)
        }
    }
}
