/// Entities, their properties and how they hang together.
///
/// Immutable and checked: what exists is consistent. Entities stand in the order of their numbers in a store:
/// roots by name, each followed depth first by those that inherit from it.
///
/// ```swift
/// let model = try ManagedObjectModel {
///     Entity("Note") { Field("title", .string) }
/// }
/// print(model.entity(named: "Note")?.properties.count ?? 0)
/// ```
public final class ManagedObjectModel: Sendable {
    /// All entities, in the order of their numbers in a store.
    public let entities: [EntityDescription]
    /// The entity names of each configuration.
    ///
    /// Every model also has the configuration `Default`, which holds all entities and is not listed here.
    public let configurations: [String: [String]]
    /// Names of the model's version, for people.
    public let versionIdentifiers: [String]
    /// Fetch requests that are kept under names, in the order they were given.
    public let fetchRequestTemplates: [FetchRequestTemplate]
    /// The application's classes for objects, by the names of their entities; no part of what makes models
    /// equal.
    package let objectClasses: [String: AnyObject.Type]
    /// The names of the properties of a class by their key paths, for predicates of Foundation.
    package let keyPathNames: @Sendable (AnyObject.Type) -> [AnyKeyPath: String]
    private let entityIndices: [String: Int]

    /// Joins definitions into a model.
    ///
    /// - Throws: `ModelError`, naming the entity and property, if a name is used twice or not at all,
    ///   inheritance runs in a circle, an inverse does not fit, a default, constraint, delete rule or
    ///   order does not fit; `tooLarge` for more than 2,000 entities, 1,000 properties of one entity,
    ///   50,000 of all, each counted again for each entity that inherits it, or 100 levels of inheritance.
    public init(
        entities definitions: [EntityDefinition], configurations: [String: [String]] = [:],
        versionIdentifiers: [String] = [], fetchRequestTemplates: [FetchRequestTemplate] = []
    ) throws(ModelError) {
        let entities = try ModelAssembly(definitions).descriptions()
        self.entities = entities
        self.configurations = configurations
        self.versionIdentifiers = versionIdentifiers
        self.fetchRequestTemplates = fetchRequestTemplates
        objectClasses = [:]
        keyPathNames = { _ in [:] }
        entityIndices = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.index) })
        for (configuration, members) in configurations {
            for member in members where entityIndices[member] == nil {
                throw .unknownEntity(member, in: "configuration \(configuration)")
            }
        }
        var names: Set<String> = []
        for template in fetchRequestTemplates {
            guard names.insert(template.name).inserted else {
                throw .duplicateName(template.name, in: "the fetch request templates")
            }
            guard entityIndices[template.entityName] != nil else {
                throw .unknownEntity(template.entityName, in: "fetch request template \(template.name)")
            }
            try checkOrder(of: template, in: "the order of fetch request template \(template.name)")
        }
        for entity in entities {
            for property in entity.fetchedProperties {
                try checkOrder(of: property.request, in: "the order of \(entity.name).\(property.name)")
            }
        }
    }

    /// Throws if a request is to be ordered by what does not exist, or by many objects at once.
    private func checkOrder(of request: FetchRequestTemplate, in place: String) throws(ModelError) {
        for sort in request.sortDescriptors {
            var entity = entity(named: request.entityName)
            for name in sort.keyPath {
                guard let property = entity?.property(named: name) else {
                    throw .unknownProperty(sort.keyPath.joined(separator: "."), in: place)
                }
                guard let relationship = property.relationship else {
                    entity = nil
                    continue
                }
                if relationship.isToMany {
                    throw .withoutColumn(name, in: place, reason: "it leads to many objects")
                }
                entity = destination(of: relationship)
            }
        }
    }

    /// The model with classes for the objects of its entities, and the names of their properties by key
    /// paths.
    package init(
        _ model: ManagedObjectModel, objectClasses: [String: AnyObject.Type],
        keyPathNames: (@Sendable (AnyObject.Type) -> [AnyKeyPath: String])? = nil
    ) {
        entities = model.entities
        configurations = model.configurations
        versionIdentifiers = model.versionIdentifiers
        fetchRequestTemplates = model.fetchRequestTemplates
        entityIndices = model.entityIndices
        self.objectClasses = objectClasses
        self.keyPathNames = keyPathNames ?? model.keyPathNames
    }
}

extension ManagedObjectModel {
    /// The name of the configuration that holds all entities.
    public static let defaultConfiguration = "Default"

    /// An entity by name.
    public func entity(named name: String) -> EntityDescription? {
        entityIndices[name].map { entities[$0] }
    }

    /// A fetch request template by name.
    public func fetchRequestTemplate(forName name: String) -> FetchRequestTemplate? {
        fetchRequestTemplates.first { $0.name == name }
    }

    /// The entity at the other end of a relationship.
    public func destination(of relationship: RelationshipDescription) -> EntityDescription {
        entities[relationship.destinationIndex]
    }

    /// The relationship at the other end that is kept in step with this one.
    public func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
        relationship.inverseIndex.flatMap { destination(of: relationship).properties[$0].relationship }
    }

    /// The entities of a configuration; all of them for `Default`, `nil` if there is no such
    /// configuration.
    public func entities(in configuration: String) -> [EntityDescription]? {
        if let members = configurations[configuration] {
            return members.compactMap { entity(named: $0) }
        }
        return configuration == Self.defaultConfiguration ? entities : nil
    }
}

extension ManagedObjectModel: Hashable {
    /// Whether both have the same entities, configurations and fetch request templates.
    public static func == (left: ManagedObjectModel, right: ManagedObjectModel) -> Bool {
        left === right
            || (left.entities == right.entities && left.configurations == right.configurations
                && left.fetchRequestTemplates == right.fetchRequestTemplates)
    }

    /// Hashes the entities' names.
    public func hash(into hasher: inout Hasher) { hasher.combine(entities.map(\.name)) }
}
