internal import CofferFormats
internal import CofferModel

/// Which entities and properties of a model the names of a file mean.
///
/// XML stores have entities in upper case and properties in lower case; a name that is not one of the model's
/// is looked for without its case.
struct AtomicNames {
    private let model: ManagedObjectModel
    private let path: String
    /// Whether the file has said by its version hashes that it is of the model.
    private let isHashed: Bool
    private var entities: [String: Int] = [:]
    private var foldedEntities: [String: Int] = [:]
    private var properties: [[String: Int]] = []
    private var foldedProperties: [[String: Int]] = []

    init(of schema: SQLSchema, for content: AtomicStoreContent, path: String) {
        model = schema.model
        self.path = path
        isHashed = content.metadata["NSStoreModelVersionHashes"]?.dictionary?.isEmpty == false
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

    /// The error for an object that is not as its entity is in the model: a file that does not say which
    /// model it was made with may be sound, and of another one.
    func misfit(of entity: String, _ detail: String) -> StoreError {
        if isHashed { return .damaged(path: path, detail: detail) }
        let isKnown = self.entity(entity) != nil
        return .incompatible(
            differing: isKnown ? [entity] : [], missing: [], unknown: isKnown ? [] : [entity],
            changes: [detail])
    }

    /// The values of an object by the index of their attributes.
    func values(of object: AtomicStoreObject, _ plan: EntityPlan) throws(StoreError) -> [Int:
        AtomicStoreValue]
    {
        var values: [Int: AtomicStoreValue] = [:]
        for (name, value) in object.values {
            guard let index = property(name, of: plan.index), plan.properties[index]?.attribute != nil,
                values.updateValue(value, forKey: index) == nil
            else {
                throw misfit(
                    of: plan.name,
                    "the object '\(object.id)' has an attribute '\(name)' that '\(plan.name)' has not")
            }
        }
        return values
    }
}
