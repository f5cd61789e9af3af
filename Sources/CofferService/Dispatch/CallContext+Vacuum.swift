import CofferCoordination
import CofferLinux
import CofferStores
import CofferWire
import Logging
import Synchronization

/// The rpc that makes a store's file smaller.
extension CallContext {
    /// Answers from a thread of its own.
    func vacuumStore(_ request: VacuumStoreRequestMessage) throws(ServiceError) -> CallOutcome {
        let subscription = try use(request.store)
        try require(.administer, subscription.store.key)
        try require(.write, subscription.store.key)
        return try onThread(named: "coffer-vacuum") { $0.vacuum(subscription) }
    }

    private func vacuum(_ subscription: Subscription) -> RPCResult {
        let store = subscription.store
        let progress = SharedProgress()
        do throws(StoreError) {
            let (former, now) = try store.persistentStore.vacuum { done, total in
                if isGivenUp(subscription) { return false }
                return progress.send(to: address) {
                    VacuumStoreReplyMessage(doneByteCount: UInt64(done), totalByteCount: UInt64(total))
                }
            }
            service.logger.notice(
                "Made a store smaller",
                metadata: [
                    "store": "\(store.key.description)", "from": "\(former) bytes", "to": "\(now) bytes",
                ])
            return progress.result(
                VacuumStoreReplyMessage(
                    doneByteCount: UInt64(former), totalByteCount: UInt64(former),
                    formerByteCount: UInt64(former), byteCount: UInt64(now)))
        } catch {
            service.logger.warning(
                "A store was not made smaller",
                metadata: ["store": "\(store.key.description)", "error": "\(error)"])
            return service.failure(of: error)
        }
    }
}

/// Parts of an answer that the thread tells which does the work, while another one waits for it.
private final class SharedProgress: Sendable {
    private let progress = Mutex(PartialProgress())

    func send(to address: ReplyAddress, _ part: () -> VacuumStoreReplyMessage) -> Bool {
        progress.withLock { $0.send(to: address, part) }
    }

    func result(_ reply: VacuumStoreReplyMessage) -> RPCResult { progress.withLock { $0.result(reply) } }
}
