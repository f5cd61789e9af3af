import CofferLinux
import CofferModel
import CofferWire

extension ManagedObjectContext {
    /// A new context below this one, of the same actor.
    ///
    /// It fetches and reads what this context has, changes that are not saved included, and saves into this
    /// context only: what it saved is durable once this context, and those above it, have saved. It keeps
    /// this context.
    ///
    /// Other than in Core Data, the child's merge policy counts: a save of what changed here since the child
    /// read it is a conflict, judged property by property. `awakeFromInsert` is called once for an object,
    /// not again here. Permanent ids reach objects of all descendants when the root saves. A child's save is
    /// one step of undo here.
    ///
    /// ```swift
    /// let draft = context.newChild()
    /// draft.insert(Note.self).title = "Milk"
    /// try draft.save()    // Into `context`: nothing is written yet.
    /// try context.save()  // Into the store.
    /// ```
    public func newChild(name: String = "", author: String = "") -> ManagedObjectContext {
        let child = ManagedObjectContext(parent: .direct(self), seed: seed, name: name, author: author)
        children.append(ChildEntry(mailbox: child.mailbox, context: child))
        return child
    }

    /// A new context below this one, with a thread of its own; else like `newChild`.
    ///
    /// What it asks is done on this context's actor, when that comes to it: that of a view context and of a
    /// background context do so unasked. Any other context comes to it in `mergePendingChanges()`, which
    /// `wakeUp` asks for.
    /// - Throws: `.unavailable` if the system refuses a thread.
    public func newBackgroundChild(name: String = "", author: String = "") throws(CofferError)
        -> BackgroundContext
    {
        do throws(LinuxError) {
            let child = try BackgroundContext(seed: seed, name: name, author: author)
            children.append(ChildEntry(mailbox: child.mailbox, context: nil))
            return child
        } catch {
            throw .unavailable("No thread can be started: \(error)")
        }
    }

    private var seed: ParentSeed {
        children.removeAll { $0.mailbox == nil }
        return ParentSeed(
            coordinator: coordinator, tree: tree, classes: registry.classes, mailbox: mailbox)
    }

    /// The context above this one, if both belong to one actor.
    public var parent: ManagedObjectContext? {
        if case .direct(let parent) = link { parent } else { nil }
    }

    /// How long contexts of other actors below this one wait until its actor comes to what they ask; then
    /// they are told that it did not.
    package var patienceOfChildren: Duration {
        get { mailbox.patience }
        set { mailbox.patience = newValue }
    }

    /// A number above all that was given out before: the version of what children read.
    func nextStamp() -> UInt32 {
        lastStamp += 1
        return lastStamp
    }
}

/// A context below another one, as that one knows it.
struct ChildEntry {
    weak var mailbox: ContextMailbox?
    /// The context, if it belongs to the same actor.
    weak var context: ManagedObjectContext?
}

extension ManagedObjectContext {
    /// Answers a child: objects by reference; those that are deleted here are left out.
    func serveRows(_ references: [ObjectReference], _ extent: RowExtent) throws(CofferError) -> ParentRows {
        let objects = references.map { object(tree.resolve($0)) }
        try readTogether(objects, extent)
        return try rows(of: objects.filter { !$0.isLost }, extent)
    }

    /// Answers a child with the members of one to-many relationship of several objects, listed owner by
    /// owner, and where each owner's list ends.
    func serveMembers(
        of owners: [ObjectReference], _ slot: Int
    ) throws(CofferError) -> (members: [ObjectReference], ends: [Int]) {
        let objects = owners.map { object(tree.resolve($0)) }
        if objects.count == 1, objects[0].isLost { throw .objectDeleted(objects[0].objectID) }
        try readMembers(of: objects, slot)
        var members: [ObjectReference] = []
        let ends = objects.map { object in
            members += (object.edits?.toMany[slot]?.members ?? []).filter { reference in
                !(registry.object(reference)?.isLost ?? false)
            }
            return members.count
        }
        return (members, ends)
    }

    /// Answers a child: which objects there are, neither deleted here nor above; the root asks the stores for
    /// those that it has not.
    func serveLiving(_ references: [ObjectReference]) throws(CofferError) -> [ObjectReference] {
        var living: [ObjectReference] = []
        var unknown: [ObjectReference] = []
        for reference in references {
            guard let object = registry.object(tree.resolve(reference)) else {
                unknown.append(reference)
                continue
            }
            if object.isLost { continue }
            if object.isInserted || link == nil {
                living.append(reference)
            } else {
                unknown.append(reference)
            }
        }
        if unknown.isEmpty { return living }
        guard let link else {
            let objects = unknown.map { object(tree.resolve($0)) }
            try readTogether(objects, .withoutExternal)
            return living + zip(unknown, objects).filter { !$1.isLost }.map(\.0)
        }
        let asked = unknown
        return try living
            + link.run { parent in
                outcome { () throws(CofferError) in try parent.serveLiving(asked) }
            }
    }

    /// Answers a child: what fits a request.
    func serveFetch(
        _ description: FetchDescription, in stores: [String], _ form: FetchedForm
    ) throws(CofferError) -> ParentRows {
        let objects = try objects(try plan(request(description, stores)), form)
        if form.isFault { return ParentRows(references: objects.map(\.reference)) }
        // A request that names properties wants them now.
        return try rows(of: objects, description.propertiesToFetch.isEmpty ? .withoutExternal : .whole)
    }

    private func request(
        _ description: FetchDescription, _ stores: [String]
    ) -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(
            entityName: description.entityName, description.predicate)
        request.sortDescriptors = description.sortDescriptors
        request.limit = description.limit > 0 ? description.limit : nil
        request.offset = description.offset
        request.includesSubentities = description.includesSubentities
        request.affectedStores = stores
        request.locale = description.locale
        return request
    }

    /// Answers a child: how many fit a request.
    func serveCount(_ description: FetchDescription, in stores: [String]) throws(CofferError) -> Int {
        try count(for: request(description, stores))
    }
}

extension ManagedObjectContext {
    /// Fetches from the parent.
    func fetch(
        _ description: FetchDescription, _ form: FetchedForm, in stores: [String],
        from parent: ParentLink
    ) throws(CofferError) -> [ManagedObject] {
        statistics.fetches += 1
        let answer = try parent.run { parent in
            outcome { () throws(CofferError) in try parent.serveFetch(description, in: stores, form) }
        }
        guard form.isFault else { return try take(answer) }
        followNames()
        let references = answer.references.map { tree.resolve($0) }
        guard case .ids(let size) = form else { return objects(references) }
        return objects(references, batchSize: size)
    }

    /// Counts in the parent.
    func count(
        _ description: FetchDescription, in stores: [String], of parent: ParentLink
    ) throws(CofferError) -> Int {
        statistics.fetches += 1
        return try parent.run { parent in
            outcome { () throws(CofferError) in try parent.serveCount(description, in: stores) }
        }
    }

    /// Reads objects from the parent; those that it does not have turn out to be deleted.
    func read(
        _ objects: [ManagedObject], _ extent: RowExtent, from parent: ParentLink
    ) throws(CofferError) {
        statistics.faultsFired += 1
        let references = objects.map(\.reference)
        let answer = try parent.run { parent in
            outcome { () throws(CofferError) in try parent.serveRows(references, extent) }
        }
        let found = Set(try take(answer))
        followDeletion(of: objects.filter { !found.contains($0) }.map(\.reference))
    }

    /// Reads from the parent the members of one to-many relationship of several objects; returns all members,
    /// each once.
    @discardableResult
    func loadMembers(
        of owners: [ManagedObject], _ slot: Int, from parent: ParentLink,
        prefetched: PrefetchedRows? = nil
    ) throws(CofferError) -> [ObjectReference] {
        statistics.relationshipsLoaded += 1
        let references = owners.map(\.reference)
        let answer = try parent.run { parent in
            outcome { () throws(CofferError) in try parent.serveMembers(of: references, slot) }
        }
        followNames()
        return share(
            answer.members.map { tree.resolve($0) }, ends: answer.ends, among: owners, slot,
            prefetched: prefetched)
    }
}
