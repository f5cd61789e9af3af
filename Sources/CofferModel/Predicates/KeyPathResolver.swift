/// What is made of the objects or values that a to-many key path leads to.
package enum CollectionOperator: String, Sendable, Hashable, CaseIterable {
    /// How many there are; nothing follows.
    case count = "@count"
    /// The sum of the numbers that follow; 0 if there is none.
    case sum = "@sum"
    /// The least of the values that follow; null if there is none.
    case min = "@min"
    /// The greatest of the values that follow; null if there is none.
    case max = "@max"
    /// The mean of the numbers that follow; null if there is none.
    case average = "@avg"
    /// The values that follow, each once.
    case distinctUnion = "@distinctUnionOfObjects"
    /// The values that follow.
    case union = "@unionOfObjects"

    /// Whether it makes one value of all.
    var isOfOneValue: Bool { self != .union && self != .distinctUnion }
}

/// A key path whose every key was found in a model.
package struct ResolvedKeyPath: Sendable, Hashable {
    /// One key: a property, and the entity it was looked up in.
    package struct Step: Sendable, Hashable {
        /// The entity that has the property, declared there or inherited.
        package let entity: EntityDescription
        /// The property.
        package let property: PropertyDescription
    }

    /// The entity where the key path begins.
    package let entity: EntityDescription
    /// The keys up to the collection operator or the end; all but the last are relationships.
    package let steps: [Step]
    /// What is made of the objects that `steps` lead to; `nil` if there is no operator.
    package let collectionOperator: CollectionOperator?
    /// The keys behind the collection operator: to-one relationships, then an attribute; empty for `@count`.
    package let operand: [Step]
}

extension ResolvedKeyPath {
    /// Whether `steps` run through a to-many relationship and no operator makes one value of it.
    package var isToMany: Bool {
        switch collectionOperator {
        case nil: steps.contains { $0.property.relationship?.isToMany ?? false }
        case .union, .distinctUnion: true
        case .count, .sum, .min, .max, .average: false
        }
    }

    /// Whether the values have an order: that of the only to-many relationship on the way.
    package var isOrdered: Bool {
        let many = steps.compactMap(\.property.relationship).filter(\.isToMany)
        return collectionOperator == nil && many.count == 1 && many.allSatisfy(\.isOrdered)
    }

    /// The type of the value, or of each value; `nil` for objects.
    package var attributeType: AttributeType? {
        switch collectionOperator {
        case .count: .integer64
        case .average: .double
        case .sum where operand.last?.property.attribute?.type == .float: .double
        case .sum, .min, .max, .union, .distinctUnion: operand.last?.property.attribute?.type
        case nil: steps.last?.property.attribute?.type
        }
    }

    /// The last relationship, if the key path leads to objects; `nil` for values.
    package var relationship: RelationshipDescription? {
        switch collectionOperator {
        case nil: steps.last?.property.relationship
        case .union, .distinctUnion: operand.last?.property.relationship
        case .count, .sum, .min, .max, .average: nil
        }
    }
}

/// Finds the properties that key paths name.
package enum KeyPathResolver {
    /// The properties that `keys` name, one after another from `entity` on.
    ///
    /// - Throws: `QueryError.unknownKey` or `.invalidKeyPath`, which name key path and entity.
    /// - Complexity: O(`keys.count`).
    package static func resolve(
        _ keys: [String], from entity: EntityDescription, in model: ManagedObjectModel
    ) throws(QueryError) -> ResolvedKeyPath {
        let fail = Failure(keyPath: keys.joined(separator: "."), entity: entity.name)
        guard !keys.isEmpty else { throw fail("is empty") }
        guard keys.count <= Limits.keyPathLength else { throw fail("has too many keys") }
        let split = keys.firstIndex { $0.hasPrefix("@") } ?? keys.endIndex
        let walk = Walk(model: model, fail: fail)
        let (steps, end) = try walk.steps(keys[..<split], from: entity)
        guard split < keys.endIndex else {
            return ResolvedKeyPath(entity: entity, steps: steps, collectionOperator: nil, operand: [])
        }
        guard let collectionOperator = CollectionOperator(rawValue: keys[split]) else {
            throw fail("has the unknown operator '\(keys[split])'")
        }
        guard let end, steps.contains(where: { $0.property.relationship?.isToMany ?? false }) else {
            throw fail("has '\(keys[split])' without a to-many relationship before it")
        }
        let operand = try walk.steps(keys[(split + 1)...], from: end).steps
        try check(collectionOperator, operand: operand, fail: fail)
        return ResolvedKeyPath(
            entity: entity, steps: steps, collectionOperator: collectionOperator, operand: operand)
    }

    private static func check(
        _ collectionOperator: CollectionOperator, operand: [ResolvedKeyPath.Step], fail: Failure
    ) throws(QueryError) {
        if collectionOperator == .count {
            guard operand.isEmpty else { throw fail("has keys behind '@count'") }
            return
        }
        guard let last = operand.last else {
            throw fail("names no property behind '\(collectionOperator.rawValue)'")
        }
        guard !operand.contains(where: { $0.property.relationship?.isToMany ?? false }) else {
            throw fail("has a to-many relationship behind '\(collectionOperator.rawValue)'")
        }
        let type = last.property.attribute?.type
        switch collectionOperator {
        case .sum, .average:
            guard type?.isNumeric ?? false else {
                throw fail("asks for a sum of values that are not numbers")
            }
        case .min, .max:
            guard let type, type != .transformable else { throw fail("orders what has no order") }
        case .count, .union, .distinctUnion: break
        }
    }

    /// Makes errors about one key path.
    private struct Failure {
        var keyPath: String
        var entity: String

        func callAsFunction(_ reason: String) -> QueryError {
            .invalidKeyPath(keyPath, entity: entity, reason: reason)
        }
    }

    /// Follows keys through the model.
    private struct Walk {
        var model: ManagedObjectModel
        var fail: Failure

        /// The properties, and the entity behind the last of them; `nil` if that is an attribute.
        func steps(
            _ keys: ArraySlice<String>, from entity: EntityDescription
        ) throws(QueryError) -> (steps: [ResolvedKeyPath.Step], end: EntityDescription?) {
            var steps: [ResolvedKeyPath.Step] = []
            var current: EntityDescription? = entity
            for key in keys {
                guard let place = current else {
                    throw fail("runs through the attribute '\(steps.last?.property.name ?? "")'")
                }
                guard let property = place.property(named: key) else {
                    throw .unknownKey(key, keyPath: fail.keyPath, entity: place.name)
                }
                guard !property.isTransient else {
                    throw fail("asks for '\(key)', which is transient and so not stored")
                }
                steps.append(ResolvedKeyPath.Step(entity: place, property: property))
                current = property.relationship.map { model.destination(of: $0) }
            }
            return (steps, current)
        }
    }
}
