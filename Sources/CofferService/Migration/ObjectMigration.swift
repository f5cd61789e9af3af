import Coffer
import CofferCoordination
import CofferEmbedded
import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import FoundationEssentials

/// A migration whose objects the client makes by its policies: it reads the store as it was, and saves into
/// the new one, as into any other.
///
/// Confined to the thread that migrates; used once. The client is asked again after every piece, with a
/// deadline. A client that dies, hangs or fails ends the migration, and the store is as it was.
struct ObjectMigration {
    private let key: StoreKey
    private let work: MigrationWorkMessage
    private let channel: ServerChannel
    private let session: Session
    private let service: ServiceCore
    private let id = UUID()

    /// A migration of the store of `key` for the client of `context`; `nil` if the client has no channel.
    init?(_ work: MigrationWorkMessage, of key: StoreKey, in context: CallContext) {
        guard case .channel(let channel, _, _) = context.address else { return nil }
        (self.work, self.key, self.channel) = (work, key, channel)
        (session, service) = (context.session, context.service)
    }

    /// Has the client fill the new store, and judges what is in it then.
    ///
    /// - Throws: What the client says; `.refused` with the reason `policy_late` or `policy_gone` if it says
    ///   nothing; `.validation` if objects break a rule of the new model.
    func fill(
        _ copy: MigrationCopy, _ progress: @escaping (MigrationProgress) -> Bool
    ) throws(CofferError) {
        guard let source = copy.source, let destination = copy.destination else { return }
        // Calls of the client that were begun hold the stores until they are answered.
        copy.patience = Limits.lettingGo
        let former = try serve(source)
        let new = try serve(destination)
        service.migrations.begin(id, .init(session: session.id, former: former, new: new))
        defer {
            service.migrations.end(id)
            for store in [former, new] { end(store) }
        }
        var model: ManagedObjectModel? = source.model.model
        while !(try ask(model, progress)) {
            model = nil
            if !progress(.rows) { throw Self.interrupted }
        }
        // What is judged changes no more.
        service.migrations.end(id)
        retire(new)
        try judge(new.persistentStore, progress)
    }

    private func serve(_ file: StoreFile) throws(CofferError) -> ServedStore {
        do throws(StoreError) {
            return ServedStore(
                key: key, persistentStore: try PersistentStore(file: file), pragmas: [:], trace: service.trace
            )
        } catch {
            throw CofferError(ServiceError.store(error).detail)
        }
    }

    /// Takes a store from the client, which may still have it open.
    private func end(_ store: ServedStore) {
        retire(store)
        // What could not be moved out of its log is found there when the file is checked.
        try? store.persistentStore.close()
    }

    /// Takes a store from the client; what the client began to save is there then.
    private func retire(_ store: ServedStore) {
        for entry in store.publisher.end() {
            session.retire(entry.subscription.handle, .ofMigration)
            entry.sink.forget(entry.subscription)
            entry.subscription.close()
        }
        store.persistentStore.finishSaves()
    }

    private func judge(
        _ store: PersistentStore, _ progress: (MigrationProgress) -> Bool
    ) throws(CofferError) {
        let coordinator = EmbeddedCoordinator(model: store.model)
        coordinator.add(store, name: key.name)
        try MappedMigrationRun.judge(ManagedObjectContext(coordinator: coordinator)) {
            () throws(CofferError) in
            if !progress(.checking) { throw Self.interrupted }
        }
    }
}

extension ObjectMigration {
    /// Asks the client for objects, for the first time with the model of before; says whether there will be
    /// no more.
    private func ask(
        _ model: ManagedObjectModel?, _ progress: (MigrationProgress) -> Bool
    ) throws(CofferError) -> Bool {
        let request = MigrateObjectsRequestMessage(work: work.id, migration: id, source: model)
        let payload: [UInt8]
        do throws(WireError) { payload = try request.packed() } catch { throw CofferError(error) }
        let answer = ConditionLock<ClientAnswer?>(nil)
        channel.ask(
            .migrateObjects, payload: payload, timeout: timeout, deadlines: service.deadlines
        ) { told in
            answer.withLock { $0 = told }
            answer.signal()
        }
        while true {
            if let told = answer.wait(timeout: Limits.policyPoll, until: { $0 }) { return try read(told) }
            if !progress(.rows) { throw Self.interrupted }
        }
    }

    private static var interrupted: CofferError { CofferError(ServiceError.store(.interrupted).detail) }

    private var timeout: Duration {
        work.answerMilliseconds == 0
            ? Limits.policyAnswer : min(.milliseconds(work.answerMilliseconds), Limits.longestPolicyAnswer)
    }

    private func read(_ answer: ClientAnswer) throws(CofferError) -> Bool {
        switch answer {
        case .reply(.ok, let payload):
            do throws(WireError) { return try MigrateObjectsReplyMessage(packed: payload).isDone } catch {
                throw refusal(
                    .invalidArgument, reason: "policy", "Its client's answer cannot be read: \(error).")
            }
        case .reply(let status, let payload):
            // The status is the answer; the detail only explains.
            guard let detail = try? ErrorDetailMessage(packed: payload) else {
                throw refusal(status, reason: "policy", "Its client ended it and did not say why.")
            }
            throw CofferError(detail)
        case .late:
            throw refusal(
                .deadlineExceeded, reason: ServiceError.policyLate,
                "Its client's policies took longer than \(timeout) over some objects: give them more time.")
        case .gone:
            throw refusal(.aborted, reason: "policy_gone", "Its client is gone, whose policies were asked.")
        }
    }

    private func refusal(_ code: StatusCode, reason: String, _ text: String) -> CofferError {
        .refused(
            code: code.name, reason: reason, text: "The store '\(key.name)' was not migrated. \(text)",
            place: key.name)
    }
}
