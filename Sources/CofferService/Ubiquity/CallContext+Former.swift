import CofferUbiquity
import CofferWire

/// The rpcs about what was put aside of shared stores.
extension CallContext {
    func listFormer() throws(ServiceError) -> ListFormerReplyMessage {
        _ = try service.requireAccounts(ofSandboxed: session.caller.isSandboxed)
        return ListFormerReplyMessage(
            contents: try service.lives?.formerContents().map { FormerContentMessage($0) } ?? [])
    }

    func restoreFormer(_ request: RestoreFormerRequestMessage) throws(ServiceError) -> CallOutcome {
        _ = try service.requireAccounts(ofSandboxed: session.caller.isSandboxed)
        let key = try key(request.name)
        try require(.write, key)
        try service.restore(Int64(clamping: request.number), of: key) { [self] result in
            switch result {
            case .success: address.send(.packing(EmptyMessage()))
            case .failure(let error): address.send(service.failure(of: error))
            }
        }
        return .pending
    }
}

extension FormerContentMessage {
    /// What clients are told of a file that was put aside.
    fileprivate init(_ former: FormerContent) {
        self.init(
            name: StoreNameMessage(former.key), number: UInt64(clamping: former.place.number),
            account: former.place.account.map { UInt32(clamping: $0) }, since: former.place.since,
            until: StoreLives.end(of: former.place), byteCount: former.byteCount)
    }
}

extension StoreNameMessage {
    /// What clients call a store.
    init(_ key: StoreKey) {
        self.init(application: key.application, configuration: key.configuration, name: key.name)
    }
}
