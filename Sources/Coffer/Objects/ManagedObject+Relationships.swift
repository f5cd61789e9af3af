import CofferModel

extension ManagedObject {
    /// The relationship of that key; to ask for anything else is a mistake.
    @inline(__always)
    final func relationship(_ key: PropertyKey, isToMany: Bool) -> RelationshipLayout {
        guard let relationship = layout.relationships[layout.slot(key.number)],
            relationship.isToMany == isToMany
        else {
            preconditionFailure(
                "'\(entity.name).\(key.name)' is not a \(isToMany ? "to-many" : "to-one") relationship")
        }
        return relationship
    }

    /// The object at the other end of a to-one relationship; `nil` if there is none, or it was deleted.
    final func target(_ relationship: RelationshipLayout) -> ManagedObject? {
        noteRead(relationship.slot)
        guard let reference = content(relationship.slot).reference, let context else { return nil }
        let object = context.object(reference)
        if object.isFault && object.faults == nil { object.faults = ends(relationship, with: reference) }
        return object.isLost ? nil : object
    }

    /// What a to-one relationship of the rows read with this one leads to, `reference` among it.
    private func ends(_ relationship: RelationshipLayout, with reference: ObjectReference) -> FaultGroup? {
        guard !reference.isUnsaved, edits?.changed[relationship.slot] == nil else { return nil }
        return batch?.ends(relationship.slot) { [registry] entity, key in
            guard relationship.ends.contains(entity) else { return nil }
            return registry.reference(store: reference.store, entity: entity, key: key)
        }
    }

    /// The objects of a to-many relationship, those that were deleted left out; empty if they cannot be
    /// read.
    final func members(_ relationship: RelationshipLayout) -> [ManagedObject] {
        noteRead(relationship.slot)
        guard let context, let references = memberReferences(relationship.slot) else { return [] }
        let objects = context.objects(references, of: edits?.toMany[relationship.slot]?.faults)
        return objects.contains { $0.isLost } ? objects.filter { !$0.isLost } : objects
    }

    /// The members of the to-many relationship `slot`, read if they are not known.
    final func memberReferences(_ slot: Int) -> [ObjectReference]? {
        guard let context else { return nil }
        if status.contains(.inserted) { return edits?.toMany[slot]?.members ?? [] }
        if let members = edits?.toMany[slot]?.members { return members }
        do throws(CofferError) {
            try context.loadMembers(of: self, slot)
        } catch {
            context.lastFaultError = error
        }
        return edits?.toMany[slot]?.members
    }

    /// Whether `other` may be at the other end.
    final func admits(_ other: ManagedObject, _ relationship: RelationshipLayout) -> Bool {
        other.registry === registry && other.entity.isKind(of: relationship.destination)
    }
}

extension ManagedObject {
    /// Sets a to-one relationship, and its inverse at both the old and the new end.
    final func setTarget(_ target: ManagedObject?, _ relationship: RelationshipLayout) {
        precondition(
            target.map { admits($0, relationship) } ?? true,
            "an object of another context or entity cannot be at the other end of '\(entity.name).\(relationship.name)'"
        )
        guard let context else { return }
        let old = content(relationship.slot).reference
        guard old != target?.reference else { return }
        if let inverse = relationship.inverseSlot {
            if let old { context.object(old).leave(inverse, self, isToMany: relationship.isInverseToMany) }
            target?.enter(inverse, self, through: relationship)
        }
        // Reading may have shown that the object is gone.
        let end = target.flatMap { $0.status.contains(.gone) ? nil : $0.reference }
        record(end.map { .reference($0) } ?? .null, relationship.slot)
    }

    /// Lets `member` enter a to-many relationship, and sets its inverse.
    final func insertMember(_ member: ManagedObject, _ relationship: RelationshipLayout) {
        precondition(
            admits(member, relationship),
            "an object of another context or entity cannot enter '\(entity.name).\(relationship.name)'")
        if member.status.contains(.gone) { return }
        guard !status.contains(.gone), let inverse = relationship.inverseSlot else {
            return addMember(relationship.slot, member.reference)
        }
        if relationship.isInverseToMany {
            if holds(member, in: relationship.slot, inverse: inverse) == true { return }
            member.addMember(inverse, reference)
            addMember(relationship.slot, member.reference)
        } else if let back = member.layout.relationships[inverse] {
            member.setTarget(self, back)
        }
    }

    /// Whether `member` is in the many-to-many relationship `slot`, as far as either side knows; read if an
    /// undo will ask.
    private func holds(_ member: ManagedObject, in slot: Int, inverse: Int) -> Bool? {
        func side(of object: ManagedObject, _ slot: Int, holds other: ManagedObject) -> Bool? {
            if let known = object.edits?.toMany[slot]?.contains(other.reference) { return known }
            return object.status.contains(.inserted) ? false : nil
        }
        if let known = side(of: self, slot, holds: member) ?? side(of: member, inverse, holds: self) {
            return known
        }
        guard registry.context?.undoManager != nil else { return nil }
        return memberReferences(slot)?.contains(member.reference)
    }

    /// Lets `member` leave a to-many relationship, and clears its inverse.
    final func removeMember(_ member: ManagedObject, _ relationship: RelationshipLayout) {
        guard !status.contains(.gone) else { return }
        if let inverse = relationship.inverseSlot {
            if !relationship.isInverseToMany {
                guard member.content(inverse).reference == reference else { return }
            } else if holds(member, in: relationship.slot, inverse: inverse) == false {
                return
            }
            member.leave(inverse, self, isToMany: relationship.isInverseToMany)
        }
        dropMember(relationship.slot, member.reference)
    }

    /// Follows on this side, property `slot`, that `other` no longer refers here.
    final func leave(_ slot: Int, _ other: ManagedObject, isToMany: Bool) {
        if isToMany {
            dropMember(slot, other.reference)
        } else if content(slot).reference == other.reference {
            record(.null, slot)
        }
    }

    /// Follows on this side, property `slot`, that `other` refers here from now on; of a one-to-one
    /// relationship, the former partner no longer does.
    private func enter(_ slot: Int, _ other: ManagedObject, through relationship: RelationshipLayout) {
        if relationship.isInverseToMany { return addMember(slot, other.reference) }
        if let previous = content(slot).reference, previous != other.reference, let context {
            context.object(previous).leave(relationship.slot, self, isToMany: false)
        }
        record(.reference(other.reference), slot)
    }
}
