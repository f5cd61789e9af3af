import CofferModel

/// What happened in a context, as those below it hear of it.
struct ParentChange: Sendable {
    /// New contents of an object; `nil` stands for one that is not known, and for the members of a to-many
    /// relationship.
    struct Update: Sendable {
        var reference: ObjectReference
        var contents: [(slot: Int, content: PropertyContent?)]

        /// A copy in which every object is named by `name`.
        func renamed(_ name: (ObjectReference) -> ObjectReference) -> Update {
            Update(
                reference: name(reference), contents: contents.map { ($0.slot, $0.content?.renamed(name)) })
        }
    }

    /// What was read with a higher stamp knows of it already.
    var stamp: UInt32
    var inserted: [ObjectReference] = []
    var updates: [Update] = []
    var deleted: [ObjectReference] = []
    /// Anything may have changed.
    var isReload = false
    /// The stores are others than before.
    var areStoresNew = false
    /// The places of stores that were removed and are there again.
    var returnedStores: Set<Int> = []

    var isEmpty: Bool {
        inserted.isEmpty && updates.isEmpty && deleted.isEmpty && !isReload && returnedStores.isEmpty
    }

    /// Makes relationships be read again.
    mutating func forget(_ ends: [FollowingEnd]) {
        updates += ends.map { Update(reference: $0.reference, contents: [($0.slot, nil)]) }
    }
}

extension ManagedObjectContext {
    /// Whether a context below listens.
    var hasChildren: Bool { children.contains { $0.mailbox != nil } }

    /// Tells the contexts below, but the one with the mailbox `origin`.
    func notifyChildren(_ change: ParentChange, except origin: ObjectIdentifier? = nil) {
        guard !change.isEmpty else { return }
        for child in children {
            guard let mailbox = child.mailbox, ObjectIdentifier(mailbox) != origin else { continue }
            mailbox.keep(change)
        }
    }

    /// Makes the contexts below read properties again.
    func notifyChildren(forgetting ends: [FollowingEnd]) {
        guard hasChildren else { return }
        var change = ParentChange(stamp: nextStamp())
        change.forget(ends)
        notifyChildren(change)
    }

    /// Gives the objects of all contexts below their permanent names: those of this actor at once, the others
    /// when they come to it.
    func notifyChildren(names: [ObjectReference: ObjectReference]) {
        guard hasChildren, !names.isEmpty else { return }
        tree.rename(names)
        passNames()
    }

    private func passNames() {
        for child in children {
            if let context = child.context { context.followNames() } else { child.mailbox?.wake() }
        }
    }

    /// Follows that objects got permanent names.
    func followNames() {
        guard link != nil else { return }
        // What the parent tells may be of a store that was loaded since.
        followStores()
        let (names, step) = tree.names(after: nameStep, for: ObjectIdentifier(mailbox))
        nameStep = step
        guard !names.isEmpty else { return }
        follow(names)
    }

    /// Calls objects as they are called from now on, wherever they are named.
    func follow(_ names: [ObjectReference: ObjectReference]) {
        // Mostly only temporary names are given up: then permanent ones need not be looked for.
        let isAny = names.keys.contains { !$0.isUnsaved }
        func name(_ old: ObjectReference) -> ObjectReference {
            old.isUnsaved || isAny ? names[old] ?? old : old
        }
        undoManager?.rename(name)
        registry.saveInProgress?.rename(name)
        for (old, new) in names {
            registry.changeLog?.noteName(old, new)
            if !old.isUnsaved { noteMerged(old, new) }
        }
        registry.forgetReadAhead()
        for object in registry.objects {
            let new = name(object.reference)
            if new != object.reference {
                // The context may have the object already that a uniqueness constraint made one with this.
                let isOther = !object.reference.isUnsaved && !object.isInserted
                if registry.object(new) != nil { markGone(object) } else { rename(object, to: new) }
                // What it shows is of the row that is gone.
                if isOther, !object.status.contains(.gone) { forgetStored(object) }
            }
            object.edits?.rename(name)
        }
        passNames()
    }

    /// Takes in what happened in the parent, and tells those below.
    func merge(_ change: ParentChange) {
        statistics.merges += 1
        if change.areStoresNew { return storesDidChange() }
        if !change.returnedStores.isEmpty { storesDidReturn(change.returnedStores) }
        if change.isReload { return reloadFromParent() }
        var outcome = Outcome(passed: ParentChange(stamp: nextStamp()))
        merging { take(change, &outcome) }
        let passed = outcome.passed
        let deleted = passed.deleted.map { registry.id($0) }
        notifyChildren(passed)
        hub.post(
            .didMerge(
                inserted: passed.inserted.map { registry.id($0) }, updated: outcome.updated, deleted: deleted,
                refreshed: outcome.refreshed))
    }

    /// What merging a change of the parent did.
    private struct Outcome {
        /// What those below hear of.
        var passed: ParentChange
        var updated: [ManagedObjectID] = []
        var refreshed: [ManagedObjectID] = []
    }

    private func take(_ change: ParentChange, _ outcome: inout Outcome) {
        for update in change.updates { take(update, stamp: change.stamp, &outcome) }
        outcome.passed.inserted = change.inserted.map { tree.resolve($0) }
        if let log = registry.changeLog { for new in outcome.passed.inserted { log.noteInsertion(new) } }
        outcome.passed.deleted = change.deleted.map { tree.resolve($0) }
        for reference in outcome.passed.deleted {
            registry.changeLog?.noteDeletion(reference)
        }
        followDeletion(of: outcome.passed.deleted)
    }

    private func take(_ update: ParentChange.Update, stamp: UInt32, _ outcome: inout Outcome) {
        let reference = tree.resolve(update.reference)
        let contents = update.contents.map { ($0.slot, $0.content?.renamed { tree.resolve($0) }) }
        let object = registry.object(reference)
        registry.changeLog?.noteUpdate(reference, contents.map(\.0))
        // What was read here later may be newer, and the contexts below have read that; of an object that is
        // not here nothing is known.
        let isNew = object.map { $0.version <= stamp } ?? false
        let isKnown = isNew && !(object?.isFault ?? true)
        outcome.passed.updates.append(
            ParentChange.Update(
                reference: reference,
                contents: contents.filter { object?.edits?.changed[$0.0] == nil }
                    .map { ($0.0, isKnown ? $0.1 : nil) }))
        guard let object, !object.isFault || object.edits != nil else { return }
        let values = Dictionary(contents.map { ($0.0, $0.1) }) { _, last in last }
        let slots = contents.map(\.0)
        let needsReading = object.withMutation(of: slots) {
            object.take(slots, isNew: isNew) { values[$0] ?? nil }
        }
        if needsReading { outcome.refreshed.append(object.objectID) }
        outcome.updated.append(object.objectID)
    }

    private func reloadFromParent() {
        registry.changeLog?.noteReload()
        doubtsEnds = true
        var refreshed: [ManagedObjectID] = []
        merging {
            for object in registry.objects where object.mayBeStale {
                refreshed.append(object.objectID)
                forgetStored(object)
            }
        }
        notifyChildren(ParentChange(stamp: nextStamp(), isReload: true))
        hub.post(.didMerge(inserted: [], updated: [], deleted: [], refreshed: refreshed))
    }
}
