/// Bounds on what a caller can make this module hold or do, with reasons.
package enum Limits {
    /// Entities of a model: the largest known one, of a photo library, has 54.
    package static let entities = 2_000
    /// Properties of an entity, inherited ones included: SQLite's tables have at most 2,000 columns.
    package static let properties = 1_000
    /// Properties of all entities of a model, each counted again in all that inherit it.
    ///
    /// Every one is kept that often, and a small file can name very many. The largest known model has some
    /// 1,500.
    package static let allProperties = 50_000
    /// How deep entities inherit: what walks up from an entity does so often, and no known model goes over 5.
    package static let inheritance = 100
    /// Bytes of a name.
    static let nameLength = 255
    /// Bytes of a predicate's format: far above what people write, and read in a moment.
    static let predicateFormat = 1_048_576
    /// Nesting of a predicate: each level takes up to 8 KB of stack in debug builds, and a worker's stack may
    /// have 512 KiB.
    static let predicateDepth = 40
    /// Nesting of the parser: a group within an operator takes two levels for one of the predicate.
    static let parserDepth = 2 * predicateDepth + 4
    /// Attributes that an expression of a mapping model reads: an SQL function takes 127 arguments, and two
    /// are for each.
    static let mappedOrigins = 60
    /// Keys of a key path: each is a join.
    static let keyPathLength = 32
    /// Bytes of a regular expression or of a pattern of `LIKE`.
    static let pattern = 4_096
    /// States of a regular expression once its `{m,n}` are written out: matching takes so many steps for each
    /// character.
    static let patternStates = 4_096
    /// Steps of matching one value with the expression of its attribute: 10 KB with the largest one,
    /// megabytes with usual ones.
    static let matchSteps = 40_000_000
}
