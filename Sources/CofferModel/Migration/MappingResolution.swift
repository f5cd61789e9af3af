/// What a mapping model says, found in the two models.
///
/// Each entity's objects become those of one entity at most, and keep their keys: what a mapping model says
/// beyond that is refused, with the element that says it.
struct MappingResolution {
    let source: ManagedObjectModel
    let destination: ManagedObjectModel
    /// By the destination's entities: what they were; `nil` for new ones.
    private(set) var origins: [Int?]
    /// By the destination's entities and their properties: what those were.
    private(set) var matches: [[Int?]] = []
    /// By the destination's entities and their properties: what is computed.
    private(set) var computed: [[Int: MappedExpression]] = []
    /// By the destination's entities: the mapping that makes their objects.
    private var makers: [MappingModel.Entity?]
    /// The mappings that take the objects of the source's entities, or drop them, by name.
    private var takers: [Int: String] = [:]

    init(
        _ mapping: MappingModel, from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) throws(MigrationError) {
        (self.source, self.destination) = (source, destination)
        origins = Array(repeating: nil, count: destination.entities.count)
        makers = Array(repeating: nil, count: destination.entities.count)
        var names: Set<String> = []
        for entity in mapping.entities {
            if !names.insert(entity.name).inserted {
                throw MappingPlace(mapping: entity.name).error("two mappings have that name")
            }
            try add(entity)
        }
        for entity in destination.entities {
            computed.append([:])
            guard let origin = origins[entity.index], let maker = makers[entity.index] else {
                matches.append([])
                continue
            }
            matches.append(try properties(of: entity, from: source.entities[origin], by: maker))
        }
        for entity in destination.entities where origins[entity.index] != nil { followInverses(of: entity) }
    }
}

// MARK: Entities

extension MappingResolution {
    /// The class that Core Data uses if no other is named.
    private static let usualPolicy = "NSEntityMigrationPolicy"

    private mutating func add(_ mapping: MappingModel.Entity) throws(MigrationError) {
        let place = MappingPlace(mapping: mapping.name)
        if let policy = mapping.policyClassName, policy != Self.usualPolicy {
            throw place.error("the class '\(policy)' is to make its objects, and no class is run here")
        }
        if mapping.kind == .custom { throw place.error("it is of the kind 'custom', and names no class") }
        if let predicate = mapping.predicate, predicate != "TRUEPREDICATE" {
            throw place.error("it takes only some of the objects, those where '\(predicate)'")
        }
        let old = try entity(mapping.source, in: source, of: "the model of before", at: place)
        let new = try entity(mapping.destination, in: destination, of: "the new model", at: place)
        let fits =
            switch mapping.kind {
            case .add: old == nil && new != nil
            case .remove: old != nil && new == nil
            case .copy, .transform: old != nil && new != nil
            case .undefined, .custom: old != nil || new != nil
            }
        if !fits {
            throw place.error("a mapping of the kind '\(mapping.kind)' has other entities than it names")
        }
        if let old, let other = takers.updateValue(mapping.name, forKey: old) {
            throw place.error("'\(other)' takes the objects of '\(source.entities[old].name)' already")
        }
        guard let new else { return }
        if let other = makers[new] {
            throw place.error(
                "'\(other.name)' makes the objects of '\(destination.entities[new].name)' already")
        }
        makers[new] = mapping
        origins[new] = old
    }

    private func entity(
        _ name: String?, in model: ManagedObjectModel, of kind: String, at place: MappingPlace
    ) throws(MigrationError) -> Int? {
        guard let name else { return nil }
        guard let entity = model.entity(named: name) else {
            throw place.error("\(kind) has no entity '\(name)'")
        }
        return entity.index
    }
}

// MARK: Properties

extension MappingResolution {
    private mutating func properties(
        of entity: EntityDescription, from old: EntityDescription, by mapping: MappingModel.Entity
    ) throws(MigrationError) -> [Int?] {
        var values: [String: MappingModel.Value] = [:]
        for (list, isRelationship) in [(mapping.attributes, false), (mapping.relationships, true)] {
            for property in list {
                let place = MappingPlace(mapping: mapping.name, property: property.name)
                guard let found = entity.properties.first(where: { $0.name == property.name }),
                    (found.relationship != nil) == isRelationship
                else {
                    let kind = isRelationship ? "relationship" : "attribute"
                    throw place.error("'\(entity.name)' has no \(kind) of that name")
                }
                if values.updateValue(property.value, forKey: property.name) != nil {
                    throw place.error("it is said twice")
                }
            }
        }
        var matches: [Int?] = []
        var filed: Set<Int> = []
        for property in entity.properties {
            let place = MappingPlace(mapping: mapping.name, property: property.name)
            let value = values[property.name] ?? (mapping.kind == .copy ? .automatic : .none)
            if property.isTransient || value == .none {
                matches.append(nil)
            } else if value == .automatic {
                matches.append(old.properties.firstIndex { $0.name == property.name })
            } else if let attribute = property.attribute {
                matches.append(try origin(of: attribute, value, in: old, entity: entity.index, at: place))
            } else {
                matches.append(try origin(of: value, in: old, at: place))
            }
            // A file is one value's, and goes with it.
            if let match = matches.last?.flatMap({ $0 }),
                old.properties[match].attribute?.allowsExternalStorage ?? false,
                !filed.insert(match).inserted
            {
                throw place.error(
                    "another one has the values of '\(old.properties[match].name)', and their files")
            }
        }
        return matches
    }

    /// The attribute that an attribute was; `nil` if it is computed.
    private mutating func origin(
        of attribute: AttributeDescription, _ value: MappingModel.Value, in old: EntityDescription,
        entity: Int, at place: MappingPlace
    ) throws(MigrationError) -> Int? {
        guard case .expression(let text) = value else {
            throw place.error("it is an attribute, and objects cannot be its value")
        }
        if attribute.derivationExpression != nil { return nil }
        let expression = try Self.parse(text, at: place)
        if case .variable("source", let keys) = expression, keys.count == 1,
            let found = old.properties.first(where: { $0.name == keys[0] }), found.attribute != nil,
            !found.isTransient
        {
            return found.index
        }
        if attribute.allowsExternalStorage {
            throw place.error("its values may be kept in files, which can only be those of another attribute")
        }
        computed[entity][attribute.index] = try MappedExpression(
            expression, of: old, in: source, to: attribute.type, at: place)
        return nil
    }

    /// The relationship that a relationship was.
    private func origin(
        of value: MappingModel.Value, in old: EntityDescription, at place: MappingPlace
    ) throws(MigrationError) -> Int? {
        let (maker, named, text): (String?, String?, String)
        switch value {
        case .mapped(let name, let objects): (maker, named, text) = (name, nil, objects)
        case .mappedRelationship(let name, let objects): (maker, named, text) = (nil, name, objects)
        case .automatic, .none, .expression:
            throw place.error("a relationship leads to what a mapping made of objects, and to nothing else")
        }
        guard case .variable("source", let keys) = try Self.parse(text, at: place), keys.count == 1,
            let found = old.properties.first(where: { $0.name == keys[0] }),
            let relationship = found.relationship, named == nil || named == found.name
        else {
            throw place.error("'\(text)' is not one of the relationships of '\(old.name)'")
        }
        if let maker { try check(maker, makesAllOf: relationship, at: place) }
        return found.index
    }

    /// No object that stays would be left out, since another mapping made it.
    private func check(
        _ maker: String, makesAllOf relationship: RelationshipDescription, at place: MappingPlace
    ) throws(MigrationError) {
        if !makers.contains(where: { $0?.name == maker }) {
            throw place.error("no mapping that makes objects is called '\(maker)'")
        }
        for index in source.destination(of: relationship).familyIndices
        where !source.entities[index].isAbstract {
            guard let taker = takers[index], taker != maker, origins.contains(index) else { continue }
            throw place.error(
                "the objects of '\(source.entities[index].name)' are made by '\(taker)', and not by '\(maker)': "
                    + "destinationInstancesForSourceRelationshipNamed:sourceInstances: names those of all mappings"
            )
        }
    }

    /// If only one end of a relationship is mapped, the other end follows from it.
    private mutating func followInverses(of entity: EntityDescription) {
        guard let origin = origins[entity.index] else { return }
        for new in entity.relationships where !new.isTransient && matches[entity.index][new.index] == nil {
            guard let inverse = destination.inverse(of: new), let former = origins[new.destinationIndex],
                let match = matches[new.destinationIndex][inverse.index],
                let relationship = source.entities[former].properties[match].relationship,
                let past = source.inverse(of: relationship),
                source.entities[past.declaringEntityIndex].familyIndices.contains(origin)
            else { continue }
            matches[entity.index][new.index] = past.index
        }
    }

    private static func parse(
        _ text: String, at place: MappingPlace
    ) throws(MigrationError) -> QueryExpression {
        do throws(QueryError) {
            return try QueryExpression(format: text, arguments: [])
        } catch {
            throw place.error("\(error)")
        }
    }
}
