import CofferContainer
import CofferCoordination
import CofferLinux
import CofferModel
import CofferStores
import CofferUbiquity
import CofferWire
import Logging

/// The rpc that fills a shared store with what an application comes with.
extension CallContext {
    /// Answers from a thread of its own.
    func seedStore(_ request: SeedStoreRequestMessage) throws(ServiceError) -> CallOutcome {
        let subscription = try use(request.store)
        try require(.write, subscription.store.key)
        try subscription.requireWriting()
        guard subscription.store.sharing.content != nil else {
            throw .denied("Only a store that is shared with other machines is filled so: save into others.")
        }
        guard let folder = try callersFolder(at: request.place) else {
            throw .unfitBackupFolder(
                "The descriptor of the file's folder has to come along, out of no sandbox.")
        }
        return try onThread(named: "coffer-seed") { $0.seed(request, subscription, from: folder) }
    }

    private func seed(
        _ request: SeedStoreRequestMessage, _ subscription: Subscription, from folder: Folder
    ) -> RPCResult {
        let store = subscription.store
        do {
            let file = try openSeed(request.fileName, in: folder, for: store)
            let isRepeated = try store.persistentStore.isSeeded(from: file.uuid)
            if isRepeated {
                return .packing(SeedStoreReplyMessage(seededCount: 0, totalCount: 0, isRepeated: true))
            }
            let content = try SeedContent(of: file)
            var progress = PartialProgress()
            let total = content.objectCount
            for start in stride(from: 0, to: total, by: Limits.seededAtOnce) {
                if isGivenUp(subscription) { throw ServiceError.storeExchanged(subscription.handle) }
                #if DEBUG
                if start > 0 { CrashPoint.duringSeed.pass() }
                #endif
                try put(try content.batch(from: start, count: Limits.seededAtOnce), into: store)
                _ = progress.send(to: address) {
                    SeedStoreReplyMessage(
                        seededCount: UInt64(min(start + Limits.seededAtOnce, total)),
                        totalCount: UInt64(total))
                }
            }
            try store.persistentStore.noteSeed(content.uuid, at: service.wallTime)
            service.logger.notice(
                "Filled a shared store from a file",
                metadata: ["store": "\(store.key.description)", "objects": "\(total)"])
            return progress.result(
                SeedStoreReplyMessage(seededCount: UInt64(total), totalCount: UInt64(total)))
        } catch {
            service.logger.warning(
                "A shared store was not filled from a file",
                metadata: ["store": "\(store.key.description)", "error": "\(error)"])
            return service.failure(of: error)
        }
    }

    /// The file, read only, with the store's model.
    private func openSeed(
        _ fileName: String, in folder: Folder, for store: ServedStore
    ) throws(StoreError) -> StoreFile {
        var options = service.stores.defaults
        (options.isReadOnly, options.mustExist, options.type) = (true, true, .sqlite)
        return try StoreFile.open(
            in: folder, fileName: fileName, model: store.persistentStore.file.model,
            configuration: store.key.configuration, options: options)
    }

    /// Joins some objects into a store: through what shares it, if it is shared.
    private func put(_ content: AdoptableContent, into store: ServedStore) throws {
        let done = ConditionLock(false)
        let isShared = try store.sharing.exclusively { () throws(StoreError) -> Bool in
            guard store.sharing.status != nil else {
                try content.join(into: store.persistentStore, at: service.wallTime)
                return false
            }
            store.sharing.adopt(content) {
                done.withLock { $0 = true }
                done.broadcast()
            }
            return true
        }
        if isShared, done.wait(timeout: Limits.lettingGo, until: { $0 ? true : nil }) == nil {
            throw ServiceError.storeHeld(store.key.description)
        }
    }
}
