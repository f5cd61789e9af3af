/// What differs between two models of a store, element by element, and what a migration would do about it.
///
/// It goes by renaming identifiers and names. It says nothing of what stores do not depend on, such as
/// classes, delete rules and validation. A property is listed for the entity that declares it, or for an
/// entity that did not have it before.
public struct ModelDifference: Sendable, Hashable {
    /// One thing that differs.
    public struct Change: Sendable, Hashable {
        /// The entity's name in the new model; in the old one if the new one has no such entity.
        public let entity: String
        /// The property's name, likewise; `nil` if it is the entity that differs.
        public let property: String?
        /// What differs.
        public let kind: Kind
    }

    /// How an element differs.
    public enum Kind: Sendable, Hashable {
        /// It is in the new model only; `value` is what objects get, for people.
        case added(value: String)
        /// It is in the old model only.
        case removed
        /// It had another name.
        case renamed(from: String)
        /// Something of it was otherwise; `effect` is what becomes of the values, for people.
        case changed(String, from: String, to: String, effect: String)
    }

    /// What differs: entities that are gone, then those of the new model in its order.
    public let changes: [Change]

    /// Compares two models.
    ///
    /// - Throws: `MigrationError.ambiguousRenaming` if it is not clear which element was which.
    public init(
        from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) throws(MigrationError) {
        let origins = try ModelMatch.entities(source, destination)
        var comparison = ModelComparison(source: source, destination: destination, origins: origins)
        for entity in source.entities where !origins.contains(entity.index) {
            comparison.add(entity.name, .removed)
        }
        for entity in destination.entities { try comparison.compare(entity) }
        changes = comparison.changes
    }
}

extension ModelDifference.Change: CustomStringConvertible {
    /// The change as one line: what differs, and what becomes of objects or values.
    public var description: String {
        let name = property.map { "\(entity).\($0)" } ?? entity
        switch kind {
        case .added(let value): return "\(name) is new" + (value.isEmpty ? "" : ": \(value)")
        case .removed: return "\(name) is gone: its \(property == nil ? "objects" : "values") are deleted"
        case .renamed(let old): return "\(name) was called \(old): its values stay"
        case .changed(let what, let old, let new, let effect):
            return "\(name): \(what) \(new), was \(old)" + (effect.isEmpty ? "" : ": \(effect)")
        }
    }
}

/// Gathers changes, entity by entity.
private struct ModelComparison {
    let source: ManagedObjectModel
    let destination: ManagedObjectModel
    let origins: [Int?]
    private var ends: RelationshipEnds
    private(set) var changes: [ModelDifference.Change] = []

    init(source: ManagedObjectModel, destination: ManagedObjectModel, origins: [Int?]) {
        (self.source, self.destination, self.origins) = (source, destination, origins)
        ends = RelationshipEnds(source: source, destination: destination, origins: origins)
    }

    mutating func add(_ entity: String, property: String? = nil, _ kind: ModelDifference.Kind) {
        changes.append(.init(entity: entity, property: property, kind: kind))
    }

    /// Adds a change of something if the two texts differ.
    private mutating func note(
        _ entity: String, _ property: String?, what: String, from old: String, to new: String,
        effect: String = ""
    ) {
        if old == new { return }
        add(entity, property: property, .changed(what, from: old, to: new, effect: effect))
    }

    mutating func compare(_ entity: EntityDescription) throws(MigrationError) {
        guard let origin = origins[entity.index] else {
            return add(entity.name, .added(value: "it has no objects yet"))
        }
        let old = source.entities[origin]
        if old.name != entity.name { add(entity.name, .renamed(from: old.name)) }
        compareParents(entity, old)
        note(
            entity.name, nil, what: "it is", from: Self.kind(of: old),
            to: Self.kind(of: entity),
            effect: entity.isAbstract ? "it may have no objects" : "")
        note(
            entity.name, nil, what: "the hash modifier is",
            from: old.definition.versionHashModifier ?? "none",
            to: entity.definition.versionHashModifier ?? "none", effect: "nothing is changed")
        note(
            entity.name, nil, what: "unique is", from: Self.constraints(of: old),
            to: Self.constraints(of: entity), effect: "no two objects may agree")
        note(
            entity.name, nil, what: "indexes are", from: Self.indexes(of: old), to: Self.indexes(of: entity),
            effect: "they are made again")
        try compareProperties(entity, old)
    }

    private mutating func compareParents(_ entity: EntityDescription, _ old: EntityDescription) {
        let parent = entity.superentityIndex.map { destination.entities[$0] }
        let former = old.superentityIndex.map { source.entities[$0] }
        // A parent that was only renamed is told of there.
        if let parent, let former, origins[parent.index] == former.index { return }
        note(
            entity.name, nil, what: "the parent is", from: former?.name ?? "none", to: parent?.name ?? "none",
            effect: "its objects move along")
    }

    private mutating func compareProperties(
        _ entity: EntityDescription, _ old: EntityDescription
    ) throws(MigrationError) {
        let matches = try ModelMatch.properties(old, entity)
        let parent = entity.superentityIndex.flatMap { origins[$0] }
        let inherited = try parentMatches(of: entity)
        for (index, property) in old.properties.enumerated()
        where !matches.contains(index) && !property.isTransient {
            // Of an entity whose parent has lost it, too, the parent's line tells.
            if property.declaringEntityIndex != old.index, parent == old.superentityIndex { continue }
            add(entity.name, property: property.name, .removed)
        }
        for (property, match) in zip(entity.properties, matches) where !property.isTransient {
            let isTold = property.declaringEntityIndex != entity.index
            if isTold, inherited[property.name] == match { continue }
            guard let match, !old.properties[match].isTransient else {
                add(entity.name, property: property.name, .added(value: property.initialText))
                continue
            }
            let past = old.properties[match]
            if past.name != property.name {
                add(entity.name, property: property.name, .renamed(from: past.name))
            }
            for item in PropertyComparison(from: past, to: property, ends: &ends).items {
                note(
                    entity.name, property.name, what: item.what, from: item.old, to: item.new,
                    effect: item.effect)
            }
        }
    }

    /// What the parent's properties were, by name, if the parent was also the old entity's parent: its
    /// properties have the same places there.
    private func parentMatches(of entity: EntityDescription) throws(MigrationError) -> [String: Int?] {
        guard let parent = entity.superentityIndex.map({ destination.entities[$0] }),
            let origin = origins[parent.index], let own = origins[entity.index],
            source.entities[own].superentityIndex == origin
        else { return [:] }
        let matches = try ModelMatch.properties(source.entities[origin], parent)
        return Dictionary(uniqueKeysWithValues: zip(parent.properties.map(\.name), matches))
    }

    private static func kind(of entity: EntityDescription) -> String {
        entity.isAbstract ? "abstract" : "concrete"
    }

    private static func constraints(of entity: EntityDescription) -> String {
        let texts = entity.definition.uniquenessConstraints.map { $0.joined(separator: " with ") }
        return texts.isEmpty ? "nothing" : texts.sorted().joined(separator: ", ")
    }

    private static func indexes(of entity: EntityDescription) -> String {
        let texts = entity.definition.indexes.map { index in
            let elements = index.elements.map { $0.subject + ($0.isAscending ? "" : " descending") }
            return "\(index.name) (\(elements.joined(separator: ", ")))"
                + (index.kind == .rTree ? " as an r-tree" : "")
                + (index.partialPredicate.map { " where \($0)" } ?? "")
        }
        return texts.isEmpty ? "none" : texts.sorted().joined(separator: ", ")
    }
}

extension PropertyDescription {
    /// What objects get if the property is new, for people.
    fileprivate var initialText: String {
        switch self {
        case .relationship: "it is empty"
        case .attribute(let attribute) where attribute.derivationExpression != nil: "it is computed"
        case .attribute(let attribute) where attribute.defaultValue.isNull: "it is null"
        case .attribute: "objects get its default"
        }
    }
}
