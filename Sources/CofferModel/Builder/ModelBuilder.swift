/// A part of a model that stands in the braces of `ManagedObjectModel { … }`: an `Entity`, a
/// `Configuration` or a `FetchRequestTemplate`.
public protocol ModelElement: Sendable {
    /// Adds itself to what the model is made of.
    func add(to parts: inout ModelParts)
}

/// What a model is made of, while it is built.
public struct ModelParts: Sendable {
    /// The entities in the order they were written.
    public var entities: [EntityDefinition] = []
    /// The entity names of each configuration.
    public var configurations: [String: [String]] = [:]
    /// The fetch request templates in the order they were written.
    public var fetchRequestTemplates: [FetchRequestTemplate] = []
}

/// Collects the parts of a model.
@resultBuilder
public enum ModelBuilder {
    /// One part.
    public static func buildExpression(_ element: any ModelElement) -> [any ModelElement] { [element] }
    /// Parts one after another.
    public static func buildBlock(_ parts: [any ModelElement]...) -> [any ModelElement] {
        parts.flatMap { $0 }
    }
    /// Parts of a loop.
    public static func buildArray(_ parts: [[any ModelElement]]) -> [any ModelElement] {
        parts.flatMap { $0 }
    }
    /// Parts behind a condition.
    public static func buildOptional(_ parts: [any ModelElement]?) -> [any ModelElement] { parts ?? [] }
    /// Parts of the first branch.
    public static func buildEither(first parts: [any ModelElement]) -> [any ModelElement] { parts }
    /// Parts of the second branch.
    public static func buildEither(second parts: [any ModelElement]) -> [any ModelElement] { parts }
}

extension ManagedObjectModel {
    /// Builds a model from its parts.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel {
    ///     Entity("Note") {
    ///         Field("title", .string).optional()
    ///         Field("created", .date).indexed()
    ///         Field("stars", .integer16).default(0).validated(min: 0, max: 5)
    ///         One("folder", "Folder", inverse: "notes")
    ///         Many("tags", "Tag", inverse: "notes")
    ///         Index("byFolderAndTitle", on: "folder", "title")
    ///     }
    ///     Entity("SpecialNote", parent: "Note") {
    ///         Field("reason", .string).default("")
    ///     }
    ///     Entity("Folder") {
    ///         Field("name", .string)
    ///         Many("notes", "Note", inverse: "folder", deleteRule: .cascade)
    ///         Unique("name")
    ///     }
    ///     Entity("Tag") {
    ///         Many("notes", "Note", inverse: "tags")
    ///     }
    ///     Configuration("Local", "Note", "SpecialNote", "Folder", "Tag")
    /// }
    /// ```
    ///
    /// - Throws: `ModelError`, naming the entity and property that does not fit.
    public convenience init(
        versionIdentifiers: [String] = [], @ModelBuilder _ content: () -> [any ModelElement]
    ) throws(ModelError) {
        var parts = ModelParts()
        for element in content() { element.add(to: &parts) }
        try self.init(
            entities: parts.entities, configurations: parts.configurations,
            versionIdentifiers: versionIdentifiers, fetchRequestTemplates: parts.fetchRequestTemplates)
    }
}

/// A named part of a model: the entities whose objects one store keeps.
public struct Configuration: ModelElement, Hashable {
    /// The name.
    public var name: String
    /// The entities' names.
    public var entityNames: [String]

    /// A configuration of the named entities.
    public init(_ name: String, _ entityNames: String...) {
        self.init(name, entityNames)
    }

    /// A configuration of the named entities, in an array.
    public init(_ name: String, _ entityNames: [String]) {
        self.name = name
        self.entityNames = entityNames
    }

    /// Adds the configuration; parts with the same name are one.
    public func add(to parts: inout ModelParts) {
        parts.configurations[name, default: []] += entityNames
    }
}
