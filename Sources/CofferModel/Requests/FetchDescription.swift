/// What a fetch asks for, as a plain value that travels.
public struct FetchDescription: Sendable, Hashable {
    /// What a fetch gives.
    public enum ResultType: UInt8, Sendable, Hashable, CaseIterable {
        /// Objects with their values.
        case objects
        /// Ids only.
        case objectIDs
        /// Values of `propertiesToFetch`, without objects.
        case dictionaries
        /// How many there are.
        case count
    }

    /// The entity's name.
    public var entityName: String
    /// What is demanded of objects; all fit if it is `nil`.
    public var predicate: QueryPredicate?
    /// The order, the most significant first; unspecified if it is empty.
    public var sortDescriptors: [QuerySort] = []
    /// At most so many; 0 for all.
    public var limit: Int = 0
    /// So many are left out at the beginning.
    public var offset: Int = 0
    /// Whether objects of entities that inherit from the entity are included.
    public var includesSubentities: Bool = true
    /// What the fetch gives.
    public var resultType: ResultType = .objects
    /// Which values come along, key paths joined by dots; all attributes and to-one relationships if it is
    /// empty.
    public var propertiesToFetch: [String] = []
    /// Whether equal dictionaries are given once.
    public var returnsDistinctResults: Bool = false
    /// What dictionaries hold besides, under names of their own.
    public var expressions: [NamedExpression] = []
    /// Key paths joined by dots: dictionaries are of the groups of objects that agree in all of them.
    public var groupBy: [String] = []
    /// What is demanded of a group; a key path may be the name of an expression.
    public var having: QueryPredicate?
    /// The locale whose rules localized orders follow, as `de_DE`; empty for those that all languages share.
    public var locale: String = ""
}

extension FetchDescription {
    /// All objects of an entity.
    public init(entityName: String, predicate: QueryPredicate? = nil) {
        // By way of the initialiser for all members: one that fills them in turn ends with a copy of the
        // whole.
        self.init(entityName: entityName, predicate: predicate, sortDescriptors: [])
    }
}
