internal import CofferFormats
internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Reads the whole graph of a store out of its database, as its file is to have it.
///
/// It sees what its writer's open transaction has changed.
struct AtomicGraph {
    private let writer: StoreWriter
    private var model: ManagedObjectModel { writer.file.schema.model }

    init(of writer: StoreWriter) { self.writer = writer }

    /// All objects, entity by entity, each in the order of its keys.
    func objects() throws(StoreError) -> [AtomicStoreObject] {
        var objects: [AtomicStoreObject] = []
        for case let entity? in writer.file.schema.entities where !model.entities[entity.index].isAbstract {
            objects += try self.objects(of: try writer.plan(entity.index))
        }
        return objects
    }

    private func objects(of plan: EntityPlan) throws(StoreError) -> [AtomicStoreObject] {
        let batch = try rows(of: plan)
        var objects = batch.primaryKeys.map {
            AtomicStoreObject(entity: plan.name, id: AtomicStoreObject.id(ofNumber: $0))
        }
        for column in batch.columns {
            guard let property = plan.properties[column.property] else { continue }
            for row in objects.indices where !column.isNull(row) {
                if case .references(let keys, _) = column.values {
                    objects[row].references[property.name] = [AtomicStoreObject.id(ofNumber: keys[row])]
                } else {
                    objects[row].values[property.name] = AtomicValues.value(of: column, row: row, property)
                }
            }
        }
        for case let property? in plan.properties {
            guard let ids = try members(property), !ids.isEmpty else { continue }
            for (row, key) in batch.primaryKeys.enumerated() {
                if let ids = ids[key] { objects[row].references[property.name] = ids }
            }
        }
        return objects
    }

    /// All rows of just this entity, with attributes and to-one relationships.
    private func rows(of plan: EntityPlan) throws(StoreError) -> RowBatch {
        try translating { () throws(SQLiteError) in
            let properties = plan.properties.compactMap(\.self).filter(\.isStoredColumn)
            let statement = try writer.connection.prepare(
                "SELECT Z_PK\(StoredRow.selection(plan, properties)) FROM \(plan.entity.table) "
                    + "WHERE Z_ENT = \(plan.entity.number) ORDER BY Z_PK")
            var batch = RowBatch(entity: plan.index)
            var columns = properties.map(StoredColumn.init)
            while try statement.step() {
                batch.primaryKeys.append(statement.int64(0))
                var place = 1
                for index in columns.indices {
                    place += try columns[index].append(
                        from: statement, place, row: batch.rowCount, external: plan.external)
                }
                batch.rowCount += 1
            }
            batch.columns = columns.map { $0.whole(rowCount: batch.rowCount) }
            return batch
        }
    }

    /// The ids of the objects in a to-many relationship, in its order, by their owners' keys; `nil` for other
    /// properties.
    private func members(_ property: EntityPlan.Property) throws(StoreError) -> [Int64: [String]]? {
        let sql: String
        switch property.stored {
        case .toMany(let table, let foreignKey, _, let orderColumn, _):
            sql =
                "SELECT \(foreignKey), Z_PK FROM \(table) WHERE \(foreignKey) IS NOT NULL "
                + "ORDER BY 1, \(orderColumn ?? "2"), 2"
        case .manyToMany(let table, let own, let other, let orderColumn, _):
            sql = "SELECT \(own), \(other) FROM \(table) ORDER BY 1, \(orderColumn ?? "2"), 2"
        case .attribute, .toOne, .unsupported: return nil
        }
        return try translating { () throws(SQLiteError) in
            let statement = try writer.connection.prepare(sql)
            var members: [Int64: [String]] = [:]
            while try statement.step() {
                members[statement.int64(0), default: []].append(
                    AtomicStoreObject.id(ofNumber: statement.int64(1)))
            }
            return members
        }
    }
}
