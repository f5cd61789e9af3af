import CofferCoordination
import CofferLinux
import CofferStores
import CofferWire
import Logging

/// The rpc that makes a new store of another.
extension CallContext {
    /// Answers from a thread of its own.
    func copyStore(_ request: CopyStoreRequestMessage) throws(ServiceError) -> CallOutcome {
        let subscription = try use(request.store)
        try require(.administer, subscription.store.key)
        try require(.read, subscription.store.key)
        guard let folder = try callersFolder(at: request.place) else {
            throw .unfitBackupFolder("The descriptor of a folder of the caller's has to come along.")
        }
        return try onThread(named: "coffer-copy") { $0.copy(request, subscription, into: folder) }
    }

    private func copy(
        _ request: CopyStoreRequestMessage, _ subscription: Subscription, into folder: Folder
    ) -> RPCResult {
        let store = subscription.store
        var options = StoreCopy.Options()
        options.isPlain = request.isPlain
        options.configuration = request.configuration.isEmpty ? nil : request.configuration
        options.closedFolders = [service.places.root]
        var progress = PartialProgress()
        do throws(StoreError) {
            let outcome = try store.persistentStore.copy(
                as: request.type, into: folder, as: request.fileName, options: options
            ) { copied, total in
                if isGivenUp(subscription) { return false }
                return progress.send(to: address) {
                    CopyStoreReplyMessage(copiedCount: UInt64(copied), totalCount: UInt64(total))
                }
            }
            service.logger.notice(
                "Made a new store of another",
                metadata: ["store": "\(store.key.description)", "type": "\(request.type)"])
            let reply = CopyStoreReplyMessage(
                copiedCount: UInt64(outcome.objectCount), totalCount: UInt64(outcome.objectCount),
                made: CopiedStoreMessage(outcome))
            return progress.result(reply)
        } catch {
            service.logger.warning(
                "No new store was made of another",
                metadata: ["store": "\(store.key.description)", "error": "\(error)"])
            return service.failure(of: error)
        }
    }
}
