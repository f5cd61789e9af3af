import CofferModel

/// What a context wants to be true in the one above it.
struct ChildSave: Sendable {
    /// An object that the context inserted; it keeps its key.
    struct Insert: Sendable {
        var reference: ObjectReference
        /// The key that it was inserted with, which tells the order of insertion.
        var insertionKey: Int64
        var contents: [(slot: Int, content: PropertyContent)]
        /// Those of the contents that are defaults, which were not set.
        var untouched: [Int]
        var assignedStore: Int16?
    }

    /// An object that the context changed.
    struct Update: Sendable {
        var reference: ObjectReference
        /// What is to be, and what the context had read before.
        var changes: [(slot: Int, new: PropertyContent, old: PropertyContent)]
        /// What the context had read besides; needed for `overwrite`.
        var others: [(slot: Int, content: PropertyContent)]
    }

    /// An object that the context deleted, with what it had read of it.
    struct Delete: Sendable {
        var reference: ObjectReference
        var known: [(slot: Int, content: PropertyContent)]
        /// To-one relationships that the context had set before, whose delete rules reach nothing.
        var detached: [Int]
    }

    /// The objects that enter and leave a to-many relationship.
    struct Members: Sendable {
        var owner: ObjectReference
        var slot: Int
        var added: [ObjectReference]
        var removed: [ObjectReference]
        /// Places in an ordered relationship that members get after that.
        var moves: [MemberMove] = []
    }

    /// The rule that says whose changes count if the parent has changed too.
    var rule: MergeRule
    /// The context that saves, by its mailbox.
    var origin: ObjectIdentifier
    /// The stores of the rows that it names, by their handles.
    var stores: [UInt32]
    var inserts: [Insert] = []
    var updates: [Update] = []
    var deletes: [Delete] = []
    var members: [Members] = []

    /// A copy in which every object is named by `name`.
    func renamed(_ name: (ObjectReference) -> ObjectReference) -> ChildSave {
        var copy = self
        for place in copy.inserts.indices {
            copy.inserts[place].reference = name(copy.inserts[place].reference)
            copy.inserts[place].contents = copy.inserts[place].contents.map { ($0, $1.renamed(name)) }
        }
        for place in copy.updates.indices {
            let update = copy.updates[place]
            copy.updates[place].reference = name(update.reference)
            copy.updates[place].changes = update.changes.map { ($0, $1.renamed(name), $2.renamed(name)) }
            copy.updates[place].others = update.others.map { ($0, $1.renamed(name)) }
        }
        for place in copy.deletes.indices {
            copy.deletes[place].reference = name(copy.deletes[place].reference)
            copy.deletes[place].known = copy.deletes[place].known.map { ($0, $1.renamed(name)) }
        }
        for place in copy.members.indices {
            copy.members[place].owner = name(copy.members[place].owner)
            copy.members[place].added = copy.members[place].added.map(name)
            copy.members[place].removed = copy.members[place].removed.map(name)
            copy.members[place].moves = copy.members[place].moves.map { $0.renamed(name) }
        }
        return copy
    }
}

/// What became of a save in the parent, if that is not what was asked for.
struct ChildSaved: Sendable {
    /// What the parent has instead.
    var corrections: [(reference: ObjectReference, slot: Int, content: PropertyContent)] = []
    /// Relationships at the other ends of what had been changed elsewhere.
    var stale: [FollowingEnd] = []
    /// Objects that are deleted in the parent.
    var gone: [ObjectReference] = []
    /// Objects that were to be deleted, and that the policy let live.
    var kept: [ObjectReference] = []
}
