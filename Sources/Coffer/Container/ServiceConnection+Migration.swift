internal import CofferLinux
package import CofferModel
package import CofferWire

/// Taking stores to other models.
extension ServiceConnection {
    /// What was done to migrate a store, or to take it through one stage.
    package struct Migration: Sendable {
        /// What became of the objects, or would.
        package let plan: MigrationPlan
        /// The number of the transaction in the store's history; `nil` if nothing was done.
        package let number: UInt64?
        /// The path of the copy of before; `nil` if none was kept.
        package let backup: String?
        /// The version that the store had, if it goes through stages.
        package var origin: String?
        /// What was done for each stage; with `onlyPlans` only what would be done next.
        package var stages: [(name: String, migration: Migration)] = []
        /// The stages behind, with `onlyPlans`.
        package var later: [String] = []
    }

    /// Takes a store to another model, or looks what that would do.
    ///
    /// Clients that have it open are told first, so that they can save; those of the model of before cannot
    /// use it any more then. The migration stops if `cancellation` is cancelled, or this process ends, and
    /// the store is as it was. If the service is lost meanwhile, the migration begins again.
    ///
    /// - Parameters:
    ///   - name: The store's name.
    ///   - model: The model that it gets.
    ///   - route: How; the last of stages has just that model.
    ///   - configuration: The configuration of the models that it keeps.
    ///   - application: Whose store it is; this process's own if `nil`.
    ///   - onlyPlans: Whether nothing is changed.
    ///   - keepsBackup: Whether a copy is kept beside it if something is lost.
    ///   - adopts: Whether a file that Coffer did not make may be written.
    ///   - wait: How long the answers of clients that have it open are waited for; 0: as long as is usual.
    ///   - work: What this process does itself when it is asked.
    ///   - cancellation: Stops it.
    ///   - progress: Told of each step, again and again while it lasts.
    /// - Returns: What was done; with `onlyPlans` just what would be.
    /// - Throws: `.refused` with the reason `unmigratable` if something is in the way, `unstaged` if the
    ///   store has none of the versions; `.cancelled`, `.unavailable`.
    package func migrateStore(
        named name: String, to model: ManagedObjectModel, by route: MigrationRoute = .inferred,
        configuration: String = ManagedObjectModel.defaultConfiguration, application: String? = nil,
        onlyPlans: Bool = false, keepsBackup: Bool = true, adopts: Bool = false,
        wait: Duration = .zero, work: MigrationWorkMessage? = nil, cancellation: CallCancellation? = nil,
        progress: (MigrationProgress) -> Void = { _ in }
    ) throws(CofferError) -> Migration {
        let registration = RegisterModelRequestMessage(model: model)
        for _ in 0..<2 {
            // Told each time: it is the registration that names the model's id.
            let id = try client.call(
                .registerModel, registration, reply: RegisterModelReplyMessage.self
            ).modelID
            let request = MigrateStoreRequestMessage(
                name: StoreNameMessage(
                    application: application ?? "", configuration: configuration, name: name),
                modelID: id, isDryRun: onlyPlans, keepsBackup: keepsBackup, adopts: adopts,
                waitMilliseconds: UInt32(clamping: wait.wholeNanoseconds / 1_000_000),
                route: MigrationRouteMessage(route, namingModels: true), work: work)
            let reply = try client.callForParts(
                .migrateStore, request, cancellation: cancellation
            ) { (part: MigrateStoreReplyMessage) in
                if let step = part.step { progress(step) }
            }
            // A service that was started again meanwhile has forgotten the model.
            if reply.needsModel { continue }
            guard let plan = reply.plan else {
                throw .protocolViolation("The service migrated '\(name)' and did not tell what became of it.")
            }
            var migration = Migration(plan: plan, reply.number, reply.backup)
            if case .stages = route { migration.origin = reply.origin }
            migration.stages = reply.stages.map {
                ($0.name, Migration(plan: $0.plan, $0.number, $0.backup))
            }
            migration.later = reply.later
            return migration
        }
        throw .protocolViolation("The service wants a model that it was given.")
    }
}

extension ServiceConnection.Migration {
    /// What the service tells of it.
    fileprivate init(plan: MigrationPlan, _ number: UInt64, _ backup: String) {
        self.plan = plan
        self.number = number == 0 ? nil : number
        self.backup = backup.isEmpty ? nil : backup
    }
}
