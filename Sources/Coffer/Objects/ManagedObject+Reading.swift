public import CofferModel
import CofferWire

extension ManagedObject {
    /// Where the attribute with a key's number stands in the row; below 0 if it is not to be read there.
    ///
    /// It is to be read there if the row was read, and nothing of the object was changed.
    @usableFromInline
    final func plainColumn(_ number: Int) -> Int {
        if status.contains(.observable) { trackRead(number) }
        guard edits == nil, let batch else { return -1 }
        return batch.attributePosition(number)
    }

    /// The attribute's value, whatever it takes; the default if there is none.
    @usableFromInline
    final func slowValue(_ number: Int) -> AttributeValue {
        content(layout.slot(number)).value
    }

    /// What an attribute gives if it is null.
    @usableFromInline
    final func fallbackValue(_ number: Int) -> AttributeValue {
        layout.fallback(layout.slot(number)).value
    }

    /// What property `slot`, no to-many relationship, holds now; a fault fires.
    final func content(_ slot: Int) -> PropertyContent {
        if status.contains(.gone) { return layout.fallback(slot) }
        if let content = edits?.changed[slot] { return content }
        return storedContent(slot) ?? layout.fallback(slot)
    }

    /// The content of property `slot` as contexts below see it: null if it leads to an object that is
    /// deleted here, whose delete the rest of its rules will follow.
    final func livingContent(_ slot: Int) -> PropertyContent {
        let content = content(slot)
        guard let end = content.reference, registry.object(end)?.isLost ?? false else { return content }
        return .null
    }

    /// What the store has for property `slot`, `nil` if it cannot be read; a fault fires.
    final func storedContent(_ slot: Int) -> PropertyContent? {
        if let known = knownContent(slot) { return known }
        guard fire(layout.isExternal(slot) ? .whole : .withoutExternal) else { return nil }
        // What was read with it may have made it forget its end; this is its newest row all the same.
        return knownContent(slot) ?? batch.flatMap { rowContent(slot, of: $0, row: Int(row)) } ?? .null
    }

    /// What is known of what the store has for property `slot`, without reading.
    final func knownContent(_ slot: Int) -> PropertyContent? {
        if status.contains(.inserted) { return .null }
        if let edits {
            if let content = edits.moved[slot] { return content }
            if edits.stale.contains(slot) { return nil }
        }
        guard let batch else { return nil }
        return rowContent(slot, of: batch, row: Int(row))
    }

    /// Whether `knownContent` would give something; makes no copy of a large value to say so.
    final func knows(_ slot: Int) -> Bool {
        if status.contains(.inserted) { return true }
        if let edits {
            if edits.moved.contains(slot) { return true }
            if edits.stale.contains(slot) { return false }
        }
        return batch.map { $0.knows(slot) || entity.properties[slot].isTransient } ?? false
    }

    /// Whether something of its row would have to be read before `extent` of it is known.
    final func lacks(_ extent: RowExtent) -> Bool {
        guard status.isDisjoint(with: [.inserted, .gone]) else { return false }
        if let batch, edits == nil, batch.isComplete { return false }
        return layout.storedSlots.contains { slot in
            if extent == .withoutExternal, layout.isExternal(slot) { return false }
            return !(edits?.changed.contains(slot) ?? false) && !knows(slot)
        }
    }

    /// Whether it has read a value that may be in a file beside the store.
    final var knowsExternalValue: Bool {
        guard let batch else { return false }
        return layout.externalSlots.contains { batch.knows($0) }
    }

    /// What a row has for property `slot`; `nil` if it was read without it.
    final func rowContent(_ slot: Int, of batch: SnapshotBatch, row: Int) -> PropertyContent? {
        registry.content(slot, of: batch, row: row, layout, store: reference.store)
    }

    /// Reads the row; `false` if that failed, and the context then knows why.
    final func fire(_ extent: RowExtent = .withoutExternal) -> Bool {
        guard let context else { return false }
        do throws(CofferError) {
            try context.fire(self, extent)
            return true
        } catch {
            context.lastFaultError = error
            return false
        }
    }
}

extension Registry {
    /// What a row of a store has for property `slot`; `nil` if it was read without it.
    func content(_ slot: Int, of batch: SnapshotBatch, row: Int, _ layout: EntityLayout, store: Int16)
        -> PropertyContent?
    {
        let position = batch.position(of: slot)
        guard position >= 0 else {
            return batch.knows(slot) || layout.entity.properties[slot].isTransient ? .null : nil
        }
        if let type = layout.attributeTypes[slot] {
            return .value(batch.rows.value(position, row, type: type))
        }
        guard let end = batch.rows.reference(position, row),
            let relationship = layout.relationships[slot], relationship.ends.contains(end.entity)
        else {
            return .null
        }
        return .reference(reference(store: store, entity: end.entity, key: end.key))
    }
}

extension ManagedObject {
    /// Makes sure that the object's values are read, those of attributes that allow external storage too.
    ///
    /// - Throws: `CofferError.objectDeleted` if the object is not in the store any more; else why it
    ///   cannot be read.
    public final func requireValues() throws(CofferError) { try require(.whole) }

    /// Makes sure that as much of the object's values is read.
    final func require(_ extent: RowExtent) throws(CofferError) {
        if status.contains(.gone) { throw loss }
        guard !status.contains(.inserted) else { return }
        if batch != nil, edits?.stale.isEmpty ?? true, !lacks(extent) { return }
        guard let context = registry.context else { throw .objectDeleted(objectID) }
        try context.fire(self, extent)
    }

    /// Takes the values of a row in, unless those it has are newer; returns the other ends that have to be
    /// read again for it.
    ///
    /// Local changes stay; if the row has another value under one than the snapshot had, or may have, a
    /// conflict is remembered. A pinned state may be older than what was read before it was pinned: it is
    /// taken as a whole, since one row has values of one moment.
    ///
    /// What was known of the other ends of relationships that lead elsewhere now is forgotten, if the row is
    /// not the first one, or is what a save came to.
    @discardableResult
    final func adopt(_ newBatch: SnapshotBatch, row newRow: Int, isOfSave: Bool = false) -> [FollowingEnd] {
        let isNews = batch != nil && (newBatch.version(newRow) != version || edits?.stale.isEmpty == false)
        let former = isNews || isOfSave ? knownEnds : []
        take(newBatch, row: newRow)
        let ends = former.flatMap { slot, old in
            knownContent(slot).map { follow(slot, from: old, to: $0) } ?? []
        }
        return isOfSave ? ends + forgetPlaces() : ends
    }

    /// Makes the relationships that keep this object in order read their members again: the store gave it its
    /// place later than the request's other objects.
    private final func forgetPlaces() -> [FollowingEnd] {
        layout.relationships.compactMap { relationship in
            guard let relationship, relationship.isInverseOrdered, let slot = relationship.inverseSlot,
                let end = knownContent(relationship.slot)?.reference
            else { return nil }
            registry.object(end)?.forgetEnd(slot)
            return FollowingEnd(reference: end, slot: slot)
        }
    }

    /// What is known of to-one relationships that have an inverse, or was found at their other ends.
    private final var knownEnds: [(slot: Int, content: PropertyContent?)] {
        layout.relationships.compactMap { relationship in
            guard let relationship, !relationship.isToMany, relationship.inverseSlot != nil else {
                return nil
            }
            return (relationship.slot, presumedContent(relationship.slot))
        }
    }

    private final func take(_ newBatch: SnapshotBatch, row newRow: Int) {
        let newVersion = newBatch.version(newRow)
        if batch != nil && newVersion != 0 && newVersion < version && registry.context?.pinned == nil {
            return
        }
        if batch != nil && newVersion != version { registry.changeLog?.touch(self) }
        if let edits {
            if batch != nil && newVersion != version { noteConflicts(with: newBatch, row: newRow) }
            // No row has transient values: they go with a fault alone.
            edits.moved.keep { entity.properties[$0].isTransient }
            edits.stale = []
            edits.claims = [:]
            if newVersion != version {
                for slot in edits.toMany.keys { edits.toMany[slot]?.unload() }
            }
        }
        withMutation(of: layout.storedSlots) {
            batch = newBatch
            row = Int32(newRow)
            version = newVersion
        }
        faults = nil
        status.insert(.held)
        dropIdleEdits()
    }

    private func noteConflicts(with newBatch: SnapshotBatch, row newRow: Int) {
        guard let edits else { return }
        for slot in edits.changed.slots where !entity.properties[slot].isTransient {
            noteStored(rowContent(slot, of: newBatch, row: newRow), under: slot)
        }
    }

    /// Remembers that the store has `new`, `nil` if that is not known, under the local change of property
    /// `slot`.
    final func noteStored(_ new: PropertyContent?, under slot: Int) {
        guard let edits else { return }
        let old = knownContent(slot)
        if let old, old == new { return }
        edits.noteAncestor(old, slot, version: version)
    }

    /// Forgets the edits if they hold nothing, so that reading is quick again.
    final func dropIdleEdits() {
        guard let edits, !status.contains(.inserted) else { return }
        if edits.changed.isEmpty && edits.moved.isEmpty && edits.stale.isEmpty && edits.toMany.isEmpty
            && !edits.hasAncestors && !edits.isDeletedInStore && edits.fetched.isEmpty
        {
            self.edits = nil
        }
    }
}
