/// What was done to take a store through the stages of a model.
public struct StagedMigration: Sendable {
    /// One stage.
    public struct Step: Sendable {
        /// The name of the version that it led to.
        public let name: String
        /// What was done.
        public let migration: EmbeddedMigration
    }

    /// The version that the store had.
    public let origin: String
    /// What was done for each later version, in order; of a dry run only what would be done for the first.
    public let steps: [Step]
    /// The versions that nothing was found out about: what becomes of objects there follows from what the
    /// stage before makes of them.
    package let later: [String]
}
