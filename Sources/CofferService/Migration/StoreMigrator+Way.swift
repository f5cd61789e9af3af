import CofferEmbedded
import CofferModel
import CofferStores
import CofferWire

extension StoreMigrator {
    /// How a store comes to its model.
    enum Way: Sendable {
        /// In one step, as a mapping model says, or as the two models tell.
        case direct(StoreModel, by: MappingModel?)
        /// Over the versions between; there is one at least.
        case stages([StagedFileMigration.Stage])

        /// The way that a client asks for; `nil` if it has to name the models of its stages.
        ///
        /// - Throws: `.wire` if the stages do not lead to the model, or the client has policies for no
        ///   mapping model.
        init?(
            to model: StoreModel, _ route: MigrationRouteMessage?, work: MigrationWorkMessage? = nil
        ) throws(ServiceError) {
            if work != nil, route?.mapping == nil {
                throw .wire(.malformed("coffer.v1.MigrateStoreRequest.work: policies need a mapping model"))
            }
            guard let route, !route.stages.isEmpty else {
                self = .direct(model, by: route?.mapping)
                return
            }
            if route.mapping != nil {
                throw .wire(.malformed("coffer.v1.MigrationRoute.mapping: there are stages besides"))
            }
            var stages: [StagedFileMigration.Stage] = []
            for stage in route.stages {
                guard let version = stage.model else { return nil }
                do throws(WireError) {
                    stages.append(
                        .init(
                            name: stage.name, model: try StoreModel(packing: version), mapping: stage.mapping)
                    )
                } catch {
                    throw .wire(error)
                }
            }
            guard stages.last?.model.id == model.id else {
                throw .wire(.malformed("coffer.v1.MigrationRoute.stages: the last is not the model"))
            }
            self = .stages(stages)
        }

        /// The model that the store has at the end.
        var destination: StoreModel? {
            switch self {
            case .direct(let model, _): model
            case .stages(let stages): stages.last?.model
            }
        }
    }
}

extension MigrateStoreReplyMessage {
    /// What was done in one step.
    init(_ migration: EmbeddedMigration) {
        self.init(
            plan: migration.plan, number: migration.number ?? 0, backup: migration.backup ?? "")
    }

    /// What was done over stages.
    init(_ staged: StagedMigration) {
        let stages = staged.steps.map {
            MigratedStageMessage(
                name: $0.name, plan: $0.migration.plan, number: $0.migration.number ?? 0,
                backup: $0.migration.backup ?? "")
        }
        self.init(
            plan: stages.last?.plan ?? .idle, number: stages.last?.number ?? 0,
            backup: stages.last?.backup ?? "", origin: staged.origin, stages: stages)
    }

    /// What would be done next over stages.
    init(_ outlook: StagedFileMigration.Outlook) {
        self.init(
            plan: outlook.next?.plan ?? .idle, origin: outlook.origin,
            stages: outlook.next.map { [MigratedStageMessage(name: $0.name, plan: $0.plan)] } ?? [],
            later: outlook.later)
    }
}

extension MigrationPlan {
    /// That of a store which has the model already.
    fileprivate static var idle: MigrationPlan {
        var plan = MigrationPlan()
        plan.isIdle = true
        return plan
    }
}
