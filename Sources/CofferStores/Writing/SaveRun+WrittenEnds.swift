internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Groups of changes of to-one relationships that follow from others, one for each property of an entity: there may be as many such
/// changes as objects.
struct WrittenEnds {
    struct Kind: Hashable {
        var entity: Int
        var property: Int
    }

    struct Group {
        /// Its place among all changes.
        var place: Int
        /// The row of each object.
        var rows: [Int64: Int]
    }

    var groups: [Kind: Group] = [:]
    /// How many changes there were when the last of these groups was noted.
    var mark = 0
}

extension SaveRun {
    /// Writes a to-one relationship of a stored object that the request does not update, by a bound statement that returns the row's
    /// new version.
    mutating func writeEnd(
        _ property: EntityPlan.Property, of plan: EntityPlan, _ object: LeafKey,
        _ statement: () throws(SQLiteError) -> SQLiteStatement
    ) throws(StoreError) {
        let version = try translating { () throws(SQLiteError) -> UInt32? in
            let statement = try statement()
            defer { statement.reset() }
            guard try statement.step() else { return nil }
            let next = try self.version(statement)
            _ = try statement.step()
            return next
        }
        guard let version else { return }
        // Nobody waits for an answer about single objects of a batch operation.
        if !batchProgress.isRunning { refresh.insert(object) }
        noteEnd(property, of: plan, object.key, version)
    }

    private mutating func noteEnd(
        _ property: EntityPlan.Property, of plan: EntityPlan, _ key: Int64, _ version: UInt32
    ) {
        // What was noted since comes before it.
        if changes.count != writtenEnds.mark { writtenEnds = WrittenEnds() }
        let kind = WrittenEnds.Kind(entity: plan.index, property: property.index)
        guard let place = writtenEnds.groups[kind]?.place else {
            writtenEnds.groups[kind] = WrittenEnds.Group(place: changes.count, rows: [key: 0])
            changes.append(
                (
                    ChangeGroup(
                        kind: .update, entity: plan.index, primaryKeys: [key], versions: [version],
                        properties: [property.index]), plan.history.bitmap(of: [property.index])
                ))
            writtenEnds.mark = changes.count
            return
        }
        if let row = writtenEnds.groups[kind]?.rows[key] {
            changes[place].group.versions[row] = version
            return
        }
        writtenEnds.groups[kind]?.rows[key] = changes[place].group.primaryKeys.count
        changes[place].group.primaryKeys.append(key)
        changes[place].group.versions.append(version)
    }
}
