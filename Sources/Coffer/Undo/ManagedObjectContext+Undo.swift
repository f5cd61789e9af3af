extension ManagedObjectContext {
    /// Takes the last step of changes back; does nothing if there is none, or no undo manager.
    public func undo() {
        processPendingChanges()
        guard let undoManager, let step = undoManager.takeUndo() else { return }
        perform(step.reversed(), isUndo: true)
    }

    /// Does again what was undone last, unless something else was changed since.
    public func redo() {
        processPendingChanges()
        guard let undoManager, let step = undoManager.takeRedo() else { return }
        perform(step, isUndo: false)
    }

    /// Ends the present event: what changed since the last one becomes one step of undo.
    ///
    /// Called at the end of each `perform`, at the end of a turn of the main actor for the view context, and
    /// by `fetch`, `save` and `undo`; inverses and delete rules are kept at once and do not wait for it.
    /// Fetched results controllers follow what changed.
    public func processPendingChanges() {
        undoManager?.endEvent()
        tellWatchers()
    }

    /// Does something with the context at once, as one event: what others did is taken in before, and all
    /// changes are one step of undo.
    ///
    /// A context belongs to one actor, so there is no other thread to wait for;
    /// `BackgroundContext.performAndWait` is for those of other threads.
    ///
    /// - Throws: What `body` throws, and nothing else.
    public func performAndWait<Result, Failure: Error>(
        _ body: (ManagedObjectContext) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        handleArrivals()
        defer { processPendingChanges() }
        return try body(self)
    }

    /// Notes an operation for undo.
    func note(_ operation: @autoclosure () -> UndoOperation) {
        guard let undoManager, undoManager.isRecording else { return }
        if undoManager.note(operation()) { mailbox.wake() }
    }

    private func perform(_ operations: some Sequence<UndoOperation>, isUndo: Bool) {
        var events: [ManagedObject: SnapshotEvents] = [:]
        var names: [ObjectReference: ObjectReference] = [:]
        undoManager?.withoutRecording {
            for operation in operations {
                let operation = names.isEmpty ? operation : operation.renamed { names[$0] ?? $0 }
                let before = operation.object.reference
                perform(operation, isUndo: isUndo, &events)
                let after = operation.object.reference
                if before != after { names[before] = after }
            }
            if !names.isEmpty {
                undoManager?.rename { names[$0] ?? $0 }
                for object in registry.objects { object.edits?.rename { names[$0] ?? $0 } }
            }
            // What a class computes again there is not a step of the user's.
            for (object, events) in events where !object.isLost {
                object.awake(fromSnapshotEvents: events)
            }
        }
    }

    private func perform(
        _ operation: UndoOperation, isUndo: Bool, _ events: inout [ManagedObject: SnapshotEvents]
    ) {
        switch operation {
        case .insertion(let object, let course):
            if isUndo {
                course.assignedStore = object.edits?.assignedStore
                course.isDone = !object.isLost
                if course.isDone { deleteAlone(object) }
                events[object, default: []].insert(.undoInsertion)
            } else if course.isDone, object.status.contains(.deleted) {
                keep(object)
            } else if course.isDone {
                revive(object, contents: object.layout.defaults, assigned: course.assignedStore)
            }
        case .deletion(let object, let deleted, let course):
            if isUndo {
                if course.isDone { bringBack(object, deleted) }
                events[object, default: []].insert(.undoDeletion)
            } else {
                course.isDone = !object.isLost
                if course.isDone { deleteAlone(object) }
            }
        case .content(let object, let slot, let old, let new):
            guard !object.status.contains(.gone) else { return }
            object.leaveOtherEnd(slot, than: isUndo ? [new, old] : [old, new])
            object.record(isUndo ? old : new, slot)
            events[object, default: []].insert(.undoUpdate)
        case .order(let object, let slot, let old, let new):
            // Places mean something among known members only; those may have been forgotten meanwhile.
            guard !object.status.contains(.gone), object.memberReferences(slot) != nil else { return }
            object.editMembers(slot) { $0.arrange(isUndo ? old : new) }
            events[object, default: []].insert(.undoUpdate)
        case .member(let object, let slot, let member, let change):
            guard !object.status.contains(.gone) else { return }
            object.editMembers(slot) { content in
                switch (change, isUndo) {
                case (.entered, true): content.takeBack(member)
                case (.left, true): content.comeBack(member)
                case (.entered, false), (.enteredAgain, false), (.leftAgain, true): content.insert(member)
                case (.enteredAgain, true), (.left, false), (.leftAgain, false): content.remove(member)
                }
            }
            events[object, default: []].insert(.undoUpdate)
        }
    }
}

extension ManagedObjectContext {
    /// Deletes an object without following its relationships: operations of their own did that.
    private func deleteAlone(_ object: ManagedObject) {
        if object.status.contains(.inserted), !(registry.saveInProgress?.noteOrphan(object) ?? false) {
            return giveUp(object)
        }
        if object.isFault { _ = object.fire() }
        guard !object.isLost else { return }
        object.status.insert(.deleted)
        registry.changeLog?.touch(object)
        updated.remove(object)
        object.status.remove(.updated)
        deleted.insert(object)
    }

    /// Does not delete an object after all.
    private func keep(_ object: ManagedObject) {
        object.status.remove(.deleted)
        registry.changeLog?.touch(object)
        deleted.remove(object)
        // Those below may have read what is left without it.
        notifyChildren(ParentChange(stamp: nextStamp(), isReload: true))
        // What is on its way to a store is still an insertion.
        if !object.status.contains(.inserted), object.edits?.hasChanges ?? false {
            object.status.insert(.updated)
            updated.insert(object)
        }
    }

    /// Undoes a deletion: if it was saved, the object is inserted again, under a new key.
    private func bringBack(_ object: ManagedObject, _ was: DeletedContents) {
        if object.status.contains(.deleted) { return keep(object) }
        guard object.status.contains(.gone), object.reference == was.reference else { return }
        revive(object, contents: was.contents, assigned: was.assignedStore)
        for (slot, members) in was.members {
            object.editMembers(slot) { content in
                for member in members { content.insert(member) }
            }
        }
    }

    /// Makes a new object of one that is gone; under its old key if only this context knows that it was gone.
    private func revive(
        _ object: ManagedObject, contents: [(slot: Int, content: PropertyContent)], assigned: Int16?
    ) {
        guard object.status.contains(.gone) else { return }
        let store = object.reference.isUnsaved ? assigned : object.reference.store
        if !isNewName(object.reference) || link != nil || hasChildren {
            object.reference = ObjectReference(
                key: tree.nextKey(), store: ObjectReference.unsaved, root: object.reference.root,
                leaf: object.reference.leaf)
        }
        object.status.remove([.gone, .held])
        object.status.insert(.inserted)
        object.version = 0
        let edits = object.makeEdits()
        edits.assignedStore = store
        for (slot, content) in contents where content != .null { edits.changed[slot] = content }
        registry.add(object)
        registry.changeLog?.touch(object)
        registry.saveInProgress?.noteNewcomer(object)
        inserted.insert(object)
    }
}

extension ManagedObject {
    /// Lets go of the object that others put at the other end of a to-one relationship since the step was
    /// done.
    fileprivate final func leaveOtherEnd(_ slot: Int, than known: [PropertyContent]) {
        guard let relationship = layout.relationships[slot], let inverse = relationship.inverseSlot,
            let context
        else { return }
        let present = rawContent(slot)
        guard !known.contains(present), let end = present.reference else { return }
        context.object(end).leave(inverse, self, isToMany: relationship.isInverseToMany)
    }

    /// What the object has, to be given back if its deletion is undone.
    final func deletedContents() -> DeletedContents {
        let slots = layout.relationships.indices.filter { !(layout.relationships[$0]?.isToMany ?? false) }
        let members = (edits?.toMany ?? [:]).compactMap { slot, content in
            content.members.map { (slot: slot, members: $0) }
        }
        return DeletedContents(
            wasInserted: status.contains(.inserted), reference: reference,
            assignedStore: edits?.assignedStore,
            contents: slots.map { ($0, edits?.changed[$0] ?? knownContent($0) ?? .null) }, members: members)
    }
}
