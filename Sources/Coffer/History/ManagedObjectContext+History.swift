public import CofferModel
import CofferWire
public import FoundationEssentials

/// Which part of the stores' history is asked for.
public struct HistoryRequest: Sendable {
    /// Where the history asked for begins.
    public enum Start: Sendable {
        /// With the oldest transaction that is kept.
        case beginning
        /// After a token; a store that the token does not name from its beginning.
        case token(HistoryToken)
        /// With the first transaction after a moment.
        case date(Date)
        /// After a transaction of the same store.
        case transaction(HistoryTransaction)
    }

    /// Where the history asked for begins.
    public var start: Start
    /// What is demanded of transactions.
    ///
    /// Keys: `author`, `contextName`, `process` or `processID`, `application` or `bundleID`, `timestamp`,
    /// `transactionNumber`, `token`, `storeID`.
    public var transactionPredicate: QueryPredicate?
    /// What is demanded of changes; transactions without one that fits are left out.
    ///
    /// Keys: `changeType` (0 insert, 1 update, 2 delete), `changedEntity` (the name of an object's own
    /// entity), `changedObjectID`, `updatedProperties`, `transaction`.
    public var changePredicate: QueryPredicate?
    /// Whether transactions come with their changes.
    public var includesChanges = true
    /// At most so many transactions of each store that fit.
    public var limit: Int?
    /// Only these stores, by name; `nil` for all stores of the context.
    public var storeNames: [String]?

    /// A request for what follows `start`.
    public init(after start: Start = .beginning) {
        self.start = start
    }
}

extension ManagedObjectContext {
    /// The transactions that fit a request, oldest first, store by store.
    ///
    /// Predicates are evaluated here: what does not fit has still travelled.
    ///
    /// ```swift
    /// let end = try context.currentHistoryToken()
    /// for transaction in try context.fetchHistory(HistoryRequest(after: .token(lastToken))) {
    ///     context.mergeChanges(from: transaction)
    /// }
    /// lastToken = end  // Kept for the next run; merging a transaction twice is harmless.
    /// ```
    ///
    /// - Throws: `.historyExpired` if the history after the token is not kept any more: then read the stores
    ///   again from the start, and go on from `currentHistoryToken()`.
    public func fetchHistory(_ request: HistoryRequest = HistoryRequest()) throws(CofferError)
        -> [HistoryTransaction]
    {
        var found: [HistoryTransaction] = []
        try forEachTransaction(request) { found.append($0) }
        return found
    }

    /// The changes that fit a request, in order.
    ///
    /// - Throws: `.historyExpired` if the history after the token is no longer kept, `.predicate` if a
    ///   predicate cannot be evaluated, or why a store cannot be reached.
    public func fetchHistoryChanges(_ request: HistoryRequest = HistoryRequest()) throws(CofferError)
        -> [HistoryChange]
    {
        var found: [HistoryChange] = []
        var request = request
        request.includesChanges = true
        try forEachTransaction(request) { found += $0.changes ?? [] }
        return found
    }

    /// The objects whose changes fit a request, each once, in the order of their first change.
    ///
    /// - Throws: `.historyExpired` if the history after the token is no longer kept, `.predicate` if a
    ///   predicate cannot be evaluated, or why a store cannot be reached.
    public func fetchHistoryObjectIDs(
        _ request: HistoryRequest = HistoryRequest()
    ) throws(CofferError) -> [ManagedObjectID] {
        var seen: Set<ManagedObjectID> = []
        return try fetchHistoryChanges(request).map(\.objectID).filter { seen.insert($0).inserted }
    }

    /// How many transactions fit a request.
    ///
    /// - Throws: `.historyExpired` if the history after the token is no longer kept, `.predicate` if a
    ///   predicate cannot be evaluated, or why a store cannot be reached.
    public func countHistory(_ request: HistoryRequest = HistoryRequest()) throws(CofferError) -> Int {
        var count = 0
        var request = request
        request.includesChanges = false
        try forEachTransaction(request) { _ in count += 1 }
        return count
    }

    /// The end of the stores' history.
    ///
    /// - Throws: `.unavailable` or `.refused` if a store cannot be asked.
    public func currentHistoryToken() throws(CofferError) -> HistoryToken {
        refreshStores()
        var token = HistoryToken()
        for store in registry.stores {
            let request = HistoryRequestMessage(
                store: store.handle, storeUUID: store.uuid, after: 0, limit: 1, fromFloor: true,
                withoutChanges: true)
            switch try coordinator.history(request) {
            case .transactions(_, let number, _): token = token.advanced(to: number, ofStore: store.uuid)
            case .expired(_, let current, _): token = token.advanced(to: current, ofStore: store.uuid)
            }
        }
        return token
    }

    /// Merges a transaction into the context, as if it had just been pushed; merging one again is harmless.
    public func mergeChanges(from transaction: HistoryTransaction) {
        refreshStores()
        guard let store = registry.storeIndex(uuid: transaction.storeUUID) else { return }
        merge(transaction.message, store: store)
        tellWatchers()
    }
}

extension ManagedObjectContext {
    private func forEachTransaction(
        _ request: HistoryRequest, _ body: (HistoryTransaction) -> Void
    ) throws(CofferError) {
        refreshStores()
        for store in registry.stores where request.storeNames?.contains(store.name) ?? true {
            if case .transaction(let transaction) = request.start, transaction.storeUUID != store.uuid {
                continue
            }
            try forEachTransaction(request, of: store, body)
        }
    }

    private func forEachTransaction(
        _ request: HistoryRequest, of store: CoordinatedStoreDescription, _ body: (HistoryTransaction) -> Void
    ) throws(CofferError) {
        var message = request.message(store)
        var rest = request.limit ?? .max
        while rest > 0 {
            let transactions: [TransactionMessage]
            let hasMore: Bool
            switch try coordinator.history(message) {
            case .expired(let floor, let current, _): throw .historyExpired(floor: floor, current: current)
            case .transactions(let page, _, let more): (transactions, hasMore) = (page, more)
            }
            for transaction in transactions where rest > 0 {
                guard let fitting = try request.fitting(transaction, store: store.uuid, model: model) else {
                    continue
                }
                rest -= 1
                body(fitting)
            }
            guard hasMore, let last = transactions.last else { return }
            message.token?.number = last.number
            message.fromFloor = false
        }
    }
}

extension HistoryRequest {
    fileprivate func message(_ store: CoordinatedStoreDescription) -> HistoryRequestMessage {
        var message = HistoryRequestMessage(
            store: store.handle, storeUUID: store.uuid, after: 0, fromFloor: true,
            withoutChanges: !includesChanges && changePredicate == nil)
        switch start {
        case .beginning: break
        case .date(let date): message.afterTime = date.timeIntervalSinceReferenceDate
        case .token(let token):
            guard let number = token.numbers[store.uuid] else { break }
            message.token?.number = number
            message.fromFloor = false
        case .transaction(let transaction):
            message.token?.number = transaction.number
            message.fromFloor = false
        }
        return message
    }

    /// The transaction as it was asked for; `nil` if it does not fit.
    fileprivate func fitting(
        _ message: TransactionMessage, store: UUID, model: ManagedObjectModel
    ) throws(CofferError) -> HistoryTransaction? {
        var transaction = HistoryTransaction(
            message, store: store, model: model, withChanges: includesChanges || changePredicate != nil)
        do throws(QueryError) {
            if let transactionPredicate,
                try !transactionPredicate.evaluate(on: TransactionSubject(transaction: transaction))
            {
                return nil
            }
            guard let changePredicate, let changes = transaction.changes else { return transaction }
            var fitting: [HistoryChange] = []
            for change in changes
            where try changePredicate.evaluate(on: ChangeSubject(change: change, transaction: transaction)) {
                fitting.append(change)
            }
            if fitting.isEmpty { return nil }
            transaction.changes = includesChanges ? fitting : nil
            return transaction
        } catch {
            throw .predicate(error)
        }
    }
}
