/// Rows that were read along with others and that nobody holds an object of yet.
///
/// A row stays until its object is made, somebody changes it, or the context saves.
struct ReadAhead {
    private var rows: [ObjectReference: (batch: SnapshotBatch, row: Int)] = [:]

    /// Keeps a row; the rows that were dropped for want of room are returned.
    mutating func keep(_ reference: ObjectReference, _ batch: SnapshotBatch, row: Int) -> [ObjectReference] {
        let dropped = rows.count >= Limits.readAhead ? removeAll() : []
        rows[reference] = (batch, row)
        return dropped
    }

    /// Takes the row of an object out.
    mutating func take(_ reference: ObjectReference) -> (batch: SnapshotBatch, row: Int)? {
        rows.isEmpty ? nil : rows.removeValue(forKey: reference)
    }

    /// Forgets all rows, and says which.
    mutating func removeAll() -> [ObjectReference] {
        defer { rows = [:] }
        return Array(rows.keys)
    }
}
