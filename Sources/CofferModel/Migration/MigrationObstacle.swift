/// Why a store cannot be taken to a model as the two models alone say; nothing was written.
package enum MigrationObstacle: Sendable, Equatable, Codable {
    /// A value that is in the way, with the object that has it.
    package struct Example: Sendable, Equatable, Codable {
        /// The object's entity, as it was called.
        package let entity: String
        /// The object's key.
        package let key: Int64
        /// The value, as text; `nil` if there is none.
        package let value: String?

        /// An object and its value.
        package init(entity: String, key: Int64, value: String?) {
            self.entity = entity
            self.key = key
            self.value = value
        }
    }

    /// Objects that share values that must be unique.
    package struct Duplicates: Sendable, Equatable, Codable {
        /// The values that they have in common, as texts.
        package let values: [String]
        /// How many they are.
        package let count: Int
        /// The keys of the first of them.
        package let keys: [Int64]

        /// Objects that have `values` in common.
        package init(values: [String], count: Int, keys: [Int64]) {
            self.values = values
            self.count = count
            self.keys = keys
        }
    }

    /// The models do not tell what becomes of an element.
    case notInferable(text: String)
    /// Values of an attribute stand for nothing of its new type.
    case unconvertible(
        entity: String, attribute: String, from: String, to: String, count: Int, examples: [Example])
    /// Objects lack a value, or an object at the other end, that they must have from now on, and there is no
    /// default.
    case missing(entity: String, property: String, count: Int, examples: [Example])
    /// Objects share values that must be unique from now on.
    case duplicates(entity: String, constraint: [String], count: Int, groups: [Duplicates])
    /// There are objects of an entity that may have none.
    case abstract(entity: String, count: Int)
    /// Objects are related by a relationship for which no store has a place.
    case unstorable(entity: String, relationship: String, count: Int)
    /// A table has rows of no entity of the model.
    case stray(table: String, count: Int)
    /// Something in the file's schema is neither Coffer's nor Core Data's, and would run.
    case foreign(item: String)
}

extension MigrationObstacle: CustomStringConvertible {
    /// What is wrong and what to do, in a sentence or two; without values of objects.
    package var description: String {
        switch self {
        case .notInferable(let text): text
        case .unconvertible(let entity, let attribute, let from, let to, let count, let examples):
            "\(Self.number(count, "value")) of '\(entity).\(attribute)' cannot be turned from \(from) into \(to), "
                + "that of \(Self.names(examples)) first: change them before, or migrate over a model in between."
        case .missing(let entity, let property, let count, let examples):
            "'\(entity).\(property)' is required and has no default, and \(Self.number(count, "object")) would have "
                + "nothing there, \(Self.names(examples)) first: make it optional, or give an attribute a default."
        case .duplicates(let entity, let constraint, let count, let groups):
            "No two objects of '\(entity)' may agree in \(constraint.joined(separator: " and ")), and \(Self.number(count, "group")) do, "
                + "\(groups.map { "p\($0.keys.map(String.init).joined(separator: ", p"))" }.joined(separator: "; ")) first: "
                + "change or delete some before."
        case .abstract(let entity, let count):
            "'\(entity)' is abstract, and \(Self.number(count, "object")) would be of it: delete them before, or let it be concrete."
        case .unstorable(let entity, let relationship, let count):
            "'\(entity).\(relationship)' leads to many objects and has no inverse, so that no store has a place for "
                + "\(Self.number(count, "reference")): give it an inverse."
        case .stray(let table, let count):
            "\(Self.number(count, "row")) of table \(table) are of no entity of the model that the store keeps: it is damaged."
        case .foreign(let item):
            "Its \(item) is neither Coffer's nor Core Data's, and may not fit the new model: remove it with another tool before."
        }
    }

    private static func names(_ examples: [Example]) -> String {
        examples.map { "\($0.entity)/p\($0.key)" }.joined(separator: ", ")
    }

    private static func number(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }
}
