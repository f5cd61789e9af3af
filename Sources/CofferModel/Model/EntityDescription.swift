/// An entity of a model, joined with those it inherits from.
///
/// Immutable; made by `ManagedObjectModel`. Other entities are named by their index in `model.entities`.
public final class EntityDescription: Sendable {
    /// The name, unique in its model.
    public let name: String
    /// The place in `model.entities`; the entity's number in a new store is one more.
    public let index: Int
    /// What was declared of the entity itself.
    public let definition: EntityDefinition
    /// The entity it inherits from.
    public let superentityIndex: Int?
    /// The entities that inherit from it directly.
    public let subentityIndices: [Int]
    /// The top of its inheritance tree; itself if it inherits from none.
    public let rootIndex: Int
    /// The name of the top of its inheritance tree: whose table keeps its objects.
    public let rootName: String
    /// Itself and all that inherit from it, directly or not: contiguous, since entities stand depth first.
    public let familyIndices: Range<Int>
    /// All properties: inherited ones first, in their entity's order, then its own by name.
    ///
    /// So a property has the same index in an entity and in all that inherit from it.
    public let properties: [PropertyDescription]
    /// All fetched properties: inherited ones first, in their entity's order.
    public let fetchedProperties: [FetchedPropertyDefinition]
    /// All attributes, inherited ones included.
    public let attributes: [AttributeDescription]
    /// All relationships, inherited ones included.
    public let relationships: [RelationshipDescription]
    private let propertyIndices: [String: Int]

    /// Whether only sub-entities have objects.
    public var isAbstract: Bool { definition.isAbstract }

    package init(
        definition: EntityDefinition, index: Int, superentityIndex: Int?, subentityIndices: [Int],
        rootIndex: Int, rootName: String, familyIndices: Range<Int>, properties: [PropertyDescription],
        fetchedProperties: [FetchedPropertyDefinition] = []
    ) {
        self.name = definition.name
        self.definition = definition
        self.index = index
        self.superentityIndex = superentityIndex
        self.subentityIndices = subentityIndices
        self.rootIndex = rootIndex
        self.rootName = rootName
        self.familyIndices = familyIndices
        self.properties = properties
        self.fetchedProperties = fetchedProperties
        attributes = properties.compactMap(\.attribute)
        relationships = properties.compactMap(\.relationship)
        propertyIndices = Dictionary(uniqueKeysWithValues: properties.enumerated().map { ($1.name, $0) })
    }
}

extension EntityDescription {
    /// The place of a property in `properties`.
    public func propertyIndex(named name: String) -> Int? { propertyIndices[name] }

    /// A property by name, inherited ones included.
    public func property(named name: String) -> PropertyDescription? {
        propertyIndices[name].map { properties[$0] }
    }

    /// A fetched property by name, inherited ones included.
    public func fetchedProperty(named name: String) -> FetchedPropertyDefinition? {
        fetchedProperties.first { $0.name == name }
    }

    /// The places of the stored attributes, inherited ones included, whose values may be in files beside a
    /// store.
    package var externalIndices: [Int] {
        properties.indices.filter { index in
            !properties[index].isTransient && (properties[index].attribute?.allowsExternalStorage ?? false)
        }
    }

    /// Whether it is `other` or inherits from it.
    public func isKind(of other: EntityDescription) -> Bool { other.familyIndices.contains(index) }
}

extension EntityDescription: Hashable {
    /// Whether both describe an entity alike.
    public static func == (left: EntityDescription, right: EntityDescription) -> Bool {
        left === right
            || (left.index == right.index && left.definition == right.definition
                && left.properties == right.properties)
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
