internal import CofferFormats
internal import CofferModel
internal import CofferSQLite
package import CofferWire

// What a source says comes into the database unnoticed if no client has read it before; else it comes as an
// import.

extension StoreWriter {
    /// Writes rows of objects that are not there, of which no history tells.
    ///
    /// What they refer to need not be there.
    /// - Throws: `wrongType` for a value that its attribute cannot have; `damaged`.
    package func fill(_ objects: [SourceObject]) throws(StoreError) {
        if objects.isEmpty { return }
        let now = file.environment.now()
        try transaction { () throws(StoreError) in
            triggers?.begin(at: now)
            defer { triggers?.end() }
            var seen: Set<SourceKey> = []
            for (entity, group) in Dictionary(grouping: objects, by: \.id.entity).sorted(by: {
                $0.key < $1.key
            }) {
                let plan = try plan(entity)
                var new: [SourceObject] = []
                for object in group where seen.insert(object.id).inserted {
                    if try storedVersion(plan, object.id.key) == nil { new.append(object) }
                }
                if !new.isEmpty { try insert(new, of: plan) }
            }
            try translating { () throws(SQLiteError) in
                try texts?.drain()
                try sortKeys.drain()
            }
        }
    }

    private func insert(_ objects: [SourceObject], of plan: EntityPlan) throws(StoreError) {
        let columns = try columns(of: objects, plan)
        try translating { () throws(SQLiteError) in
            let statement = try plan.insert(columns, on: connection)
            try statement.statement.bind(Int64(1), at: 2)
            for (row, object) in objects.enumerated() {
                try statement.statement.bind(object.id.key, at: 1)
                for (index, part) in statement.parts.enumerated() {
                    try statement.bind(columns[index], row: row, to: part, key: object.id.key)
                    if let parameter = part.orderParameter { try statement.statement.bindNull(at: parameter) }
                }
                if try statement.statement.runUnlessForbidden() != nil {
                    throw .corrupt(
                        path: file.path,
                        message: "two objects of '\(plan.name)' have the same value of what is to be unique")
                }
                for part in statement.decimals {
                    try writeDigits(of: columns[part], row: row, to: object.id.key, in: plan)
                }
            }
        }
    }

    /// All stored columns of objects.
    private func columns(of objects: [SourceObject], _ plan: EntityPlan) throws(StoreError) -> [Column] {
        var columns: [Column] = []
        for property in plan.properties.compactMap(\.self) where property.isStoredColumn {
            var column = AtomicValues.column(of: property)
            for (row, object) in objects.enumerated() {
                if let type = property.attribute?.type {
                    let value = object.values[property.index]
                    guard AtomicValues.append(value, to: &column, row: row, type) else {
                        throw .wrongType(
                            entity: plan.name, property: property.name,
                            detail: "the object \(object.id.key) has none of the type \(type)")
                    }
                } else {
                    let end = object.references[property.index]?.first
                    AtomicEnds.append(
                        end.map { LeafKey(entity: $0.entity, key: $0.key) }, to: &column, row: row)
                }
            }
            columns.append(column)
        }
        return columns
    }

    /// The update that makes an existing row what its source says; `nil` if nothing differs, or there is no
    /// row.
    package func renewal(by object: SourceObject) throws(StoreError) -> UpdateGroup? {
        let plan = try plan(object.id.entity)
        guard let row = try storedRow(plan, object.id.key) else { return nil }
        let columns = try columns(of: [object], plan).filter { column in
            guard let present = row.columns.first(where: { $0.property == column.property }) else {
                return false
            }
            return !column.hasSameValue(0, as: present, 0)
                && plan.properties[column.property]?.isDerived != true
        }
        if columns.isEmpty { return nil }
        return UpdateGroup(
            entity: plan.index, primaryKeys: row.primaryKeys, versions: row.versions, columns: columns)
    }

    /// What deletes a row; `nil` if there is none.
    package func removal(of object: SourceKey) throws(StoreError) -> DeleteGroup? {
        for entity in file.schema.model.entities[object.entity].familyIndices {
            guard file.schema.entities[entity] != nil,
                let version = try storedVersion(try plan(entity), object.key)
            else { continue }
            return DeleteGroup(entity: entity, primaryKeys: [object.key], versions: [version])
        }
        return nil
    }

    /// What an object refers to by its to-one relationships, by the place of the relationship; empty if the
    /// object is not there.
    package func ends(of object: SourceKey) throws(StoreError) -> [Int: SourceKey] {
        for entity in file.schema.model.entities[object.entity].familyIndices {
            guard file.schema.entities[entity] != nil, let row = try storedRow(try plan(entity), object.key)
            else { continue }
            var ends: [Int: SourceKey] = [:]
            for column in row.columns {
                if let end = column.end(at: 0) {
                    ends[column.property] = SourceKey(entity: end.entity, key: end.key)
                }
            }
            return ends
        }
        return [:]
    }

    /// The objects in a to-many relationship, in its order.
    package func members(of owner: SourceKey, _ property: Int) throws(StoreError) -> [SourceKey] {
        guard let stored = try plan(owner.entity).properties[property] else { return [] }
        return try members(of: owner.key, stored)
    }

    /// Lets a relationship have these objects, in this order, as far as it says more than the to-one
    /// relationships of the objects do.
    package func setMembers(
        _ members: [SourceKey], of owner: SourceKey, _ property: Int
    ) throws(StoreError) {
        guard let stored = try plan(owner.entity).properties[property], stored.isList else { return }
        let present = try self.members(of: owner.key, stored)
        let isOrdered = stored.stored.orderColumn != nil
        if isOrdered ? present == members : Set(present) == Set(members) { return }
        try transaction { () throws(StoreError) in
            try translating { () throws(SQLiteError) in
                if let sql = clearing(stored) {
                    let statement = try connection.cached(sql)
                    try statement.bind(owner.key, at: 1)
                    try statement.run()
                }
                guard let sql = AtomicEnds.sql(stored) else { return }
                var last: Int64?
                for member in members {
                    let next = OrderPositions.next(after: last)
                    last = next
                    let statement = try connection.cached(sql)
                    try statement.bind(owner.key, at: 1)
                    try statement.bind(member.key, at: 2)
                    if sql.contains("?3") { try statement.bind(next, at: 3) }
                    if sql.contains("?4") {
                        try statement.bind(Int64(stored.numbers[owner.entity]), at: 4)
                    }
                    try statement.run()
                }
            }
        }
    }

    private func clearing(_ property: EntityPlan.Property) -> String? {
        switch property.stored {
        case .manyToMany(let table, let own, _, _, _): "DELETE FROM \(table) WHERE \(own) = ?1"
        case .toMany(let table, let foreignKey, _, let order, _) where property.inverse == nil:
            "UPDATE \(table) SET \(foreignKey) = NULL\(order.map { ", \($0) = NULL" } ?? "") "
                + "WHERE \(foreignKey) = ?1"
        case .toMany, .attribute, .toOne, .unsupported: nil
        }
    }

    /// Lets new objects have keys that the source has given out.
    package func reserve(_ first: Int64, count: Int, ofEntityAt index: Int) throws(StoreError) {
        let plan = try plan(index)
        let (end, isPast) = first.addingReportingOverflow(Int64(count))
        guard first > 0, count > 0, !isPast else {
            throw .unreservedKeys(entity: plan.name, firstKey: first, count: count)
        }
        try transaction { () throws(StoreError) in
            try translating { () throws(SQLiteError) in
                let statement = try connection.cached(
                    "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, ?1) WHERE Z_ENT = ?2")
                try statement.bind(end - 1, at: 1)
                try statement.bind(Int64(plan.numbers[plan.root]), at: 2)
                try statement.run()
                try ReservedKeys(of: plan.root, plan.numbers, on: connection).add(first...(end - 1))
            }
        }
    }
}
