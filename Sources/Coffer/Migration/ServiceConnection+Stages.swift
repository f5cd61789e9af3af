internal import CofferFormats
public import CofferModel
internal import CofferWire

extension ServiceConnection {
    /// Takes a store from whichever version of a model it has to the last one, with policies and work of this
    /// process between: Core Data's staged migration.
    ///
    /// Each stage is a transaction of its own, as is each save of its work, which is done in the store
    /// itself: others that have a version between may have it open meanwhile. The store notes that work after
    /// a stage is not done yet; until it is done, just opening the store does not migrate it further. If
    /// something fails, or this process ends, the next call goes on from there. It blocks its thread, on
    /// which all work is done.
    ///
    /// - Parameters:
    ///   - name: The store's name.
    ///   - stages: All versions of the model, the oldest first.
    ///   - configuration: The configuration of the models that it keeps.
    ///   - keepsBackup: Whether a copy is kept beside it before a stage that loses something.
    ///   - adopts: Whether a file that Coffer did not make may be written.
    ///   - progress: Told of each step of each stage; `false` stops it.
    /// - Returns: What was done for each later version, in order.
    /// - Throws: `.refused` with the reason `unstaged` if the store's model is not one of the versions,
    ///   `stage` for what the work of a stage throws that is not a `CofferError`, and as migrating by one
    ///   mapping does. Then the store has the version that the stages before have led to.
    @discardableResult
    public func migrateStore(
        named name: String, through stages: [MigrationStage],
        configuration: String = ManagedObjectModel.defaultConfiguration, keepsBackup: Bool = true,
        adopts: Bool = false, progress: @escaping (MigrationProgress) -> Bool = { _ in true }
    ) throws(CofferError) -> [MigratedStore] {
        var description = StoreDescription(
            name: name, configuration: configuration, mustExist: true, adopts: adopts,
            migratesAutomatically: false)
        let origin = try place(of: description, in: stages)
        let store = StagedStore(name) { [client] model throws(CofferError) in
            description.isReadOnly = model == nil
            guard let model else { return try self.container(of: description) }
            let coordinator = try RemoteCoordinator(model: model, client: client)
            try coordinator.addStore(try description.request())
            return PersistentContainer(
                name: name, coordinator: coordinator, stores: [description], openStore: { _ in })
        }
        var former = stages[origin]
        return try store.run(from: origin, through: stages) { stage throws(CofferError) in
            defer { former = stage }
            let done = try migrate(
                name, from: former, to: stage, configuration: configuration, keepsBackup: keepsBackup,
                adopts: adopts,
                progress: progress)
            return MigratedStore(stage: stage.name, number: done.number, backup: done.backup)
        }
    }

    /// Which of the versions the store has.
    private func place(
        of description: StoreDescription, in stages: [MigrationStage]
    ) throws(CofferError) -> Int {
        var reading = description
        reading.isReadOnly = true
        let store = try openStore(reading)
        var versions: [StageSearch.Version] = []
        for stage in stages {
            versions.append(
                .init(name: stage.name, model: stage.model, id: try RemoteCoordinator.id(of: stage.model)))
        }
        return try StageSearch(among: versions).place(
            of: (store.model, try RemoteCoordinator.id(of: store.model)),
            hashes: try store.metadata().versionHashes, configuration: description.configuration,
            path: store.path)
    }

    /// A container over a store with the model that it keeps.
    private func container(of description: StoreDescription) throws(CofferError) -> PersistentContainer {
        PersistentContainer(
            name: description.name, coordinator: try openStore(description).coordinator,
            stores: [description], openStore: { _ in })
    }

    private func migrate(
        _ name: String, from former: MigrationStage, to stage: MigrationStage, configuration: String,
        keepsBackup: Bool, adopts: Bool, progress: @escaping (MigrationProgress) -> Bool
    ) throws(CofferError) -> MigratedStore {
        if let mapping = stage.mapping, !stage.policies.isEmpty {
            return try migrateStore(
                named: name, to: stage.model, by: mapping, policies: stage.policies,
                configuration: configuration, keepsBackup: keepsBackup, adopts: adopts, progress: progress)
        }
        let cancellation = CallCancellation()
        // The version before tells what a store has that keeps no model.
        let route = [former, stage].map {
            MigrationRoute.Stage(name: $0.name, model: $0.model, mapping: $0.mapping)
        }
        let done = try migrateStore(
            named: name, to: stage.model, by: .stages(route),
            configuration: configuration, keepsBackup: keepsBackup, adopts: adopts,
            cancellation: cancellation
        ) { step in
            if !progress(step) { cancellation.cancel() }
        }
        return MigratedStore(stage: stage.name, number: done.number, backup: done.backup)
    }
}
