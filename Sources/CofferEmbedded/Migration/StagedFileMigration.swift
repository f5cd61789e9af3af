package import Coffer
package import CofferCoordination
package import CofferLinux
package import CofferModel
package import CofferStores

/// Takes a store file that no process has open from its version of a model to the last one, by models and
/// mapping models alone.
///
/// Each stage is a transaction of its own.
package struct StagedFileMigration {
    /// A version, and how the one before becomes it.
    package struct Stage: Sendable {
        /// What people call it.
        package let name: String
        /// The model.
        package let model: StoreModel
        /// What becomes of the objects; `nil` if it is inferred from the two models.
        package let mapping: MappingModel?

        /// A stage to a version.
        package init(name: String, model: StoreModel, mapping: MappingModel?) {
            (self.name, self.model, self.mapping) = (name, model, mapping)
        }
    }

    /// What comes next in a store.
    package struct Outlook: Sendable {
        /// The version that it has.
        package let origin: String
        /// The stage that is next, and what it would do; `nil` if the store has the last version.
        package let next: (name: String, plan: MigrationPlan)?
        /// Those behind it.
        package let later: [String]
    }

    private let folder: Folder
    private let fileName: String
    private let stages: [Stage]
    private let configuration: String
    private let options: StoreOptions

    /// A migration of the file `fileName` in `folder` through `stages`, the oldest version first.
    package init(
        of fileName: String, in folder: Folder, through stages: [Stage],
        configuration: String = ManagedObjectModel.defaultConfiguration, options: StoreOptions
    ) {
        (self.folder, self.fileName, self.stages) = (folder, fileName, stages)
        (self.configuration, self.options) = (configuration, options)
    }

    /// What comes next in a store that is open; others may save meanwhile.
    ///
    /// - Throws: `.refused` with the reason `unstaged` if the store's model is not one of the versions, and
    ///   as `FileMigration.plan(of:to:by:while:)` does.
    package static func outlook(
        of store: PersistentStore, through stages: [Stage], while goesOn: @escaping () -> Bool
    ) throws(CofferError) -> Outlook {
        let origin = try place(of: store.file, in: stages)
        guard origin + 1 < stages.count else {
            return Outlook(origin: stages[origin].name, next: nil, later: [])
        }
        let next = stages[origin + 1]
        let plan = try FileMigration.plan(
            of: known(store, as: stages[origin]), to: next.model, by: next.mapping, while: goesOn)
        return Outlook(
            origin: stages[origin].name, next: (next.name, plan),
            later: stages[(origin + 2)...].map(\.name))
    }

    /// Migrates the file; if a stage fails, the file has the version before that stage.
    ///
    /// - Parameters:
    ///   - progress: Told of each step of each stage; `false` stops it.
    ///   - didReach: Told of each stage that the file has come to, for good.
    /// - Returns: What was done for each stage.
    /// - Throws: As `outlook(of:through:while:)` and `FileMigration.run(progress:)` do.
    package func run(
        progress: @escaping (MigrationProgress) -> Bool = { _ in true },
        didReach: (Stage) -> Void = { _ in }
    ) throws(CofferError) -> StagedMigration {
        let origin = try currentPlace()
        var steps: [StagedMigration.Step] = []
        var options = options
        options.migration = options.migration ?? MigrationOptions()
        options.migration?.source = stages[origin].model
        for stage in stages[(origin + 1)...] {
            let migration = try FileMigration(
                of: fileName, in: folder, to: stage.model, by: stage.mapping, configuration: configuration,
                options: options
            ).run(progress: progress)
            didReach(stage)
            steps.append(.init(name: stage.name, migration: migration))
        }
        return StagedMigration(origin: stages[origin].name, steps: steps, later: [])
    }

    private func currentPlace() throws(CofferError) -> Int {
        let file = try translating { () throws(StoreError) in
            try StoreFile.open(
                in: folder, fileName: fileName, model: nil, configuration: configuration,
                options: options.onlyLooking)
        }
        return try Self.place(of: file, in: stages)
    }

    private static func place(of file: StoreFile, in stages: [Stage]) throws(CofferError) -> Int {
        let versions = stages.map {
            StageSearch.Version(name: $0.name, model: $0.model.model, id: $0.model.id)
        }
        return try StageSearch(among: versions).place(
            of: file.isModelGuessed ? nil : (file.model.model, file.model.id), hashes: file.versionHashes,
            configuration: file.configuration, path: file.path)
    }

    /// A store that is open with the model of its version, if it keeps none itself.
    private static func known(
        _ store: PersistentStore, as version: Stage
    ) throws(CofferError) -> PersistentStore {
        guard store.file.isModelGuessed, let home = store.file.home else { return store }
        return try translating { () throws(StoreError) in
            var options = StoreOptions()
            (options.isReadOnly, options.mustExist) = (true, true)
            return try PersistentStore(
                file: StoreFile.open(
                    in: home.folder, fileName: home.fileName, model: version.model,
                    configuration: store.file.configuration, options: options))
        }
    }
}
