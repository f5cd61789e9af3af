public import CofferModel

extension ManagedObject {
    /// Notes what property `slot`, which is not a to-many relationship, holds from now on.
    ///
    /// A fault fires first, since a save needs its version. A value equal to the stored content is not a
    /// change. A large value that was not read is written over unread; only a child reads it, since its
    /// parent judges by values which of them changed what.
    final func record(_ content: PropertyContent, _ slot: Int) {
        guard isReadyToChange(slot) else { return }
        noteUndo(content, slot)
        withMutation(of: [slot]) { change(slot, to: content) }
    }

    /// Notes what property `slot` holds from now on, without telling observers or undo.
    final func recordUntold(_ content: PropertyContent, _ slot: Int) {
        if isReadyToChange(slot) { change(slot, to: content) }
    }

    /// Whether the object is there, with the version that a save of property `slot` needs.
    @inline(__always)
    private func isReadyToChange(_ slot: Int) -> Bool {
        guard !status.contains(.gone) else { return false }
        if !status.contains(.inserted) && batch == nil { _ = fire() }
        if layout.isExternal(slot), registry.context?.link != nil { _ = storedContent(slot) }
        return !status.contains(.gone)
    }

    @inline(__always)
    private func change(_ slot: Int, to content: PropertyContent) {
        registry.saveInProgress?.willChange(self, slot)
        let edits = makeEdits()
        let isBack =
            !status.contains(.inserted) && edits.ancestors[slot] == nil && knownContent(slot) == content
            && !(registry.saveInProgress?.hasSent(self, slot) ?? false)
        let isReturn = isBack && edits.changed[slot] != nil
        edits.changed[slot] = isBack ? nil : content
        if !edits.untouched.isEmpty { edits.untouched.removeAll { $0 == slot } }
        noteEdited()
        if isReturn { tellOfReturn(slot) }
    }

    /// Makes contexts below read property `slot` again: they may know it as changed, and a save would no
    /// longer tell of it.
    private func tellOfReturn(_ slot: Int) {
        registry.context?.notifyChildren(forgetting: [FollowingEnd(reference: reference, slot: slot)])
    }

    /// Notes that the to-one relationship `slot` leads nowhere, since the object it was changed to is gone;
    /// that cannot be undone.
    final func recordNoEnd(_ slot: Int) {
        registry.saveInProgress?.willChange(self, slot)
        withMutation(of: [slot]) {
            let edits = makeEdits()
            let isBack =
                !status.contains(.inserted) && edits.ancestors[slot] == nil && knownContent(slot) == .null
                && !(registry.saveInProgress?.hasSent(self, slot) ?? false)
            let isReturn = isBack && edits.changed[slot] != nil
            edits.changed[slot] = isBack ? nil : .null
            noteEdited()
            if isReturn { tellOfReturn(slot) }
        }
    }

    /// Notes for undo what property `slot` has before it is changed.
    @inline(__always)
    private func noteUndo(_ content: PropertyContent, _ slot: Int) {
        guard let context = registry.context, context.undoManager != nil else { return }
        // A value that cannot be read cannot come back: null in its place would be saved.
        guard let old = edits?.changed[slot] ?? storedContent(slot) else { return }
        if old != content { context.note(.content(self, slot: slot, old: old, new: content)) }
    }

    /// What property `slot` holds, null if it has no value; a fault fires.
    final func rawContent(_ slot: Int) -> PropertyContent {
        if status.contains(.gone) { return .null }
        return edits?.changed[slot] ?? storedContent(slot) ?? .null
    }

    /// Lets `member` enter the to-many relationship `slot`, on this side only; at the end, if the
    /// relationship has an order.
    final func addMember(_ slot: Int, _ member: ObjectReference) {
        var (isNew, hadLeft) = (false, false)
        // A member that left and comes back would stand at its former place.
        let order = edits?.toMany[slot]?.removed.contains(member) ?? false ? knownOrder(slot) : nil
        editMembers(slot) { content in
            isNew = content.contains(member) != true
            hadLeft = content.removed.contains(member)
            content.insert(member)
            if let order, isNew { content.arrange(order + [member]) }
        }
        guard isNew else { return }
        registry.context?.note(.member(self, slot: slot, member, hadLeft ? .enteredAgain : .entered))
        if let order { noteOrder(slot, order) }
    }

    /// The members of the to-many relationship `slot`, read if they are not known; `nil` if it has no order.
    private func knownOrder(_ slot: Int) -> [ObjectReference]? {
        layout.relationships[slot]?.isOrdered ?? false ? memberReferences(slot) : nil
    }

    /// Lets `member` leave the to-many relationship `slot`, on this side only.
    final func dropMember(_ slot: Int, _ member: ObjectReference) {
        var (wasMember, wasAdded) = (false, false)
        // Undo has to know the member's former place.
        let order = registry.context?.undoManager != nil ? knownOrder(slot) : nil
        editMembers(slot) { content in
            wasMember = content.contains(member) != false
            wasAdded = content.hasAdded(member)
            content.remove(member)
        }
        if let order, wasMember { noteOrder(slot, order) }
        guard wasMember else { return }
        registry.context?.note(.member(self, slot: slot, member, wasAdded ? .leftAgain : .left))
    }

    /// Changes the members of the to-many relationship `slot`, on this side only.
    final func editMembers(_ slot: Int, _ body: (inout ToManyContent) -> Void) {
        guard !status.contains(.gone) else { return }
        let start = ToManyContent(stored: status.contains(.inserted) ? [] : nil)
        registry.saveInProgress?.willChangeMembers(self, slot)
        withMutation(of: [slot]) {
            let wasChanged = edits?.toMany[slot]?.isChanged ?? false
            body(&makeEdits().toMany[slot, default: start])
            noteEdited()
            if wasChanged, !(edits?.toMany[slot]?.isChanged ?? false) { tellOfReturn(slot) }
        }
    }

    /// Lets the context keep the object while it has changes.
    ///
    /// An object that was deleted elsewhere is there for the sake of its changes alone, and goes with the
    /// last of them.
    private func noteEdited() {
        registry.changeLog?.touch(self)
        guard let edits, status.isDisjoint(with: [.inserted, .deleted]), let context = registry.context else {
            return
        }
        let isUpdated = edits.hasChanges
        guard isUpdated != status.contains(.updated) else { return }
        if isUpdated {
            status.insert(.updated)
            context.updated.insert(self)
        } else {
            status.remove(.updated)
            edits.forgetAncestors()
            context.updated.remove(self)
            if edits.isDeletedInStore { context.dropDeleted(self) }
        }
    }

    /// Sets an attribute that holds values of the kind; one outside its range is kept, and forbids the save.
    @usableFromInline
    final func setAttribute(_ key: PropertyKey, _ value: AttributeValue) {
        let slot = layout.slot(key.number)
        guard let type = layout.attributeTypes[slot] else {
            preconditionFailure("'\(key.name)' of entity '\(entity.name)' is not an attribute")
        }
        let value = value.adapted(to: type)
        precondition(value.isOfKind(type), "a value for '\(entity.name).\(key.name)' is not of type \(type)")
        record(.value(value), slot)
    }
}

extension AttributeValue {
    /// The value in the form that attributes of `type` have it, if another form means the same.
    ///
    /// Files have no sign for zero: -0.0 is 0.0 from the beginning, not only after it was read back.
    func adapted(to type: AttributeType) -> AttributeValue {
        switch (self, type) {
        case (.double(0), .double): .double(0)
        case (.float(0), .float): .float(0)
        case (.binary(let bytes), .transformable): .transformable(bytes)
        case (.string(let text), .uri): .uri(text)
        default: self
        }
    }
}
