/// What one save did to the rows of a store, objects named as its author saw them.
///
/// Delete rules ran already: what cascaded is deleted here too. A reference that a rule set to null, since
/// its target was deleted, counts as no change; a former partner's, in a one-to-one, is.
package struct LocalEdit: Sendable, Hashable {
    /// Microseconds since 1970, as the save's history has them.
    package let time: Int64
    /// In the order in which they were made.
    package let changes: [Change]

    /// One change of a row.
    package enum Change: Sendable, Hashable {
        /// A row came; its cells follow. An object that is brought back has the name that it had.
        case insert(RecordID, entity: String)
        /// A property of a row; a reference names an object, and says of both ends of a one-to-one.
        case set(RecordID, String, Cell)
        /// A row went: by hand, or by a cascade through a to-one relationship of its own.
        case delete(RecordID, through: String?)
        /// A relationship of many to many, of the first object, holds the second or no longer does.
        case pair(RecordID, String, RecordID, isIn: Bool)
        /// An ordered relationship of an object shows its members in this order.
        case order(RecordID, String, [RecordID])
    }

    /// The changes of one save.
    package init(at time: Int64, _ changes: [Change]) {
        self.time = time
        self.changes = changes
    }
}

/// The author of a fold.
package struct FoldAuthor: Sendable, Hashable {
    /// The peer.
    package let peer: PeerID
    /// The number of the fold: greater than that of the peer's fold before it.
    package let number: UInt64
    /// Random bytes that keep apart the places of runs which peers put at one spot.
    package let salt: UInt32

    /// The author of one fold.
    package init(_ peer: PeerID, number: UInt64, salt: UInt32) {
        self.peer = peer
        self.number = number
        self.salt = salt
    }
}
