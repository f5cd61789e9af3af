import CofferModel

/// What decides whether and where objects stand in results.
struct ResultDependencies {
    /// Properties of the objects themselves, by name; `nil` for all.
    private(set) var own: Set<String>? = []
    /// Entities, by index, whose objects decide along with them; any change there may change everything.
    private(set) var others: Set<Int> = []
    /// Entities whose objects, deleted, leave the objects' own relationships.
    private(set) var ends: Set<Int> = []
    /// Whether any change may change everything.
    private(set) var isOpen = false
    private let entity: EntityDescription
    private let model: ManagedObjectModel

    init(
        of predicate: QueryPredicate?, _ keyPaths: [[String]], entity: EntityDescription,
        model: ManagedObjectModel
    ) throws(CofferError) {
        self.entity = entity
        self.model = model
        do throws(QueryError) {
            for keyPath in keyPaths { try add(keyPath) }
            if let predicate { try add(predicate) }
        } catch {
            throw .predicate(error)
        }
    }

    private mutating func add(_ predicate: QueryPredicate) throws(QueryError) {
        switch predicate {
        case .always: break
        case .and(let parts), .or(let parts): for part in parts { try add(part) }
        case .not(let part): try add(part)
        case .comparison(let comparison):
            try add(comparison.left)
            try add(comparison.right)
        }
    }

    private mutating func add(_ expression: QueryExpression) throws(QueryError) {
        switch expression {
        case .constant, .evaluatedObject: break
        case .collection(let parts): for part in parts { try add(part) }
        case .keyPath(let keys): try add(keys)
        case .function(let name, let arguments):
            for argument in arguments { try add(argument) }
            // A key path behind a call begins at an object that only the call knows, unless it is asked of a
            // text.
            guard QueryFunction(name: name) == .valueForKeyPath else { break }
            if arguments.last?.constantKeys.flatMap(TextKey.init(only:)) == nil { becomeOpen() }
        case .conditional(let predicate, let then, let otherwise):
            try add(predicate)
            try add(then)
            try add(otherwise)
        case .variable, .subquery:
            // What a subquery asks of its elements may lead anywhere.
            becomeOpen()
        }
    }

    private mutating func becomeOpen() {
        isOpen = true
        own = nil
    }

    private mutating func add(_ keys: [String]) throws(QueryError) {
        if keys.count == 1, entity.property(named: keys[0])?.isTransient ?? false {
            own?.insert(keys[0])
            return
        }
        let keys = KeyPathResolver.textKey(at: keys, from: entity, in: model)?.path ?? keys
        let path = try KeyPathResolver.resolve(keys, from: entity, in: model)
        if let first = path.steps.first { own?.insert(first.property.name) }
        let steps = path.steps + path.operand
        for (place, step) in steps.enumerated() {
            guard let relationship = step.property.relationship else { continue }
            let family = model.destination(of: relationship).familyIndices
            if place + 1 < steps.count || relationship.isToMany { others.formUnion(family) }
            ends.formUnion(family)
        }
    }
}

extension ResultDependencies {
    /// Whether changes may change more than the objects that they name.
    func mayChangeAll(_ changes: LoggedChanges) -> Bool {
        if changes.isReload || isOpen { return true }
        if others.isEmpty && ends.isEmpty { return false }
        func isOther(_ reference: ObjectReference) -> Bool { others.contains(Int(reference.leaf)) }
        func isEnd(_ reference: ObjectReference) -> Bool { ends.contains(Int(reference.leaf)) }
        return changes.touched.contains { isOther($0.key) || (isEnd($0.key) && $0.value.isLost) }
            || changes.updated.keys.contains(where: isOther) || changes.appeared.contains(where: isOther)
            || changes.vanished.contains { isOther($0) || isEnd($0) }
    }

    /// The places of the properties of the objects themselves, in every entity of the family; `nil` for all.
    var ownSlots: Set<Int>? {
        guard let own else { return nil }
        var slots: Set<Int> = []
        for index in entity.familyIndices {
            for name in own {
                if let slot = model.entities[index].propertyIndex(named: name) { slots.insert(slot) }
            }
        }
        return slots
    }
}
