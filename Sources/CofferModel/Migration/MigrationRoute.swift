/// How a store of an older version of a model comes to the new one, as values alone say it.
///
/// Policies and work of the application's need code, which no service runs: an application gives them to
/// `ServiceConnection.migrateStore`, or to `CofferEmbedded`.
public enum MigrationRoute: Sendable, Hashable {
    /// In one step, as the two models tell.
    case inferred
    /// In one step, as a mapping model says.
    case mapping(MappingModel)
    /// Over each version between the one that the store has and the last.
    case stages([Stage])

    /// A version of an application's model, and how the one before it becomes it.
    public struct Stage: Sendable, Hashable {
        /// What people call the version; no other has the name.
        public var name: String
        /// The model.
        public var model: ManagedObjectModel
        /// What becomes of the objects of the version before; `nil` if the two models tell.
        public var mapping: MappingModel?

        /// A version that the one before it becomes by `mapping`, or as the two models tell.
        public init(name: String, model: ManagedObjectModel, mapping: MappingModel? = nil) {
            (self.name, self.model, self.mapping) = (name, model, mapping)
        }
    }
}
