package import Coffer
package import CofferModel
import CofferStores
import CofferWire

extension EmbeddedCoordinator {
    /// Takes the store at `path` from whichever of the versions it has to the last one.
    ///
    /// Each stage is a transaction of its own: where one fails, or the process dies, the store has the
    /// version before it, and another call goes on from there.
    /// - Parameters:
    ///   - path: The store's file, which nobody has open for writing.
    ///   - stages: All versions of the model, the oldest first.
    ///   - configuration: The configuration of the models that it keeps.
    ///   - onlyPlans: Whether nothing is changed, and only the next stage is looked at.
    ///   - keepsBackup: Whether a copy is kept beside it before a stage that loses something.
    ///   - adopts: Whether a file that Coffer did not make may be written.
    ///   - progress: Told of each step of each stage; `false` stops it.
    /// - Returns: What was done for each stage; with `onlyPlans` what the next one would do.
    /// - Throws: `.refused` with the reason `unstaged` where the store's model is none of the versions, with
    ///   `unmigratable` where something is in the way, with `stage` what the work of a stage throws, and as
    ///   opening a store does.
    package static func migrate(
        path: String, through stages: [MigrationStage],
        configuration: String = ManagedObjectModel.defaultConfiguration, onlyPlans: Bool = false,
        keepsBackup: Bool = true, adopts: Bool = false,
        progress: @escaping (MigrationProgress) -> Bool = { _ in true }
    ) throws(CofferError) -> StagedMigration {
        let found = try inspect(path: path, configuration: configuration)
        guard let model = found.model, found.modelSource != .guessed else {
            throw unstaged("The store keeps no model, so that nobody knows which version it has.", path)
        }
        guard let place = try index(of: model, in: stages) else {
            let names = stages.map { "'\($0.name)'" }.joined(separator: ", ")
            throw unstaged(
                "The store's model is none of the versions \(names): add the one that it has to them, or "
                    + "migrate it to one of them first.", path)
        }
        let remaining = stages[(place + 1)...]
        if onlyPlans {
            let steps = try remaining.prefix(1).map { stage throws(CofferError) in
                let migration = try migrate(
                    path: path, to: stage.model, by: stage.mapping, policies: stage.policies,
                    configuration: configuration, onlyPlans: true, adopts: adopts)
                return StagedMigration.Step(name: stage.name, migration: migration)
            }
            return StagedMigration(
                origin: stages[place].name, steps: steps,
                later: remaining.dropFirst(steps.count).map(\.name))
        }
        let store = StagedStore(path: path, configuration: configuration, adopts: adopts)
        try store.finish(stages[place])
        var steps: [StagedMigration.Step] = []
        for (former, stage) in zip(stages[place...], remaining) {
            try store.prepare(stage, of: former)
            let migration = try migrate(
                path: path, to: stage.model, by: stage.mapping, policies: stage.policies,
                configuration: configuration, keepsBackup: keepsBackup, adopts: adopts, progress: progress)
            try store.finish(stage)
            steps.append(.init(name: stage.name, migration: migration))
        }
        return StagedMigration(origin: stages[place].name, steps: steps, later: [])
    }

    private static func unstaged(_ text: String, _ path: String) -> CofferError {
        .refused(
            code: StatusCode.failedPrecondition.name, reason: "unstaged", text: text, place: path)
    }

    /// The place of a store's model among the versions: the very one, else the last that stores do
    /// not tell from it.
    private static func index(
        of model: ManagedObjectModel, in stages: [MigrationStage]
    ) throws(CofferError) -> Int? {
        let exact = try translating { () throws(StoreError) -> Int? in
            let id = try StoreModel(model).id
            for (index, stage) in stages.enumerated().reversed() where try StoreModel(stage.model).id == id {
                return index
            }
            return nil
        }
        if let exact { return exact }
        return stages.lastIndex { stage in
            // Models that cannot be compared differ.
            (try? ModelDifference(from: model, to: stage.model))?.changes.isEmpty ?? false
        }
    }
}
