import CofferCoordination
import CofferStores
import CofferWire

/// The rpcs about a store's history and metadata.
extension CallContext {
    func history(_ request: HistoryRequestMessage) throws(ServiceError) -> HistoryReplyMessage {
        let subscription = try use(request.store)
        try require(.read, subscription.store.key)
        do throws(StoreError) {
            return try subscription.store.persistentStore.history(request)
        } catch {
            throw .store(error)
        }
    }

    func consumer(_ request: ConsumerRequestMessage) throws(ServiceError) -> CallOutcome {
        let subscription = try use(request.store)
        try request.name.isEmpty ? require(.read, subscription.store.key) : requireChange(of: subscription)
        do throws(StoreError) {
            if let reply = try subscription.store.persistentStore.consumersOfForeignFile(request) {
                return .answered(.packing(reply))
            }
        } catch {
            throw .store(error)
        }
        let application = session.caller.application
        let request = try request.allowed(to: session.caller)
        let now = service.now()
        return write(to: subscription) { writer throws(StoreError) in
            try writer.setConsumer(request, application: application, now: now)
        }
    }

    func purgeHistory(_ request: PurgeHistoryRequestMessage) throws(ServiceError) -> CallOutcome {
        let subscription = try use(request.store)
        try requireChange(of: subscription)
        let now = service.now()
        return write(to: subscription) { writer throws(StoreError) in
            PurgeHistoryReplyMessage(floor: try writer.purgeHistory(request, now: now))
        }
    }

    func metadata(_ request: MetadataRequestMessage) throws(ServiceError) -> CallOutcome {
        let subscription = try use(request.store)
        if request.changes.isEmpty {
            try require(.read, subscription.store.key)
            do throws(StoreError) {
                return .answered(.packing(try subscription.store.persistentStore.metadata()))
            } catch {
                throw .store(error)
            }
        }
        try requireChange(of: subscription)
        return write(to: subscription) { writer throws(StoreError) in
            try writer.metadata(changing: request.changes)
        }
    }

    /// Throws unless the caller may write, and has not opened the store to read only.
    private func requireChange(of subscription: Subscription) throws(ServiceError) {
        try require(.write, subscription.store.key)
        try subscription.requireWriting()
    }

    /// Runs `body` on the writer, between commits, and answers with what it gives.
    func write<Reply: WireMessage>(
        to subscription: Subscription, _ body: @escaping @Sendable (StoreWriter) throws(StoreError) -> Reply
    ) -> CallOutcome {
        let address = address
        let refuse = { @Sendable [service] (error: StoreError) in
            address.send(service.failure(of: error))
        }
        let store = subscription.store.persistentStore
        return .deferred(on: subscription.store) { beforeLeading, shouldYield in
            store.perform(
                { writer in
                    do throws(StoreError) {
                        address.send(.packing(try body(writer)))
                    } catch {
                        refuse(error)
                    }
                }, orElse: refuse, beforeLeading: beforeLeading, shouldYield: shouldYield)
        }
    }
}

extension ConsumerRequestMessage {
    /// What of it the caller may ask: in a sandbox there are no consumers but those of its own application.
    fileprivate func allowed(to caller: Caller) throws(ServiceError) -> ConsumerRequestMessage {
        guard caller.isSandboxed else { return self }
        guard application.isEmpty || application == caller.application else {
            throw .denied("\(caller.application) may not speak for consumers of \(application).")
        }
        var request = self
        request.allApplications = false
        return request
    }
}
