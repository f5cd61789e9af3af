import Coffer
import CofferEmbedded
public import CofferModel
import TestSupport

/// A container over a store in a folder of its own, with no service in between.
func withContainer(
    _ model: ManagedObjectModel, _ body: (PersistentContainer) throws -> Void
) throws {
    try withContainerAndFolder(model) { container, _ in try body(container) }
}

/// A container over a store, and the folder of its own that the store is in.
func withContainerAndFolder(
    _ model: ManagedObjectModel, _ body: (PersistentContainer, _ folder: String) throws -> Void
) throws {
    try withTemporaryFolder { folder in
        let container = try PersistentContainer.embedded(
            name: "Test", model: model, folder: folder, stores: [StoreDescription(name: "Test")])
        try container.loadStores()
        try body(container, folder)
    }
}

/// The same for what waits without blocking its thread.
func withContainerAndFolder(
    _ model: ManagedObjectModel, _ body: (PersistentContainer, _ folder: String) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let container = try PersistentContainer.embedded(
            name: "Test", model: model, folder: folder, stores: [StoreDescription(name: "Test")])
        try await container.loadStores()
        try await body(container, folder)
    }
}

/// People with a number that nobody else has, cars with a plate of their own.
enum Garage {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Person",
                attributes: [
                    AttributeDefinition("name", .string),
                    AttributeDefinition("salary", .integer32, isOptional: true),
                ],
                relationships: [
                    RelationshipDefinition(
                        "cars", to: "Car", inverse: "owner", isToMany: true, deleteRule: .nullify)
                ],
                uniquenessConstraints: [["name"]]),
            EntityDefinition(
                "Car",
                attributes: [
                    AttributeDefinition("numberPlate", .string, preservesValueOnDeletion: true),
                    AttributeDefinition("maker", .string, isOptional: true),
                    AttributeDefinition("speed", .double, isOptional: true, validation: .init(maximum: 500)),
                    AttributeDefinition("doors", .integer16, defaultValue: .integer(4)),
                ],
                relationships: [RelationshipDefinition("owner", to: "Person", inverse: "cars")],
                uniquenessConstraints: [["numberPlate"]]),
            EntityDefinition(
                "SportCar", superentity: "Car",
                attributes: [AttributeDefinition("turbo", .boolean, isOptional: true)]),
        ])
    }
}

extension ManagedObjectContext {
    /// A new object with values.
    @discardableResult
    func make(_ entity: String, _ values: [String: AttributeValue]) throws -> ManagedObject {
        let object = try insert(entityNamed: entity)
        for (key, value) in values { try object.setValue(value, forKey: key) }
        return object
    }

    /// All objects of an entity.
    func all(_ entity: String) throws -> [ManagedObject] {
        try fetch(FetchRequest<ManagedObject>(entityName: entity))
    }

    /// The texts of an attribute of all objects of an entity, in order.
    func texts(_ entity: String, _ key: String) throws -> [String] {
        try all(entity).map { $0[key].text }.sorted()
    }
}

extension AttributeValue {
    /// For comparing in tests.
    var text: String {
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
