package import CofferModel

/// What registers call entities and properties, whatever a version of the model calls them: each by its
/// renaming identifier if it has one, else by its name.
///
/// So machines whose versions of a model name one thing differently write and read the same registers, and
/// logs need no model to be read. An element that is called as another one's identifier says has a number
/// behind it: a new `title` beside a `name` that was called `title` is `title#2`.
package struct CanonicalNames: Sendable, Hashable {
    /// The entities' names, by their places in the model.
    package let entities: [String]
    /// The properties' names, by the places of their entity in the model and of themselves in the entity.
    package let properties: [[String]]

    /// The names for a model.
    package init(_ model: ManagedObjectModel) {
        entities = Self.names(
            of: model.entities.map { Element(name: $0.name, identifier: $0.definition.renamingIdentifier) },
            beside: [])
        var properties: [[String]] = []
        // Entities stand behind those that they inherit from, and so do their own properties.
        for entity in model.entities {
            let inherited = entity.superentityIndex.map { properties[$0] } ?? []
            let own = entity.properties[inherited.count...].map {
                Element(name: $0.name, identifier: $0.renamingIdentifier)
            }
            properties.append(inherited + Self.names(of: own, beside: Set(inherited)))
        }
        self.properties = properties
    }

    /// What registers call a relationship.
    func name(of relationship: RelationshipDescription) -> RelationshipName {
        let entity = relationship.declaringEntityIndex
        return RelationshipName(entities[entity], properties[entity][relationship.index])
    }

    /// What registers call the other ends of to-many relationships without inverse, by the relationships.
    ///
    /// No property has a dot in its name, and a renaming identifier may: what is taken gets a number behind
    /// it.
    func ownerEnds(in model: ManagedObjectModel) -> [RelationshipName: RelationshipName] {
        var taken = Set(properties.joined())
        var ends: [RelationshipName: RelationshipName] = [:]
        for relationship in model.setsWithoutInverse {
            let set = name(of: relationship)
            let wanted = "\(set.entity).\(set.property)"
            let end = Self.free(wanted, beside: &taken)
            ends[set] = RelationshipName(entities[model.destination(of: relationship).index], end)
        }
        return ends
    }

    /// A name that is not taken, and is from then on.
    private static func free(_ wanted: String, beside taken: inout Set<String>) -> String {
        var name = wanted
        var number = 2
        while !taken.insert(name).inserted {
            name = "\(wanted)#\(number)"
            number += 1
        }
        return name
    }

    private struct Element {
        let name: String
        let identifier: String?
    }

    private static func names(of elements: [Element], beside taken: Set<String>) -> [String] {
        var taken = taken
        var names = elements.map(\.name)
        // Elements with a renaming identifier come first.
        let isRenamed = elements.map { $0.identifier.map { !$0.isEmpty } ?? false }
        for renamed in [true, false] {
            for place in elements.indices where isRenamed[place] == renamed {
                let wanted = renamed ? elements[place].identifier ?? names[place] : names[place]
                names[place] = free(wanted, beside: &taken)
            }
        }
        return names
    }
}

/// An element that registers would call otherwise from now on.
package struct ChangedName: Sendable, Hashable {
    /// The entity, as the new model calls it.
    package let entity: String
    /// The property, as the new model calls it; `nil` if it is the entity itself.
    package let property: String?
    /// What registers call it.
    package let canonical: String
}

extension CanonicalNames {
    /// What a store that was of one model, and is of another one now, holds under names that registers do not
    /// have: an element that was renamed twice, and whose identifier is not the first one's.
    ///
    /// - Throws: `MigrationError` if it is not clear which element was which.
    package static func changed(
        from former: ManagedObjectModel, to model: ManagedObjectModel
    ) throws(MigrationError) -> [ChangedName] {
        let (old, new) = (CanonicalNames(former), CanonicalNames(model))
        var changed: [ChangedName] = []
        for (entity, origin) in zip(model.entities, try ModelOrigins.entities(of: model, from: former)) {
            guard let origin else { continue }
            if old.entities[origin] != new.entities[entity.index] {
                changed.append(
                    ChangedName(entity: entity.name, property: nil, canonical: old.entities[origin]))
            }
            let origins = try ModelOrigins.properties(of: entity, from: former.entities[origin])
            for (property, place) in zip(entity.properties, origins) where !property.isTransient {
                guard let place, property.declaringEntityIndex == entity.index,
                    old.properties[origin][place] != new.properties[entity.index][property.index]
                else { continue }
                changed.append(
                    ChangedName(
                        entity: entity.name, property: property.name,
                        canonical: old.properties[origin][place]))
            }
        }
        return changed
    }
}
