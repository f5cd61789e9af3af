import CofferModel

extension ClassPlanning {
    /// The fetched properties that the entity's class adds to those of the class it inherits from, which is
    /// that of `parent`.
    func fetchedProperties(
        of entity: EntityDescription, after parent: EntityDescription?
    ) -> [ClassPlan.FetchedProperty] {
        entity.fetchedProperties.dropFirst(parent?.fetchedProperties.count ?? 0).map { property in
            let name = swiftName(of: property, in: entity)
            return ClassPlan.FetchedProperty(
                key: property.name, name: name,
                target: model.entity(named: property.request.entityName).flatMap { knownClass(of: $0) },
                documentation: Documentation.lines(of: property, swiftName: name))
        }
    }

    /// Gives the entity's own fetched properties their names in Swift, which are not among `taken` and
    /// `inherited`.
    func namesOfFetched(
        of entity: EntityDescription, _ taken: [String: String], _ inherited: [String: String]
    ) throws(GenerationError) -> [String: String] {
        var names = inherited
        for property in entity.fetchedProperties.dropFirst(inherited.count) {
            let name = swiftName(of: property, in: entity)
            let reason: String? =
                if !SwiftName.isIdentifier(name) {
                    "a property's name has letters, digits and _ only"
                } else if isReserved(name, in: entity) {
                    "its class has another use for that name"
                } else if let other = taken[name] ?? names.updateValue(property.name, forKey: name) {
                    "'\(other)' has that name, too"
                } else { nil }
            if let reason {
                throw .invalidPropertyName(name, entity: entity.name, property: property.name, reason: reason)
            }
        }
        return names
    }

    private func swiftName(of property: FetchedPropertyDefinition, in entity: EntityDescription) -> String {
        property.userInfo["coffer.name"]
            ?? (isReserved(property.name, in: entity) ? property.name + "Objects" : property.name)
    }
}
