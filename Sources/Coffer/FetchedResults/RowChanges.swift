/// What is to be done to rows, each named once.
struct RowChanges {
    var removed: [ObjectReference] = []
    /// New and known rows, under the names that they have now.
    var rows: [ResultRow] = []
    /// The names that known rows had.
    var formerNames: [ObjectReference: ObjectReference] = [:]
    /// Rows that have something new to show, though perhaps nothing that they are ordered by.
    var updated: Set<ObjectReference> = []
}

/// What was done to a row or section, places counted in all rows.
enum RowEvent {
    case sectionDeleted(Int32, at: Int)
    case sectionInserted(Int32, at: Int)
    case deleted(ObjectReference, at: Int)
    case inserted(ObjectReference, at: Int)
    case moved(ObjectReference, from: Int, to: Int)
    case updated(ObjectReference, from: Int, to: Int)
}
