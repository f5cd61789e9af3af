package import CofferModel

extension MigrationRouteMessage {
    /// A route, `naming` the models of its stages or not; `nil` for what is inferred.
    package init?(_ route: MigrationRoute, namingModels: Bool) {
        switch route {
        case .inferred: return nil
        case .mapping(let mapping): self.init(mapping: mapping)
        case .stages(let stages):
            self.init(
                stages: stages.map {
                    MigrationStageMessage(
                        name: $0.name, model: namingModels ? $0.model : nil, mapping: $0.mapping)
                })
        }
    }
}
