import CofferWire
public import FoundationEssentials

/// A reader of a store's history that the store waits for before it purges.
public struct HistoryConsumer: Sendable, Equatable {
    /// The consumer's name, unique in the application.
    public let name: String
    /// The application's id.
    public let application: String
    /// The last transaction that the consumer has acknowledged, with all before it.
    public let acknowledged: UInt64
    /// When the store stops to wait for it: 14 days after it was heard of last.
    public let leaseEnd: Date
}

extension ManagedObjectContext {
    /// Notes that a consumer has a store's history up to a token, and lets the store wait for it for another
    /// 14 days.
    ///
    /// The first call registers it; what is noted never goes back. History is kept for consumers and for 7
    /// days at least.
    /// - Throws: `.unknown` if no store has the name.
    public func acknowledgeHistory(
        upTo token: HistoryToken, consumer name: String, storeNamed storeName: String? = nil
    ) throws(CofferError) {
        for store in try stores(named: storeName) {
            _ = try coordinator.consumer(
                ConsumerRequestMessage(
                    store: store.handle, name: name, acknowledged: token.numbers[store.uuid] ?? 0))
        }
    }

    /// Removes a consumer, so that stores no longer wait for it before they purge history.
    ///
    /// - Throws: `.unknown` if no store has the name.
    public func removeHistoryConsumer(
        _ name: String, storeNamed storeName: String? = nil
    ) throws(CofferError) {
        for store in try stores(named: storeName) {
            _ = try coordinator.consumer(
                ConsumerRequestMessage(store: store.handle, name: name, acknowledged: 0, isRemoved: true))
        }
    }

    /// The consumers of this application, by the names of their stores.
    ///
    /// - Throws: `.unavailable` or `.refused` if a store cannot be asked.
    public func historyConsumers() throws(CofferError) -> [String: [HistoryConsumer]] {
        var consumers: [String: [HistoryConsumer]] = [:]
        for store in try stores(named: nil) {
            let reply = try coordinator.consumer(
                ConsumerRequestMessage(store: store.handle, name: "", acknowledged: 0))
            consumers[store.name] = reply.consumers.map {
                HistoryConsumer(
                    name: $0.name, application: $0.application, acknowledged: $0.acknowledged,
                    leaseEnd: Date(timeIntervalSinceReferenceDate: $0.lease))
            }
        }
        return consumers
    }

    /// Deletes the transactions before those that a token names; they themselves stay.
    ///
    /// What a consumer within its lease has not acknowledged stays too, and so does each store's last
    /// transaction. From now on a request with an older token gets `CofferError.historyExpired`.
    ///
    /// - Throws: `.unavailable` or `.refused` if a store cannot be reached or written; what the stores
    ///   before it have deleted stays deleted.
    public func deleteHistory(before token: HistoryToken) throws(CofferError) {
        for store in try stores(named: nil) {
            guard let number = token.numbers[store.uuid] else { continue }
            _ = try coordinator.purgeHistory(PurgeHistoryRequestMessage(store: store.handle, before: number))
        }
    }

    /// Deletes the transactions of its store before a transaction, by the rules of `deleteHistory(before:)`
    /// for tokens.
    ///
    /// - Throws: `.unavailable` or `.refused` if the store cannot be reached or written.
    public func deleteHistory(before transaction: HistoryTransaction) throws(CofferError) {
        try deleteHistory(before: transaction.token)
    }

    /// Deletes the transactions of all stores before a moment, by the rules of `deleteHistory(before:)` for
    /// tokens.
    ///
    /// - Throws: `.unavailable` or `.refused` if a store cannot be reached or written; what the stores
    ///   before it have deleted stays deleted.
    public func deleteHistory(before date: Date) throws(CofferError) {
        for store in try stores(named: nil) {
            _ = try coordinator.purgeHistory(
                PurgeHistoryRequestMessage(
                    store: store.handle, beforeTime: date.timeIntervalSinceReferenceDate))
        }
    }

    private func stores(named name: String?) throws(CofferError) -> [CoordinatedStoreDescription] {
        refreshStores()
        let stores = registry.stores.filter { name == nil || $0.name == name }
        if let name, stores.isEmpty { throw .unknown(kind: "store", name: name) }
        return stores
    }
}
