extension InsertGroup {
    /// How many bytes `assigned` has if it is told.
    package var assignedByteCount: Int { (columns.count * temporaryIDs.count + 7) / 8 }

    /// Whether a row's value of the column at a place was set; `nil` if that is not told.
    package func isAssigned(_ column: Int, row: Int) -> Bool? {
        let place = column * temporaryIDs.count + row
        guard assigned.indices.contains(place / 8) else { return nil }
        return assigned[place / 8] >> UInt8(place % 8) & 1 == 1
    }

    /// Notes that a row's value of the column at a place was set.
    package mutating func noteAssigned(_ column: Int, row: Int) {
        if assigned.isEmpty { assigned = Array(repeating: 0, count: assignedByteCount) }
        let place = column * temporaryIDs.count + row
        assigned[place / 8] |= 1 << UInt8(place % 8)
    }

    /// Refuses columns that have not a value for each row.
    func checkFields() throws(WireError) {
        try columns.check(rowCount: temporaryIDs.count)
        guard assigned.isEmpty || assigned.count == assignedByteCount else {
            throw .malformed("coffer.v1.InsertGroup.assigned: not a bit for each value")
        }
    }
}

extension UpdateGroup {
    /// Refuses versions and columns that have not a value for each row.
    func checkFields() throws(WireError) {
        let rowCount = primaryKeys.count
        try check(versions.count, of: rowCount, "coffer.v1.UpdateGroup.versions")
        try columns.check(rowCount: rowCount)
        try oldColumns.check(rowCount: rowCount)
        try otherColumns.check(rowCount: rowCount)
    }
}

extension DeleteGroup {
    /// Refuses versions that are not one for each row, and relationships that are not one for each that was
    /// detached.
    func checkFields() throws(WireError) {
        try check(versions.count, of: primaryKeys.count, "coffer.v1.DeleteGroup.versions")
        try check(
            detachedProperties.count, of: detachedRows.count, "coffer.v1.DeleteGroup.detached_properties")
    }
}

extension SetChange {
    /// Refuses targets, and bits, that are not one for each owner.
    func checkFields() throws(WireError) {
        try check(targets.count, of: owners.count, "coffer.v1.SetChange.targets")
        guard removed.isEmpty || removed.count == (owners.count + 7) / 8 else {
            throw .malformed(
                "coffer.v1.SetChange.removed: \(removed.count) bytes for \(owners.count) rows")
        }
    }
}

extension OrderChange {
    /// Refuses members and places that are not one for each owner.
    func checkFields() throws(WireError) {
        try check(members.count, of: owners.count, "coffer.v1.OrderChange.members")
        try check(after.count, of: owners.count, "coffer.v1.OrderChange.after")
    }
}

extension SuccessorGroup {
    /// Refuses successors that are not one for each object.
    func checkFields() throws(WireError) {
        try check(successors.count, of: primaryKeys.count, "coffer.v1.SuccessorGroup.successors")
    }
}

extension ChangeGroup {
    /// Refuses versions and columns that have not a value for each row.
    func checkFields() throws(WireError) {
        let rowCount = primaryKeys.count
        try check(versions.count, of: rowCount, "coffer.v1.ChangeGroup.versions", mayBeAbsent: true)
        try columns.check(rowCount: rowCount)
    }
}
