import CofferModel

extension ManagedObjectContext {
    /// Does what a context below wants, all of it or nothing, and tells the others below.
    ///
    /// - Throws: `CofferError.conflicts` if objects changed here since that context read them, and its policy
    ///   resolves no conflict; `.refused` if it has not heard yet that its objects are those of a file that
    ///   no longer exists.
    func accept(_ save: ChildSave) throws(CofferError) -> ChildSaved {
        mergeUnasked()
        processPendingChanges()
        guard zip(save.stores, registry.stores).allSatisfy({ $0 == $1.handle }) else {
            throw Self.storesExchanged
        }
        let save = save.renamed { tree.resolve($0) }
        let touched = save.updates.map(\.reference) + save.deletes.map(\.reference)
        let objects = Dictionary(touched.map { ($0, object($0)) }) { first, _ in first }
        try readTogether(objects.values, .withoutExternal)
        try readTogether(save.judgingExternal(registry.layout).compactMap { objects[$0] }, .whole)
        var acceptance = ChildAcceptance(context: self, save: save, objects: objects)
        try acceptance.judge()
        acceptance.apply()
        processPendingChanges()
        notifyChildren(acceptance.change(stamp: nextStamp()), except: save.origin)
        hub.post(acceptance.notification)
        return acceptance.saved
    }
}

extension ChildSave {
    /// The objects of which large values have to be compared.
    fileprivate func judgingExternal(_ layout: (Int) -> EntityLayout) -> [ObjectReference] {
        func isJudged(_ reference: ObjectReference, _ slots: some Sequence<Int>) -> Bool {
            let layout = layout(Int(reference.leaf))
            return !layout.externalSlots.isEmpty && slots.contains { layout.isExternal($0) }
        }
        let updated = updates.filter {
            isJudged($0.reference, $0.changes.map(\.slot) + $0.others.map(\.slot))
        }
        let deleted = deletes.filter { isJudged($0.reference, $0.known.map(\.slot)) }
        return updated.map(\.reference) + deleted.map(\.reference)
    }
}

/// A child's save while its parent takes it in.
struct ChildAcceptance {
    let context: ManagedObjectContext
    var save: ChildSave
    /// The objects that were there before, kept meanwhile.
    let objects: [ObjectReference: ManagedObject]
    var saved = ChildSaved()
    /// What is to be written of each update, in their order.
    var accepted: [[(slot: Int, content: PropertyContent)]] = []
    private var inserted: [ManagedObject] = []
    private var deletes: [ManagedObject] = []
    /// Where each update of the save is among them.
    lazy var places = Dictionary(save.updates.indices.map { (save.updates[$0].reference, $0) }) { $1 }

    init(context: ManagedObjectContext, save: ChildSave, objects: [ObjectReference: ManagedObject]) {
        self.context = context
        self.save = save
        self.objects = objects
    }

    /// Decides what of the save is done; changes nothing.
    mutating func judge() throws(CofferError) {
        var conflicts: [MergeConflict] = []
        for update in save.updates {
            guard let object = objects[update.reference] else { continue }
            if object.isLost {
                if save.rule.decide(.contested) == .conflict { conflicts.append(conflict(update, object)) }
                saved.gone.append(update.reference)
                accepted.append([])
                continue
            }
            let situations = update.changes.map { change in
                MergeSituation(
                    old: change.old, stored: object.livingContent(change.slot), wanted: change.new)
            }
            let whole: MergeSituation = situations.contains(.contested) ? .contested : .unchanged
            if save.rule.decide(whole) == .conflict { conflicts.append(conflict(update, object)) }
            accepted.append(decide(update, on: object, situations: situations, whole: whole))
        }
        for delete in save.deletes {
            guard let object = objects[delete.reference], !object.isLost else { continue }
            let isStale = delete.known.contains { object.livingContent($0.slot) != $0.content }
            switch save.rule.decide(MergeSituation(isUnchanged: !isStale)) {
            case .conflict:
                let update = ChildSave.Update(
                    reference: delete.reference, changes: [], others: delete.known)
                conflicts.append(conflict(update, object))
            case .wanted: deletes.append(object)
            case .stored: saved.kept.append(delete.reference)
            }
        }
        if !conflicts.isEmpty { throw .conflicts(conflicts) }
        takeBackPairs()
    }

    /// What is written of an update; its changes are in these situations, and its object in that of `whole`.
    private mutating func decide(
        _ update: ChildSave.Update, on object: ManagedObject, situations: [MergeSituation],
        whole: MergeSituation
    ) -> [(slot: Int, content: PropertyContent)] {
        var accepted: [(slot: Int, content: PropertyContent)] = []
        for (change, situation) in zip(update.changes, situations) {
            if save.rule.decide(situation, in: whole) == .wanted {
                accepted.append((change.slot, change.new))
            } else {
                saved.corrections.append((update.reference, change.slot, object.content(change.slot)))
            }
        }
        return whole == .contested && save.rule.writesWholeObjects ? accepted + update.others : accepted
    }

    private func conflict(_ update: ChildSave.Update, _ object: ManagedObject) -> MergeConflict {
        MergeConflict(
            objectID: object.objectID, snapshotVersion: object.version,
            storedVersion: object.isLost ? nil : object.version,
            snapshot: object.values(update.changes.map { ($0.slot, $0.old) } + update.others),
            stored: object.isLost
                ? nil : object.values(object.layout.storedSlots.map { ($0, object.content($0)) }),
            wanted: object.values(update.changes.map { ($0.slot, $0.new) }))
    }
}

extension ChildAcceptance {
    /// Does what was decided; nothing of it can fail.
    mutating func apply() {
        for insert in save.inserts {
            inserted.append(context.adoptInserted(insert))
        }
        for (insert, object) in zip(save.inserts, inserted) {
            for (slot, content) in insert.contents {
                noteFormerEnds(of: object, slot, new: content, old: .null)
            }
            set(living(insert.contents, of: object), of: object)
            object.edits?.untouched = insert.untouched
        }
        for (place, update) in save.updates.enumerated() {
            guard let object = objects[update.reference], !object.isLost else { continue }
            let contents = living(accepted[place], of: object)
            accepted[place] = contents
            for change in update.changes {
                noteFormerEnds(of: object, change.slot, new: change.new, old: change.old)
            }
            // What `overwrite` sends besides.
            for (slot, content) in contents where !update.changes.contains(where: { $0.slot == slot }) {
                noteFormerEnds(of: object, slot, new: content, old: content)
            }
            set(contents, of: object)
        }
        for members in save.members { change(members) }
        let told = Set(deletes)
        for delete in save.deletes where !delete.detached.isEmpty {
            if let object = objects[delete.reference], told.contains(object) {
                detach(delete.detached, of: object)
            }
        }
        for object in deletes { context.delete(object, told: told) }
    }

    /// Takes from an object that is about to be deleted what the child took from it before.
    private mutating func detach(_ slots: [Int], of object: ManagedObject) {
        for slot in slots {
            guard let relationship = object.layout.relationships[slot] else { continue }
            noteFormerEnds(of: object, slot, new: .null, old: object.content(slot))
            object.setTarget(nil, relationship)
        }
    }

    /// The contents with null in place of objects that turned out to be deleted, which is what the child and
    /// all others below hear.
    private mutating func living(
        _ contents: [(slot: Int, content: PropertyContent)], of object: ManagedObject
    ) -> [(slot: Int, content: PropertyContent)] {
        contents.map { slot, content in
            guard object.layout.relationships[slot] != nil, let target = content.reference,
                known(target).isLost
            else { return (slot, content) }
            saved.corrections.append((object.reference, slot, .null))
            return (slot, .null)
        }
    }

    private func set(_ contents: [(slot: Int, content: PropertyContent)], of object: ManagedObject) {
        for (slot, content) in contents {
            if let relationship = object.layout.relationships[slot] {
                object.setTarget(content.reference.map(known), relationship)
            } else {
                object.record(content, slot)
            }
        }
    }

    /// An object of the save, or one that it names: of one that turned out to be deleted no new fault is
    /// made.
    private func known(_ reference: ObjectReference) -> ManagedObject {
        objects[reference] ?? context.object(reference)
    }

    private func change(_ members: ChildSave.Members) {
        let owner = known(members.owner)
        guard !owner.isLost, let relationship = owner.layout.relationships[members.slot] else { return }
        for reference in members.removed {
            let member = known(reference)
            if !member.isLost { owner.removeMember(member, relationship) }
        }
        for reference in members.added {
            let member = known(reference)
            if !member.isLost { owner.insertMember(member, relationship) }
        }
        owner.moveMembers(members.moves, relationship)
    }

    /// Notes the ends that the child has to read again, since it did not know what is changed here.
    private mutating func noteFormerEnds(
        of object: ManagedObject, _ slot: Int, new: PropertyContent, old: PropertyContent
    ) {
        guard let relationship = object.layout.relationships[slot], let inverse = relationship.inverseSlot
        else { return }
        let now = object.content(slot)
        if now != old, now != new, let former = now.reference {
            saved.stale.append(FollowingEnd(reference: former, slot: inverse))
        }
        guard relationship.isPair, let wanted = new.reference.map(known), !wanted.isLost,
            let taken = wanted.content(inverse).reference, taken != object.reference
        else { return }
        // If the save itself says what becomes of an end, the child knows.
        let (end, other) = (savedEnd(wanted.reference, inverse), savedEnd(taken, slot))
        if end?.reference != object.reference {
            saved.stale.append(FollowingEnd(reference: wanted.reference, slot: inverse))
        }
        if other == nil || other?.reference == wanted.reference {
            saved.stale.append(FollowingEnd(reference: taken, slot: slot))
        }
    }

    /// The new content of a to-one relationship that the save changes; `nil` if it does not change it.
    private mutating func savedEnd(_ reference: ObjectReference, _ slot: Int) -> PropertyContent? {
        places[reference].flatMap { place in
            save.updates[place].changes.first { $0.slot == slot }?.new
        }
    }

    /// What the others below hear of it.
    func change(stamp: UInt32) -> ParentChange {
        var change = ParentChange(stamp: stamp)
        change.inserted = save.inserts.map(\.reference)
        change.deleted = deletes.map(\.reference)
        for (update, contents) in zip(save.updates, accepted) where !contents.isEmpty {
            change.updates.append(
                ParentChange.Update(
                    reference: update.reference, contents: contents.map { ($0.slot, $0.content) }))
        }
        for members in save.members {
            change.updates.append(
                ParentChange.Update(reference: members.owner, contents: [(members.slot, nil)]))
        }
        change.forget(saved.stale)
        return change
    }

    /// What the parent's own listeners hear of it.
    var notification: ContextNotification {
        .didMerge(
            inserted: inserted.map(\.objectID),
            updated: save.updates.compactMap { objects[$0.reference]?.objectID },
            deleted: deletes.map(\.objectID), refreshed: [])
    }
}

extension ManagedObjectContext {
    /// Takes in an object that a context below inserted; it was told so there.
    fileprivate func adoptInserted(_ insert: ChildSave.Insert) -> ManagedObject {
        let object = makeInserted(insert.reference)
        if !insert.reference.isUnsaved { reserved.note(insert.reference, insertionKey: insert.insertionKey) }
        note(.insertion(object))
        if let store = insert.assignedStore { object.makeEdits().assignedStore = store }
        return object
    }
}
