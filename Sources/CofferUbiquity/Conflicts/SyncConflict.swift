package import CofferContainer
package import CofferMerge

/// What one machine did and an edit of another one overruled whose author had not seen it.
package struct SyncConflict: Sendable, Equatable {
    /// What was overruled, and how; the words are those of the file.
    package enum Kind: String, Sendable, CaseIterable {
        /// A value, by another value of the property.
        case value
        /// A to-one link, since both moves together would make a circle, or two partners of one.
        case move
        /// Edits of an object, by its deletion.
        case edit
        /// A deletion, by an edit that keeps the object.
        case deletion
        /// What one of two objects had that became one.
        case merge
    }

    /// How it was overruled.
    package let kind: Kind
    /// The name of the object's entity.
    package let entity: String
    /// The object.
    package let object: RecordID
    /// Which property; empty if it is all of the object.
    package let property: String
    /// What was overruled.
    package let lost: [Register]
    /// What stayed; nothing if only a rule says so.
    package let kept: [Register]

    init(
        _ kind: Kind, of object: RecordID, _ entity: String, property: String = "", lost: [Register],
        kept: [Register]
    ) {
        (self.kind, self.object, self.entity, self.property) = (kind, object, entity, property)
        (self.lost, self.kept) = (lost, kept)
    }

    /// When and by which peer the last of what was overruled was written.
    package var lostStamp: Stamp? { lost.map(\.stamp).max() }

    /// When and by which peer the last of what stayed was written.
    package var keptStamp: Stamp? { kept.map(\.stamp).max() }
}

/// A conflict as it stands in the journal.
package struct NotedConflict: Sendable, Equatable {
    /// Its number in the store, which it keeps.
    package let number: UInt64
    /// When it was found here.
    package let noted: WallTime
    /// Whether it was undone here.
    package let isUndone: Bool
    /// The conflict.
    package let conflict: SyncConflict
}

extension Register {
    /// The property whose cell it is, and what that holds.
    package var cell: (property: String, content: Cell.Content)? {
        guard case .cell(_, let property, let cell) = self else { return nil }
        return (property, cell.value.content)
    }
}
