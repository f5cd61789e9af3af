import CofferCoordination
import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import Synchronization

/// The rpcs that read and write objects.
extension CallContext {
    func fetch(_ request: consuming FetchRequestMessage) throws(ServiceError) -> RPCResult {
        let subscription = try use(request.store)
        let store = subscription.store
        session.statistics.fetches.add(1, ordering: .relaxed)
        do throws(WireError) {
            try request.resolveObjects(in: store.model, storeUUID: store.persistentStore.uuid)
        } catch {
            throw .wire(error)
        }
        try restrict(&request.fetch, store.key)
        guard !request.withoutHolding, request.generation == 0, request.fetch.resultType == .objects else {
            return .packing(
                try read(subscription) { () throws(StoreError) in try found(by: request, for: subscription) })
        }
        return try subscription.reading { ticket throws(ServiceError) in
            try fetchObjects(request, for: subscription, ticket: ticket)
        }
    }

    /// Fetches objects, and sends a large answer in parts while it is read: then the client makes objects of
    /// one part while the service reads the next, and neither has all rows twice.
    private func fetchObjects(
        _ request: FetchRequestMessage, for subscription: Subscription, ticket: RowCache.Ticket
    ) throws(ServiceError) -> RPCResult {
        var (hasParts, failure) = (false, ServiceError?.none)
        let partByteCount = address.takesItems ? CofferWire.Limits.part : .max
        func told(_ reply: FetchReplyMessage) throws(ServiceError) -> FetchReplyMessage {
            guard request.withoutValues else { return reply }
            do throws(WireError) { return try reply.withoutValues() } catch { throw .wire(error) }
        }
        let reply: FetchReplyMessage
        do throws(ServiceError) {
            reply = try read(subscription) { () throws(StoreError) in
                try found(
                    by: request, for: subscription, partByteCount: partByteCount,
                    isGivenUp: { failure != nil }
                ) { part in
                    if failure != nil { return }
                    if let rows = part.rows { subscription.hold(rows, readAt: part.number, ticket) }
                    hasParts = true
                    do throws(ServiceError) { try address.send(part: told(part)) } catch { failure = error }
                }
            }
        } catch {
            throw failure ?? error
        }
        if let failure { throw failure }
        if let rows = reply.rows { subscription.hold(rows, readAt: reply.number, ticket) }
        return hasParts ? .packing(end: try told(reply)) : .packing(try told(reply))
    }

    /// What a store finds, while the caller waits for it.
    private func found(
        by request: FetchRequestMessage, for subscription: Subscription, partByteCount: Int = .max,
        isGivenUp: @escaping () -> Bool = { false }, _ part: (FetchReplyMessage) -> Void = { _ in }
    ) throws(StoreError) -> FetchReplyMessage {
        let store = subscription.store
        let begin = Monotonic.now
        let traced = service.trace.isTracing ? begin : 0
        var rows: UInt64 = 0
        func count(_ reply: FetchReplyMessage) {
            rows += reply.count
            part(reply)
        }
        // A store whose file is to be exchanged waits for its readers.
        let isLost = {
            isGivenUp() || subscription.isClosed || service.reactor.isStopping || interest.isLost
        }
        let reply = try store.persistentStore.fetch(
            request, stoppingWhere: isLost, partByteCount: partByteCount, count)
        service.slowFetches.note(request, rows: rows + reply.count, since: begin, in: store, by: session)
        trace(request, rows: rows + reply.count, since: traced, store)
        return reply
    }

    /// How a fetch would be carried out.
    func explain(_ request: FetchRequestMessage) throws(ServiceError) -> ExplainReplyMessage {
        let subscription = try use(request.store)
        let store = subscription.store
        var request = request
        do throws(WireError) {
            try request.resolveObjects(in: store.model, storeUUID: store.persistentStore.uuid)
        } catch {
            throw .wire(error)
        }
        try restrict(&request.fetch, store.key)
        let (sql, plan) = try read(subscription) { () throws(StoreError) in
            try store.persistentStore.explain(request.fetch)
        }
        return ExplainReplyMessage(sql: sql, plan: plan)
    }

    func rows(_ request: RowsRequestMessage) throws(ServiceError) -> RowsReplyMessage {
        let subscription = try use(request.store)
        let entity = try subscription.store.entity(at: request.entity)
        try require(.read, subscription.store.key, entity: entity.name)
        let begin = service.trace.beginning
        return try subscription.reading { ticket throws(ServiceError) in
            let (reply, isCached, misses) = try read(subscription) { () throws(StoreError) in
                try subscription.store.persistentStore.cachedRows(request)
            }
            let count = request.primaryKeys.count
            session.statistics.countFaults(count, hits: isCached ? count : 0, misses: misses)
            trace("fault", of: entity, count: count, misses: misses, since: begin, subscription.store)
            if !request.withoutHolding, request.generation == 0 {
                for batch in reply.batches {
                    subscription.hold(batch, readAt: reply.number, isCached ? nil : ticket)
                }
            }
            return reply
        }
    }

    func relationship(_ request: RelationshipRequestMessage) throws(ServiceError) -> RelationshipReplyMessage
    {
        let subscription = try use(request.store)
        let entity = try subscription.store.entity(at: request.entity)
        try require(.read, subscription.store.key, entity: entity.name)
        session.statistics.countFaults(request.primaryKeys.count)
        let begin = service.trace.beginning
        guard request.withRows, request.generation == 0 else {
            let reply = try read(subscription) { () throws(StoreError) in
                try subscription.store.persistentStore.relationship(request)
            }
            let count = reply.primaryKeys.count
            trace("relationship", of: entity, count: count, since: begin, subscription.store)
            return reply
        }
        if entity.properties.indices.contains(request.property),
            let relationship = entity.properties[request.property].relationship
        {
            let destination = subscription.store.model.destination(of: relationship)
            try require(.read, subscription.store.key, entity: destination.name)
        }
        return try subscription.reading { ticket throws(ServiceError) in
            let reply = try read(subscription) { () throws(StoreError) in
                try subscription.store.persistentStore.relationship(request)
            }
            for batch in reply.batches { subscription.hold(batch, readAt: reply.number, ticket) }
            let count = reply.primaryKeys.count
            trace("relationship", of: entity, count: count, since: begin, subscription.store)
            return reply
        }
    }

    /// Keeps the present state of a store readable, whatever is written, until the client releases it or its
    /// session ends.
    func pin(_ request: PinRequestMessage) throws(ServiceError) -> PinReplyMessage {
        let subscription = try use(request.store)
        try require(.read, subscription.store.key)
        return try read(subscription) { () throws(StoreError) in
            let (generation, number) = try subscription.pin()
            return PinReplyMessage(generation: generation, number: number)
        }
    }

    func release(_ request: ReleaseRequestMessage) throws(ServiceError) -> EmptyMessage {
        session.noteContexts(request.contexts)
        if request.store == 0, request.primaryKeys.isEmpty { return EmptyMessage() }
        let subscription = try session.subscription(request.store)
        if request.generation != 0 { subscription.unpin(request.generation) }
        if request.primaryKeys.isEmpty { return EmptyMessage() }
        _ = try subscription.store.entity(at: request.entity)
        subscription.release(request.primaryKeys, entity: request.entity)
        // A client says so along with its next call, which need not wait for that.
        address.afterAnswers { subscription.sweep(request.primaryKeys, entity: request.entity) }
        return EmptyMessage()
    }

    func save(_ request: SaveRequestMessage) throws(ServiceError) -> CallOutcome {
        let subscription = try use(request.store)
        let store = subscription.store
        try subscription.requireWriting()
        guard request.request.sequence > 0 else {
            throw .wire(.malformed("coffer.v1.RequestID.sequence: saves are numbered from 1 upwards"))
        }
        guard request.request.client == session.caller.client else {
            throw .wire(.malformed("coffer.v1.RequestID.client: another than Hello named"))
        }
        try request.forEachEntity { entity throws(ServiceError) in
            try require(.write, store.key, entity: try store.entity(at: entity).name)
        }
        // What frees room is always let through.
        if !request.onlyDeletes { try service.quotas.admit(requestByteCount, of: store.key.userID) }
        let origin = SaveOrigin(
            application: session.caller.application, process: session.caller.processName,
            timestamp: service.now())
        let address = address
        let statistics = session.statistics
        let begin = service.trace.beginning
        let submission = SaveSubmission(
            request: request.batch == nil ? request : try checked(request, store), origin: origin,
            submitter: request.batch == nil ? session.id : 0
        ) { submission, result in
            statistics.count(result)
            trace(submission.request, result: SaveTrace(result), since: begin, in: store)
            store.publisher.answer(address, with: self.result(of: result))
        }
        let persistentStore = store.persistentStore
        return .deferred(on: store) { persistentStore.submit(submission, beforeLeading: $0, shouldYield: $1) }
    }

    func reserveKeys(_ request: ReserveKeysRequestMessage) throws(ServiceError) -> CallOutcome {
        let subscription = try use(request.store)
        let store = subscription.store
        try subscription.requireWriting()
        for entity in Set(request.reservations.map(\.entity)) {
            try require(.write, store.key, entity: try store.entity(at: entity).name)
        }
        return write(to: subscription) { writer throws(StoreError) in
            ReserveKeysReplyMessage(firstKeys: try writer.reserveKeys(request.reservations))
        }
    }

    /// A request whose batch operations the caller may do; what they find they also read.
    private func checked(
        _ request: SaveRequestMessage, _ store: ServedStore
    ) throws(ServiceError) -> SaveRequestMessage {
        guard let batch = request.batch else { return request }
        for name in batch.updates.map(\.entity) + batch.deletes.map(\.entity) {
            for index in try store.entity(named: name).familyIndices {
                try require(.write, store.key, entity: store.model.entities[index].name)
                try require(.read, store.key, entity: store.model.entities[index].name)
            }
        }
        var request = request
        do throws(WireError) {
            try request.resolveObjects(in: store.model, storeUUID: store.persistentStore.uuid)
        } catch {
            throw .wire(error)
        }
        return request
    }

    private func result(of result: SaveResult) -> RPCResult {
        switch result {
        case .success(let execution): execution.packedReply.map { .reply($0) } ?? .packing(execution.reply)
        case .failure(let error): service.failure(of: error)
        }
    }

    /// Adds what the policy demands of the objects that the caller may read.
    private func restrict(_ fetch: inout FetchDescription, _ key: StoreKey) throws(ServiceError) {
        let decision = service.policy.decide(
            session.caller, owner: key.userID, application: key.application, entity: fetch.entityName,
            verb: .read)
        switch decision {
        case .all: break
        case .none:
            throw .denied(
                "\(session.caller.application) may not read \(fetch.entityName) in \(key.description).")
        case .predicate(let predicate):
            fetch.predicate = fetch.predicate.map { .and([$0, predicate]) } ?? predicate
        }
    }

    private func read<Reply>(
        _ subscription: Subscription, _ body: () throws(StoreError) -> Reply
    ) throws(ServiceError) -> Reply {
        do throws(StoreError) {
            return try body()
        } catch .interrupted where interest.isLate {
            throw .late
        } catch .interrupted where session.exchangedStore(subscription.handle) != nil {
            throw .storeExchanged(subscription.handle)
        } catch {
            throw .store(error)
        }
    }
}

extension SaveRequestMessage {
    /// Whether it does nothing but delete objects.
    fileprivate var onlyDeletes: Bool {
        inserts.isEmpty && updates.isEmpty && setChanges.isEmpty && orderChanges.isEmpty
            && (batch?.updates.isEmpty ?? true)
    }

    /// Calls `body` with the entity of each group of changes: mostly there is one.
    func forEachEntity(_ body: (Int) throws(ServiceError) -> Void) throws(ServiceError) {
        for group in inserts { try body(group.entity) }
        for group in updates { try body(group.entity) }
        for group in deletes { try body(group.entity) }
        for change in setChanges { try body(change.entity) }
        for change in orderChanges { try body(change.entity) }
    }
}
