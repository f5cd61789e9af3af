public import CofferModel

/// An object that a save wanted to change, and that was changed or deleted elsewhere since the context read
/// it.
public struct MergeConflict: Sendable, Equatable {
    /// The object.
    public let objectID: ManagedObjectID
    /// Z_OPT of what the context had read.
    public let snapshotVersion: UInt32
    /// Z_OPT in the store; `nil` if the object is deleted.
    public let storedVersion: UInt32?
    /// What the context had read, property by property.
    public let snapshot: [String: AttributeValue]
    /// What the store has; `nil` if the object is deleted.
    public let stored: [String: AttributeValue]?
    /// What the context wanted to write.
    public let wanted: [String: AttributeValue]

    /// The properties that both changed to something else.
    public var properties: [String] {
        guard let stored else { return wanted.keys.sorted() }
        return wanted.keys.filter { stored[$0] != snapshot[$0] && stored[$0] != wanted[$0] }.sorted()
    }
}

/// What forbids a save, of one object.
public struct ValidationFailure: Sendable, Equatable {
    /// What is wrong.
    public enum Reason: String, Sendable, CaseIterable {
        /// Null although a value is required.
        case required = "required"
        /// Below the least number, date or length.
        case tooSmall = "too_small"
        /// Above the greatest number, date or length.
        case tooLarge = "too_large"
        /// The regular expression does not match.
        case noMatch = "no_match"
        /// Fewer objects than the relationship needs.
        case tooFew = "too_few"
        /// More objects than the relationship takes.
        case tooMany = "too_many"
        /// Objects at the other end forbid the delete.
        case deleteDenied = "delete_denied"
        /// The object at the other end does not exist.
        case unknownObject = "unknown_object"
        /// No store can keep the value in such an attribute: it is outside the type's range, or not a number
        /// (NaN).
        case outOfRange = "out_of_range"
        /// A relationship that the model marks as `coffer.acyclic` leads back to the object.
        case circle = "circle"
        /// Such a relationship leads through more than 1,000 objects.
        case tooDeep = "too_deep"
        /// A predicate of the model is not satisfied.
        case predicate = "predicate"
        /// The object's class forbids it.
        case custom = "custom"
    }

    /// The object.
    public let objectID: ManagedObjectID
    /// The property's name; empty if the object's class forbids the object as a whole.
    public let property: String
    /// What is wrong.
    public let reason: Reason
    /// What is wrong, in words for people.
    public let text: String
    /// The value that is wrong; null for relationships, and if there is none.
    public let value: AttributeValue
    /// The predicate of the model that is not satisfied, as the model has it; `nil` for other reasons.
    public var predicate: String?
}

/// Objects that agree although a uniqueness constraint forbids it.
public struct ConstraintConflict: Sendable, Equatable {
    /// The entity of the objects that the save wanted to write.
    public let entityName: String
    /// The attributes in which all agree.
    public let constraint: [String]
    /// What they agree in, attribute by attribute.
    public let values: [String: AttributeValue]
    /// The objects that the save wanted to write, in the order of the save.
    public internal(set) var objectIDs: [ManagedObjectID]
    /// The object that is in the store; `nil` if it is not known, or only objects of the save agree.
    public internal(set) var existingID: ManagedObjectID?
    /// What the store has of it; `nil` if there is none.
    public internal(set) var stored: [String: AttributeValue]?

    /// The first of the objects that the save wanted to write.
    public var objectID: ManagedObjectID { objectIDs[0] }

    /// Conflicts with the same key are one.
    struct Key: Hashable {
        var constraint: [String]
        var values: [String: AttributeValue]
        var existingID: ManagedObjectID?
    }

    var key: Key { Key(constraint: constraint, values: values, existingID: existingID) }
}
