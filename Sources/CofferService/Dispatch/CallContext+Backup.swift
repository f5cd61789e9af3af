import CofferCoordination
import CofferLinux
import CofferStores
import CofferWire
import Logging

/// The rpc that copies a store.
extension CallContext {
    /// Answers from a thread of its own.
    func backupStore(_ request: BackupStoreRequestMessage) throws(ServiceError) -> CallOutcome {
        let subscription = try use(request.store)
        try require(.administer, subscription.store.key)
        try require(.read, subscription.store.key)
        // If there is none, the copy's descriptor is answered.
        let folder = try callersFolder(at: request.place)
        return try onThread(named: "coffer-backup") { $0.backUp(request, subscription, into: folder) }
    }

    private func backUp(
        _ request: BackupStoreRequestMessage, _ subscription: Subscription, into folder: Folder?
    ) -> RPCResult {
        let store = subscription.store
        // So that the copy can catch up with other machines.
        store.sharing.waitUntilFolded(store.persistentStore.number, timeout: Limits.settlingUp)
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
        var progress = PartialProgress()
        let outcome = try store.backUp(into: folder, as: request.fileName, options: options) {
            copied, total in
            if isGivenUp(subscription) { return false }
            return progress.send(to: address) {
                BackupStoreReplyMessage(
                    copiedByteCount: UInt64(copied), totalByteCount: UInt64(total), uuid: store.uuid)
            }
        }
        return progress.result(BackupStoreReplyMessage(outcome))
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

    /// Whether no caller waits any more for what a call does.
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
