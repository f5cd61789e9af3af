internal import CofferModel

/// A to-one relationship without inverse by which rows name objects of an entity.
///
/// When such an object is deleted, they are found by its column alone.
struct LooseReference {
    /// The table of the rows.
    let table: String
    /// The column with the key of the object that they name.
    let column: String
    /// The relationship, as the end that the objects of the entity do not have.
    let end: EntityPlan.Inverse

    /// All of them that may name an object of one entity.
    static func all(to entity: EntityDescription, in schema: SQLSchema) -> [LooseReference] {
        schema.entities.compactMap(\.self).flatMap { namer -> [LooseReference] in
            let description = schema.model.entities[namer.index]
            return zip(description.properties, namer.columns).enumerated().compactMap { place, pair in
                guard let relationship = pair.0.relationship, relationship.inverseIndex == nil,
                    relationship.declaringEntityIndex == namer.index, case .toOne(let column, _, _)? = pair.1,
                    schema.model.destination(of: relationship).familyIndices.contains(entity.index)
                else { return nil }
                return LooseReference(
                    table: namer.table, column: column,
                    end: EntityPlan.Inverse(
                        property: place, owners: description.familyIndices, isToMany: false,
                        isRequired: !relationship.isOptional))
            }
        }
    }
}
