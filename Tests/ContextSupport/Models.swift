package import CofferModel

/// People with unique names, and cars with unique number plates.
package enum Garage {
    /// The model.
    package static func model() throws -> ManagedObjectModel {
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
