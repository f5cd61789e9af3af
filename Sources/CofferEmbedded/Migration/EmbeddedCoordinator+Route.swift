import Coffer
import CofferLinux
import CofferModel
import CofferStores

extension EmbeddedCoordinator {
    /// Opens a store; if it has another model, it is migrated by `route` first.
    ///
    /// - Throws: `.refused` with the reason `unstaged` if the store's model is not one of the versions of the
    ///   route; and as opening and migrating a store do.
    func addStore(
        _ description: StoreDescription, in folder: Folder, by route: MigrationRoute
    ) throws(CofferError) {
        var opening = description
        opening.migratesAutomatically = false
        do throws(CofferError) {
            return try addStore(opening, in: folder)
        } catch {
            guard case .incompatibleModel = error,
                try migrate(description, in: folder, by: route)
            else { throw error }
        }
        try addStore(opening, in: folder)
    }

    /// Takes a store to this coordinator's model; `false` if that would lead back to a model that it was
    /// migrated from.
    private func migrate(
        _ description: StoreDescription, in folder: Folder, by route: MigrationRoute
    ) throws(CofferError) -> Bool {
        var options = StoreOptions()
        options.foreignFiles = description.adopts ? .adopted : .refused
        options.pragmas = description.pragmas
        options.sqlDebug = sqlDebug
        options.migration = MigrationOptions(isAutomatic: true)
        let model = try translating { () throws(StoreError) in try StoreModel(self.model) }
        let type = try translating { () throws(StoreError) -> StoreType in
            if let type = description.type { return type }
            return try StoreMove.type(of: description.name, in: folder) ?? .sqlite
        }
        let fileName = description.name + type.fileSuffix
        if try isReturn(fileName, in: folder, to: model, description.configuration) { return false }
        switch route {
        case .inferred, .mapping:
            var mapping: MappingModel?
            if case .mapping(let said) = route { mapping = said }
            _ = try FileMigration(
                of: fileName, in: folder, to: model, by: mapping, configuration: description.configuration,
                options: options
            ).run()
        case .stages(let stages):
            let versions = try translating { () throws(StoreError) in
                try stages.map { stage throws(StoreError) in
                    StagedFileMigration.Stage(
                        name: stage.name, model: try StoreModel(stage.model), mapping: stage.mapping)
                }
            }
            _ = try StagedFileMigration(
                of: fileName, in: folder, through: versions, configuration: description.configuration,
                options: options
            ).run()
        }
        return true
    }

    private func isReturn(
        _ fileName: String, in folder: Folder, to model: StoreModel, _ configuration: String
    ) throws(CofferError) -> Bool {
        try translating { () throws(StoreError) in
            var options = StoreOptions()
            options.isReadOnly = true
            options.foreignFiles = .read
            let file = try StoreFile.open(
                in: folder, fileName: fileName, model: nil, configuration: configuration, options: options)
            return try StoreMigration.isReturn(of: file, to: model)
        }
    }
}
