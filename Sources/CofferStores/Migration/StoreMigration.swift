package import CofferLinux
package import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Takes a store file to another model, in its place.
///
/// What becomes of the objects is inferred from the model that the store keeps and the other one, or said by
/// the mapping model of the options. First all
/// of it is looked at on a connection that writes nothing; then it is carried out in one transaction, so that
/// whatever dies leaves the old store whole or the new one.
package struct StoreMigration {
    /// What was done.
    package struct Outcome: Sendable {
        /// What became of the objects.
        package let plan: MigrationPlan
        /// The number of the transaction in the store's history; `nil` if nothing was to be done.
        package let number: UInt64?
        /// The name of the copy of before, beside the store; `nil` if none was kept.
        package let backup: String?
    }

    private let folder: Folder
    private let fileName: String
    private let model: StoreModel
    private let configuration: String
    private let options: StoreOptions

    /// A migration of the file `fileName` in `folder`, which keeps the `configuration` of its models.
    ///
    /// A file that Coffer did not make is migrated if the options say that it is adopted.
    package init(
        of fileName: String, in folder: Folder, to model: StoreModel,
        configuration: String = ManagedObjectModel.defaultConfiguration,
        options: StoreOptions = StoreOptions()
    ) {
        self.folder = folder
        self.fileName = fileName
        self.model = model
        self.configuration = configuration
        self.options = options
    }

    /// What would become of the objects; nothing is changed, neither the file nor its folder.
    ///
    /// - Throws: What opening a store for reading does; `unknownModel` if it keeps none.
    /// - Complexity: O(rows) for what is converted, defaulted or dropped.
    package func plan() throws(StoreError) -> MigrationPlan {
        var options = options
        options.isReadOnly = true
        options.migration = nil
        options.vfs = nil
        let file = try open(with: options)
        return try Self.plan(of: file, to: model, by: self.options.migration?.mapping)
    }

    /// Opens the file by the model that it keeps, else by the one that it is said to have.
    ///
    /// - Throws: `unknownModel` if there is neither.
    private func open(with options: StoreOptions) throws(StoreError) -> StoreFile {
        let source = self.options.migration?.source
        do throws(StoreError) {
            let file = try StoreFile.open(
                in: folder, fileName: fileName, model: nil, configuration: configuration, options: options)
            // What is guessed is read by, and nothing is changed by it.
            if file.isModelGuessed { throw .unknownModel(path: file.path) }
            return file
        } catch .unknownModel where source != nil {
            return try StoreFile.open(
                in: folder, fileName: fileName, model: source, configuration: configuration, options: options)
        }
    }

    /// What would become of the objects of a store that is open; `goesOn` is asked now and then, and others
    /// may write meanwhile.
    ///
    /// - Throws: `interrupted` if it is not to go on; `unmigratable` if the store cannot be migrated.
    package static func plan(
        of file: StoreFile, to model: StoreModel, by mapping: MappingModel? = nil,
        while goesOn: @escaping () -> Bool = { true }
    ) throws(StoreError) -> MigrationPlan {
        if file.type == .memory || file.type == nil {
            throw .unmigratable(path: file.path, obstacles: [.notInferable(text: isHereText)])
        }
        return try MigrationPlan(of: file, to: model, by: mapping, while: goesOn)
    }

    private static let isHereText =
        "A store in memory, or of an application's own type, is not migrated: make one of the new model, and "
        + "copy the objects."

    /// Migrates the store, unless it has just this model already, or the migration is automatic and would
    /// go back to a model from which the store was migrated.
    ///
    /// - Parameter progress: Called at each step; `false` stops it.
    /// - Returns: What was done.
    /// - Throws: `unmigratable` with all that is in the way; what opening a store for writing does; what the
    ///   disk says; then the store is as it was.
    package func run(
        progress: @escaping (MigrationProgress) -> Bool = { _ in true }
    ) throws(StoreError) -> Outcome {
        let plan = try plan()
        if plan.isIdle { return Outcome(plan: plan, number: nil, backup: nil) }
        if plan.isReturn, options.migration?.isAutomatic ?? false {
            return Outcome(plan: plan, number: nil, backup: nil)
        }
        if !plan.obstacles.isEmpty {
            throw .unmigratable(path: folder.path(of: fileName), obstacles: plan.obstacles)
        }
        if let type = try StoreType.ofWholeFile(fileName, in: folder) {
            return try runInMemory(type, progress)
        }
        var options = options
        options.mustExist = true
        options.isReadOnly = false
        options.migration = nil
        let file = try open(with: options)
        if file.isReadOnly { throw file.readOnlyError }
        let keepsBackup = self.options.migration?.keepsBackup ?? true
        let layout = try Self.layout(of: file, to: model, by: self.options.migration?.mapping)
        let run = try MigrationRun(layout, to: model, of: file, isReturn: plan.isReturn, progress)
        let backup =
            plan.dropsData && keepsBackup ? try MigrationBackup(of: file, on: run.connection) : nil
        let number = try run.run(keeping: backup)
        try ExternalRecovery(of: fileName, in: folder, layout.destination, on: run.connection).run()
        return Outcome(plan: plan, number: number, backup: backup?.name)
    }

    /// Migrates a store whose file is written as a whole.
    private func runInMemory(
        _ type: StoreType, _ progress: @escaping (MigrationProgress) -> Bool
    ) throws(StoreError) -> Outcome {
        let whole = try WholeFileMigration(
            of: fileName, in: folder, as: type, configuration: configuration, options: options)
        let outcome = try StoreMigration(
            of: whole.databaseName, in: whole.databaseFolder, to: model, configuration: configuration,
            options: options.inMemory
        ).run(progress: progress)
        guard outcome.number != nil else { return outcome }
        let keepsBackup = outcome.plan.dropsData && options.migration?.keepsBackup ?? true
        let made = try whole.publish(as: model, numbering: false, keepingBackup: keepsBackup)
        return Outcome(plan: outcome.plan, number: made.number, backup: made.backup)
    }

    /// Whether a store that is open was taken on from just this model, or one with the same entities.
    package static func isReturn(of file: StoreFile, to model: StoreModel) throws(StoreError) -> Bool {
        if file.type == .memory || file.type == nil || file.model.id == model.id { return false }
        return try MigrationPlan.isReturn(to: model, of: file, on: file.makeReader())
    }

    /// What becomes of the tables of a file that is open with the model that it keeps.
    ///
    /// - Throws: `unmigratable` if the models do not tell.
    static func layout(
        of file: StoreFile, to model: StoreModel, by mapping: MappingModel?
    ) throws(StoreError) -> MigrationLayout {
        let destination = try SQLSchema(model: model.model, configuration: file.configuration)
        try destination.requireIndexes()
        do throws(MigrationError) {
            let mapping = try self.mapping(from: file.model.model, to: model.model, by: mapping)
            return MigrationLayout(
                from: file.schema, to: destination, by: mapping, hasDigits: file.hasOwnTables)
        } catch {
            throw .unmigratable(
                path: file.path, obstacles: [.notInferable(text: error.description)])
        }
    }

    /// Looks whether a mapping model was made for just these two models, as far as it says so.
    ///
    /// - Throws: `invalidMapping` for the first entity whose version is another one.
    package static func checkVersions(
        of mapping: MappingModel, from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) throws(MigrationError) {
        try MappingHashes(from: source, to: destination).check(mapping)
    }

    private static func mapping(
        from source: ManagedObjectModel, to destination: ManagedObjectModel, by written: MappingModel?
    ) throws(MigrationError) -> InferredMapping {
        guard let written else { return try InferredMapping(from: source, to: destination) }
        try checkVersions(of: written, from: source, to: destination)
        return try InferredMapping(from: source, to: destination, by: written)
    }
}
