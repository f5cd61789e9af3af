internal import CofferWire

/// What the service tells of shared stores.
extension RemoteCoordinator {
    /// How far a store is; `nil` if it is not shared.
    func syncStatus(
        of handle: UInt32, watching: Bool = false
    ) throws(CofferError) -> UbiquitousStoreMessage? {
        let request = SyncStatusRequestMessage(store: handle, watches: watching)
        return try client.call(
            .syncStatus, request, of: store(handle), reply: SyncStatusReplyMessage.self
        ).store
    }

    /// The store that is called so; if no name is given, the first one that is shared.
    func sharedStore(named name: String?) throws(CofferError) -> CoordinatedStoreDescription {
        for store in stores where name.map({ $0 == store.name }) ?? true {
            if try syncStatus(of: store.handle) != nil { return store }
        }
        throw Self.notShared
    }

    /// Why nothing can be told of other machines.
    static var notShared: CofferError {
        .refused(
            code: StatusCode.failedPrecondition.name, reason: "not_shared",
            text: "No such store is shared with other machines: open it with a ubiquitous content name.",
            place: "")
    }
}

extension PersistentContainer {
    /// The coordinator, if it is one of the service's: others share nothing.
    var sharingCoordinator: RemoteCoordinator {
        get throws(CofferError) {
            guard let remote = coordinator as? RemoteCoordinator else { throw RemoteCoordinator.notShared }
            return remote
        }
    }
}
