public import CofferModel
internal import CofferWire

extension MigrationManager {
    /// Makes the object that an entity mapping says of another one, with its attributes and not yet its
    /// relationships, and associates them: what happens if there is no policy.
    ///
    /// - Throws: `CofferError.unknown` if the mapping model has no such mapping, or it makes no objects;
    ///   `.refused` with the reason `unmigratable` if it gives a value that the attribute cannot have.
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

    /// Relates an object to what the mapping says of the objects that it was made of: what happens
    /// without a policy.
    ///
    /// Objects that are related to it already, as by the other end, stay so, behind those that the mapping
    /// says.
    /// - Throws: `CofferError.unknown` if the mapping model has no such mapping.
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

    /// The value that stands for the same in a type; `nil` if there is none.
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
        for part in parts { arguments.append(try migrationValue(of: part, for: subject)) }
        return try asking(subject.mapping) {
            try policies[subject.mapping.place].value(calling: method, with: arguments, manager: self)
        }
    }

    /// What an expression gives, which may call the migration or the policy, and so may its parts.
    private func migrationValue(
        of expression: QueryExpression, for subject: MappedSubject
    ) throws(CofferError) -> MigrationValue {
        if case .variable("manager", keyPath: []) = expression { return .manager }
        if let (method, parts) = expression.call(of: "entityPolicy") {
            return try call(method, with: parts, for: subject)
        }
        if let (method, parts) = expression.call(of: "manager") {
            return .objects(try objects(calling: method, with: parts, for: subject))
        }
        switch try evaluate(expression, for: subject) {
        case .value(let value): return .value(value)
        case .object(let object): return .objects(Self.objects(object.map { [$0] } ?? []))
        case .objects(let objects): return .objects(Self.objects(objects))
        case .values: throw subject.refusal("several values, which no method takes,")
        }
    }

    /// What a method of the migration gives that an expression calls.
    private func objects(
        calling method: String, with parts: [QueryExpression], for subject: MappedSubject
    ) throws(CofferError) -> [ManagedObject] {
        guard parts.count == 2, case .constant(.string(let name)) = parts[0] else {
            throw subject.refusal("no name to '\(method)'")
        }
        let found = try objects(of: parts[1], for: subject)
        if method.hasPrefix("sourceInstancesForEntityMapping") {
            return try sourceInstances(forEntityMappingNamed: name, destinationInstances: found)
        }
        let maker = method.hasPrefix("destinationInstancesForEntityMapping") ? try place(named: name) : nil
        return try made(ofSources: found, by: maker, for: subject)
    }

    /// The objects that an expression gives.
    private func objects(
        of expression: QueryExpression, for subject: MappedSubject, at property: String? = nil
    ) throws(CofferError) -> [ManagedObject] {
        switch try migrationValue(of: expression, for: subject) {
        case .objects(let objects): return objects
        case .value(.null): return []
        case .value, .manager: throw subject.refusal("values, and not objects,", at: property)
        }
    }

    /// What was made of objects of the store as it was.
    private func made(
        ofSources sources: [ManagedObject], by maker: Int?, for subject: MappedSubject,
        at property: String? = nil
    ) throws(CofferError) -> [ManagedObject] {
        guard sources.allSatisfy({ $0.context === sourceContext }) else {
            throw subject.refusal("objects that are new where those of before are wanted,", at: property)
        }
        return try made(of: sources, by: maker)
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
            let sources = try objects(of: expression, for: subject, at: relationship.name)
            found = try made(ofSources: sources, by: maker, for: subject, at: relationship.name)
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
