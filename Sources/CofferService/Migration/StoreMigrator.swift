import Coffer
import CofferCoordination
import CofferEmbedded
import CofferFormats
import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import Logging
import Synchronization

/// Takes a store to another model for a client: looks first what that does, while others go on, and only then
/// makes all clients leave the file.
///
/// Shared; used once. It keeps no worker: a thread of its own looks and migrates, and no thread waits for
/// clients that are asked. It stops when its client takes the call back or is gone, and when the service
/// stops.
final class StoreMigrator: Sendable {
    /// How a store is migrated.
    struct Wishes: Sendable {
        /// Whether nothing is changed.
        var isDryRun = false
        /// Whether it was asked for only by opening the store.
        var isAutomatic = false
        /// Whether a copy is kept if something is lost.
        var keepsBackup = true
        /// Whether a file that Coffer did not make may be written.
        var adopts = false
        /// How long the answers of the clients that have the store open are waited for; 0: as long as is
        /// usual.
        var waitMilliseconds: UInt32 = 0
        /// What its client does itself; `nil` if that is nothing.
        var work: MigrationWorkMessage?

        /// The policies of the client, which are not asked here.
        var policies: [String: () -> any EntityMigrationPolicy] {
            Dictionary((work?.policies ?? []).map { ($0, { MappedPolicy() }) }) { first, _ in first }
        }
    }

    /// What became of it.
    enum Outcome: Sendable {
        /// It was done, there was nothing to do, or nothing was to be done.
        case migrated(MigrateStoreReplyMessage)
        /// It is nothing that is done unasked.
        case notByItself
        /// It could not be done.
        case failed(ServiceError)
    }

    private let key: StoreKey
    private let way: Way
    private let wishes: Wishes
    private let context: CallContext
    private let call: DetachedCall
    private let service: ServiceCore
    private let completion: @Sendable (Outcome) -> Void
    private let told = Mutex<(step: MigrationProgress, next: UInt64)?>(nil)
    private let reply = Mutex(MigrateStoreReplyMessage())
    /// Whether the file has come to a version from which a failure does not take it back.
    private let hasReachedStage = Mutex(false)

    /// A migration of the store of `key`, for the client whose call `context` is of.
    init(
        of key: StoreKey, by way: Way, _ wishes: Wishes, in context: CallContext,
        completion: @escaping @Sendable (Outcome) -> Void
    ) {
        self.key = key
        self.way = way
        self.wishes = wishes
        service = context.service
        call = context.interest.detached()
        self.context = context
        self.completion = completion
    }

    /// Begins; `completion` is called at the end, on some thread.
    ///
    /// - Throws: Why it cannot be begun; then it is not called.
    func begin() throws(ServiceError) {
        service.lifecycle.beginUse()
        do throws(LinuxError) {
            _ = try WorkerThread(name: "coffer-migrate") { self.look() }
        } catch {
            call.end()
            service.lifecycle.endUse()
            throw .system(error)
        }
    }

    private func end(_ outcome: Outcome) {
        call.end()
        completion(outcome)
        service.lifecycle.endUse()
    }

    private var isGivenUp: Bool { call.interest.isLost || service.reactor.isStopping }
}

// MARK: Looking

extension StoreMigrator {
    /// Looks at the store as it is, and goes on if nothing is in the way.
    private func look() {
        do throws(ServiceError) {
            guard let found = try survey() else { return end(.notByItself) }
            if wishes.isDryRun || found.plan?.isIdle ?? true { return end(.migrated(found)) }
            try StoreReplacementCoordinator(
                of: key,
                .work(
                    .init(name: "Took a store to another model") {
                        [self] folder, fileName throws(ServiceError) in
                        let made = try migrate(fileName, in: folder)
                        reply.withLock { $0 = made }
                    } hasChanged: { [self] in
                        hasReachedStage.withLock { $0 }
                    } completion: { [self] result in
                        switch result {
                        case .success: end(.migrated(reply.withLock { $0 }))
                        case .failure(let error): end(.failed(error))
                        }
                    }), in: context, waitMilliseconds: wishes.waitMilliseconds
            ).begin()
        } catch .store(.notAdopted) where wishes.isAutomatic {
            end(.notByItself)
        } catch {
            end(.failed(error))
        }
    }

    /// What would become of the objects, while others may save; `nil` if the migration is not done unasked.
    ///
    /// - Throws: What is in the way of it.
    private func survey() throws(ServiceError) -> MigrateStoreReplyMessage? {
        let request = OpenStoreRequestMessage(
            name: .init(application: key.application, configuration: key.configuration, name: key.name),
            modelID: [], mustExist: true, isReadOnly: true)
        guard case .opened(let store, _) = try service.stores.open(key, request: request, model: nil) else {
            throw .noSuchStore(key.description)
        }
        defer { service.giveBack(store) }
        let file = store.persistentStore.file
        if wishes.isAutomatic, file.type == .memory { return nil }
        // If only the way in which objects travel differs, that waits until no client has the store open.
        guard let destination = way.destination else { return nil }
        if wishes.isAutomatic,
            VersionHashes(of: destination.model).entities == VersionHashes(of: store.model).entities
        {
            return nil
        }
        if wishes.isAutomatic, try isReturn(file, to: destination) { return nil }
        if wishes.isAutomatic { try requireWholeStage(of: store.persistentStore) }
        let found = try outlook(of: store.persistentStore)
        guard let plan = found.plan, !wishes.isDryRun, !plan.isIdle else { return found }
        do throws(StoreError) {
            if let adoption = file.adoption, !wishes.adopts { throw adoption.refusal(path: file.path) }
            if file.isReadOnly, file.adoption == nil { throw file.readOnlyError }
            if !plan.obstacles.isEmpty { throw .unmigratable(path: file.path, obstacles: plan.obstacles) }
        } catch {
            throw .store(error)
        }
        if plan.dropsData, wishes.keepsBackup {
            let byteCount = try service.description(of: key).byteCount
            try service.quotas.admit(Int(clamping: byteCount), of: key.userID)
        }
        return found
    }

    /// - Throws: `.migration` if an application has work to do in the store before it may be taken on.
    private func requireWholeStage(of store: PersistentStore) throws(ServiceError) {
        let note: MetadataValueMessage?
        do throws(StoreError) { note = try store.metadata().entries[StagedStore.note] } catch {
            throw .store(error)
        }
        guard let note else { return }
        throw .migration(
            .init(
                code: .failedPrecondition, reason: "stage",
                text: "The work of the stage '\(note.text)' is not done in the store '\(key.name)': take it "
                    + "through its stages again.", place: key.name))
    }

    private func isReturn(_ file: StoreFile, to model: StoreModel) throws(ServiceError) -> Bool {
        do throws(StoreError) {
            return try StoreMigration.isReturn(of: file, to: model)
        } catch {
            throw .store(error)
        }
    }

    private func outlook(of store: PersistentStore) throws(ServiceError) -> MigrateStoreReplyMessage {
        do throws(CofferError) {
            switch way {
            case .direct(let model, let mapping):
                return .init(
                    plan: try FileMigration.plan(
                        of: store, to: model, by: mapping, policies: wishes.policies
                    ) { !self.isGivenUp })
            case .stages(let stages):
                return .init(
                    try StagedFileMigration.outlook(of: store, through: stages) { !self.isGivenUp })
            }
        } catch {
            throw .migration(error.migrationDetail)
        }
    }
}

// MARK: Migrating

extension StoreMigrator {
    /// Migrates the file, which no client has open any more.
    private func migrate(
        _ fileName: String, in folder: Folder
    ) throws(ServiceError) -> MigrateStoreReplyMessage {
        let options = service.stores.options(
            forMigration: .init(keepsBackup: wishes.keepsBackup, isAutomatic: wishes.isAutomatic),
            adopts: wishes.adopts)
        do throws(CofferError) {
            switch way {
            case .direct(let model, let mapping):
                return .init(
                    try FileMigration(
                        of: fileName, in: folder, to: model, by: mapping, policies: wishes.policies,
                        configuration: key.configuration, options: options, filledBy: filler
                    ).run { step in self.tell(step) })
            case .stages(let stages):
                return .init(
                    try StagedFileMigration(
                        of: fileName, in: folder, through: stages, configuration: key.configuration,
                        options: options
                    ).run(
                        progress: { step in self.tell(step) },
                        didReach: { _ in self.hasReachedStage.withLock { $0 = true } }))
            }
        } catch {
            throw .migration(error.migrationDetail)
        }
    }

    /// What makes the objects of a new file, if the client does that.
    private var filler: MigrationFiller? {
        guard let work = wishes.work, let migration = ObjectMigration(work, of: key, in: context) else {
            return nil
        }
        return { copy, progress throws(CofferError) in try migration.fill(copy, progress) }
    }

    /// Tells the client of a step, now and then while it lasts; whether to go on.
    private func tell(_ step: MigrationProgress) -> Bool {
        #if DEBUG
        CrashPoint.during(step).pass()
        #endif
        if isGivenUp { return false }
        // A client that opens a store waits for that only.
        guard context.address.takesItems, !wishes.isAutomatic else { return true }
        let isDue = told.withLock { told in
            if let told, told.step == step, Monotonic.now < told.next { return false }
            told = (step, Monotonic.now + Limits.progressInterval.wholeNanoseconds)
            return true
        }
        // If that cannot be sent, the caller waits no longer, which is found out next.
        if isDue { try? context.address.send(part: MigrateStoreReplyMessage(step: step)) }
        return true
    }
}

#if DEBUG
extension CrashPoint {
    /// The point in a step of a migration.
    fileprivate static func during(_ step: MigrationProgress) -> CrashPoint {
        switch step {
        case .checking: .migrationChecking
        case .rows: .migrationRows
        case .indexes: .migrationIndexes
        case .history: .migrationHistory
        }
    }
}
#endif
