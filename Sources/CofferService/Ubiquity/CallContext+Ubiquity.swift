import CofferContainer
import CofferCoordination
import CofferMerge
import CofferUbiquity
import CofferWire

/// The rpc that shows shared stores.
extension CallContext {
    func ubiquityStatus() throws(ServiceError) -> UbiquityStatusReplyMessage {
        _ = try service.requireAccounts(ofSandboxed: session.caller.isSandboxed)
        var stores: [UbiquitousStoreMessage] = []
        for store in service.stores.openStores.sorted(by: { $0.key.objectPath < $1.key.objectPath }) {
            if let message = try UbiquitousStoreMessage(store, in: service) { stores.append(message) }
        }
        return UbiquityStatusReplyMessage(stores: stores)
    }
}

extension UbiquitousStoreMessage {
    /// How many objects that cannot be read are told of.
    private static let quarantinedCount = 100

    /// What is told of a store; `nil` if its content follows no account.
    init?(_ store: ServedStore, in service: ServiceCore) throws(ServiceError) {
        guard store.sharing.content != nil, let kept = try service.lives?.store(store.key) else {
            return nil
        }
        let name = StoreNameMessage(
            application: store.key.application, configuration: store.key.configuration,
            name: store.key.name)
        self.init(name: name, contentName: kept.contentName, condition: store.sharing.conditionWord)
        (state, firstContent, path) = (kept.state.word, store.sharing.firstContent, kept.path)
        saved = store.persistentStore.number
        if let status = store.sharing.status {
            show(status)
        } else if !store.sharing.isOfAccount {
            missing = ["no account is signed in"]
        }
    }

    private mutating func show(_ status: UbiquityStatus) {
        guard let own = status.peer else { return }
        peer = own.number
        lastFold = status.lastFold
        unwrittenFolds = UInt64(status.unwrittenFolds)
        objectCount = UInt64(status.objectCount)
        digest = status.digest.bytes
        peers = status.vector.filter { $0.key != own }.sorted { $0.key < $1.key }.map { other, folds in
            UbiquityPeerMessage(
                peer: other.number, folds: folds, seen: status.seenBy[other] ?? 0,
                seenNumber: status.seenTransactions[other] ?? 0)
        }
        waitingCount = UInt64(status.waiting.count)
        quarantined = status.quarantined.map { "\($0.key): \($0.value)" }.sorted()
            .prefix(Self.quarantinedCount).map { String($0.prefix(200)) }
        differing = status.differing.map(\.number).sorted()
        failure = status.failure ?? ""
        (missingValues, brokenLinks) = (UInt64(status.missingValueCount), UInt64(status.brokenLinkCount))
        (folded, exported, missing) = (status.folded, status.exported, status.missing)
        (sentBytes, receivedBytes) = (status.sentByteCount, status.receivedByteCount)
    }
}
