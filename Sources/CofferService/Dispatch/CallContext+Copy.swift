import CofferCoordination
import CofferLinux
import CofferStores
import CofferWire
import Logging

/// The rpc that makes a new store of another.
extension CallContext {
    /// Answers from a thread of its own: a copy takes long, and keeps no worker.
    func copyStore(_ request: CopyStoreRequestMessage) throws(ServiceError) -> CallOutcome {
        let subscription = try use(request.store)
        try require(.administer, subscription.store.key)
        try require(.read, subscription.store.key)
        // What a caller may not write is not written for it.
        guard let descriptor = descriptors.first, !service.places.isSystem, !session.caller.isSandboxed
        else { throw .unfitBackupFolder("The descriptor of a folder of the caller's has to come along.") }
        let folder: Folder
        do throws(LinuxError) {
            folder = try Folder(descriptor, path: request.place)
        } catch {
            throw .unfitBackupFolder("The descriptor is not that of a folder: \(error).")
        }
        service.lifecycle.beginUse()
        let call = interest.detached()
        do throws(LinuxError) {
            _ = try WorkerThread(name: "coffer-copy") {
                var context = self
                context.interest = call.interest
                let result = context.copy(request, subscription, into: folder)
                call.end()
                address.send(result)
                service.lifecycle.endUse()
            }
        } catch {
            call.end()
            service.lifecycle.endUse()
            throw .system(error)
        }
        return .pending
    }

    private func copy(
        _ request: CopyStoreRequestMessage, _ subscription: Subscription, into folder: Folder
    ) -> RPCResult {
        let store = subscription.store
        var options = StoreCopy.Options()
        options.isPlain = request.isPlain
        options.configuration = request.configuration.isEmpty ? nil : request.configuration
        options.closedFolders = [service.places.root]
        var (hasParts, nextPart) = (false, Monotonic.now)
        do throws(StoreError) {
            let outcome = try store.persistentStore.copy(
                as: request.type, into: folder, as: request.fileName, options: options
            ) { copied, total in
                if isGivenUp(subscription) { return false }
                guard address.takesItems, Monotonic.now >= nextPart else { return true }
                nextPart = Monotonic.now + UInt64(Limits.progressInterval.wholeNanoseconds)
                let part = CopyStoreReplyMessage(copiedCount: UInt64(copied), totalCount: UInt64(total))
                hasParts = true
                // Where that cannot be sent, nobody waits any more, which is found out next.
                return (try? address.send(part: part)) != nil
            }
            service.logger.notice(
                "Made a new store of another",
                metadata: ["store": "\(store.key.description)", "type": "\(request.type)"])
            let reply = CopyStoreReplyMessage(
                copiedCount: UInt64(outcome.objectCount), totalCount: UInt64(outcome.objectCount),
                made: CopiedStoreMessage(outcome))
            return hasParts ? .packing(end: reply) : .packing(reply)
        } catch {
            service.logger.warning(
                "No new store was made of another",
                metadata: ["store": "\(store.key.description)", "error": "\(error)"])
            return service.failure(of: error)
        }
    }
}
