import CofferStores
import CofferWire
import FoundationEssentials

/// The rpc that takes a store to another model, and opening one that has another.
extension CallContext {
    func migrateStore(_ request: MigrateStoreRequestMessage) throws(ServiceError) -> CallOutcome {
        let key = try key(request.name)
        try require(.administer, key)
        try require(request.isDryRun ? .read : .write, key)
        guard let model = model(request.modelID, for: key),
            let way = try StoreMigrator.Way(to: model, request.route, work: request.work)
        else { return .answered(.packing(MigrateStoreReplyMessage(needsModel: true))) }
        if let work = request.work, ObjectMigration(work, of: key, in: self) == nil {
            throw .wire(.malformed("coffer.v1.MigrateStoreRequest.work: policies are asked over a channel"))
        }
        let wishes = StoreMigrator.Wishes(
            isDryRun: request.isDryRun, keepsBackup: request.keepsBackup, adopts: request.adopts,
            waitMilliseconds: request.waitMilliseconds, work: request.work)
        try StoreMigrator(of: key, by: way, wishes, in: self) { outcome in
            switch outcome {
            case .migrated(let reply):
                address.send(address.takesItems ? .packing(end: reply) : .packing(reply))
            case .notByItself: break  // Somebody asked for it.
            case .failed(let error): address.send(service.failure(of: error))
            }
        }.begin()
        return .pending
    }

    /// Opens one of the stores of a migration whose objects the client makes.
    func open(
        _ migration: UUID, _ request: OpenStoreRequestMessage
    ) throws(ServiceError) -> OpenStoreReplyMessage {
        let store = try service.migrations.store(
            of: migration, isFormer: request.isReadOnly, for: session.id)
        return .opened(try subscribe(to: store, request, isCreated: false))
    }

    /// The model of an id, if it is known.
    ///
    /// Other clients of its user may have registered so many models since that the registry has dropped it.
    func model(_ id: [UInt8], for key: StoreKey) -> StoreModel? {
        session.budget.model(id) ?? service.stores.models.model(id, of: key.userID)
    }

    /// Migrates a store to the model that it is opened with, then opens it.
    ///
    /// If that migration is not done unasked, the client is told what differs.
    func migrate(
        _ key: StoreKey, to model: StoreModel, for request: OpenStoreRequestMessage,
        _ reasons: IncompatibleModelMessage
    ) throws(ServiceError) {
        guard let way = try StoreMigrator.Way(to: model, request.route) else {
            return address.send(.packing(OpenStoreReplyMessage.needModel))
        }
        let wishes = StoreMigrator.Wishes(isAutomatic: true, adopts: request.adopts)
        var opening = request
        opening.migrates = false
        opening.route = nil
        try StoreMigrator(of: key, by: way, wishes, in: self) { [opening] outcome in
            switch outcome {
            case .migrated: openLate(opening)
            case .notByItself: address.send(.packing(OpenStoreReplyMessage.incompatible(reasons)))
            case .failed(.exchangeUnderWay):
                // Another call takes it there, or somewhere else: that is seen then.
                if !service.stores.whenExchanged(key, { openLate(request) }) { openLate(request) }
            case .failed(let error): address.send(service.failure(of: error))
            }
        }.begin()
    }
}
