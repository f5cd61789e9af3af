/// What becomes of each entity and property of a model in another one, as the two models alone tell, or a
/// mapping model besides.
///
/// Everything is found for the entities that have objects. It does not matter which entity declares a
/// property, so entities may move in their hierarchy, gain or lose a parent, and hand attributes up and
/// down.
package struct InferredMapping: Sendable {
    /// The model that the store has.
    package let source: ManagedObjectModel
    /// The model that it gets.
    package let destination: ManagedObjectModel
    /// By the destination's entities: where their objects come from.
    package let entities: [EntityMapping]
    /// The source's entities that the destination does not have, by index.
    package let removed: [Int]
    /// What a mapping model has computed, each once, in a fixed order.
    package let expressions: [MappedExpression]

    /// Compares two models.
    ///
    /// - Throws: `MigrationError` if something cannot be inferred, with the element at fault.
    package init(from source: ManagedObjectModel, to destination: ManagedObjectModel) throws(MigrationError) {
        let origins = try ModelMatch.entities(source, destination)
        try self.init(
            MappingInference(source: source, destination: destination, origins: origins), origins)
    }

    /// Follows a mapping model.
    ///
    /// - Throws: `MigrationError.invalidMapping` if it does not fit the models, or says what only code
    ///   that makes each object can do; else as for two models.
    package init(
        from source: ManagedObjectModel, to destination: ManagedObjectModel, by mapping: MappingModel
    ) throws(MigrationError) {
        let resolution = try MappingResolution(mapping, from: source, to: destination)
        try self.init(MappingInference(resolution), resolution.origins)
    }

    private init(_ inference: MappingInference, _ origins: [Int?]) throws(MigrationError) {
        (source, destination) = (inference.source, inference.destination)
        var inference = inference
        var entities: [EntityMapping] = []
        for entity in destination.entities { entities.append(try inference.mapping(of: entity)) }
        try inference.checkHierarchies()
        self.entities = entities
        var expressions: [MappedExpression] = []
        for case .computed(let expression) in entities.flatMap(\.properties)
        where !expressions.contains(expression) { expressions.append(expression) }
        self.expressions = expressions
        let used = Set(origins.compactMap(\.self))
        removed = source.entities.indices.filter { !used.contains($0) }
    }
}

/// Where the objects of one entity come from.
package struct EntityMapping: Sendable {
    /// The entity, by its index in the destination.
    package let entity: Int
    /// The entity that it was, by its index in the source; `nil` for a new one.
    package let origin: Int?
    /// By the index of the entity's properties.
    package let properties: [PropertyMapping]
}

/// Where the values of one property of one entity come from.
package enum PropertyMapping: Sendable, Equatable {
    /// It is not stored, or nothing of it is to be mapped.
    case none
    /// It is new: objects get the default.
    case added
    /// It was the attribute at `origin` in its entity's properties.
    case attribute(origin: Int, AttributeConversion)
    /// It is an attribute that is computed from what the object was.
    case computed(MappedExpression)
    /// It was the relationship at `origin` in its entity's properties, and keeps its references but those of
    /// the losses.
    case relationship(origin: Int, losses: RelationshipLosses)
}

/// The comparison of two models whose entities are matched.
private struct MappingInference {
    let source: ManagedObjectModel
    let destination: ManagedObjectModel
    let origins: [Int?]
    /// By the destination's entities: what their properties were; empty for new ones.
    private let matches: [[Int?]]
    /// By the destination's entities and their properties: what is computed.
    private var computed: [[Int: MappedExpression]] = []
    private var ends: RelationshipEnds

    init(
        source: ManagedObjectModel, destination: ManagedObjectModel, origins: [Int?]
    ) throws(MigrationError) {
        self.source = source
        self.destination = destination
        self.origins = origins
        var matches: [[Int?]] = []
        for (entity, origin) in zip(destination.entities, origins) {
            guard let origin else {
                matches.append([])
                continue
            }
            matches.append(try ModelMatch.properties(source.entities[origin], entity))
        }
        self.matches = matches
        ends = RelationshipEnds(source: source, destination: destination, origins: origins)
    }

    init(_ resolution: MappingResolution) {
        (source, destination) = (resolution.source, resolution.destination)
        (origins, matches, computed) = (resolution.origins, resolution.matches, resolution.computed)
        ends = RelationshipEnds(source: source, destination: destination, origins: origins)
    }

    mutating func mapping(of entity: EntityDescription) throws(MigrationError) -> EntityMapping {
        guard let origin = origins[entity.index] else {
            return EntityMapping(
                entity: entity.index, origin: nil,
                properties: entity.properties.map { $0.isTransient ? .none : .added })
        }
        let old = source.entities[origin]
        var properties: [PropertyMapping] = []
        for (property, match) in zip(entity.properties, matches[entity.index]) {
            properties.append(try mapping(of: property, of: entity, from: match.map { ($0, old) }))
        }
        return EntityMapping(entity: entity.index, origin: origin, properties: properties)
    }

    private mutating func mapping(
        of property: PropertyDescription, of entity: EntityDescription,
        from match: (index: Int, entity: EntityDescription)?
    ) throws(MigrationError) -> PropertyMapping {
        if property.isTransient { return .none }
        if !computed.isEmpty, let expression = computed[entity.index][property.index] {
            return .computed(expression)
        }
        guard let match, !match.entity.properties[match.index].isTransient else { return .added }
        switch (match.entity.properties[match.index], property) {
        case (.attribute(let old), .attribute(let new)):
            // What is derived is computed again, whatever its type was.
            if new.derivationExpression != nil, old.type != new.type { return .added }
            guard let conversion = AttributeConversion(from: old.type, to: new.type) else {
                throw .typeChange(entity: entity.name, attribute: new.name, from: old.type, to: new.type)
            }
            return .attribute(origin: match.index, conversion)
        case (.relationship(let old), .relationship(let new)):
            try checkDestination(of: new, of: entity, from: old)
            try checkInverse(of: new, of: entity, from: old)
            return .relationship(origin: match.index, losses: ends.losses(from: old, to: new))
        case (.attribute, .relationship), (.relationship, .attribute):
            throw .kindChange(entity: entity.name, property: property.name)
        }
    }

    /// Some object that could be at the relationship's end still can be.
    private mutating func checkDestination(
        of new: RelationshipDescription, of entity: EntityDescription, from old: RelationshipDescription
    ) throws(MigrationError) {
        // If the entity itself is gone, its objects go, and the relationship is empty.
        if ends.change(from: old, to: new).isPossible { return }
        throw .destinationChange(
            entity: entity.name, relationship: new.name, from: source.destination(of: old).name,
            to: destination.destination(of: new).name)
    }

    /// Both ends of the relationship were both ends of one before, as far as they were there.
    private func checkInverse(
        of new: RelationshipDescription, of entity: EntityDescription, from old: RelationshipDescription
    ) throws(MigrationError) {
        guard let inverse = destination.inverse(of: new) else { return }
        let place = destination.destination(of: new)
        guard let origin = origins[place.index] else { return }
        guard let match = matches[place.index][inverse.index],
            let former = source.entities[origin].properties[match].relationship
        else { return }
        let past = source.inverse(of: old)
        if past?.name == former.name, past?.declaringEntityIndex == former.declaringEntityIndex { return }
        throw .inverseChange(entity: entity.name, relationship: new.name)
    }

    /// A tree has the keys of one former tree at most.
    func checkHierarchies() throws(MigrationError) {
        for root in destination.entities where root.superentityIndex == nil {
            let roots = Set(
                root.familyIndices.compactMap { origins[$0] }.map { source.entities[$0].rootName })
            if roots.count > 1 { throw .mergedHierarchies(entity: root.name, roots: roots.sorted()) }
        }
    }
}
