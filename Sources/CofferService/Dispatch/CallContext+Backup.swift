import CofferCoordination
import CofferLinux
import CofferStores
import CofferWire
import Logging

/// The rpc that copies a store.
extension CallContext {
    /// Answers from a thread of its own: a copy takes long, and keeps no worker.
    func backupStore(_ request: BackupStoreRequestMessage) throws(ServiceError) -> CallOutcome {
        let subscription = try use(request.store)
        try require(.administer, subscription.store.key)
        try require(.read, subscription.store.key)
        let folder = try target(request)
        service.lifecycle.beginUse()
        let call = interest.detached()
        do throws(LinuxError) {
            _ = try WorkerThread(name: "coffer-backup") {
                var context = self
                context.interest = call.interest
                let result = context.backUp(request, subscription, into: folder)
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

    /// The folder that came along; `nil` where the copy's descriptor is to be answered.
    private func target(_ request: BackupStoreRequestMessage) throws(ServiceError) -> Folder? {
        // The system's service never leaves its own folders, and what a sandbox may not write is not written
        // for it.
        guard let descriptor = descriptors.first, !service.places.isSystem, !session.caller.isSandboxed
        else { return nil }
        do throws(LinuxError) {
            return try Folder(descriptor, path: request.place)
        } catch {
            throw .unfitBackupFolder("The descriptor is not that of a folder: \(error).")
        }
    }

    private func backUp(
        _ request: BackupStoreRequestMessage, _ subscription: Subscription, into folder: Folder?
    ) -> RPCResult {
        let store = subscription.store
        do throws(StoreError) {
            let result =
                if let folder {
                    try copy(request, subscription, into: folder)
                } else {
                    try copyForCaller(subscription)
                }
            service.logger.notice("Copied a store", metadata: ["store": "\(store.key.description)"])
            return result
        } catch {
            service.logger.warning(
                "A store was not copied",
                metadata: ["store": "\(store.key.description)", "error": "\(error)"])
            return service.failure(of: error)
        }
    }

    private func copy(
        _ request: BackupStoreRequestMessage, _ subscription: Subscription, into folder: Folder
    ) throws(StoreError) -> RPCResult {
        let store = subscription.store.persistentStore
        var options = StoreBackup.Options()
        options.replaces = request.replaces
        options.isOneFile = request.isOneFile
        options.closedFolders = [service.places.root]
        var (hasParts, nextPart) = (false, Monotonic.now)
        let outcome = try store.backUp(into: folder, as: request.fileName, options: options) {
            copied, total in
            if isGivenUp(subscription) { return false }
            guard address.takesItems, Monotonic.now >= nextPart else { return true }
            nextPart = Monotonic.now + UInt64(Limits.progressInterval.wholeNanoseconds)
            let part = BackupStoreReplyMessage(
                copiedByteCount: UInt64(copied), totalByteCount: UInt64(total), uuid: store.uuid)
            hasParts = true
            // Where that cannot be sent, nobody waits any more, which is found out next.
            return (try? address.send(part: part)) != nil
        }
        let reply = BackupStoreReplyMessage(outcome)
        return hasParts ? .packing(end: reply) : .packing(reply)
    }

    /// Makes a copy that has no name, in the store's own folder, and answers its descriptor.
    private func copyForCaller(_ subscription: Subscription) throws(StoreError) -> RPCResult {
        let store = subscription.store.persistentStore
        let (folder, name) = (store.file.folder, Self.unnamedCopy(of: store.file.fileName))
        var options = StoreBackup.Options()
        (options.replaces, options.isOneFile, options.isOwn) = (true, true, true)
        let outcome = try store.backUp(into: folder, as: name, options: options) { _, _ in
            !isGivenUp(subscription)
        }
        let file: OwnedDescriptor
        do throws(LinuxError) {
            file = try folder.openFile(name)
            try folder.unlink(name)
        } catch {
            throw StoreError(error)
        }
        do throws(WireError) {
            return .reply(try BackupStoreReplyMessage(outcome).packed(), [file])
        } catch {
            return .failure(ServiceError.wire(error).detail)
        }
    }

    /// What a copy is called until it has no name any more.
    static func unnamedCopy(of fileName: String) -> String { ".\(fileName).copy" }

    /// Whether nobody waits any more for what a call does.
    func isGivenUp(_ subscription: Subscription) -> Bool {
        interest.isLost || subscription.isClosed || service.reactor.isStopping
    }
}

extension BackupStoreReplyMessage {
    fileprivate init(_ outcome: StoreBackup.Outcome) {
        let byteCount = UInt64(outcome.byteCount)
        self.init(
            copiedByteCount: byteCount, totalByteCount: byteCount, uuid: outcome.uuid, number: outcome.number,
            byteCount: byteCount)
    }
}
