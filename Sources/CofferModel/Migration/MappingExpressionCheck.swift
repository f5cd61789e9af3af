/// Checks the expressions of one entity mapping.
struct MappingExpressionCheck {
    /// The entity whose objects are `$source`; `nil` if the mapping takes none.
    private let from: EntityDescription?
    private let made: EntityDescription
    private let source: ManagedObjectModel

    /// What an expression knows beside its source, while a migration runs.
    ///
    /// The names are those of Core Data's `NSMigrationManagerKey` and its kin.
    private static let variables: Set<String> = [
        "manager", "destination", "entityMapping", "propertyMapping", "entityPolicy",
    ]

    /// The migration's methods that expressions call, with the objects' expression for their last argument.
    private static let calls: Set<String> = [
        "destinationInstancesForEntityMappingNamed:sourceInstances:",
        "destinationInstancesForSourceRelationshipNamed:sourceInstances:",
        "sourceInstancesForEntityMappingNamed:destinationInstances:",
    ]

    init(from: EntityDescription?, to made: EntityDescription, in source: ManagedObjectModel) {
        (self.from, self.made, self.source) = (from, made, source)
    }

    /// What is wrong with where the value of an attribute comes from.
    func problem(
        of value: MappingModel.Value, for attribute: AttributeDescription
    ) -> MappingProblem.Reason? {
        let expected = PredicateShape(.attribute(attribute.type))
        switch value {
        case .automatic, .none: return nil
        case .mapped, .mappedRelationship:
            return .otherValue(found: "objects", expected: expected.name)
        case .expression(let format):
            return problem { () throws(QueryError) in
                guard let shape = try shape(of: format) else { return nil }
                let isLike = shape.family.map { $0 == expected.family } ?? true
                let fits = !shape.isMany && (isLike || converts(shape, to: attribute.type))
                return fits ? nil : .otherValue(found: shape.name, expected: expected.name)
            }
        }
    }

    /// What is wrong with where the objects of a relationship come from.
    func problem(
        of value: MappingModel.Value, for relationship: RelationshipDescription
    ) -> MappingProblem.Reason? {
        switch value {
        case .automatic, .none: return nil
        case .expression(let format), .mapped(_, let format):
            return problem { () throws(QueryError) in try problemOfObjects(format) }
        case .mappedRelationship(let name, let format):
            return problem { () throws(QueryError) in
                if let from, from.property(named: name)?.relationship == nil {
                    return .unknownRelationship(name, entity: from.name)
                }
                return try problemOfObjects(format)
            }
        }
    }

    /// The entity of the objects that an expression gives; `nil` if it gives none, or cannot be read.
    func entity(ofObjects format: String) -> EntityDescription? {
        guard case .object(let entity)? = (try? shape(of: format))?.kind else { return nil }
        return entity
    }

    private func problem(
        _ body: () throws(QueryError) -> MappingProblem.Reason?
    ) -> MappingProblem.Reason? {
        do throws(QueryError) { return try body() } catch { return .expression(error) }
    }

    private func problemOfObjects(_ format: String) throws(QueryError) -> MappingProblem.Reason? {
        guard let shape = try shape(of: format), let family = shape.family else { return nil }
        if case .object = family { return nil }
        return .otherValue(found: shape.name, expected: "objects")
    }

    /// Whether a value can become one of `type`.
    ///
    /// Values are converted as they are without a mapping model; constant texts can also stand for dates
    /// and UUIDs.
    private func converts(_ shape: PredicateShape, to type: AttributeType) -> Bool {
        if type == .transformable { return true }
        if case .attribute(let found) = shape.kind {
            return AttributeConversion(from: found, to: type) != nil
        }
        guard case .constant(let value) = shape.kind, case .string = value else { return false }
        return [.date, .uuid].contains(type)
    }

    /// What an expression gives; `nil` if only the migration that runs it knows.
    private func shape(of format: String) throws(QueryError) -> PredicateShape? {
        try found(by: try QueryExpression(mappingFormat: format))
    }

    /// What an expression gives, which may be a call of the migration or have some among its parts.
    private func found(by expression: QueryExpression) throws(QueryError) -> PredicateShape? {
        switch expression {
        case .variable(let name, _) where Self.variables.contains(name): return nil
        case .function(let name, let parts):
            guard case .variable(let receiver, keyPath: [])? = parts.first,
                Self.variables.contains(receiver)
            else { break }
            if receiver == "manager", !Self.calls.contains(name) {
                throw .unknownFunction(name, argumentCount: parts.count)
            }
            for part in parts.dropFirst() {
                if case .variable(let name, _) = part, Self.variables.contains(name) { continue }
                _ = try found(by: part)
            }
            return nil
        default: break
        }
        return try shape(of: expression)
    }

    private func shape(of expression: QueryExpression) throws(QueryError) -> PredicateShape {
        var expression = expression
        var check = PredicateCheck(entity: from ?? made, model: source)
        if let from { check.variables["source"] = PredicateShape(.object(from)) }
        return try check.typed(&expression)
    }
}
