import CofferCoordination
import CofferStores
import CofferWire

/// The rpcs about a store's history and metadata.
extension CallContext {
    func history(_ request: HistoryRequestMessage) throws(ServiceError) -> HistoryReplyMessage {
        let subscription = try use(request.store)
        try require(.read, subscription.store.key)
        do throws(StoreError) {
            return try subscription.store.coordinated.history(request)
        } catch {
            throw .store(error)
        }
    }

    func consumer(_ request: ConsumerRequestMessage) throws(ServiceError) -> CallOutcome {
        let subscription = try use(request.store)
        try require(.write, subscription.store.key)
        let application = session.caller.application
        let now = service.now()
        return write(to: subscription) { writer throws(StoreError) in
            try writer.setConsumer(request, application: application, now: now)
        }
    }

    func purgeHistory(_ request: PurgeHistoryRequestMessage) throws(ServiceError) -> CallOutcome {
        let subscription = try use(request.store)
        try require(.write, subscription.store.key)
        let now = service.now()
        return write(to: subscription) { writer throws(StoreError) in
            PurgeHistoryReplyMessage(floor: try writer.purgeHistory(request, now: now))
        }
    }

    func metadata(_ request: MetadataRequestMessage) throws(ServiceError) -> CallOutcome {
        let subscription = try use(request.store)
        try require(request.changes.isEmpty ? .read : .write, subscription.store.key)
        return write(to: subscription) { writer throws(StoreError) in
            try writer.metadata(changing: request.changes)
        }
    }

    /// Runs `body` on the writer, between commits, and answers with what it gives.
    func write<Reply: WireMessage>(
        to subscription: Subscription, _ body: @escaping @Sendable (StoreWriter) throws(StoreError) -> Reply
    ) -> CallOutcome {
        let address = address
        let refuse = { @Sendable (error: StoreError) in
            address.send(.failure(ServiceError.store(error).detail))
        }
        let store = subscription.store.coordinated
        return .deferred(on: store) {
            store.perform(
                { writer in
                    do throws(StoreError) {
                        address.send(.packing(try body(writer)))
                    } catch {
                        refuse(error)
                    }
                }, orElse: refuse)
        }
    }
}
