package import CofferModel

/// An entity mapping whose names are found in the two models, and whose expressions are read.
package struct CompiledMapping {
    /// Where the value of an attribute comes from.
    enum ValueSource {
        /// An attribute of the source of the same type.
        case copied(String)
        /// An expression.
        case computed(QueryExpression)
        /// A method of the policy.
        case called(String, [QueryExpression])
    }

    /// Where the objects of a relationship come from.
    enum LinkSource {
        /// What a mapping, or all of them, made of the objects that an expression names.
        case made(by: Int?, of: QueryExpression)
        /// A method of the policy.
        case called(String, [QueryExpression])
    }

    /// The mapping's place in the mapping model.
    let place: Int
    /// As the mapping model has it.
    package let mapping: MappingModel.Entity
    /// The entity whose objects it takes.
    package let source: EntityDescription?
    /// Those of them that it takes; `nil` for all.
    package let predicate: QueryPredicate?
    /// The entity whose objects it makes.
    package let destination: EntityDescription?
    private(set) var attributes: [(attribute: AttributeDescription, source: ValueSource)] = []
    private(set) var relationships: [(relationship: RelationshipDescription, source: LinkSource)] = []

    /// Finds all that an entity mapping names; it has no `problems`.
    init(
        _ place: Int, of model: MappingModel, from source: ManagedObjectModel,
        to destination: ManagedObjectModel
    ) throws(QueryError) {
        self.place = place
        mapping = model.entities[place]
        self.source = mapping.source.flatMap { source.entity(named: $0) }
        self.destination = mapping.destination.flatMap { destination.entity(named: $0) }
        if let format = mapping.predicate, let entity = self.source {
            predicate = try QueryPredicate(format: format, for: entity, in: source)
        } else {
            predicate = nil
        }
        guard let entity = self.destination else { return }
        let said = Dictionary((mapping.attributes + mapping.relationships).map { ($0.name, $0.value) }) {
            first, _ in first
        }
        for property in entity.properties where !property.isTransient {
            let value = said[property.name] ?? (mapping.kind == .copy ? .automatic : .none)
            if let attribute = property.attribute {
                if attribute.derivationExpression != nil { continue }
                if let found = try valueSource(value, of: attribute) { attributes.append((attribute, found)) }
            } else if let relationship = property.relationship,
                let found = try linkSource(value, of: relationship, in: model)
            {
                relationships.append((relationship, found))
            }
        }
    }

    /// The entity mappings of a mapping model, in its order; it has no `problems`.
    ///
    /// - Throws: `.predicate` if an expression cannot be read.
    package static func all(
        of mapping: MappingModel, from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) throws(CofferError) -> [CompiledMapping] {
        do throws(QueryError) {
            var compiled: [CompiledMapping] = []
            for place in mapping.entities.indices {
                compiled.append(try CompiledMapping(place, of: mapping, from: source, to: destination))
            }
            return compiled
        } catch {
            throw .predicate(error)
        }
    }

    private func valueSource(
        _ value: MappingModel.Value, of attribute: AttributeDescription
    ) throws(QueryError) -> ValueSource? {
        switch value {
        case .none, .mapped, .mappedRelationship: return nil
        case .automatic:
            guard let found = source?.property(named: attribute.name)?.attribute else { return nil }
            return found.type == attribute.type
                ? .copied(found.name) : .computed(.variable("source", keyPath: [found.name]))
        case .expression(let text):
            let expression = try QueryExpression(mappingFormat: text)
            if case .variable("source", let keys) = expression, keys.count == 1,
                source?.property(named: keys[0])?.attribute?.type == attribute.type
            {
                return .copied(keys[0])
            }
            if let (method, arguments) = expression.call(of: "entityPolicy") {
                return .called(method, arguments)
            }
            return .computed(expression)
        }
    }

    private func linkSource(
        _ value: MappingModel.Value, of relationship: RelationshipDescription, in model: MappingModel
    ) throws(QueryError) -> LinkSource? {
        switch value {
        case .none: return nil
        case .automatic:
            guard source?.property(named: relationship.name)?.relationship != nil else { return nil }
            return .made(by: nil, of: .variable("source", keyPath: [relationship.name]))
        case .mapped(let name, let objects):
            let maker = name.flatMap { name in model.entities.firstIndex { $0.name == name } }
            return .made(by: maker, of: try QueryExpression(mappingFormat: objects))
        case .mappedRelationship(_, let objects):
            return .made(by: nil, of: try QueryExpression(mappingFormat: objects))
        case .expression(let text):
            let expression = try QueryExpression(mappingFormat: text)
            if let (method, arguments) = expression.call(of: "entityPolicy") {
                return .called(method, arguments)
            }
            guard let (method, arguments) = expression.call(of: "manager"), arguments.count == 2,
                method.hasPrefix("destinationInstances"), case .constant(.string(let name)) = arguments[0]
            else { return .made(by: nil, of: expression) }
            let maker =
                method.hasPrefix("destinationInstancesForEntityMapping")
                ? model.entities.firstIndex { $0.name == name } : nil
            return .made(by: maker, of: arguments[1])
        }
    }
}

extension QueryExpression {
    /// The method and its arguments if it calls one of a variable: `FUNCTION($manager, "name:", …)`.
    func call(of receiver: String) -> (method: String, arguments: [QueryExpression])? {
        guard case .function(let name, let parts) = self, case .variable(receiver, keyPath: [])? = parts.first
        else { return nil }
        return (name, Array(parts.dropFirst()))
    }
}
