public import CofferModel

/// A version of an application's model, and how the one before it becomes it: one of Core Data's
/// `NSMigrationStage`s, with the model that it leads to.
public struct MigrationStage {
    /// What is done in a store before or after it is taken on; the store is open for writing, and its
    /// container has it alone.
    ///
    /// Let go of the container and of what belongs to it at the end.
    public typealias Work = (PersistentContainer) throws -> Void

    /// What people call the version; no other has the name.
    public let name: String
    /// The model.
    public let model: ManagedObjectModel
    /// What becomes of the objects of the version before; `nil` if the two models tell.
    public var mapping: MappingModel?
    /// What makes the policies of the mapping's entity mappings, by their names or those of their classes.
    public var policies: [String: () -> any EntityMigrationPolicy] = [:]
    /// What is done in the store of the version before, as to make values that the mapping takes.
    ///
    /// It is done again if the process died between its end and that of the migration, so that it must find
    /// out what it has done already.
    public var willMigrate: Work?
    /// What is done in the store of this version, as to fill what is new in it.
    ///
    /// A store whose migration has come so far is not finished before this has been done: if the process died
    /// meanwhile, or it threw, the next call does it again.
    public var didMigrate: Work?

    /// A version that the one before it becomes by `mapping`, or as the two models tell.
    public init(
        name: String, model: ManagedObjectModel, mapping: MappingModel? = nil,
        policies: [String: () -> any EntityMigrationPolicy] = [:], willMigrate: Work? = nil,
        didMigrate: Work? = nil
    ) {
        self.name = name
        self.model = model
        self.mapping = mapping
        self.policies = policies
        self.willMigrate = willMigrate
        self.didMigrate = didMigrate
    }

    /// A version without policies and work of the application's.
    public init(_ stage: MigrationRoute.Stage) {
        self.init(name: stage.name, model: stage.model, mapping: stage.mapping)
    }
}
