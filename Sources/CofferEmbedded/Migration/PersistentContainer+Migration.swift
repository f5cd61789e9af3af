public import Coffer
public import CofferModel

extension PersistentContainer {
    /// Takes the store file at `path` to another model, as a mapping model says, or as the two models tell.
    ///
    /// A mapping model is read from a file, or made in code. If each entity's objects become those of one
    /// other entity by their own values, the mapping is followed in the file itself, and objects keep their
    /// keys. Else, and if there are policies, it is followed object by object in a new file, which then takes
    /// the place of the old one: objects have new keys, the store a new UUID, and its history begins from the
    /// start. In both cases all of it happens, or nothing. It blocks its thread.
    ///
    /// ```swift
    /// var mapping = MappingModel(entities: [
    ///     .init("NoteToNote", kind: .copy, source: "Note", destination: "Note"),
    ///     .init("NoteToPicture", kind: .transform, source: "Note", destination: "Picture"),
    /// ])
    /// mapping.entities[1].predicate = "image != nil"
    /// mapping.entities[1].attributes = [.init("data", .expression("$source.image"))]
    /// mapping.entities[1].relationships = [.init("note", .mapped(by: "NoteToNote", objects: "$source"))]
    /// mapping.entities[1].policyClassName = "PicturePolicy"
    /// try PersistentContainer.migrateEmbeddedStore(
    ///     atPath: "/var/lib/notes/Notes.sqlite", to: model, by: mapping,
    ///     policies: ["PicturePolicy": { PicturePolicy() }])
    /// ```
    ///
    /// - Parameters:
    ///   - path: The store's file, which no process has open.
    ///   - model: The model that it gets.
    ///   - mapping: What becomes of the objects; `nil` if it is inferred from the two models.
    ///   - policies: What makes the policy of an entity mapping, by the mapping's name, or that of the class
    ///     that the mapping model names.
    ///   - configuration: The configuration of the models that it keeps.
    ///   - keepsBackup: Whether a copy of the store of before is kept beside it for 30 days if something may
    ///     be lost; always if the mapping is followed object by object.
    ///   - adopts: Whether a file that Coffer did not make may be written.
    ///   - progress: Told of each step, several times while it lasts; `false` stops it.
    /// - Returns: What was done; nothing if the store has the model already.
    /// - Throws: `.refused` with the reason `unmigratable` with all that is in the way, `locked` if a process
    ///   has the store open, `policy` for what a policy throws that is not a `CofferError`, `interrupted` if
    ///   `progress` says so; `.validation` and `.constraints` if objects break the rules of the new model;
    ///   what opening a store and writing it throws. Then the store is as it was.
    @discardableResult
    public static func migrateEmbeddedStore(
        atPath path: String, to model: ManagedObjectModel, by mapping: MappingModel? = nil,
        policies: [String: () -> any EntityMigrationPolicy] = [:],
        configuration: String = ManagedObjectModel.defaultConfiguration, keepsBackup: Bool = true,
        adopts: Bool = false, progress: @escaping (MigrationProgress) -> Bool = { _ in true }
    ) throws(CofferError) -> EmbeddedMigration {
        try EmbeddedCoordinator.migrate(
            path: path, to: model, by: mapping, policies: policies, configuration: configuration,
            keepsBackup: keepsBackup, adopts: adopts, progress: progress)
    }

    /// Takes the store file at `path` from whichever version of a model it has to the last one, with work of
    /// the application's between: Core Data's staged migration.
    ///
    /// Each stage is a transaction of its own, as is each save of its work: if one fails, or the process
    /// dies, the next call goes on from there. It blocks its thread.
    ///
    /// ```swift
    /// var split = MigrationStage(name: "2", model: second)
    /// split.didMigrate = { container in
    ///     let context = container.newContext()
    ///     for note in try context.fetch(FetchRequest<ManagedObject>(entityName: "Note")) {
    ///         note["slug"] = note["title"]
    ///     }
    ///     try context.save()
    /// }
    /// try PersistentContainer.migrateEmbeddedStore(
    ///     atPath: path, through: [MigrationStage(name: "1", model: first), split])
    /// ```
    ///
    /// - Parameters:
    ///   - path: The store's file, which no process has open.
    ///   - stages: All versions of the model, the oldest first.
    ///   - configuration: The configuration of the models that it keeps.
    ///   - keepsBackup: Whether a copy is kept beside it before a stage that loses something.
    ///   - adopts: Whether a file that Coffer did not make may be written.
    ///   - progress: Told of each step of each stage; `false` stops it.
    /// - Returns: What was done.
    /// - Throws: `.refused` with the reason `unstaged` if the store's model is not one of the versions,
    ///   `stage` for what the work of a stage throws that is not a `CofferError`, and as migrating by one
    ///   mapping does. Then the store has the version that the stages before have led to.
    @discardableResult
    public static func migrateEmbeddedStore(
        atPath path: String, through stages: [MigrationStage],
        configuration: String = ManagedObjectModel.defaultConfiguration, keepsBackup: Bool = true,
        adopts: Bool = false, progress: @escaping (MigrationProgress) -> Bool = { _ in true }
    ) throws(CofferError) -> StagedMigration {
        try EmbeddedCoordinator.migrate(
            path: path, through: stages, configuration: configuration, keepsBackup: keepsBackup,
            adopts: adopts, progress: progress)
    }
}
