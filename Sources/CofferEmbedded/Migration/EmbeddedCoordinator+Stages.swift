package import Coffer
package import CofferModel
import CofferStores

extension EmbeddedCoordinator {
    /// Takes the store at `path` from whichever of the versions it has to the last one.
    ///
    /// Each stage is a transaction of its own: if one fails, or the process dies, the store has the version
    /// before it, and another call goes on from there.
    /// - Parameters:
    ///   - path: The store's file, which no process has open for writing.
    ///   - stages: All versions of the model, the oldest first.
    ///   - configuration: The configuration of the models that it keeps.
    ///   - onlyPlans: Whether nothing is changed, and only the next stage is looked at.
    ///   - keepsBackup: Whether a copy is kept beside it before a stage that loses something.
    ///   - adopts: Whether a file that Coffer did not make may be written.
    ///   - progress: Told of each step of each stage; `false` stops it.
    /// - Returns: What was done for each stage; with `onlyPlans` what the next one would do.
    /// - Throws: `.refused` with the reason `unstaged` if the store's model is not one of the versions, with
    ///   `unmigratable` if something is in the way, with `stage` what the work of a stage throws, and as
    ///   opening a store does.
    package static func migrate(
        path: String, through stages: [MigrationStage],
        configuration: String = ManagedObjectModel.defaultConfiguration, onlyPlans: Bool = false,
        keepsBackup: Bool = true, adopts: Bool = false,
        progress: @escaping (MigrationProgress) -> Bool = { _ in true }
    ) throws(CofferError) -> StagedMigration {
        let origin = try place(ofStoreAt: path, configuration, in: stages)
        let remaining = stages[(origin + 1)...]
        if onlyPlans {
            let steps = try remaining.prefix(1).map { stage throws(CofferError) in
                let migration = try migrate(
                    path: path, to: stage.model, by: stage.mapping, policies: stage.policies,
                    from: stages[origin].model, configuration: configuration, onlyPlans: true,
                    adopts: adopts)
                return StagedMigration.Step(name: stage.name, migration: migration)
            }
            return StagedMigration(
                origin: stages[origin].name, steps: steps,
                later: remaining.dropFirst(steps.count).map(\.name))
        }
        let store = StagedStore(path) { model throws(CofferError) in
            let coordinator = try open(
                path: path, model: model, configuration: configuration, mustExist: true,
                isReadOnly: model == nil, onlyReads: model == nil, adopts: adopts, application: "")
            return PersistentContainer(
                name: path, coordinator: coordinator, stores: [StoreDescription(name: path)],
                openStore: { _ in })
        }
        let steps = try store.run(from: origin, through: stages) { stage throws(CofferError) in
            let migration = try migrate(
                path: path, to: stage.model, by: stage.mapping, policies: stage.policies,
                from: stages[origin].model, configuration: configuration, keepsBackup: keepsBackup,
                adopts: adopts, progress: progress)
            return StagedMigration.Step(name: stage.name, migration: migration)
        }
        return StagedMigration(origin: stages[origin].name, steps: steps, later: [])
    }

    private static func place(
        ofStoreAt path: String, _ configuration: String, in stages: [MigrationStage]
    ) throws(CofferError) -> Int {
        let found = try inspect(path: path, configuration: configuration)
        let model = found.modelSource == .guessed ? nil : found.model
        let (versions, known, hashes) = try translating { () throws(StoreError) in
            let versions = try stages.map { stage throws(StoreError) in
                StageSearch.Version(
                    name: stage.name, model: stage.model, id: try StoreModel(stage.model).id)
            }
            let known = try model.map { model throws(StoreError) in (model, try StoreModel(model).id) }
            let (folder, name) = try place(path)
            return (versions, known, try FileMetadata.read(name, in: folder).versionHashes)
        }
        return try StageSearch(among: versions).place(
            of: known, hashes: hashes, configuration: configuration, path: path)
    }
}
