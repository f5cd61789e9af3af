package import Coffer
import CofferCoordination
import CofferLinux
package import CofferModel
package import CofferStores

/// What was done to migrate a store.
public struct EmbeddedMigration: Sendable {
    /// What becomes of the objects, or is in the way of that.
    package let plan: MigrationPlan
    /// The number of the transaction in the store's history; `nil` if nothing was to be done.
    public let number: UInt64?
    /// The path of the copy of before; `nil` if none was kept.
    public let backup: String?
}

extension EmbeddedCoordinator {
    /// The paths of the copies that migrations have kept beside a store that is open.
    func migrationBackups(ofStoreNamed name: String) throws(CofferError) -> [String] {
        guard let description = stores.first(where: { $0.name == name }) else {
            throw .unknown(kind: "embedded store", name: name)
        }
        return try translating { () throws(StoreError) in
            let file = try store(description.handle).file
            return try file.migrationBackups(on: file.makeReader()).map { file.folder.path(of: $0) }
        }
    }

    /// Takes the store at `path` to another model, or looks what that would do.
    ///
    /// - Parameters:
    ///   - path: The store's file, which no process has open for writing.
    ///   - model: The model that it gets.
    ///   - mapping: What becomes of the objects; `nil` if it is inferred from the two models. A mapping is
    ///     followed in the file itself if each entity's objects become those of one other entity, else object
    ///     by object in a new file.
    ///   - policies: What makes the policies of entity mappings, by their names or those of their classes.
    ///   - source: The model that it has, if it keeps none.
    ///   - configuration: The configuration of the models that it keeps.
    ///   - onlyPlans: Whether nothing is changed.
    ///   - keepsBackup: Whether a copy is kept beside it if something is lost.
    ///   - adopts: Whether a file that Coffer did not make may be written.
    ///   - opening: How its file, and a new one, are opened.
    ///   - progress: Told of each step; `false` stops it.
    /// - Returns: What was done; with `onlyPlans` just what would be.
    /// - Throws: `.refused` with the reason `unmigratable` if something is in the way, and as opening a store
    ///   does.
    package static func migrate(
        path: String, to model: ManagedObjectModel, by mapping: MappingModel? = nil,
        policies: [String: () -> any EntityMigrationPolicy] = [:], from source: ManagedObjectModel? = nil,
        configuration: String = ManagedObjectModel.defaultConfiguration, onlyPlans: Bool = false,
        keepsBackup: Bool = true, adopts: Bool = false, opening: StoreOptions = StoreOptions(),
        progress: @escaping (MigrationProgress) -> Bool = { _ in true }
    ) throws(CofferError) -> EmbeddedMigration {
        var options = opening
        options.foreignFiles = adopts ? .adopted : .refused
        options.migration = MigrationOptions(
            keepsBackup: keepsBackup,
            source: try translating { () throws(StoreError) in
                try source.map { model throws(StoreError) in try StoreModel(model) }
            })
        let (folder, name) = try translating { () throws(StoreError) in try place(path) }
        let migration = FileMigration(
            of: name, in: folder, to: try translating { () throws(StoreError) in try StoreModel(model) },
            by: mapping, policies: policies, configuration: configuration, options: options)
        if onlyPlans { return EmbeddedMigration(plan: try migration.plan(), number: nil, backup: nil) }
        return try migration.run(progress: progress)
    }
}
