extension MappingModel {
    /// What does not fit the models that the mapping model is to lead from and to, in the order of the
    /// mappings; empty if all of it does.
    ///
    /// Entities, properties, mappings and relationships are looked up by name; key paths, functions and the
    /// types of values are checked as in predicates. What a policy's method gives is known only when it runs.
    ///
    /// - Complexity: O(mappings · properties), and what the expressions take to be read.
    package func problems(
        from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) -> [MappingProblem] {
        var check = MappingCheck(self, from: source, to: destination)
        return check.run()
    }
}

/// Checks one mapping model against two models.
struct MappingCheck {
    private let mapping: MappingModel
    private let source: ManagedObjectModel
    private let destination: ManagedObjectModel
    private let byName: [String: MappingModel.Entity]
    private var problems: [MappingProblem] = []

    init(
        _ mapping: MappingModel, from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) {
        (self.mapping, self.source, self.destination) = (mapping, source, destination)
        byName = Dictionary(mapping.entities.map { ($0.name, $0) }) { first, _ in first }
    }

    mutating func run() -> [MappingProblem] {
        var names: Set<String> = []
        for entity in mapping.entities {
            if !names.insert(entity.name).inserted { note(.repeated, in: entity) }
            check(entity)
        }
        return problems
    }

    private mutating func note(
        _ reason: MappingProblem.Reason, in entity: MappingModel.Entity, property: String? = nil
    ) {
        problems.append(MappingProblem(mapping: entity.name, property: property, reason: reason))
    }

    private mutating func check(_ mapping: MappingModel.Entity) {
        checkEnds(mapping)
        let from = mapping.source.flatMap { source.entity(named: $0) }
        if let name = mapping.source, from == nil { note(.unknownEntity(name, .source), in: mapping) }
        if let format = mapping.predicate, let from {
            do throws(QueryError) {
                _ = try QueryPredicate(format: format, for: from, in: source)
            } catch {
                note(.expression(error), in: mapping)
            }
        }
        guard let name = mapping.destination else { return }
        guard let made = destination.entity(named: name) else {
            return note(.unknownEntity(name, .destination), in: mapping)
        }
        if made.isAbstract { note(.abstractDestination(name), in: mapping) }
        // Without the source's entity every expression would be at fault for that alone.
        guard mapping.source == nil || from != nil else { return }
        var names: Set<String> = []
        for property in mapping.attributes + mapping.relationships
        where !names.insert(property.name).inserted {
            note(.repeated, in: mapping, property: property.name)
        }
        let expressions = MappingExpressionCheck(from: from, to: made, in: source)
        for property in mapping.attributes {
            guard let found = found(property, of: made, in: mapping) else { continue }
            guard let attribute = found.attribute else {
                note(.otherKind(entity: made.name), in: mapping, property: property.name)
                continue
            }
            if let reason = expressions.problem(of: property.value, for: attribute) {
                note(reason, in: mapping, property: property.name)
            }
        }
        for property in mapping.relationships {
            guard let found = found(property, of: made, in: mapping) else { continue }
            guard let relationship = found.relationship else {
                note(.otherKind(entity: made.name), in: mapping, property: property.name)
                continue
            }
            if let reason = expressions.problem(of: property.value, for: relationship)
                ?? problem(
                    of: property.value, into: destination.destination(of: relationship), by: expressions)
            {
                note(reason, in: mapping, property: property.name)
            }
        }
    }

    private mutating func found(
        _ property: MappingModel.Property, of entity: EntityDescription, in mapping: MappingModel.Entity
    ) -> PropertyDescription? {
        let found = entity.property(named: property.name)
        if found == nil { note(.unknownProperty(entity: entity.name), in: mapping, property: property.name) }
        return found
    }

    /// Which ends each kind of mapping has.
    private mutating func checkEnds(_ mapping: MappingModel.Entity) {
        switch mapping.kind {
        case .add:
            if mapping.source != nil { note(.excludes(.source), in: mapping) }
            if mapping.destination == nil { note(.needs(.destination), in: mapping) }
        case .remove:
            if mapping.source == nil { note(.needs(.source), in: mapping) }
            if mapping.destination != nil { note(.excludes(.destination), in: mapping) }
        case .copy, .transform:
            if mapping.source == nil { note(.needs(.source), in: mapping) }
            if mapping.destination == nil { note(.needs(.destination), in: mapping) }
        case .custom, .undefined:
            if mapping.source == nil, mapping.destination == nil { note(.needs(.source), in: mapping) }
        }
    }

    /// What is wrong with the mapping that made the objects which a relationship is to have.
    private func problem(
        of value: MappingModel.Value, into expected: EntityDescription, by check: MappingExpressionCheck
    ) -> MappingProblem.Reason? {
        guard case .mapped(let name?, let objects) = value else { return nil }
        guard let maker = byName[name] else { return .unknownMapping(name) }
        guard let made = maker.destination else {
            return .otherObjects(made: nil, by: name, expected: expected.name)
        }
        // Objects that the mapping never takes give nothing, as in Core Data; the inverse may fill that.
        if let asked = check.entity(ofObjects: objects),
            let taken = maker.source.flatMap({ source.entity(named: $0) }),
            !asked.isKind(of: taken), !taken.isKind(of: asked)
        {
            return nil
        }
        // An unknown entity is told of the mapping that names it.
        guard let entity = destination.entity(named: made), !entity.isKind(of: expected) else { return nil }
        return .otherObjects(made: made, by: name, expected: expected.name)
    }
}
