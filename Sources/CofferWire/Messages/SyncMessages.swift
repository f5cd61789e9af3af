package import CofferModel

/// `coffer.v1.SyncStatusRequest`: asks how far a store is that several machines share.
package struct SyncStatusRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// Whether that it changed is to be pushed.
    package var watches: Bool

    /// A request about the store of a handle.
    package init(store: UInt32, watches: Bool) {
        self.store = store
        self.watches = watches
    }
}

/// `coffer.v1.SyncStatusReply`.
package struct SyncStatusReplyMessage: Sendable, Equatable {
    /// How far it is; `nil` where it is not shared.
    package var store: UbiquitousStoreMessage?

    /// A reply from its field.
    package init(store: UbiquitousStoreMessage?) { self.store = store }
}

/// `coffer.v1.ListConflictsRequest`: asks what merging with other machines overruled.
package struct ListConflictsRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// The last that is known; 0: none.
    package var after: UInt64
    /// How many at most; 0: as many as fit.
    package var limit: UInt32

    /// A request about the store of a handle.
    package init(store: UInt32, after: UInt64 = 0, limit: UInt32 = 0) {
        (self.store, self.after, self.limit) = (store, after, limit)
    }
}

/// `coffer.v1.ListConflictsReply`.
package struct ListConflictsReplyMessage: Sendable, Equatable {
    /// The oldest first.
    package var conflicts: [SyncConflictMessage]
    /// Whether there are more after these.
    package var hasMore: Bool

    /// A reply from its fields.
    package init(conflicts: [SyncConflictMessage], hasMore: Bool) {
        (self.conflicts, self.hasMore) = (conflicts, hasMore)
    }
}

/// `coffer.v1.SyncConflict`: what one machine did and another one's edit overruled.
package struct SyncConflictMessage: Sendable, Equatable {
    /// Its number in the store.
    package var number: UInt64
    /// When it was found here, in microseconds since 1970.
    package var noted: Int64
    /// A word: value, move, deletion, edit or merge.
    package var kind: String
    /// The object's entity.
    package var entity: String
    /// Of its row; 0 where none shows it.
    package var primaryKey: UInt64
    /// Which property; empty where all of the object.
    package var property: String
    /// What was overruled and what stayed.
    package var values: [Value] = []
    /// The author and time of what was overruled.
    package var lost = Side()
    /// The author and time of what stayed.
    package var kept = Side()
    /// Whether what was overruled was written here.
    package var isOwn = false
    /// Whether it was undone here.
    package var isUndone = false

    /// A conflict of which only the object is known.
    package init(
        number: UInt64, noted: Int64, kind: String, entity: String, primaryKey: UInt64, property: String
    ) {
        (self.number, self.noted, self.kind) = (number, noted, kind)
        (self.entity, self.primaryKey, self.property) = (entity, primaryKey, property)
    }

    /// The author and time of an edit.
    package struct Side: Sendable, Equatable {
        /// What the writer writes under.
        package var peer: UInt64 = 0
        /// Microseconds since 1970.
        package var time: Int64 = 0

        /// A side from its fields.
        package init(peer: UInt64 = 0, time: Int64 = 0) { (self.peer, self.time) = (peer, time) }
    }

    /// One property as it was overruled, and as it stayed.
    package struct Value: Sendable, Equatable {
        /// Its name.
        package var property: String
        /// The value that was overruled; `nil` where it is not at hand.
        package var lost: AttributeValue?
        /// The value that stayed; `nil` where it is not at hand.
        package var kept: AttributeValue?

        /// A property from its fields.
        package init(property: String, lost: AttributeValue?, kept: AttributeValue?) {
            (self.property, self.lost, self.kept) = (property, lost, kept)
        }
    }
}

/// `coffer.v1.UndoConflictRequest`: saves what a conflict overruled.
package struct UndoConflictRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// The conflict.
    package var number: UInt64

    /// A request about a conflict of the store of a handle.
    package init(store: UInt32, number: UInt64) { (self.store, self.number) = (store, number) }
}

/// `coffer.v1.UndoConflictReply`.
package struct UndoConflictReplyMessage: Sendable, Equatable {
    /// The transaction; 0 where it was undone before.
    package var number: UInt64

    /// A reply from its field.
    package init(number: UInt64) { self.number = number }
}
