internal import CofferFormats
internal import CofferModel
internal import CofferSQLite
internal import CofferWire

// What the open transaction has changed, for the source of a store that has one.

extension StoreWriter {
    /// What `transactions`, which are not committed, leave.
    func changes(of transactions: [TransactionMessage]) throws(StoreError) -> SourceChanges {
        var kinds: [LeafKey: ChangeKind] = [:]
        var properties: [LeafKey: Set<Int>] = [:]
        for group in transactions.flatMap(\.changes) {
            for key in group.primaryKeys {
                let object = LeafKey(entity: group.entity, key: key)
                properties[object, default: []].formUnion(group.properties)
                switch (kinds[object], group.kind) {
                case (.insert?, .delete): kinds[object] = nil
                case (.delete?, .insert): kinds[object] = .update
                case (nil, let kind), (.update?, let kind): kinds[object] = kind
                case (.insert?, _), (.delete?, _): break
                }
            }
        }
        var changes = SourceChanges()
        for (object, kind) in kinds.sorted(by: { $0.key < $1.key }) {
            let id = SourceKey(entity: object.entity, key: object.key)
            let changed = properties[object] ?? []
            switch kind {
            case .delete: changes.deleted.append(id)
            case .insert:
                if let now = try sourceObject(object, lists: nil) { changes.inserted.append(now) }
            case .update:
                guard try isKept(changed, of: object), let now = try sourceObject(object, lists: changed)
                else { continue }
                changes.updated.append((now, changed))
            }
        }
        changes.metadata = try file.metadata(on: connection).values
        return changes
    }

    /// Whether any of these properties is the object's own, and not only the other end of others'.
    private func isKept(_ properties: Set<Int>, of object: LeafKey) throws(StoreError) -> Bool {
        let plan = try plan(object.entity)
        return properties.contains { plan.properties[$0].map { $0.isStoredColumn || $0.isList } ?? false }
    }

    /// An object as the open transaction has it, with those of its lists that are named, or all.
    private func sourceObject(_ object: LeafKey, lists: Set<Int>?) throws(StoreError) -> SourceObject? {
        let plan = try plan(object.entity)
        guard let row = try storedRow(plan, object.key) else { return nil }
        var result = SourceObject(id: SourceKey(entity: object.entity, key: object.key))
        for column in row.columns where !column.isNull(0) {
            guard let property = plan.properties[column.property] else { continue }
            if let end = column.end(at: 0) {
                result.references[property.index] = [SourceKey(entity: end.entity, key: end.key)]
            } else {
                result.values[property.index] = AtomicValues.value(of: column, row: 0, property)
            }
        }
        for case let property? in plan.properties
        where property.isList && lists?.contains(property.index) ?? true {
            result.references[property.index] = try members(of: object.key, property)
        }
        return result
    }

    /// The objects in a to-many relationship, in its order.
    func members(of owner: Int64, _ property: EntityPlan.Property) throws(StoreError) -> [SourceKey] {
        let model = file.schema.model
        let sql: String
        switch property.stored {
        case .toMany(let table, let foreignKey, _, let order, _):
            sql =
                "SELECT Z_PK, Z_ENT FROM \(table) WHERE \(foreignKey) = ?1 ORDER BY \(order ?? "Z_PK"), Z_PK"
        case .manyToMany(let table, let own, let other, let order, let destination):
            let target = "Z" + model.entities[destination].rootName.uppercased()
            sql =
                "SELECT t.Z_PK, t.Z_ENT FROM \(table) j JOIN \(target) t ON t.Z_PK = j.\(other) "
                + "WHERE j.\(own) = ?1 ORDER BY \(order.map { "j.\($0)" } ?? "t.Z_PK"), t.Z_PK"
        case .attribute, .toOne, .unsupported: return []
        }
        return try translating { () throws(SQLiteError) in
            let statement = try connection.cached(sql)
            try statement.bind(owner, at: 1)
            defer { statement.reset() }
            var members: [SourceKey] = []
            while try statement.step() {
                guard let entity = file.schema.entity(numbered: Int(statement.int64(1))) else { continue }
                members.append(SourceKey(entity: entity.index, key: statement.int64(0)))
            }
            return members
        }
    }
}

extension EntityPlan.Property {
    /// Whether it is a to-many relationship that says more than the to-one relationships of its objects do.
    var isList: Bool {
        switch stored {
        case .toMany(_, _, _, let order, _): inverse == nil || order != nil
        case .manyToMany: true
        case .attribute, .toOne, .unsupported: false
        }
    }
}
