internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension WrittenChanges {
    /// Adds what triggers changed: derived attributes of objects of the save, and of others.
    ///
    /// A derived value does not change an object's version, as in Core Data: only the store writes it, so no
    /// client can be in conflict about it. Other clients learn which attributes of which objects changed,
    /// without values, since without versions theirs could be those of an older save. The values are read
    /// when they are needed, and the row cache drops the rows. For new objects they are part of the reported
    /// insertion. The saving context gets all values with the answer, except those of batch operations.
    /// - Returns: The values for the answer.
    func addDerived(_ objects: SavedObjects, isBatch: Bool) throws(StoreError) -> [RowBatch] {
        guard let log = writer.triggers else { return [] }
        if log.isOverfull {
            throw .tooLarge("derived attributes of more than \(log.limit) objects")
        }
        if log.touched.isEmpty { return [] }
        var groups: [Int: (keys: [Int64], properties: Set<Int>)] = [:]
        for (object, properties) in log.touched where try isStored(object, objects) {
            groups[object.entity, default: ([], [])].keys.append(object.key)
            groups[object.entity]?.properties.formUnion(properties)
            for property in properties { touch(object, property) }
        }
        try completeInserts(groups.mapValues(\.properties))
        if isBatch { return [] }
        let isMany = groups.values.reduce(0) { $0 + $1.keys.count } > Limits.derivedRows
        var batches: [RowBatch] = []
        for (entity, group) in groups.sorted(by: { $0.key < $1.key }) {
            let properties = isMany ? [] : group.properties.sorted()
            batches.append(try values(of: properties, entity, group.keys.sorted()))
        }
        return batches.filter { $0.rowCount > 0 }
    }

    /// Whether the object exists after the save.
    ///
    /// Our own triggers report rows that exist; others may report anything.
    private func isStored(_ object: LeafKey, _ objects: SavedObjects) throws(StoreError) -> Bool {
        if objects.isDeleted(object) { return false }
        if !writer.file.hasForeignTriggers { return true }
        return try objects.exists(object)
    }

    /// Adds derived values to the reported insertions, so that their rows are complete.
    private func completeInserts(_ properties: [Int: Set<Int>]) throws(StoreError) {
        for place in groups.indices where groups[place].change.kind == .insert {
            let change = groups[place].change
            guard !change.columns.isEmpty, let derived = properties[change.entity] else { continue }
            let missing = derived.filter { property in
                !change.columns.contains { $0.property == property }
            }
            if missing.isEmpty { continue }
            let rows = try values(of: missing.sorted(), change.entity, change.primaryKeys)
            guard rows.rowCount == change.primaryKeys.count else { continue }
            groups[place].change.columns += rows.columns
        }
    }

    /// Some properties of stored objects.
    private func values(of properties: [Int], _ entity: Int, _ keys: [Int64]) throws(StoreError) -> RowBatch {
        let plan = try writer.plan(entity)
        return try translating { () throws(SQLiteError) in
            var reader = try StoredRow(plan, properties: properties, on: writer.connection)
            for key in keys { _ = try reader.append(key) }
            return reader.rows()
        }
    }
}
