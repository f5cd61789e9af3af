/// A fetch request that a model keeps under a name, with variables to be filled in: a `fetchRequest` of
/// Xcode's editor.
///
/// Also a part of a model's braces:
///
/// ```swift
/// FetchRequestTemplate("longBooks", entityName: "Book", predicate: "pages >= $LEAST", limit: 10)
/// ```
public struct FetchRequestTemplate: Sendable, Hashable {
    /// The name, unique in its model.
    public var name: String
    /// The name of the entity whose objects are fetched.
    public var entityName: String
    /// What is demanded of objects, as text in which `$NAME` is a variable; all fit if it is `nil`.
    ///
    /// It is read when a request is made of the template, so that a model with one that we cannot read is
    /// still a model.
    public var predicate: String?
    /// At most so many; 0 for all.
    public var limit: Int
    /// Whether objects of entities that inherit from the entity are included.
    public var includesSubentities: Bool
    /// Whether what a context did not save yet takes part.
    public var includesPendingChanges: Bool
    /// Whether equal dictionaries are given once.
    public var returnsDistinctResults: Bool
    /// The order of the results, the first counts most.
    ///
    /// Core Data's editor has none for them, and the form in which a store keeps its model for Core Data does
    /// not keep it.
    public var sortDescriptors: [QuerySort]

    /// A template under a name, for all objects of an entity unless a predicate or limit is given.
    public init(
        _ name: String, entityName: String, predicate: String? = nil, limit: Int = 0,
        includesSubentities: Bool = true, includesPendingChanges: Bool = true,
        returnsDistinctResults: Bool = false, sortDescriptors: [QuerySort] = []
    ) {
        self.name = name
        self.entityName = entityName
        self.predicate = predicate
        self.limit = limit
        self.includesSubentities = includesSubentities
        self.includesPendingChanges = includesPendingChanges
        self.returnsDistinctResults = returnsDistinctResults
        self.sortDescriptors = sortDescriptors
    }
}

extension FetchRequestTemplate: ModelElement {
    /// Adds the template to a model.
    public func add(to parts: inout ModelParts) { parts.fetchRequestTemplates.append(self) }
}

/// How a fetched property is declared: objects that are found by a request of the object's own, and not
/// related by the store.
public struct FetchedPropertyDefinition: Sendable, Hashable {
    /// The name, unique in its entity and those it inherits from.
    public var name: String
    /// The request; in its predicate `$FETCH_SOURCE` is the object, and `$FETCHED_PROPERTY` this description,
    /// with `name` and `userInfo`.
    public var request: FetchRequestTemplate
    /// Free notes of the application.
    public var userInfo: [String: String]

    /// A definition under a name; the request's own name is not used.
    public init(_ name: String, request: FetchRequestTemplate, userInfo: [String: String] = [:]) {
        self.name = name
        self.request = request
        self.userInfo = userInfo
    }
}

/// A fetched property in an entity's braces.
///
/// ```swift
/// Fetched("reviews", entityName: "Review", predicate: "bookCode == $FETCH_SOURCE.code")
/// ```
public struct Fetched: EntityElement, Hashable {
    /// What has been declared so far.
    public var definition: FetchedPropertyDefinition

    /// The objects of an entity that fit; in the predicate `$FETCH_SOURCE` is the object whose property it
    /// is.
    public init(
        _ name: String, entityName: String, predicate: String? = nil, limit: Int = 0,
        includesSubentities: Bool = true, sortDescriptors: [QuerySort] = [],
        userInfo: [String: String] = [:]
    ) {
        definition = FetchedPropertyDefinition(
            name,
            request: FetchRequestTemplate(
                Self.requestName, entityName: entityName, predicate: predicate, limit: limit,
                includesSubentities: includesSubentities, sortDescriptors: sortDescriptors),
            userInfo: userInfo)
    }

    /// What Xcode calls the request of every fetched property.
    package static let requestName = "fetchedPropertyFetchRequest"

    /// Adds the property to an entity.
    public func add(to entity: inout EntityDefinition) { entity.fetchedProperties.append(definition) }
}
