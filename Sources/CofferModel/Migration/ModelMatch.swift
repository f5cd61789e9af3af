/// Which elements of one model are which of an earlier one: by renaming identifiers, else by name.
///
/// A new element that says what it was called is that one, by the old one's own identifier or name; after
/// those, equal names are the same, and last an old identifier that is the new name. Each old element is
/// taken once.
struct ModelMatch {
    /// An element as it is matched.
    struct Element {
        var name: String
        var identifier: String?
    }

    /// By the place of the new element: that of the old one; `nil` where it is new.
    let origins: [Int?]

    /// Matches elements; `place` is what an error says they are in.
    ///
    /// - Throws: `MigrationError.ambiguousRenaming`.
    init(from old: [Element], to new: [Element], in place: String) throws(MigrationError) {
        var origins = [Int?](repeating: nil, count: new.count)
        var claimed: [Int: Int] = [:]
        let names = Self.places(old.map(\.name))
        let identifiers = Self.places(old.map { $0.identifier ?? $0.name })
        for (index, element) in new.enumerated() {
            guard let identifier = element.identifier, identifier != element.name,
                let origin = identifiers[identifier] ?? names[identifier]
            else { continue }
            if let other = claimed.updateValue(index, forKey: origin) {
                throw .ambiguousRenaming(
                    place: place, old: old[origin].name, new: [new[other].name, element.name].sorted())
            }
            origins[index] = origin
        }
        for places in [names, identifiers] {
            for (index, element) in new.enumerated() where origins[index] == nil {
                guard let origin = places[element.name], claimed[origin] == nil else { continue }
                claimed[origin] = index
                origins[index] = origin
            }
        }
        self.origins = origins
    }

    private static func places(_ names: [String]) -> [String: Int] {
        Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    }
}

extension ModelMatch {
    /// Matches the entities of two models.
    static func entities(
        _ source: ManagedObjectModel, _ destination: ManagedObjectModel
    ) throws(MigrationError) -> [Int?] {
        func elements(_ model: ManagedObjectModel) -> [Element] {
            model.entities.map { Element(name: $0.name, identifier: $0.definition.renamingIdentifier) }
        }
        return try ModelMatch(from: elements(source), to: elements(destination), in: "the model").origins
    }

    /// Matches the properties of two entities, inherited ones included.
    static func properties(
        _ source: EntityDescription, _ destination: EntityDescription
    ) throws(MigrationError) -> [Int?] {
        func elements(_ entity: EntityDescription) -> [Element] {
            entity.properties.map { Element(name: $0.name, identifier: $0.renamingIdentifier) }
        }
        return try ModelMatch(
            from: elements(source), to: elements(destination), in: "entity \(destination.name)"
        ).origins
    }
}

extension PropertyDescription {
    /// The name that it had in an earlier version of the model.
    var renamingIdentifier: String? {
        switch self {
        case .attribute(let attribute): attribute.renamingIdentifier
        case .relationship(let relationship): relationship.renamingIdentifier
        }
    }

    /// The entity that declares it.
    package var declaringEntityIndex: Int {
        switch self {
        case .attribute(let attribute): attribute.declaringEntityIndex
        case .relationship(let relationship): relationship.declaringEntityIndex
        }
    }
}
