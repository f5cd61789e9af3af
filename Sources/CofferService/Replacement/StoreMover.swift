import CofferCoordination
import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import Logging
import Synchronization

/// Takes a store to another type for a client, once all clients have left its file.
///
/// Shared; used once. It keeps no worker: a thread of its own copies, and no thread waits for clients that
/// are asked. It stops when its client takes the call back or is gone, and when the service stops.
final class StoreMover: Sendable {
    private let key: StoreKey
    private let type: StoreType
    private let waitMilliseconds: UInt32
    private let context: CallContext
    private let call: DetachedCall
    private let service: ServiceCore
    private let nextPart = Mutex<UInt64>(0)
    private let moved = Mutex<(made: CopiedStoreMessage, objectCount: Int)?>(nil)

    /// A move of the store of `key` to `type`, for the client whose call `context` is of.
    init(of key: StoreKey, to type: StoreType, waitMilliseconds: UInt32, in context: CallContext) {
        self.key = key
        self.type = type
        self.waitMilliseconds = waitMilliseconds
        self.context = context
        service = context.service
        call = context.interest.detached()
    }

    /// Begins; the client is answered at the end.
    ///
    /// - Throws: Why it cannot be begun; then it is not answered.
    func begin() throws(ServiceError) {
        do throws(ServiceError) {
            try check()
            let byteCount = try service.description(of: key).byteCount
            try service.quotas.admit(Int(clamping: byteCount), of: key.userID)
            try StoreReplacementCoordinator(
                of: key,
                .work(
                    .init(name: "Took a store to another type") { [self] folder, _ throws(ServiceError) in
                        try move(in: folder)
                    } moved: { [self] in
                        moved.withLock { $0?.made }
                    } completion: { [self] result in
                        call.end()
                        answer(result)
                    }), in: context, waitMilliseconds: waitMilliseconds
            ).begin()
        } catch {
            call.end()
            throw error
        }
    }

    /// Refuses what cannot be done before any client is asked, and would lose what was not saved.
    private func check() throws(ServiceError) {
        try service.settle(key)
        let present: StoreType
        if let store = service.stores.openStore(key) {
            present = store.type
        } else if let type = try service.places.type(of: key) {
            present = type
        } else {
            throw .noSuchStore(key.description)
        }
        if type != .sqlite, try service.lives?.store(key) != nil { throw ServiceCore.unshared }
        do throws(StoreError) { try StoreMove.check(from: present, to: type) } catch { throw .store(error) }
    }

    private var isGivenUp: Bool { call.interest.isLost || service.reactor.isStopping }

    private func answer(_ result: Result<Void, ServiceError>) {
        if case .failure(let error) = result { return context.address.send(service.failure(of: error)) }
        guard let (made, count) = moved.withLock({ $0 }) else { return }
        let reply = CopyStoreReplyMessage(
            copiedCount: UInt64(count), totalCount: UInt64(count), made: made)
        context.address.send(context.address.takesItems ? .packing(end: reply) : .packing(reply))
    }

    /// Moves the file, which no client has open any more.
    private func move(in folder: Folder) throws(ServiceError) {
        guard let present = try service.places.type(of: key) else { throw .noSuchStore(key.description) }
        let options = service.stores.options(forMigration: MigrationOptions(), adopts: false)
        do throws(StoreError) {
            let outcome = try StoreMove(
                of: key.name, in: folder, from: present, to: type, configuration: key.configuration,
                options: options
            ).run { copied, total in
                self.tell(copied, of: total)
            } willSwitch: {
                #if DEBUG
                CrashPoint.beforeSwitch.pass()
                #endif
            } didSwitch: {
                #if DEBUG
                CrashPoint.afterSwitch.pass()
                #endif
            }
            moved.withLock { $0 = (CopiedStoreMessage(outcome), outcome.objectCount) }
        } catch {
            throw .store(error)
        }
    }

    /// Tells the client how far it has come, now and then; whether to go on.
    private func tell(_ copied: Int, of total: Int) -> Bool {
        #if DEBUG
        if copied > 0 { CrashPoint.duringMove.pass() }
        #endif
        if isGivenUp { return false }
        guard context.address.takesItems else { return true }
        let isDue = nextPart.withLock { next in
            if Monotonic.now < next { return false }
            next = Monotonic.now + Limits.progressInterval.wholeNanoseconds
            return true
        }
        // If that cannot be sent, the caller waits no longer, which is found out next.
        if isDue {
            try? context.address.send(
                part: CopyStoreReplyMessage(copiedCount: UInt64(copied), totalCount: UInt64(total)))
        }
        return true
    }
}

extension CallContext {
    /// The rpc that takes a store to another type.
    func moveStore(_ request: MoveStoreRequestMessage) throws(ServiceError) -> CallOutcome {
        let key = try key(request.name)
        try require(.administer, key)
        try require(.write, key)
        try StoreMover(
            of: key, to: request.type, waitMilliseconds: request.waitMilliseconds, in: self
        ).begin()
        return .pending
    }
}
