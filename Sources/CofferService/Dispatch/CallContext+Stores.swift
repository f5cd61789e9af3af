import CofferCoordination
import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import Synchronization

/// The rpcs that open, list and remove stores.
extension CallContext {
    func hello(_ request: HelloRequestMessage) throws(ServiceError) -> HelloReplyMessage {
        try request.requireProtocol()
        let caller = session.caller
        // A sandbox is what it is, whatever it says.
        guard caller.isSandboxed || request.application.utf8.elementsEqual(caller.application.utf8) else {
            throw .anotherApplication(request.application, first: caller.application)
        }
        var greeting = service.greeting(for: session.caller)
        if let descriptor = descriptors.first, case .channel(let channel, _, _) = address {
            greeting.sharesMemory = try adoptsMemory(descriptor, over: channel)
        }
        return greeting
    }

    /// Uses shared memory; `false` if it cannot be mapped, or is laid out as another version does it: the
    /// socket is enough.
    private func adoptsMemory(
        _ descriptor: OwnedDescriptor, over channel: ServerChannel
    ) throws(ServiceError) -> Bool {
        do throws(LinuxError) {
            return channel.stream.adopt(try SharedFrameMemory.map(descriptor))
        } catch .notSealed {
            throw .system(.notSealed)
        } catch {
            return false
        }
    }

    func registerModel(_ payload: RequestPayload) throws -> RegisterModelReplyMessage {
        let model = try service.stores.models.register(
            RegisterModelRequestMessage(packed: payload).model, of: session.caller.userID)
        session.budget.keep(model)
        return RegisterModelReplyMessage(modelID: model.id)
    }

    func openStore(_ request: OpenStoreRequestMessage) throws(ServiceError) -> CallOutcome {
        let key = try key(request.name)
        try require(.administer, key)
        try require(.read, key)
        if let migration = request.migration {
            return .answered(.packing(try open(migration, request)))
        }
        var (request, rebuilds) = (request, request.sharing.rebuilds)
        if rebuilds { try require(.write, key) }
        request.sharing.rebuilds = false
        while true {
            do throws(ServiceError) {
                if rebuilds {
                    rebuilds = false
                    try service.rebuildBeforeOpening(key)
                }
                let reply = try open(key, request)
                guard case .incompatible(let reasons) = reply, request.migrates, !request.isReadOnly,
                    let model = model(request.modelID, for: key), mayMigrate(key)
                else { return .answered(.packing(reply)) }
                try migrate(key, to: model, for: request, reasons)
                return .pending
            } catch {
                switch error {
                // Or that began while the client was noted.
                case .exchangeUnderWay, .storeExchanged: break
                default: throw error
                }
            }
            // No worker waits for the end of an exchange, which needs one itself.
            if service.stores.whenExchanged(key, { [request] in openLate(request) }) { return .pending }
        }
    }

    /// Whether the caller may take a store to another model.
    private func mayMigrate(_ key: StoreKey) -> Bool {
        do throws(ServiceError) {
            try require(.write, key)
            return true
        } catch {
            return false
        }
    }

    /// Opens a store after its file was exchanged, for a client that still waits for that.
    func openLate(_ request: OpenStoreRequestMessage) {
        do throws(ServiceError) {
            if case .answered(let result) = try openStore(request) { address.send(result) }
        } catch {
            address.send(service.failure(of: error))
        }
    }

    private func open(
        _ key: StoreKey, _ request: OpenStoreRequestMessage
    ) throws(ServiceError) -> OpenStoreReplyMessage {
        let model = model(request.modelID, for: key)
        if !request.ubiquitousContentName.isEmpty {
            try service.follow(key, by: request, for: session.caller)
        }
        // A store may be made by it.
        if !request.mustExist, try service.places.type(of: key) == nil {
            try service.quotas.admit(0, of: key.userID)
        }
        switch try service.stores.open(key, request: request, model: model) {
        case .needModel: return .needModel
        case .incompatible(let reasons): return .incompatible(reasons)
        case .opened(let store, let isCreated):
            do throws(ServiceError) {
                try requireSharing(store, request)
                let isBack = request.former == store.persistentStore.uuid
                if !isBack { beginSharing(store, request) }
                let opened = try subscribe(to: store, request, isCreated: isCreated)
                // A client that had it open before is among those that are asked if its content changes now.
                if isBack {
                    store.hasClientBack.store(true, ordering: .relaxed)
                    beginSharing(store, request)
                }
                service.rebuildAfterOpening(store)
                return .opened(opened)
            } catch {
                service.stores.release(store)
                throw error
            }
        }
    }

    /// Refuses to share what cannot be.
    private func requireSharing(
        _ store: ServedStore, _ request: OpenStoreRequestMessage
    ) throws(ServiceError) {
        if request.ubiquitousContentName.isEmpty { return }
        if store.type != .sqlite || store.persistentStore.file.isReadOnly { throw ServiceCore.unshared }
    }

    /// Makes a store whose content follows the accounts do so, for the first client that opens it.
    private func beginSharing(_ store: ServedStore, _ request: OpenStoreRequestMessage) {
        if !request.ubiquitousContentName.isEmpty || store.sharing.isNew { service.follow([store]) }
    }

    func subscribe(
        to store: ServedStore, _ request: OpenStoreRequestMessage, isCreated: Bool
    ) throws(ServiceError) -> StoreOpenedMessage {
        if request.watch { try require(.observe, store.key) }
        let floor: UInt64
        do throws(StoreError) { floor = try store.persistentStore.historyFloor() } catch {
            throw .store(error)
        }
        let subscription = try session.add { handle in
            Subscription(
                handle: handle, store: store,
                isReadOnly: request.isReadOnly || store.persistentStore.file.isReadOnly,
                needsAccount: request.sharing.needsAccount && !request.ubiquitousContentName.isEmpty,
                watches: request.watch, session: session.id, sink: sink)
        }
        guard store.publisher.add(subscription, sink: sink, number: { store.persistentStore.number }) else {
            session.retire(subscription.handle, .exchanged(store.key))
            throw .storeExchanged(subscription.handle)
        }
        let file = store.persistentStore.file
        return StoreOpenedMessage(
            store: subscription.handle, uuid: file.uuid, number: store.persistentStore.number,
            floor: floor, path: file.path, modelID: file.model.id, isCreated: isCreated,
            model: request.modelID.isEmpty ? file.model.model : nil)
    }

    func closeStore(_ request: CloseStoreRequestMessage) throws(ServiceError) -> EmptyMessage {
        service.end(try session.remove(request.store))
        return EmptyMessage()
    }

    func listStores(_ request: ListStoresRequestMessage) throws(ServiceError) -> ListStoresReplyMessage {
        let caller = session.caller
        let all = request.allApplications && !caller.isSandboxed
        let application = all ? nil : caller.application
        let keys =
            try service.places.stores(ofUser: caller.userID, application: application)
            + service.stores.keysInMemory(ofUser: caller.userID, application: application)
        var stores: [StoreDescriptionMessage] = []
        for key in keys { stores.append(try service.description(of: key)) }
        return ListStoresReplyMessage(stores: stores)
    }

    func removeStore(_ request: RemoveStoreRequestMessage) throws(ServiceError) -> CallOutcome {
        let key = try key(request.name)
        try require(.administer, key)
        try require(.write, key)
        try service.settle(key)
        if !request.isEvenIfOpen || service.stores.openStore(key) == nil {
            try service.stores.remove(key) { () throws(ServiceError) in
                guard try service.lives?.mayOwe(key) ?? false else { return false }
                try service.part(key, keepsOwing: true)
                return true
            }
            // Done already if its file stays.
            try service.part(key, keepsOwing: false)
            return .answered(.packing(EmptyMessage()))
        }
        try StoreReplacementCoordinator(
            of: key, .removal, in: self, waitMilliseconds: request.waitMilliseconds
        ).begin()
        return .pending
    }

    func replaceStore(_ request: ReplaceStoreRequestMessage) throws(ServiceError) -> CallOutcome {
        let key = try key(request.name)
        try require(.administer, key)
        try require(.write, key)
        try admit(descriptors)
        guard let file = descriptors.first else {
            throw .unfitReplacement("The descriptor of the new file did not come along.")
        }
        let offered = OfferedFile(source: file, values: descriptors.dropFirst().first)
        if let account = try service.account(sharing: key) {
            return try replaceShared(key, of: account, by: offered, as: request)
        }
        try StoreReplacementCoordinator(
            of: key, .replacement(offered), in: self, waitMilliseconds: request.waitMilliseconds
        ).begin()
        return .pending
    }

    /// Allows files to be copied into the caller's folder, as far as its quota goes.
    private func admit(_ files: [OwnedDescriptor]) throws(ServiceError) {
        var byteCount = 0
        do throws(LinuxError) {
            for file in files { byteCount += try file.facts().byteCount }
        } catch {
            throw .system(error)
        }
        try service.quotas.admit(byteCount, of: session.caller.userID)
    }

    func watch(_ request: WatchRequestMessage) throws(ServiceError) -> WatchReplyMessage {
        let subscription = try use(request.store)
        try require(.observe, subscription.store.key)
        subscription.watch(!request.isStop)
        return WatchReplyMessage(number: subscription.store.persistentStore.number)
    }

    /// The store that a message names, of the caller's user; of its own application if none is named.
    func key(_ name: StoreNameMessage) throws(ServiceError) -> StoreKey {
        try StoreKey(
            userID: session.caller.userID,
            application: name.application.isEmpty ? session.caller.application : name.application,
            configuration: name.configuration, name: name.name)
    }

    /// Throws unless the caller may do `verb` in the store of `key`.
    func require(_ verb: AccessVerb, _ key: StoreKey, entity: String? = nil) throws(ServiceError) {
        let decision = service.policy.decide(
            session.caller, owner: key.userID, application: key.application, entity: entity, verb: verb)
        // A predicate that cannot be applied here refuses too.
        guard decision == .all else {
            throw .denied("\(session.caller.application) may not \(verb) in \(key.description).")
        }
    }
}

extension HelloRequestMessage {
    /// Throws unless the client speaks the service's protocol.
    func requireProtocol() throws(ServiceError) {
        guard protocolVersion == HelloRequestMessage.protocolVersion else {
            throw .protocolMismatch(
                "The service speaks protocol \(HelloRequestMessage.protocolVersion), the client \(protocolVersion)."
            )
        }
    }
}
