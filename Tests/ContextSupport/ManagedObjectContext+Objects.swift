package import Coffer
public import CofferModel

extension ManagedObjectContext {
    /// A new object with values.
    @discardableResult
    package func make(_ entity: String, _ values: [String: AttributeValue]) throws -> ManagedObject {
        let object = try insert(entityNamed: entity)
        for (key, value) in values { try object.setValue(value, forKey: key) }
        return object
    }

    /// All objects of an entity.
    package func all(_ entity: String) throws -> [ManagedObject] {
        try fetch(FetchRequest<ManagedObject>(entityName: entity))
    }

    /// The texts of an attribute of all objects of an entity, in order.
    package func texts(_ entity: String, _ key: String) throws -> [String] {
        try all(entity).map { $0[key].text }.sorted()
    }
}

extension AttributeValue {
    /// For comparing in tests.
    package var text: String {
        switch self {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .null: "-"
        default: "\(self)"
        }
    }
}

extension AttributeValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral
{
    /// A value from a literal.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A value from a literal.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A value from a literal.
    public init(floatLiteral value: Double) { self = .double(value) }
}
