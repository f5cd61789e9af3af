/// Which elements of one model are which of an earlier one: by renaming identifiers, else by name.
///
/// What has both its name and its identifier still is itself. A new element that says what it was called is
/// that one, by the old one's own identifier, else by its name; after those, equal names are the same, and
/// last an old identifier that is the new name. Each old element is taken once.
struct ModelMatch {
    /// An element as it is matched.
    struct Element {
        let name: String
        /// What it says that it was called; `nil` if that is its name.
        let identifier: String?

        init(name: String, identifier: String?) {
            self.name = name
            self.identifier = identifier == name ? nil : identifier
        }
    }

    /// By the place of the new element: that of the old one; `nil` if it is new.
    let origins: [Int?]

    /// Matches elements; `place` is what an error says they are in.
    ///
    /// - Throws: `MigrationError.ambiguousRenaming`.
    init(from old: [Element], to new: [Element], in place: String) throws(MigrationError) {
        var origins = [Int?](repeating: nil, count: new.count)
        var claimed: [Int: Int] = [:]
        let names = Self.places(old.map(\.name))
        // Only what is said: an element's name must not hide the identifier of another one.
        let identifiers = Self.places(old.map(\.identifier))
        for (index, element) in new.enumerated() {
            guard let identifier = element.identifier, let origin = names[element.name],
                old[origin].identifier == identifier
            else { continue }
            claimed[origin] = index
            origins[index] = origin
        }
        for (index, element) in new.enumerated() where origins[index] == nil {
            guard let identifier = element.identifier,
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

    private static func places(_ names: [String?]) -> [String: Int] {
        let places = names.enumerated().compactMap { index, name in name.map { ($0, index) } }
        return Dictionary(places) { first, _ in first }
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
    package var renamingIdentifier: String? {
        switch self {
        case .attribute(let attribute): attribute.renamingIdentifier
        case .relationship(let relationship): relationship.renamingIdentifier
        }
    }

    /// Its place in its entity's properties.
    package var index: Int {
        switch self {
        case .attribute(let attribute): attribute.index
        case .relationship(let relationship): relationship.index
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
