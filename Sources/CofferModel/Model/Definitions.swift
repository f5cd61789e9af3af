/// How an entity is declared: what a model file, the builder or the wire says of it.
///
/// A plain value, not yet checked: `ManagedObjectModel` joins definitions into descriptions and refuses what
/// does not fit.
public struct EntityDefinition: Sendable, Hashable {
    /// The name, unique in its model.
    public var name: String
    /// The name of the entity this one inherits from.
    public var superentity: String?
    /// Whether only sub-entities have objects.
    public var isAbstract: Bool
    /// The application's class for its objects, if one is named.
    public var className: String?
    /// The attributes it declares itself.
    public var attributes: [AttributeDefinition]
    /// The relationships it declares itself.
    public var relationships: [RelationshipDefinition]
    /// The fetched properties it declares itself.
    public var fetchedProperties: [FetchedPropertyDefinition]
    /// Fetch indexes.
    public var indexes: [FetchIndexDefinition]
    /// Each constraint's attribute names: no two objects agree in all of them.
    public var uniquenessConstraints: [[String]]
    /// Enters the version hash, to force a difference.
    public var versionHashModifier: String?
    /// The name it had in an earlier version of the model.
    public var renamingIdentifier: String?
    /// Free notes of the application.
    public var userInfo: [String: String]

    /// A definition with nothing but what is given.
    public init(
        _ name: String, superentity: String? = nil, isAbstract: Bool = false, className: String? = nil,
        attributes: [AttributeDefinition] = [], relationships: [RelationshipDefinition] = [],
        fetchedProperties: [FetchedPropertyDefinition] = [], indexes: [FetchIndexDefinition] = [],
        uniquenessConstraints: [[String]] = [],
        versionHashModifier: String? = nil, renamingIdentifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.superentity = superentity
        self.isAbstract = isAbstract
        self.className = className
        self.attributes = attributes
        self.relationships = relationships
        self.fetchedProperties = fetchedProperties
        self.indexes = indexes
        self.uniquenessConstraints = uniquenessConstraints
        self.versionHashModifier = versionHashModifier
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
    }
}

/// How an attribute is declared.
public struct AttributeDefinition: Sendable, Hashable {
    /// The name, unique in its entity and those it inherits from.
    public var name: String
    /// What kind of value it holds.
    public var type: AttributeType
    /// Whether it may be null when saved.
    public var isOptional: Bool
    /// What a new object starts with.
    public var defaultValue: AttributeValue
    /// Whether it is never stored.
    public var isTransient: Bool
    /// Whether large values live in files beside the store.
    public var allowsExternalStorage: Bool
    /// Whether history keeps the last value of a deleted object.
    public var preservesValueOnDeletion: Bool
    /// Whether it has an index of its own (the old way; fetch indexes are the new one).
    public var isIndexed: Bool
    /// Whether a string is in the full-text index of its store, which `CONTAINS[cd]` then uses; Core Data's
    /// Spotlight indexing in Xcode.
    public var isTextIndexed: Bool
    /// The transformer's name, for a transformable attribute.
    public var transformerName: String?
    /// The expression a derived attribute is computed from, for example `count:(pages)`.
    public var derivationExpression: String?
    /// What a value must satisfy when saved.
    public var validation: AttributeValidation
    /// Enters the version hash, to force a difference.
    public var versionHashModifier: String?
    /// The name it had in an earlier version of the model.
    public var renamingIdentifier: String?
    /// Free notes of the application.
    public var userInfo: [String: String]

    /// A definition with nothing but what is given.
    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool = false, defaultValue: AttributeValue = .null,
        isTransient: Bool = false, allowsExternalStorage: Bool = false,
        preservesValueOnDeletion: Bool = false,
        isIndexed: Bool = false, isTextIndexed: Bool = false, transformerName: String? = nil,
        derivationExpression: String? = nil,
        validation: AttributeValidation = AttributeValidation(), versionHashModifier: String? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.isTransient = isTransient
        self.allowsExternalStorage = allowsExternalStorage
        self.preservesValueOnDeletion = preservesValueOnDeletion
        self.isIndexed = isIndexed
        self.isTextIndexed = isTextIndexed
        self.transformerName = transformerName
        self.derivationExpression = derivationExpression
        self.validation = validation
        self.versionHashModifier = versionHashModifier
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
    }
}

/// What a value must satisfy when it is saved; a bound that is `nil` does not bind.
public struct AttributeValidation: Sendable, Hashable {
    /// The least number, date (seconds since 2001-01-01 UTC) or length of a text, in UTF-16 units as Core
    /// Data counts it.
    public var minimum: Double?
    /// The greatest number, date (seconds since 2001-01-01 UTC) or length of a text, in UTF-16 units as Core
    /// Data counts it.
    public var maximum: Double?
    /// A regular expression that the whole text matches.
    public var regularExpression: String?
    /// Predicates that the value satisfies; contexts judge them, and they do not travel with the model.
    public var predicates: [ValidationPredicate]

    /// Rules from bounds, a regular expression and predicates; none by default.
    public init(
        minimum: Double? = nil, maximum: Double? = nil, regularExpression: String? = nil,
        predicates: [ValidationPredicate] = []
    ) {
        self.minimum = minimum
        self.maximum = maximum
        self.regularExpression = regularExpression
        self.predicates = predicates
    }
}

/// A predicate that values of an attribute satisfy, and the message for a value that does not.
public struct ValidationPredicate: Sendable, Hashable {
    /// The predicate, with the value as `SELF`, and `length` for a text's count of UTF-16 units.
    public var format: String
    /// What is wrong if it is not satisfied, for people.
    public var message: String

    /// A rule from a predicate's format, and the message for values that do not satisfy it.
    public init(format: String, message: String) {
        self.format = format
        self.message = message
    }
}

/// How a relationship is declared.
public struct RelationshipDefinition: Sendable, Hashable {
    /// The name, unique in its entity and those it inherits from.
    public var name: String
    /// The entity at the other end.
    public var destination: String
    /// The relationship at the other end that is kept in step with this one.
    public var inverse: String?
    /// Whether it holds a set of objects instead of at most one.
    public var isToMany: Bool
    /// Whether the objects of a to-many relationship have an order.
    public var isOrdered: Bool
    /// Whether it may be empty when saved.
    public var isOptional: Bool
    /// The least number of objects, if the relationship is not empty.
    public var minimumCount: Int
    /// The greatest number of objects; 0 if there is none.
    public var maximumCount: Int
    /// What happens to the objects at the other end when an object is deleted.
    public var deleteRule: DeleteRule
    /// Whether it is never stored.
    public var isTransient: Bool
    /// Enters the version hash, to force a difference.
    public var versionHashModifier: String?
    /// The name it had in an earlier version of the model.
    public var renamingIdentifier: String?
    /// Free notes of the application.
    public var userInfo: [String: String]

    /// A definition with nothing but what is given; a to-one relationship has a maximum count of 1.
    public init(
        _ name: String, to destination: String, inverse: String? = nil, isToMany: Bool = false,
        isOrdered: Bool = false, isOptional: Bool = true, minimumCount: Int = 0, maximumCount: Int? = nil,
        deleteRule: DeleteRule = .nullify, isTransient: Bool = false, versionHashModifier: String? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.destination = destination
        self.inverse = inverse
        self.isToMany = isToMany
        self.isOrdered = isOrdered
        self.isOptional = isOptional
        self.minimumCount = minimumCount
        self.maximumCount = maximumCount ?? (isToMany ? 0 : 1)
        self.deleteRule = deleteRule
        self.isTransient = isTransient
        self.versionHashModifier = versionHashModifier
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
    }
}

/// What happens to the objects at the other end of a relationship when an object is deleted.
///
/// The raw values are Core Data's.
public enum DeleteRule: UInt32, Sendable, Hashable, CaseIterable {
    /// Nothing: the other end keeps a reference to an object that is gone.
    case noAction = 0
    /// The inverse relationships are set to null.
    case nullify = 1
    /// The objects at the other end are deleted too.
    case cascade = 2
    /// The delete is refused while there are objects at the other end.
    case deny = 3
}

/// A fetch index: attributes and to-one relationships that are looked up or sorted by together.
public struct FetchIndexDefinition: Sendable, Hashable {
    /// How an index finds what it is asked for.
    public enum Kind: Sendable, Hashable {
        /// By the order of values.
        case binary
        /// By ranges of several numbers at once, such as rectangles of a map.
        case rTree
    }

    /// The name, unique in its entity.
    public var name: String
    /// Property names in order, each with its direction.
    public var elements: [Element]
    /// How it finds what it is asked for.
    public var kind: Kind
    /// The format of a predicate: objects that do not satisfy it are not in the index; `nil` if all are.
    public var partialPredicate: String?

    /// One property of an index, or an expression of several.
    public struct Element: Sendable, Hashable {
        /// The property's name; empty for an expression.
        public var property: String
        /// Whether the index runs upwards.
        public var isAscending: Bool
        /// The format of the expression whose values are looked up, if it is not a property alone.
        public var expression: String?

        /// An element of an index: a property in ascending order, or in descending order.
        public init(_ property: String, isAscending: Bool = true) {
            self.property = property
            self.isAscending = isAscending
        }

        /// An element of an index that has the values of an expression.
        public init(expression: String, isAscending: Bool = true) {
            self.init("", isAscending: isAscending)
            self.expression = expression
        }

        /// What its values are of, for people.
        package var subject: String { expression ?? property }
    }

    /// An index over its elements, in their order.
    public init(
        _ name: String, elements: [Element], kind: Kind = .binary, partialPredicate: String? = nil
    ) {
        self.name = name
        self.elements = elements
        self.kind = kind
        self.partialPredicate = partialPredicate
    }

    /// Whether it has all objects by the order of properties.
    package var isPlain: Bool {
        kind == .binary && partialPredicate == nil && elements.allSatisfy { $0.expression == nil }
    }
}
