import CofferContainer
import CofferMerge
import CofferUbiquity
import CofferWire

/// The rpc that shows shared stores.
extension CallContext {
    func ubiquityStatus() throws(ServiceError) -> UbiquityStatusReplyMessage {
        _ = try service.requireAccounts(ofSandboxed: session.caller.isSandboxed)
        var stores: [UbiquitousStoreMessage] = []
        for store in service.stores.openStores.sorted(by: { $0.key.objectPath < $1.key.objectPath }) {
            guard let kept = try service.lives?.store(store.key), store.sharing.content != nil else {
                continue
            }
            let status = store.sharing.status
            let name = StoreNameMessage(
                application: store.key.application, configuration: store.key.configuration,
                name: store.key.name)
            var message = UbiquitousStoreMessage(
                name: name, contentName: kept.contentName, condition: store.sharing.conditionWord)
            message.state = kept.state.word
            message.firstContent = store.sharing.firstContent
            if let status { message.show(status) }
            stores.append(message)
        }
        return UbiquityStatusReplyMessage(stores: stores)
    }
}

extension UbiquitousStoreMessage {
    /// How many objects that cannot be read are told of.
    private static let quarantinedCount = 100

    fileprivate mutating func show(_ status: UbiquityStatus) {
        guard let own = status.peer else { return }
        peer = own.number
        lastFold = status.lastFold
        unwrittenFolds = UInt64(status.unwrittenFolds)
        objectCount = UInt64(status.objectCount)
        digest = status.digest.bytes
        peers = status.vector.filter { $0.key != own }.sorted { $0.key < $1.key }.map { other, folds in
            UbiquityPeerMessage(peer: other.number, folds: folds, seen: status.seenBy[other] ?? 0)
        }
        waitingCount = UInt64(status.waiting.count)
        quarantined = status.quarantined.map { "\($0.key): \($0.value)" }.sorted()
            .prefix(Self.quarantinedCount).map { String($0.prefix(200)) }
        differing = status.differing.map(\.number).sorted()
        failure = status.failure ?? ""
        missingValues = UInt64(status.missingValueCount)
    }
}
