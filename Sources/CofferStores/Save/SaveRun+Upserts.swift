internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension SaveRun {
    /// Inserts the rows of one group, and merges some of them with other objects, which then take their
    /// values as the policy says.
    mutating func insertUnmerged(_ group: Int) throws(StoreError) {
        let request = inserted.groups[group]
        let columns = self.columns.inserts[group]
        let plan = try writer.plan(request.entity)
        let firstKey = inserted.firstKeys[group]
        let start = inserted.start(ofGroup: group)
        let rows = request.temporaryIDs.indices.filter { !inserted.isMerged(start + $0) }
        do throws(SQLiteError) {
            let statement = try plan.insert(columns, on: writer.connection)
            for row in rows {
                let key = firstKey + Int64(row)
                try bind(row, of: columns, to: statement, plan, key: key, version: 1)
                if let rule = try statement.statement.runUnlessForbidden() {
                    try constraints.didForbid(
                        row, of: columns, plan: plan, key: key, by: ForbiddingRule(rule))
                }
                for part in statement.decimals {
                    try writer.writeDigits(of: columns[part], row: row, to: key, in: plan)
                }
                changes.touchOwners(statement, columns, row: row)
            }
        } catch {
            throw StoreError(error)
        }
        if !rows.isEmpty {
            changes.add(
                ChangeGroup(
                    kind: .insert, entity: plan.index,
                    primaryKeys: rows.map { firstKey + Int64($0) },
                    versions: Array(repeating: 1, count: rows.count)))
        }
        for row in request.temporaryIDs.indices {
            guard let object = inserted.mergedObject(start + row) else { continue }
            let assigned = columns.indices.filter { request.isAssigned($0, row: row) ?? false }
            try upsert(
                columns.map { $0.row(row) }, assigned: request.assigned.isEmpty ? nil : assigned, of: plan,
                key: object.key)
        }
    }

    /// Merges a new object into a stored one, as the policy says.
    ///
    /// An upsert by property writes the columns at the places that were `assigned`. If `assigned` is `nil`,
    /// null and the model's default count as not set, so that nothing is erased. `overwrite` writes all of
    /// them.
    private mutating func upsert(_ columns: [Column], assigned: [Int]?, of plan: EntityPlan, key: Int64)
        throws(StoreError)
    {
        guard let stored = try writer.storedRow(plan, key) else {
            // A rule of this very save has deleted it meanwhile.
            throw .unknownObject(entity: plan.name, primaryKey: key)
        }
        changes.refresh(plan.object(key))
        guard constraints.rule.decide(.contested) == .wanted else { return }
        var wanted: [Column]
        if constraints.rule.writesWholeObjects {
            wanted = columns
            for property in plan.properties.compactMap(\.self)
            where property.isColumn && !columns.contains(where: { $0.property == property.index }) {
                wanted.append(property.nullColumn)
            }
        } else {
            wanted = assigned?.map { columns[$0] } ?? columns.filter { !$0.isNull(0) && !isDefault($0, plan) }
        }
        wanted.removeAll { column in
            stored.columns.contains { $0.property == column.property && column.hasSameValue(0, as: $0, 0) }
        }
        try merge(wanted, row: 0, of: plan, key: key, version: stored.versions[0])
    }

    private func isDefault(_ column: Column, _ plan: EntityPlan) -> Bool {
        guard let attribute = plan.properties[column.property]?.attribute else { return false }
        return column.value(at: 0, type: attribute.type) == attribute.defaultValue
    }
}

extension EntityPlan.Property {
    /// The column in which an attribute or to-one relationship is stored.
    var columnName: String? {
        switch stored {
        case .attribute(let column, _), .toOne(let column, _, _): column
        case .toMany, .manyToMany, .unsupported: nil
        }
    }

    /// Whether a request may have a column for it.
    var isColumn: Bool { columnName != nil && !isDerived }

    /// A column of one null for it.
    var nullColumn: Column {
        var builder =
            attribute.map { ColumnBuilder(property: index, type: $0.type) }
            ?? ColumnBuilder(referencesOf: index)
        builder.appendNull()
        return builder.finish()
    }
}
