/// Which elements of a model are which of an earlier one, as migrations have it.
package enum ModelOrigins {
    /// For each entity of `model` the place of the one that it was in `former`; `nil` if it is new.
    ///
    /// - Throws: `MigrationError.ambiguousRenaming`.
    package static func entities(
        of model: ManagedObjectModel, from former: ManagedObjectModel
    ) throws(MigrationError) -> [Int?] {
        try ModelMatch.entities(former, model)
    }

    /// For each property of `entity`, inherited ones included, the place of the one that it was in `former`;
    /// `nil` if it is new.
    ///
    /// - Throws: `MigrationError.ambiguousRenaming`.
    package static func properties(
        of entity: EntityDescription, from former: EntityDescription
    ) throws(MigrationError) -> [Int?] {
        try ModelMatch.properties(former, entity)
    }
}
