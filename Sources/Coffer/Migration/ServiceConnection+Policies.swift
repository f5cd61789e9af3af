internal import CofferLinux
public import CofferModel
internal import CofferWire
internal import FoundationEssentials
internal import Synchronization

/// What the service has done to migrate a store.
public struct MigratedStore: Sendable, Equatable {
    /// The version of the model that it led to; `nil` if it was one step.
    public let stage: String?
    /// The number of the transaction in the store's history; `nil` if nothing was to be done.
    public let number: UInt64?
    /// The path of the backup copy; `nil` if no copy was kept.
    public let backup: String?
}

/// Migrating stores with an application's own code.
extension ServiceConnection {
    /// Takes a store to another model object by object, as a mapping model and policies of this process say.
    ///
    /// The service keeps the store and makes the new file; the policies run in this process, on the thread
    /// that calls, with contexts over both. Clients that have the store open are told first, so that they can
    /// save. If this process ends, or its policies take longer than `policyTimeout`, or `progress` returns
    /// `false`, the migration is over and the store stays as it was.
    ///
    /// - Parameters:
    ///   - name: The store's name.
    ///   - model: The model that it gets.
    ///   - mapping: What becomes of the objects.
    ///   - policies: What makes the policy of an entity mapping, by the mapping's name, or that of the class
    ///     that the mapping model names.
    ///   - configuration: The configuration of the models that it keeps.
    ///   - application: Whose store it is; this process's own if `nil`.
    ///   - keepsBackup: Whether a copy of the store of before is kept beside it for 30 days.
    ///   - adopts: Whether a file that Coffer did not make may be written.
    ///   - policyTimeout: How long the policies may take over some hundred objects, an hour at most.
    ///   - progress: Told of each step, several times while it lasts; `false` stops it.
    /// - Returns: What was done; nothing if the store has the model already.
    /// - Throws: `.refused` with the reason `unmigratable` with all that is in the way, `policy` for what a
    ///   policy throws that is not a `CofferError`, `policy_late` if it took too long, `interrupted` if
    ///   `progress` says so; `.validation` and `.constraints` if objects break the rules of the new model;
    ///   `.unavailable`.
    @discardableResult
    public func migrateStore(
        named name: String, to model: ManagedObjectModel, by mapping: MappingModel,
        policies: [String: () -> any EntityMigrationPolicy],
        configuration: String = ManagedObjectModel.defaultConfiguration, application: String? = nil,
        keepsBackup: Bool = true, adopts: Bool = false, policyTimeout: Duration = .seconds(60),
        progress: @escaping (MigrationProgress) -> Bool = { _ in true }
    ) throws(CofferError) -> MigratedStore {
        let dialogue = MigrationDialogue()
        client.dialogues.withLock { $0[dialogue.id] = dialogue }
        defer { client.dialogues.withLock { _ = $0.removeValue(forKey: dialogue.id) } }
        let work = MigrationWorkMessage(
            id: dialogue.id, policies: policies.keys.sorted(),
            answerMilliseconds: UInt32(clamping: policyTimeout.wholeNanoseconds / 1_000_000))
        let cancellation = CallCancellation()
        let thread: WorkerThread
        do throws(LinuxError) {
            thread = try WorkerThread(name: "coffer-migrate") { [self] in
                let result = Result { () throws(CofferError) in
                    try migrateStore(
                        named: name, to: model, by: .mapping(mapping), configuration: configuration,
                        application: application, keepsBackup: keepsBackup, adopts: adopts, work: work,
                        cancellation: cancellation
                    ) { dialogue.put(.step($0)) }
                }
                dialogue.put(.ended(result))
            }
        } catch {
            throw .unavailable("No thread can be started: \(error)")
        }
        let answerer = MigrationAnswerer(
            dialogue, over: client,
            store: StoreNameMessage(
                application: application ?? "", configuration: configuration, name: name),
            model: model, mapping: mapping, policies: policies
        ) { step in
            if !progress(step) { cancellation.cancel() }
        }
        defer { thread.join() }
        let migration = try answerer.run()
        return MigratedStore(stage: nil, number: migration.number, backup: migration.backup)
    }
}
