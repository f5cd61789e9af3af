package import Coffer
package import CofferCoordination
package import CofferLinux
package import CofferModel
package import CofferStores

/// Takes a store file that no process has open to another model: in the file itself if that can be done, else
/// object by object in a new one.
///
/// It is what a process does with its own files, and the service with those of its clients.
package struct FileMigration {
    private let folder: Folder
    private let fileName: String
    private let model: StoreModel
    private let mapping: MappingModel?
    private let policies: [String: () -> any EntityMigrationPolicy]
    private let configuration: String
    private let options: StoreOptions
    private let filler: MigrationFiller?

    /// A migration of the file `fileName` in `folder`.
    ///
    /// - Parameters:
    ///   - fileName: The file's name.
    ///   - folder: Where it is.
    ///   - model: The model that it gets.
    ///   - mapping: What becomes of the objects; `nil` if it is inferred from the two models.
    ///   - policies: What makes the policies of entity mappings, by their names or those of their classes.
    ///   - configuration: The configuration of the models that it keeps.
    ///   - options: How it, and a new one, are opened; what their migration says of mappings is not asked.
    ///   - filler: What makes the objects of a new file if there are policies; `nil`: the policies
    ///     themselves.
    package init(
        of fileName: String, in folder: Folder, to model: StoreModel, by mapping: MappingModel? = nil,
        policies: [String: () -> any EntityMigrationPolicy] = [:],
        configuration: String = ManagedObjectModel.defaultConfiguration, options: StoreOptions,
        filledBy filler: MigrationFiller? = nil
    ) {
        self.filler = filler
        (self.folder, self.fileName) = (folder, fileName)
        (self.model, self.mapping, self.policies) = (model, mapping, policies)
        self.configuration = configuration
        var options = options
        let wishes = options.migration ?? MigrationOptions()
        options.migration = MigrationOptions(
            keepsBackup: wishes.keepsBackup, isAutomatic: wishes.isAutomatic, mapping: mapping,
            source: wishes.source)
        self.options = options
    }

    /// What would become of the objects, found by reading the file.
    ///
    /// - Throws: As opening a store for reading does.
    package func plan() throws(CofferError) -> MigrationPlan {
        if mapping != nil {
            let store = try openToRead()
            if let mapped = mapped(over: store) { return try mapped.plan(of: store) }
        }
        return try translating { () throws(StoreError) in try inPlace.plan() }
    }

    /// What would become of the objects of a store that is open; others may save meanwhile.
    ///
    /// - Throws: `.refused` with the reason `interrupted` if it is not to go on; what reading throws.
    package static func plan(
        of store: PersistentStore, to model: StoreModel, by mapping: MappingModel? = nil,
        policies: [String: () -> any EntityMigrationPolicy] = [:], while goesOn: @escaping () -> Bool
    ) throws(CofferError) -> MigrationPlan {
        let file = store.file
        let migration = FileMigration(
            of: file.fileName, in: file.folder, to: model, by: mapping, policies: policies,
            configuration: file.configuration, options: StoreOptions())
        if let mapped = migration.mapped(over: store) { return try mapped.plan(of: store, while: goesOn) }
        return try translating { () throws(StoreError) in
            try StoreMigration.plan(of: file, to: model, by: mapping, while: goesOn)
        }
    }

    /// Migrates the file.
    ///
    /// - Throws: `.refused` with the reason `unmigratable` if something is in the way, and as opening a
    ///   store, reading and writing it do; then the store is as it was.
    package func run(
        progress: @escaping (MigrationProgress) -> Bool = { _ in true }
    ) throws(CofferError) -> EmbeddedMigration {
        if mapping != nil, let (mapped, plan) = try planned() {
            if plan.isReturn, options.migration?.isAutomatic ?? false {
                return EmbeddedMigration(plan: plan, number: nil, backup: nil)
            }
            return try mapped.run(
                plan, keepingBackup: options.migration?.keepsBackup ?? true, progress: progress)
        }
        let outcome = try translating { () throws(StoreError) in try inPlace.run(progress: progress) }
        return EmbeddedMigration(
            plan: outcome.plan, number: outcome.number, backup: outcome.backup.map { folder.path(of: $0) })
    }
}

extension FileMigration {
    private var inPlace: StoreMigration {
        StoreMigration(
            of: fileName, in: folder, to: model, configuration: configuration, options: options)
    }

    /// The migration object by object, with what it would do; `nil` if it is done in the file itself.
    private func planned() throws(CofferError) -> (MappedMigration, MigrationPlan)? {
        let store = try openToRead()
        guard let mapped = mapped(over: store) else { return nil }
        return (mapped, try mapped.plan(of: store))
    }

    private func openToRead() throws(CofferError) -> PersistentStore {
        try translating { () throws(StoreError) in
            func open(_ model: StoreModel?) throws(StoreError) -> StoreFile {
                try StoreFile.open(
                    in: folder, fileName: fileName, model: model, configuration: configuration,
                    options: options.onlyLooking)
            }
            let file = try open(nil)
            guard file.isModelGuessed, let source = options.migration?.source else {
                return try PersistentStore(file: file)
            }
            return try PersistentStore(file: open(source))
        }
    }

    /// The migration object by object, if a mapping model needs it; `nil` if the mapping can be followed in
    /// the file itself, or if the store has the new model already or keeps no model.
    private func mapped(over store: PersistentStore) -> MappedMigration? {
        let file = store.file
        guard let mapping, !file.isModelGuessed, let type = file.type, type != .memory,
            file.model.id != model.id
        else { return nil }
        let migration = MappedMigration(
            folder: folder, fileName: fileName, source: file.model.model, destination: model,
            mapping: mapping, policies: policies, configuration: configuration, options: options,
            filler: filler)
        if migration.usesPolicies { return migration }
        do throws(MigrationError) {
            _ = try InferredMapping(from: file.model.model, to: model.model, by: mapping)
            return nil
        } catch {
            return migration
        }
    }
}

extension StoreOptions {
    /// Those with which a file is looked at before it is migrated.
    var onlyLooking: StoreOptions {
        var options = self
        options.isReadOnly = true
        options.foreignFiles = .read
        options.mustExist = true
        options.migration = nil
        options.vfs = nil
        return options
    }
}
