import CofferCoordination
import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import Logging
import Synchronization

/// Takes a store's file from under the clients that use it: deletes it, puts another in its place, or
/// changes it.
///
/// Shared. In this order: every client that has the store open is asked, and may save into the old file until
/// it answers, is late or is gone; the store's handles are taken back; calls that were begun before end; the
/// file goes; clients are told, and open the store again. No thread waits for a client. A crash at any moment
/// leaves either the old file or the whole new one.
final class StoreReplacementCoordinator: Sendable {
    /// What becomes of the file.
    enum Change: Sendable {
        case removal
        /// Another file takes its place.
        case replacement(OfferedFile)
        /// Something that takes long is done with it, once no client has it open.
        case work(Work)
        /// Another content takes its place, since another account is signed in.
        case handOver(HandOver)
        /// It is gone already; the service did not remove it.
        case loss
    }

    /// What is done with a file once no client has it open.
    struct Work: Sendable {
        /// What has happened at the end, for the log.
        let name: String
        /// Does it, and may take long.
        let run: @Sendable (Folder, String) throws(ServiceError) -> Void
        /// How ids became others, if the store's objects are in another file then.
        let moved: @Sendable () -> CopiedStoreMessage?
        /// Whether the store is another one even if it fails.
        let hasChanged: @Sendable () -> Bool
        /// Called at the end, when the store can be opened again.
        let completion: @Sendable (Result<Void, ServiceError>) -> Void
        /// What clients are told of the store's end, if nothing takes its place.
        let removal: StoreTransitionMessage?

        init(
            name: String, removal: StoreTransitionMessage? = nil,
            _ run: @escaping @Sendable (Folder, String) throws(ServiceError) -> Void,
            moved: @escaping @Sendable () -> CopiedStoreMessage? = { nil },
            hasChanged: @escaping @Sendable () -> Bool = { false },
            completion: @escaping @Sendable (Result<Void, ServiceError>) -> Void
        ) {
            (self.name, self.removal) = (name, removal)
            self.run = run
            self.moved = moved
            self.hasChanged = hasChanged
            self.completion = completion
        }
    }

    /// A client that had the store open, and is told of its end.
    private struct Parted: Sendable {
        let handle: UInt32
        let sink: any PushSink
    }

    private struct State {
        /// How the store keeps its objects.
        var type = StoreType.sqlite
        var replacement: (any StoreExchange)?
        var parted: [Parted] = []
        var isLetGo = false
        var deadline: UInt64?
        /// What clients were asked last, if the store's content follows the accounts.
        var transition: StoreTransitionMessage?
    }

    private let key: StoreKey
    private let change: Change
    private let service: ServiceCore
    /// The call that asked for it; `nil` if none did.
    private let context: CallContext?
    private let wait: Duration
    private let state = Mutex(State())

    /// An exchange for a store whose file has gone.
    init(ofLost key: StoreKey, in service: ServiceCore) {
        self.key = key
        self.service = service
        change = .loss
        context = nil
        wait = .zero
    }

    /// An exchange of what a store is served with.
    init(_ handOver: HandOver, in service: ServiceCore, waitMilliseconds: UInt32 = 0) {
        key = handOver.key
        self.service = service
        change = .handOver(handOver)
        context = nil
        wait = Self.wait(waitMilliseconds)
    }

    init(of key: StoreKey, _ change: Change, in context: CallContext, waitMilliseconds: UInt32) {
        self.key = key
        self.change = change
        self.context = context
        service = context.service
        wait = Self.wait(waitMilliseconds)
        if case .work(let work) = change { state.withLock { $0.transition = work.removal } }
    }

    /// How long answers are waited for if a client says so; 0 stands for the usual time.
    private static func wait(_ milliseconds: UInt32) -> Duration {
        if milliseconds == 0 { return Limits.storesWillChange }
        return min(.milliseconds(milliseconds), Limits.longestStoresWillChange)
    }

    private var isRemoval: Bool {
        switch change {
        case .removal: true
        case .work(let work): work.removal != nil
        case .replacement, .handOver, .loss: false
        }
    }
}

// MARK: Asking

extension StoreReplacementCoordinator {
    /// Begins; the caller is answered at the end.
    ///
    /// - Throws: why it cannot be begun; then nothing has happened, and no client was asked.
    func begin() throws(ServiceError) {
        try service.stores.beginExchange(key)
        do throws(ServiceError) {
            try service.settle(key)
            let store = service.stores.openStore(key)
            if store == nil { try service.places.finishMoves(of: key) }
            let present = try service.places.type(of: key)
            state.withLock { $0.type = store?.type ?? present ?? .sqlite }
            if case .replacement(let file) = change {
                let replacement = try file.copy(
                    replacing: key, of: state.withLock { $0.type }, model: store?.persistentStore.file.model,
                    for: context?.session.caller, in: service)
                state.withLock { $0.replacement = replacement }
            }
            service.lifecycle.beginUse()
            guard let store else { return part() }
            ask(store)
        } catch {
            callWaiting()
            throw error
        }
    }

    /// Takes the store back from its users at once, since what they would save is lost; does nothing if it
    /// is being exchanged already.
    func beginWithoutAsking() {
        do throws(ServiceError) { try service.stores.beginExchange(key) } catch { return }
        service.lifecycle.beginUse()
        part()
    }

    private func ask(_ store: ServedStore) {
        let entries = store.publisher.entries
        let names = service.stores.handshakes.names(of: key)
        let count = entries.count + names.count
        if case .handOver(let handOver) = change {
            let question = handOver.begin(with: store)
            state.withLock { $0.transition = question }
        }
        let round = ReplyBarrier(count: count) { [self] answers in
            service.logger.notice(
                "Clients were asked before a store's file goes",
                metadata: [
                    "store": "\(key.description)", "asked": "\(count)",
                    "late": "\(answers.count { if case .late = $0 { true } else { false } })",
                ])
            service.reactor.run { self.partUnlessAskedAnew(store) }
        }
        for entry in entries { ask(entry, round) }
        for name in names {
            service.stores.handshakes.ask(
                name, of: key, why: reason, timeout: wait, deadlines: service.deadlines
            ) { round.take($0) }
        }
        round.begin()
    }

    /// Why the store is exchanged, as the bus has it.
    private var reason: String {
        if let transition = state.withLock({ $0.transition }) { return transition.kind.word }
        return isRemoval ? "removed" : "replaced"
    }

    /// Takes the store from its users, or asks them again if another account was signed in to while they
    /// answered.
    private func partUnlessAskedAnew(_ store: ServedStore) {
        guard case .handOver(let handOver) = change, handOver.isOutdated(state.withLock { $0.transition })
        else { return part() }
        ask(store)
    }

    private func ask(_ entry: Publisher.Entry, _ round: ReplyBarrier) {
        let handle = entry.subscription.handle
        guard let channel = service.session(entry.subscription.session)?.channel else {
            // Names on the bus are told, not asked: nothing there could be given a time.
            push(.storesWillChange, to: Parted(handle: handle, sink: entry.sink), isRemoved: isRemoval)
            return round.take(.gone)
        }
        let request = StoresWillChangeRequestMessage(
            store: handle, isRemoved: isRemoval, transition: state.withLock { $0.transition })
        // A few bytes always pack.
        guard let payload = try? request.packed() else { return round.take(.gone) }
        channel.ask(
            .storesWillChange, payload: payload, timeout: wait, deadlines: service.deadlines
        ) { round.take($0) }
    }
}

extension StoreReplacementCoordinator {
    private func push(
        _ kind: PushMessage.Kind, to parted: Parted, isRemoved: Bool, moved: CopiedStoreMessage? = nil,
        isUnchanged: Bool = false
    ) {
        let message = PushMessage(
            kind: kind, store: parted.handle, number: 0, previous: 0, isRemoved: isRemoved, moved: moved,
            isUnchanged: isUnchanged, transition: state.withLock { $0.transition })
        // A few bytes always pack.
        if let bytes = try? message.packed() { parted.sink.send(push: bytes) }
    }
}

// MARK: The exchange

extension StoreReplacementCoordinator {
    /// Takes the store from its users, and waits for calls that were begun.
    private func part() {
        guard let store = service.stores.claim(key) else { return finish() }
        let entries = store.publisher.end()
        for entry in entries {
            service.session(entry.subscription.session)?.session.retire(
                entry.subscription.handle, .exchanged(key))
            entry.sink.forget(entry.subscription)
            entry.subscription.close()
        }
        if case .handOver(let handOver) = change { handOver.take(store.sharing.takeBuilder()) }
        store.sharing.end()
        let closing = Result { () throws(StoreError) in try store.persistentStore.close() }
        if case .failure(let error) = closing {
            service.logger.warning(
                "A store that goes was left with its log",
                metadata: ["store": "\(key.description)", "error": "\(error)"])
        }
        state.withLock { state in
            state.parted = entries.map { Parted(handle: $0.subscription.handle, sink: $0.sink) }
            state.deadline = service.deadlines.add(after: Limits.lettingGo) { [self] in letGo(isLate: true) }
        }
        store.whenGone { [self] in service.reactor.run { self.letGo(isLate: false) } }
    }

    private func letGo(isLate: Bool) {
        let deadline: UInt64?? = state.withLock { state in
            if state.isLetGo { return nil }
            state.isLetGo = true
            return .some(state.deadline)
        }
        guard let deadline else { return }
        if let deadline { service.deadlines.remove(deadline) }
        if isLate { end(with: .storeHeld(key.description)) } else { finish() }
    }

    /// Nothing holds the store any more: its file goes.
    private func finish() {
        if case .loss = change { return end(with: .packing(EmptyMessage())) }
        do throws(ServiceError) {
            if case .handOver(let handOver) = change {
                return try begin({ () throws(ServiceError) in try handOver.run() }, handOver.completion)
            }
            guard let folder = try service.places.folder(of: key) else {
                throw .noSuchStore(key.description)
            }
            if case .work(let work) = change {
                let fileName = service.places.fileName(of: key, state.withLock { $0.type })
                return try begin(
                    { () throws(ServiceError) in try work.run(folder, fileName) }, work.completion)
            }
            end(with: try exchange(in: folder))
        } catch {
            end(with: error)
        }
    }

    private func end(with error: ServiceError) {
        switch change {
        case .work(let work): end(with: .failure(error.detail)) { work.completion(.failure(error)) }
        case .handOver(let handOver):
            end(with: .failure(error.detail)) { handOver.completion(.failure(error)) }
        case .removal, .replacement, .loss: end(with: .failure(error.detail))
        }
    }

    /// Has the file changed by a thread of its own: that takes long, and keeps no worker.
    private func begin(
        _ work: @escaping @Sendable () throws(ServiceError) -> Void,
        _ completion: @escaping @Sendable (Result<Void, ServiceError>) -> Void
    ) throws(ServiceError) {
        do throws(LinuxError) {
            _ = try WorkerThread(name: "coffer-exchange") { [self] in
                do throws(ServiceError) {
                    try work()
                    end(with: .packing(EmptyMessage())) { completion(.success(())) }
                } catch {
                    end(with: error)
                }
            }
        } catch {
            throw .system(error)
        }
    }

    private func exchange(in folder: Folder) throws(ServiceError) -> RPCResult {
        let type = state.withLock { $0.type }
        if type == .memory { return .packing(EmptyMessage()) }
        let fileName = service.places.fileName(of: key, type)
        do throws(StoreError) {
            guard let replacement = state.withLock({ $0.replacement }) else {
                if try mayOwe() {
                    partRemoved(keepsOwing: true)
                    return .packing(EmptyMessage())
                }
                guard try StoreFile.remove(fileName, in: folder, wait: CofferStores.Limits.replacementLock)
                else { throw StoreError.notFound(path: key.description) }
                partRemoved()
                return .packing(EmptyMessage())
            }
            #if DEBUG
            CrashPoint.beforeExchange.pass()
            #endif
            let number = try replacement.takePlace(now: service.now())
            #if DEBUG
            CrashPoint.afterExchange.pass()
            #endif
            return .packing(ReplaceStoreReplyMessage(uuid: replacement.uuid, number: number))
        } catch {
            throw .store(error)
        }
    }

    private func mayOwe() throws(StoreError) -> Bool {
        do throws(ServiceError) { return try service.lives?.mayOwe(key) ?? false } catch {
            throw .interrupted
        }
    }

    /// The store is gone, whether or not that can be noted.
    private func partRemoved(keepsOwing: Bool = false) {
        do throws(ServiceError) { try service.part(key, keepsOwing: keepsOwing) } catch {
            service.logger.error(
                "A store that was removed may still be shared by its name",
                metadata: ["store": "\(key.description)", "error": "\(error)"])
        }
    }

    /// Ends the exclusive right to exchange the file, and runs what waited to open the store meanwhile.
    private func callWaiting() {
        for body in service.stores.endExchange(key) { service.reactor.run(body) }
    }

    /// Lets clients open the store again, tells those that had it open, and answers.
    private func end(with result: RPCResult, answering answer: (() -> Void)? = nil) {
        state.withLock { $0.replacement = nil }  // Before the next exchange makes one of the same name.
        let hasFailed = if case .failure = result { true } else { false }
        let isRemoved = isRemoval && !hasFailed || isFileMissing
        var (moved, isUnchanged) = (nil as CopiedStoreMessage?, hasFailed)
        if case .work(let work) = change {
            if !hasFailed { moved = work.moved() }
            isUnchanged = hasFailed && !work.hasChanged()
        }
        for parted in state.withLock({ $0.parted }) {
            push(
                .storesDidChange, to: parted, isRemoved: isRemoved, moved: moved,
                isUnchanged: isUnchanged)
        }
        state.withLock { $0.parted = [] }
        service.stores.handshakes.tell(reason, of: key, isUnchanged: hasFailed)
        service.stores.giveBack(key)
        // Clients know by then what has become of the store, and what their calls that wait are to mean.
        callWaiting()
        if case .failure(let detail) = result {
            service.logger.warning(
                "A store's file was not exchanged",
                metadata: ["store": "\(key.description)", "error": "\(detail.text)"])
        } else {
            service.logger.notice(
                "\(change.name)", metadata: ["store": "\(key.description)"])
        }
        if let answer { answer() } else { context?.address.send(result) }
        service.lifecycle.endUse()
    }
}

extension StoreReplacementCoordinator {
    /// Whether nothing has the name of a store whose file has gone.
    private var isFileMissing: Bool {
        guard case .loss = change else { return false }
        // If that cannot be seen, opening the store says why.
        do throws(ServiceError) { return try service.places.type(of: key) == nil } catch { return false }
    }
}

extension StoreReplacementCoordinator.Change {
    /// What has happened, for the log.
    fileprivate var name: String {
        switch self {
        case .removal: "Removed a store"
        case .replacement: "Replaced a store's file"
        case .work(let work): work.name
        case .handOver: "A store has other content"
        case .loss: "Closed a store whose file had gone"
        }
    }
}

extension StoreTransitionMessage.Kind {
    /// A word for it, as the bus has it.
    fileprivate var word: String {
        switch self {
        case .accountAdded: "account-added"
        case .accountRemoved: "account-removed"
        case .contentRemoved: "content-removed"
        case .initialImportCompleted: "initial-import-completed"
        }
    }
}
