package import CofferModel

/// `coffer.v1.MigrationRoute`: how a store comes to a model where the two models do not tell, or not in one
/// step.
package struct MigrationRouteMessage: Sendable, Equatable {
    /// `coffer.v1.MigrationStage`.
    package struct Stage: Sendable, Equatable {
        /// What people call the version.
        package var name: String
        /// The version; `nil` where the service is to ask for it.
        package var model: ManagedObjectModel?
        /// What becomes of the objects of the version before; `nil` where the two models tell.
        package var mapping: MappingModel?

        /// A stage from its fields.
        package init(name: String, model: ManagedObjectModel?, mapping: MappingModel?) {
            (self.name, self.model, self.mapping) = (name, model, mapping)
        }
    }

    /// What becomes of the objects, in one step; `nil` where the two models tell.
    package var mapping: MappingModel?
    /// All versions, the oldest first; empty for one step.
    package var stages: [Stage]

    /// A route from its fields.
    package init(mapping: MappingModel? = nil, stages: [Stage] = []) {
        (self.mapping, self.stages) = (mapping, stages)
    }

    /// A route, `naming` the models of its stages or not; `nil` for what is inferred.
    package init?(_ route: MigrationRoute, namingModels: Bool) {
        switch route {
        case .inferred: return nil
        case .mapping(let mapping): self.init(mapping: mapping)
        case .stages(let stages):
            self.init(
                stages: stages.map {
                    Stage(name: $0.name, model: namingModels ? $0.model : nil, mapping: $0.mapping)
                })
        }
    }
}

/// `coffer.v1.MigratedStage`: what was done for one stage, or would be.
package struct MigratedStageMessage: Sendable, Equatable {
    /// The version that it led to.
    package var name: String
    /// What became of the objects, or would.
    package var plan: MigrationPlan
    /// The transaction in the store's history; 0 where nothing was done.
    package var number: UInt64
    /// Where the copy of before is; empty where none was kept.
    package var backup: String

    /// A stage from its fields; a field that is left out has its default.
    package init(name: String, plan: MigrationPlan, number: UInt64 = 0, backup: String = "") {
        (self.name, self.plan, self.number, self.backup) = (name, plan, number, backup)
    }
}
