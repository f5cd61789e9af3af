/// What an expression gives, as far as a model tells.
struct PredicateShape {
    /// The kind of a value, or of each value of a collection.
    enum Kind {
        /// Null, and so comparable with anything.
        case null
        /// A constant, whose type follows from what it is compared with.
        case constant(AttributeValue)
        /// A collection of constants and others, compared one by one.
        case mixed([PredicateShape])
        /// The result of arithmetic.
        case number
        /// A value of an attribute.
        case attribute(AttributeType)
        /// An object of an entity.
        case object(EntityDescription)
    }

    /// What values can be compared with each other.
    enum Family: Hashable {
        case number
        case text
        case date
        case bytes
        case uuid
        case object(root: String)
    }

    var kind: Kind
    var isMany = false
    /// Whether the values of a collection have an order.
    var isOrdered = false

    init(_ kind: Kind, isMany: Bool = false) {
        self.kind = kind
        self.isMany = isMany
    }

    /// The family; `nil` for null and for a collection of different kinds.
    var family: Family? {
        switch kind {
        case .null, .mixed: nil
        case .number: .number
        case .constant(let value): Self.family(of: value)
        case .attribute(let type): Self.family(of: type)
        case .object(let entity): .object(root: entity.rootName)
        }
    }

    /// What it is called in messages.
    var name: String {
        switch kind {
        case .null: "null"
        case .constant(let value): value.kindName
        case .mixed: "a collection"
        case .number: "a number"
        case .attribute(let type): type.valueName
        case .object(let entity): "an object of entity '\(entity.name)'"
        }
    }

    private static func family(of type: AttributeType) -> Family {
        switch type {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean: .number
        case .string, .uri: .text
        case .date: .date
        case .binary, .transformable: .bytes
        case .uuid: .uuid
        }
    }

    private static func family(of value: AttributeValue) -> Family? {
        switch value {
        case .null: nil
        case .integer, .boolean, .double, .float, .decimal: .number
        case .string, .uri: .text
        case .date: .date
        case .binary, .transformable: .bytes
        case .uuid: .uuid
        case .object(let id): .object(root: id.entity.rootName)
        }
    }
}
