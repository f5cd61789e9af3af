internal import CofferModel

/// A column in which the rows of an entity name the owner that has them in a to-many relationship without
/// inverse.
struct OwnerKey {
    /// The column, ready to stand in SQL.
    let column: String
    /// The relationship's index in all entities that have it.
    let property: Int
    /// The root of the owners' tree.
    let root: Int
    /// The column in which the rows keep an order, too; `nil` if they keep none.
    let order: String?

    /// The columns of one entity, including those of its parents.
    static func all(of entity: EntityDescription, in schema: SQLSchema) -> [OwnerKey] {
        let model = schema.model
        var keys: [OwnerKey] = []
        for place in model.entities.indices where model.entities[place].familyIndices.contains(entity.index) {
            for relationship in model.ownerKept(by: place, schema.numbers) {
                let owners = model.entities[relationship.declaringEntityIndex]
                let owner = owners.familyIndices.compactMap { schema.entities[$0] }.first
                guard case .toMany(_, let column, _, let order, _) = owner?.columns[relationship.index] else {
                    continue
                }
                keys.append(
                    OwnerKey(
                        column: column, property: relationship.index, root: owners.rootIndex,
                        order: order))
            }
        }
        return keys
    }
}
