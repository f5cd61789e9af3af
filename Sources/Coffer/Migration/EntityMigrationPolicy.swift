public import CofferModel

/// What an application does itself for the objects of an entity mapping, while a store is migrated.
///
/// One is made for each entity mapping of its name. It is asked in three passes over all entity mappings, in
/// their order, as Core Data's `NSEntityMigrationPolicy`: first what comes of each object, then what these
/// are related to, at last whether all is well. What it does not implement, the mapping model says alone.
/// Whatever it throws ends the migration, and the store is as it was.
///
/// ```swift
/// final class NamePolicy: EntityMigrationPolicy {
///     func createDestinationInstances(
///         for source: ManagedObject, in mapping: MappingModel.Entity, with manager: MigrationManager
///     ) throws {
///         let person = try manager.createDestinationInstance(for: source, in: mapping)
///         guard case .string(let name) = source["name"] else { return }
///         let parts = name.split(separator: " ")
///         person["first"] = .string(parts.first.map { String($0) } ?? "")
///         person["last"] = .string(parts.dropFirst().joined(separator: " "))
///     }
/// }
/// ```
public protocol EntityMigrationPolicy: AnyObject {
    /// Called first, before any object of the mapping is made.
    func begin(_ mapping: MappingModel.Entity, with manager: MigrationManager) throws

    /// Called for each object that the mapping takes: makes what becomes of it, nothing or any number of
    /// objects, and associates them with it.
    func createDestinationInstances(
        for source: ManagedObject, in mapping: MappingModel.Entity, with manager: MigrationManager
    ) throws

    /// Called once all objects of the mapping are made.
    func endInstanceCreation(for mapping: MappingModel.Entity, with manager: MigrationManager) throws

    /// Called for each object that the mapping made, when those of all mappings are there: relates it to
    /// others.
    func createRelationships(
        for destination: ManagedObject, in mapping: MappingModel.Entity, with manager: MigrationManager
    ) throws

    /// Called once all objects of the mapping are related.
    func endRelationshipCreation(for mapping: MappingModel.Entity, with manager: MigrationManager) throws

    /// Called when all objects of all mappings are related: throws what is wrong with those of the mapping.
    ///
    /// What the model demands is judged besides.
    func performCustomValidation(for mapping: MappingModel.Entity, with manager: MigrationManager) throws

    /// Called last.
    func end(_ mapping: MappingModel.Entity, with manager: MigrationManager) throws

    /// What a method gives that an expression of the mapping model calls, as in `FUNCTION($entityPolicy,
    /// "initialsOf:", $source.name)`.
    func value(
        calling method: String, with arguments: [MigrationValue], manager: MigrationManager
    ) throws -> MigrationValue
}

/// What an expression of a mapping model hands to a method of its policy, or gets from it.
public enum MigrationValue {
    /// A value; null if there is none.
    case value(AttributeValue)
    /// Objects: of the source if they are handed in, of the destination if they come back.
    case objects([ManagedObject])
    /// The migration itself: `$manager`.
    case manager
}

extension EntityMigrationPolicy {
    /// Does nothing.
    public func begin(_ mapping: MappingModel.Entity, with manager: MigrationManager) {}

    /// Makes the object that the mapping says, with its attributes; no object if it has no destination.
    ///
    /// - Throws: As `MigrationManager.createDestinationInstance(for:in:)` does.
    public func createDestinationInstances(
        for source: ManagedObject, in mapping: MappingModel.Entity, with manager: MigrationManager
    ) throws {
        if mapping.destination == nil { return }
        try manager.createDestinationInstance(for: source, in: mapping)
    }

    /// Does nothing.
    public func endInstanceCreation(
        for mapping: MappingModel.Entity, with manager: MigrationManager
    ) {}

    /// Relates the object as the mapping says.
    ///
    /// - Throws: As `MigrationManager.createMappedRelationships(for:in:)` does.
    public func createRelationships(
        for destination: ManagedObject, in mapping: MappingModel.Entity, with manager: MigrationManager
    ) throws {
        try manager.createMappedRelationships(for: destination, in: mapping)
    }

    /// Does nothing.
    public func endRelationshipCreation(
        for mapping: MappingModel.Entity, with manager: MigrationManager
    ) {}

    /// Finds nothing wrong.
    public func performCustomValidation(
        for mapping: MappingModel.Entity, with manager: MigrationManager
    ) {}

    /// Does nothing.
    public func end(_ mapping: MappingModel.Entity, with manager: MigrationManager) {}

    /// Knows no method.
    ///
    /// - Throws: `CofferError.unknown` with the method's name.
    public func value(
        calling method: String, with arguments: [MigrationValue], manager: MigrationManager
    ) throws -> MigrationValue {
        throw CofferError.unknown(kind: "method of the policy '\(type(of: self))'", name: method)
    }
}

/// What Core Data does if a mapping model names no class.
package final class MappedPolicy: EntityMigrationPolicy {
    /// The class that mapping models name if they want nothing else.
    package static let usualName = "NSEntityMigrationPolicy"

    /// A policy that does what the mapping model says.
    package init() {}
}

extension MappingModel.Entity {
    /// What makes its policy: that of its name, else that of its class; `nil` if it has none.
    package func policyFactory(
        among policies: [String: () -> any EntityMigrationPolicy]
    ) -> (() -> any EntityMigrationPolicy)? {
        policies[name] ?? policyClassName.flatMap { policies[$0] }
    }
}
