/// Why definitions do not make a model; says which element is at fault.
@nonexhaustive
public enum ModelError: Error, Equatable, Sendable {
    /// Two entities, or two properties of one entity, have the same name: rename one.
    case duplicateName(String, in: String)
    /// A name is empty or too long, or has characters other than letters of any script, digits and `_`, or
    /// begins with a digit.
    case invalidName(String, in: String)
    /// An entity is named that does not exist.
    case unknownEntity(String, in: String)
    /// A property is named that does not exist.
    case unknownProperty(String, in: String)
    /// Inheritance runs in a circle.
    case circularInheritance(entity: String)
    /// The inverse does not lead back, or not to this entity.
    case inverseMismatch(entity: String, relationship: String, inverse: String)
    /// A default does not fit the attribute's type.
    case defaultValueMismatch(entity: String, attribute: String)
    /// A count, order or delete rule contradicts itself.
    case invalidRelationship(entity: String, relationship: String, reason: String)
    /// A uniqueness constraint or an index names what has no column of values, so that nothing could keep it.
    case withoutColumn(String, in: String, reason: String)
    /// The expression of a derived attribute is not one whose value a store can keep correct.
    case invalidDerivation(entity: String, attribute: String, reason: String)
    /// The model is larger than `Limits` allows.
    case tooLarge(String)
}

extension ModelError: CustomStringConvertible {
    /// What is wrong, as a sentence.
    public var description: String {
        switch self {
        case .duplicateName(let name, let place): "The name '\(name)' is used twice in \(place)."
        case .invalidName(let name, let place):
            "'\(name)' in \(place) cannot be a name: a name has letters of any script, digits and _, begins with a letter or _, "
                + "and is at most \(Limits.nameLength) bytes long."
        case .unknownEntity(let name, let place): "There is no entity '\(name)', which \(place) names."
        case .unknownProperty(let name, let place): "There is no property '\(name)', which \(place) names."
        case .circularInheritance(let entity): "The entity '\(entity)' inherits from itself."
        case .inverseMismatch(let entity, let relationship, let inverse):
            "The inverse '\(inverse)' of '\(entity).\(relationship)' does not lead back to it."
        case .defaultValueMismatch(let entity, let attribute):
            "The default of '\(entity).\(attribute)' does not fit its type."
        case .invalidRelationship(let entity, let relationship, let reason):
            "The relationship '\(entity).\(relationship)' cannot be: \(reason)."
        case .withoutColumn(let name, let place, let reason):
            "'\(name)' cannot be in \(place): \(reason)."
        case .invalidDerivation(let entity, let attribute, let reason):
            "The attribute '\(entity).\(attribute)' cannot be derived so: \(reason)."
        case .tooLarge(let what): "The model is too large: \(what)."
        }
    }
}
