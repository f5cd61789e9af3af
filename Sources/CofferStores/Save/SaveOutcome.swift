internal import CofferWire

/// The reasons that forbid a save, each kind up to a limit: conflicts, broken uniqueness constraints, invalid
/// values.
///
/// Shared by all passes of a save. Reasons that do not fit into one message are reported once the client has
/// dealt with the others.
final class SaveOutcome {
    private(set) var conflicts: [ConflictMessage] = []
    private(set) var failures: [ValidationFailureMessage] = []
    private(set) var constraints: [ConstraintConflictMessage] = []
    /// How many columns the stored rows of the conflicts have.
    private var conflictColumns = 0

    /// Whether nothing forbids the save so far.
    var isClear: Bool { conflicts.isEmpty && failures.isEmpty && constraints.isEmpty }

    /// Whether there is room for another broken constraint.
    var takesConstraints: Bool { constraints.count < Limits.outcomeItems }

    /// The answer with the reasons that forbid the save; `nil` if there are none.
    var reply: SaveReplyMessage? {
        if !conflicts.isEmpty { return .conflicts(conflicts) }
        if !constraints.isEmpty { return .constraints(constraints) }
        return failures.isEmpty ? nil : .invalid(failures)
    }

    /// Adds what is wrong with a property of an object.
    func fail(_ object: ObjectReferenceMessage, property: String, reason: ValidationReason, _ text: String) {
        guard failures.count < Limits.outcomeItems else { return }
        failures.append(
            ValidationFailureMessage(object: object, property: property, reason: reason, text: text))
    }

    /// Adds an object that differs from what the client has read; `stored` is its row, `nil` if it is
    /// deleted.
    func addConflict(_ object: LeafKey, snapshotVersion: UInt32, stored: RowBatch?) {
        guard conflicts.count < Limits.outcomeItems else { return }
        conflictColumns += stored?.columns.count ?? 0
        guard conflictColumns <= Limits.conflictColumns || conflicts.isEmpty else { return }
        conflicts.append(
            ConflictMessage(
                entity: object.entity, primaryKey: object.key, snapshotVersion: snapshotVersion,
                storedVersion: stored?.versions.first ?? 0, stored: stored))
    }

    /// Adds a row that a uniqueness constraint forbids.
    func addConstraint(_ conflict: ConstraintConflictMessage) {
        guard takesConstraints else { return }
        constraints.append(conflict)
    }

    /// Adds the stored objects' values to broken constraints, for a client that decides by them.
    func addStoredRows(from writer: StoreWriter) throws(StoreError) {
        for place in constraints.indices.prefix(Limits.shownConflicts) {
            guard let existing = constraints[place].existing, existing.primaryKey > 0 else { continue }
            constraints[place].stored = try writer.storedRow(
                try writer.plan(existing.entity), existing.primaryKey)
        }
    }
}
