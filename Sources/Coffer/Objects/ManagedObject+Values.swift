public import CofferModel

extension ManagedObject {
    /// The value of an attribute by name, or the id at the other end of a to-one relationship.
    ///
    /// - Precondition: The entity has a property of that name, and it is not to-many.
    public final func value(forKey key: String) -> AttributeValue {
        let slot = slot(named: key)
        precondition(
            !(layout.relationships[slot]?.isToMany ?? false),
            "'\(entity.name).\(key)' is to-many: use objects(forKey:)")
        noteRead(slot)
        return attributeValue(of: content(slot), slot)
    }

    /// The objects of a relationship by name: at most one if it is to-one.
    ///
    /// - Precondition: The entity has a relationship of that name.
    public final func objects(forKey key: String) -> [ManagedObject] {
        guard let relationship = layout.relationships[slot(named: key)] else {
            preconditionFailure("'\(entity.name).\(key)' is not a relationship")
        }
        return relationship.isToMany ? members(relationship) : target(relationship).map { [$0] } ?? []
    }

    /// Sets an attribute by name, or a to-one relationship to the object with an id.
    ///
    /// A number outside the attribute's range, and what is not a number, are kept, and forbid the save.
    ///
    /// - Throws: `CofferError.unknown` if the entity has no such property; `.wrongType` if the value
    ///   does not fit it; `.objectDeleted` if this object is gone.
    public final func setValue(_ value: AttributeValue, forKey key: String) throws(CofferError) {
        guard let slot = entity.propertyIndex(named: key) else {
            throw .unknown(kind: "property of '\(entity.name)'", name: key)
        }
        if status.contains(.gone) { throw loss }
        if let type = layout.attributeTypes[slot] {
            let value = value.adapted(to: type)
            guard value.isOfKind(type) else { throw wrongType(key, "\(type)") }
            return record(.value(value), slot)
        }
        guard let relationship = layout.relationships[slot], !relationship.isToMany else {
            throw wrongType(key, "a set of objects: use setObjects(_:forKey:)")
        }
        switch value {
        case .null: setTarget(nil, relationship)
        case .object(let id):
            guard let target = context?.object(with: id), admits(target, relationship) else {
                throw wrongType(key, "an object of '\(relationship.destination.name)'")
            }
            setTarget(target, relationship)
        default: throw wrongType(key, "an object id")
        }
    }

    /// Sets the members of a relationship by name: those that are not given leave.
    ///
    /// - Throws: `CofferError.unknown` if the entity has no such relationship; `.wrongType` if an
    ///   object may not be in it, or several are given for a to-one relationship.
    public final func setObjects(_ objects: [ManagedObject], forKey key: String) throws(CofferError) {
        guard let slot = entity.propertyIndex(named: key), let relationship = layout.relationships[slot]
        else {
            throw .unknown(kind: "relationship of '\(entity.name)'", name: key)
        }
        guard objects.allSatisfy({ admits($0, relationship) }), relationship.isToMany || objects.count <= 1
        else {
            throw wrongType(key, "objects of '\(relationship.destination.name)'")
        }
        relationship.isToMany ? replaceMembers(objects, relationship) : setTarget(objects.first, relationship)
    }

    /// The value of a property by name, as `value(forKey:)` gives it; to set one that does not fit is a
    /// mistake.
    public final subscript(key: String) -> AttributeValue {
        get { value(forKey: key) }
        set {
            do throws(CofferError) {
                try setValue(newValue, forKey: key)
            } catch {
                if case .objectDeleted = error { return }
                preconditionFailure("'\(entity.name).\(key)' cannot be set: \(error)")
            }
        }
    }

    private final func slot(named key: String) -> Int {
        guard let slot = entity.propertyIndex(named: key) else {
            preconditionFailure("entity '\(entity.name)' has no property '\(key)'")
        }
        return slot
    }

    private final func wrongType(_ key: String, _ expected: String) -> CofferError {
        .wrongType(entity: entity.name, property: key, expected: expected)
    }
}

extension ManagedObject {
    /// Properties that were set and are not saved, with their values; relationships only if they are to-one.
    public final var changedValues: [String: AttributeValue] {
        guard let edits else { return [:] }
        return values(edits.changed.entries)
    }

    /// Whether something was changed that a store keeps: transient properties alone make no save.
    public final var hasPersistentChangedValues: Bool {
        guard let edits, !status.contains(.gone) else { return false }
        return edits.changed.slots.contains { !entity.properties[$0].isTransient }
            || edits.toMany.values.contains { $0.isChanged }
    }

    /// Properties that were set since the last step of undo ended, with their values; relationships only if
    /// they are to-one.
    ///
    /// Without an undo manager events are not counted, and it is the same as `changedValues`.
    public final var changedValuesForCurrentEvent: [String: AttributeValue] {
        guard let manager = registry.context?.undoManager else { return changedValues }
        var contents = SparseContents()
        for case .content(let object, let slot, _, let new) in manager.currentOperations
        where object === self { contents[slot] = new }
        return values(contents.entries)
    }

    /// What the store has, as far as the context knows, for some properties or for all that are not to-many;
    /// a fault fires.
    public final func committedValues(forKeys keys: [String]? = nil) -> [String: AttributeValue] {
        let slots = keys?.compactMap { entity.propertyIndex(named: $0) } ?? layout.storedSlots
        return values(slots.compactMap { slot in storedContent(slot).map { (slot, $0) } })
    }

    /// Contents by the names of their properties.
    final func values(_ contents: [(slot: Int, content: PropertyContent)]) -> [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        for (slot, content) in contents {
            values[entity.properties[slot].name] = attributeValue(of: content, slot)
        }
        return values
    }

    final func attributeValue(of content: PropertyContent, _ slot: Int) -> AttributeValue {
        switch content {
        case .value(let value): value
        case .reference(let reference):
            .object(registry.object(reference)?.objectID ?? registry.id(reference))
        }
    }

    /// Makes `objects` the members of a relationship: the others leave, and those that are missing enter.
    final func replaceMembers(_ objects: [ManagedObject], _ relationship: RelationshipLayout) {
        let wanted = Set(objects)
        for member in members(relationship) where !wanted.contains(member) {
            removeMember(member, relationship)
        }
        for object in objects { insertMember(object, relationship) }
        arrangeMembers(objects, relationship)
    }
}
