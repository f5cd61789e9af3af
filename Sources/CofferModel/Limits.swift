/// Bounds on what a caller can make this module hold or do, with reasons.
enum Limits {
    /// Entities of a model: the largest known one, of a photo library, has 54.
    static let entities = 2_000
    /// Properties of an entity, inherited ones included: SQLite's tables have at most 2,000 columns.
    static let properties = 1_000
    /// Bytes of a name.
    static let nameLength = 255
}
