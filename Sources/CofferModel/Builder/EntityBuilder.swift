/// A part of an entity that stands in the braces of `Entity { … }`: a `Field`, `One`, `Many`, `Fetched`,
/// `Index` or `Unique`.
public protocol EntityElement: Sendable {
    /// Adds itself to the entity.
    func add(to entity: inout EntityDefinition)
}

/// Collects the parts of an entity.
@resultBuilder
public enum EntityBuilder {
    /// One part.
    public static func buildExpression(_ element: any EntityElement) -> [any EntityElement] { [element] }
    /// Parts one after another.
    public static func buildBlock(_ parts: [any EntityElement]...) -> [any EntityElement] {
        parts.flatMap { $0 }
    }
    /// Parts of a loop.
    public static func buildArray(_ parts: [[any EntityElement]]) -> [any EntityElement] {
        parts.flatMap { $0 }
    }
    /// Parts behind a condition.
    public static func buildOptional(_ parts: [any EntityElement]?) -> [any EntityElement] { parts ?? [] }
    /// Parts of the first branch.
    public static func buildEither(first parts: [any EntityElement]) -> [any EntityElement] { parts }
    /// Parts of the second branch.
    public static func buildEither(second parts: [any EntityElement]) -> [any EntityElement] { parts }
}

/// An entity in a model's braces.
public struct Entity: ModelElement, Hashable {
    /// What has been declared so far.
    public var definition: EntityDefinition

    /// An entity with the properties, indexes and constraints in its braces.
    ///
    /// It inherits from its parent; only those that inherit from an abstract entity have objects; the class
    /// name is that of the application's class for its objects.
    public init(
        _ name: String, parent: String? = nil, abstract: Bool = false, className: String? = nil,
        @EntityBuilder _ content: () -> [any EntityElement] = { [] }
    ) {
        definition = EntityDefinition(
            name, superentity: parent, isAbstract: abstract, className: className)
        for element in content() { element.add(to: &definition) }
    }

    /// Adds the entity to a model.
    public func add(to parts: inout ModelParts) { parts.entities.append(definition) }

    /// A copy of the entity with the name it had in an earlier version of the model.
    public func renamed(from identifier: String) -> Entity {
        changed { $0.renamingIdentifier = identifier }
    }

    /// A copy of the entity with a text that enters the version hash, to force a difference.
    public func versionHashModifier(_ modifier: String) -> Entity {
        changed { $0.versionHashModifier = modifier }
    }

    /// A copy of the entity with notes of the application.
    public func userInfo(_ userInfo: [String: String]) -> Entity {
        changed { $0.userInfo.merge(userInfo) { $1 } }
    }

    private func changed(_ change: (inout EntityDefinition) -> Void) -> Entity {
        var copy = self
        change(&copy.definition)
        return copy
    }
}

/// An attribute in an entity's braces; mandatory unless it is `optional()`.
public struct Field: EntityElement, Hashable {
    /// What has been declared so far.
    public var definition: AttributeDefinition

    /// An attribute of a type.
    public init(_ name: String, _ type: AttributeType) {
        definition = AttributeDefinition(name, type)
    }

    /// Adds the attribute to an entity.
    public func add(to entity: inout EntityDefinition) { entity.attributes.append(definition) }

    /// A copy of the attribute that may be null when saved.
    public func optional(_ isOptional: Bool = true) -> Field { changed { $0.isOptional = isOptional } }

    /// A copy of the attribute with what a new object starts with, in the attribute's type if that keeps
    /// its value: `default(0)` for a double.
    ///
    /// A default that does not fit is an error of the model.
    public func `default`(_ value: some QueryArgument) -> Field {
        changed { definition in
            guard case .constant(let constant) = value.queryExpression else { return }
            definition.defaultValue =
                constant.isNull ? .null : constant.coerced(to: definition.type) ?? constant
        }
    }

    /// A copy of the attribute with an index of its own.
    public func indexed() -> Field { changed { $0.isIndexed = true } }

    /// A copy of the attribute in the full-text index of its store, which makes `CONTAINS[cd]` with three
    /// characters or more quick; for strings.
    ///
    /// The index takes about three times the room of the texts, and as much more work to save them. A store
    /// that was made without it gets it when it is opened.
    public func textIndexed() -> Field { changed { $0.isTextIndexed = true } }

    /// A copy of the attribute that is never stored.
    public func transient() -> Field { changed { $0.isTransient = true } }

    /// A copy of the attribute with conditions that are checked when an object is saved.
    ///
    /// The bounds are for a number, a date (seconds since 2001-01-01 UTC) or a text's length in UTF-16 units,
    /// as Core Data counts it; the regular expression matches the whole text.
    public func validated(min: Double? = nil, max: Double? = nil, regex: String? = nil) -> Field {
        changed { definition in
            definition.validation.minimum = min
            definition.validation.maximum = max
            definition.validation.regularExpression = regex
        }
    }

    /// A copy of the attribute with a predicate that values satisfy, such as `SELF IN {2, 3, 5}`, and the
    /// message for a value that does not.
    public func validated(_ format: String, message: String) -> Field {
        changed { definition in
            definition.validation.predicates.append(ValidationPredicate(format: format, message: message))
        }
    }

    /// A copy of the attribute whose large values live in files beside the store.
    public func externalStorage() -> Field { changed { $0.allowsExternalStorage = true } }

    /// A copy of the attribute whose last value history keeps when an object is deleted.
    public func preservedOnDeletion() -> Field { changed { $0.preservesValueOnDeletion = true } }

    /// A copy of the attribute with the name of the transformer that makes bytes of its values.
    public func transformer(_ name: String) -> Field { changed { $0.transformerName = name } }

    /// A copy of the attribute that the store computes when something is saved, and that nothing else
    /// writes.
    ///
    /// The expression is an attribute (`name`), or one of a to-one relationship (`author.name`), as it is
    /// or in `canonical:(…)`, `uppercase:(…)` or `lowercase:(…)`; a to-many relationship with `@count`, or
    /// an attribute of its objects with `@sum` (`pages.@count`, `pages.number.@sum`); or `now()`, the time
    /// of the object's last save. Making a store throws if the expression is another one.
    ///
    /// The value is null until the first save, which brings it to the saving context; other contexts learn of
    /// it as of any change. It moves no version: a save of another context is never in conflict because of
    /// it.
    public func derived(from expression: String) -> Field {
        changed { definition in
            definition.derivationExpression = expression
            definition.isOptional = true
        }
    }

    /// A copy of the attribute with the name it had in an earlier version of the model.
    public func renamed(from identifier: String) -> Field { changed { $0.renamingIdentifier = identifier } }

    /// A copy of the attribute with a text that enters the version hash, to force a difference.
    public func versionHashModifier(_ modifier: String) -> Field {
        changed { $0.versionHashModifier = modifier }
    }

    /// A copy of the attribute with free notes of the application.
    public func userInfo(_ userInfo: [String: String]) -> Field {
        changed { $0.userInfo.merge(userInfo) { $1 } }
    }

    private func changed(_ change: (inout AttributeDefinition) -> Void) -> Field {
        var copy = self
        change(&copy.definition)
        return copy
    }
}
