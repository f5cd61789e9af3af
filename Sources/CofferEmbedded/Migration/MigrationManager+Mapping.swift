public import Coffer
public import CofferModel
import CofferWire

extension MigrationManager {
    /// Makes the object that an entity mapping says of another one, with its attributes and not yet its
    /// relationships, and associates them: what happens where there is no policy.
    ///
    /// - Throws: `CofferError.unknown` where the mapping model has no such mapping, or it makes no objects;
    ///   `.refused` with the reason `unmigratable` where it gives a value that the attribute cannot have.
    @discardableResult
    public func createDestinationInstance(
        for source: ManagedObject, in mapping: MappingModel.Entity
    ) throws(CofferError) -> ManagedObject {
        let compiled = compiled[try place(named: mapping.name)]
        guard let entity = compiled.destination else {
            throw .unknown(kind: "destination of the entity mapping", name: mapping.name)
        }
        let destination = try destinationContext.insert(entityNamed: entity.name)
        let subject = MappedSubject(mapping: compiled, source: source, destination: nil)
        for (attribute, origin) in compiled.attributes {
            let value = try value(of: attribute, from: origin, for: subject)
            try destination.setValue(value, forKey: attribute.name)
        }
        try associate(sourceInstance: source, withDestinationInstance: destination, for: mapping)
        return destination
    }

    /// Relates an object to what the mapping says of the objects that it was made of: what happens where
    /// there is no policy.
    ///
    /// Objects that are related to it already, as by the other end, stay so, behind those that the mapping
    /// says.
    /// - Throws: `CofferError.unknown` where the mapping model has no such mapping.
    public func createMappedRelationships(
        for destination: ManagedObject, in mapping: MappingModel.Entity
    ) throws(CofferError) {
        let compiled = compiled[try place(named: mapping.name)]
        if compiled.relationships.isEmpty { return }
        let sources = try sourceInstances(
            forEntityMappingNamed: mapping.name, destinationInstances: [destination])
        guard let source = sources.first else { return }
        let subject = MappedSubject(mapping: compiled, source: source, destination: destination)
        for (relationship, origin) in compiled.relationships {
            let found = try ends(of: relationship, from: origin, for: subject)
            if found.isEmpty { continue }
            guard relationship.isToMany else {
                try destination.setObjects([found[0]], forKey: relationship.name)
                continue
            }
            let told = Set(found)
            let others = destination.objects(forKey: relationship.name).filter { !told.contains($0) }
            try destination.setObjects(found + others, forKey: relationship.name)
        }
    }
}

/// What an entity mapping is followed for.
struct MappedSubject {
    let mapping: CompiledMapping
    /// The object that there was.
    let source: ManagedObject
    /// What was made of it; `nil` while it is made.
    let destination: ManagedObject?

    /// The error that the mapping gives `what` for it.
    func refusal(_ what: String, at property: String? = nil) -> CofferError {
        let name = property.map { "\(mapping.mapping.name).\($0)" } ?? mapping.mapping.name
        return .refused(
            code: StatusCode.failedPrecondition.name, reason: "unmigratable",
            text: "The mapping model's '\(name)' gives \(what) for "
                + "\(source.entity.name)/p\(source.objectID.primaryKey ?? 0): change the object before, or "
                + "what the mapping says of it.", place: name)
    }
}

// MARK: Values

extension MigrationManager {
    private func value(
        of attribute: AttributeDescription, from origin: CompiledMapping.ValueSource,
        for subject: MappedSubject
    ) throws(CofferError) -> AttributeValue {
        let found: AttributeValue?
        switch origin {
        case .copied(let name): return subject.source.value(forKey: name)
        case .computed(let expression): found = Self.single(try evaluate(expression, for: subject))
        case .called(let method, let arguments):
            switch try call(method, with: arguments, for: subject) {
            case .value(let value): found = value
            case .objects, .manager: found = nil
            }
        }
        guard let value = found.flatMap({ Self.convert($0, to: attribute.type) }) else {
            throw subject.refusal("no value of the type \(attribute.type.name)", at: attribute.name)
        }
        return value
    }

    private static func single(_ value: SubjectValue) -> AttributeValue? {
        switch value {
        case .value(let value): value
        case .object(nil): .null
        case .values, .object, .objects: nil
        }
    }

    /// The value that stands for the same in a type; `nil` where there is none.
    private static func convert(_ value: AttributeValue, to type: AttributeType) -> AttributeValue? {
        if value.isNull { return .null }
        if type == .date, let text = value.textValue { return DateText.date(text).map { .date($0) } }
        guard let found = value.type else { return nil }
        return AttributeConversion(from: found, to: type)?.convert(value)
    }

    private func evaluate(
        _ expression: QueryExpression, for subject: MappedSubject
    ) throws(CofferError) -> SubjectValue {
        var subjects: [String: any PredicateSubject] = ["source": ObjectSubject(object: subject.source)]
        subjects["destination"] = subject.destination.map { ObjectSubject(object: $0) }
        do throws(QueryError) {
            return try expression.evaluate(binding: subjects)
        } catch {
            throw subject.refusal("no value (\(error))")
        }
    }

    private func call(
        _ method: String, with parts: [QueryExpression], for subject: MappedSubject
    ) throws(CofferError) -> MigrationValue {
        var arguments: [MigrationValue] = []
        for part in parts {
            if case .variable("manager", keyPath: []) = part {
                arguments.append(.manager)
                continue
            }
            switch try evaluate(part, for: subject) {
            case .value(let value): arguments.append(.value(value))
            case .object(let object): arguments.append(.objects(Self.objects(object.map { [$0] } ?? [])))
            case .objects(let objects): arguments.append(.objects(Self.objects(objects)))
            case .values: throw subject.refusal("several values, which no method takes,")
            }
        }
        return try asking(subject.mapping) {
            try policies[subject.mapping.place].value(calling: method, with: arguments, manager: self)
        }
    }

    private static func objects(_ subjects: [any PredicateSubject]) -> [ManagedObject] {
        subjects.compactMap { ($0 as? ObjectSubject)?.object }
    }

    /// The objects that a relationship is to have, of those that may be in it.
    private func ends(
        of relationship: RelationshipDescription, from origin: CompiledMapping.LinkSource,
        for subject: MappedSubject
    ) throws(CofferError) -> [ManagedObject] {
        let found: [ManagedObject]
        switch origin {
        case .made(let maker, let expression):
            let sources: [ManagedObject]
            switch try evaluate(expression, for: subject) {
            case .object(let object): sources = Self.objects(object.map { [$0] } ?? [])
            case .objects(let objects): sources = Self.objects(objects)
            case .value(.null): sources = []
            case .value, .values: throw subject.refusal("values, and not objects,", at: relationship.name)
            }
            found = try made(of: sources, by: maker)
        case .called(let method, let arguments):
            switch try call(method, with: arguments, for: subject) {
            case .objects(let objects): found = objects
            case .value(.null): found = []
            case .value, .manager: throw subject.refusal("a value, and not objects,", at: relationship.name)
            }
        }
        let end = destinationModel.destination(of: relationship)
        return found.filter { $0.entity.isKind(of: end) }
    }

    /// Runs what a policy does, whose errors say of which mapping they are.
    func asking<Result>(
        _ mapping: CompiledMapping, _ body: () throws -> Result
    ) throws(CofferError) -> Result {
        do {
            return try body()
        } catch let error as CofferError {
            throw error
        } catch {
            throw .refused(
                code: StatusCode.aborted.name, reason: "policy",
                text:
                    "The policy of the entity mapping '\(mapping.mapping.name)' ended the migration: \(error)",
                place: mapping.mapping.name)
        }
    }
}
