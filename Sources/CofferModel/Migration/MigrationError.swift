/// Why a store cannot be taken from one model to another so; nothing was written.
///
/// Each says which element is at fault. The ways out are the same for all that the models alone do not tell:
/// a version of the model in between (a stage), or a mapping model with a policy that says what becomes of
/// the values.
@nonexhaustive
public enum MigrationError: Error, Equatable, Sendable {
    /// Several new elements say that they were one old one: give each an identifier of its own.
    case ambiguousRenaming(place: String, old: String, new: [String])
    /// Entities of several trees are to be in one: their keys would meet.
    case mergedHierarchies(entity: String, roots: [String])
    /// An attribute is to have a type that its values cannot be turned into.
    case typeChange(entity: String, attribute: String, from: AttributeType, to: AttributeType)
    /// A property that was an attribute is to be a relationship, or the other way round: rename it, and say
    /// what becomes of its values.
    case kindChange(entity: String, property: String)
    /// A relationship is to lead to objects of which none could be at its end before.
    case destinationChange(entity: String, relationship: String, from: String, to: String)
    /// A relationship is to have another relationship for its inverse than that which knows its objects.
    case inverseChange(entity: String, relationship: String)
    /// A mapping model says what does not fit the models, or what is not supported: in the entity mapping,
    /// and at the property if it is about one.
    case invalidMapping(mapping: String, property: String?, reason: String)
}

extension MigrationError {
    /// What else can be done about it than change the models.
    private static let ways =
        "migrate over a version of the model in between, or with a mapping model whose policy says what becomes of it"
}

extension MigrationError: CustomStringConvertible {
    /// What is wrong and what to do, in sentences.
    public var description: String {
        switch self {
        case .ambiguousRenaming(let place, let old, let new):
            "In \(place), '\(new.joined(separator: "' and '"))' all have the renaming identifier of '\(old)': let only one keep it."
        case .mergedHierarchies(let entity, let roots):
            "'\(entity)' would join entities that inherit from '\(roots.joined(separator: "' and '"))', whose objects may "
                + "have the same keys: \(Self.ways)."
        case .typeChange(let entity, let attribute, let from, let to):
            "'\(entity).\(attribute)' cannot go from \(from.name) to \(to.name) by itself: \(Self.ways)."
        case .kindChange(let entity, let property):
            "'\(entity).\(property)' is an attribute in one model and a relationship in the other: rename it, or \(Self.ways)."
        case .destinationChange(let entity, let relationship, let from, let to):
            "'\(entity).\(relationship)' led to '\(from)' and is to lead to '\(to)', which none of its objects is: \(Self.ways)."
        case .inverseChange(let entity, let relationship):
            "'\(entity).\(relationship)' is to have another inverse than before: \(Self.ways)."
        case .invalidMapping(let mapping, let property, let reason):
            "The mapping model's '\(mapping)\(property.map { ".\($0)" } ?? "")' cannot be followed: \(reason)."
        }
    }
}
