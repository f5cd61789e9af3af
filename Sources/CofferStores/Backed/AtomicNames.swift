internal import CofferFormats
internal import CofferModel

/// Which entities and properties of a model the names of a file mean.
///
/// XML stores have entities in upper case and properties in lower case; a name that is not one of the model's
/// is looked for without its case.
struct AtomicNames {
    private let model: ManagedObjectModel
    private var entities: [String: Int] = [:]
    private var foldedEntities: [String: Int] = [:]
    private var properties: [[String: Int]] = []
    private var foldedProperties: [[String: Int]] = []

    init(of schema: SQLSchema) {
        model = schema.model
        for entity in model.entities where schema.entities[entity.index] != nil {
            entities[entity.name] = entity.index
            foldedEntities[entity.name.uppercased()] = entity.index
        }
        for entity in model.entities {
            var (exact, folded): ([String: Int], [String: Int]) = ([:], [:])
            for (index, property) in entity.properties.enumerated() {
                exact[property.name] = index
                folded[property.name.lowercased()] = index
            }
            properties.append(exact)
            foldedProperties.append(folded)
        }
    }

    /// An entity by its name.
    func entity(_ name: String) -> Int? { entities[name] ?? foldedEntities[name.uppercased()] }

    /// A property of an entity by its name.
    func property(_ name: String, of entity: Int) -> Int? {
        properties[entity][name] ?? foldedProperties[entity][name.lowercased()]
    }

    /// The values of an object by the index of their attributes.
    func values(
        of object: AtomicStoreObject, _ plan: EntityPlan, path: String
    ) throws(StoreError) -> [Int: AtomicStoreValue] {
        var values: [Int: AtomicStoreValue] = [:]
        for (name, value) in object.values {
            guard let index = property(name, of: plan.index), plan.properties[index]?.attribute != nil,
                values.updateValue(value, forKey: index) == nil
            else {
                throw .damaged(
                    path: path,
                    detail: "the object '\(object.id)' has an attribute '\(name)' that '\(plan.name)' has not"
                )
            }
        }
        return values
    }
}
