internal import CofferModel
internal import CofferSQLite
package import CofferWire

extension StoreReader {
    /// The rows with some keys, those that exist, with all that their entities have: one batch for each
    /// entity that occurs.
    ///
    /// Values of attributes that allow external storage stay out if the request says so: no file beside the
    /// store is read then. A client that asks for rows keeps them, and must not keep null for a value whose
    /// file is missing: that is an error, which names the file.
    ///
    /// - Throws: `StoreError.unknownEntity` if the model has no such entity or the store does not keep it,
    ///   `.tooLarge` if all rows together pass what a frame carries, `.damaged` if a value's file is missing.
    package func rows(_ request: RowsRequestMessage) throws(StoreError) -> RowsReplyMessage {
        let entity = try schema.entity(at: request.entity)
        let keys = JSONList.text(request.primaryKeys)
        let number = try beginReading()
        defer { endReading() }
        var batches: [PackedRows] = []
        var budget = ByteBudget()
        for (leaf, keys) in try leaves(of: entity, keys: request.primaryKeys, json: keys) {
            let batch = try rows(
                of: leaf, keys: keys, withoutExternal: request.withoutExternalValues, within: &budget)
            if batch.rowCount > 0 { batches.append(batch) }
        }
        return RowsReplyMessage(number: number, batches: batches)
    }

    /// The keys by the entity of their rows, each list as JSON.
    private func leaves(of entity: SQLEntity, keys: [Int64], json: String) throws(StoreError) -> [(
        SQLEntity, String
    )] {
        guard entity.tableHasSeveralEntities else { return [(entity, json)] }
        var groups: [Int64: [Int64]] = [:]
        let sql = "SELECT Z_ENT, Z_PK FROM \(entity.table) WHERE Z_PK IN (SELECT value FROM json_each(?))"
        try translating { () throws(SQLiteError) in
            let statement = try connection.cached(sql)
            defer { statement.reset() }
            try statement.bind(json, at: 1)
            while try statement.step() { groups[statement.int64(0), default: []].append(statement.int64(1)) }
        }
        let model = schema.model
        let family = model.entities[model.entities[entity.index].rootIndex].familyIndices
        var result: [(SQLEntity, String)] = []
        for (number, keys) in groups.sorted(by: { $0.key < $1.key }) {
            // Rows of an entity that the model does not have, or has in another table, are left out.
            guard let leaf = context.entityIndex(number), family.contains(Int(leaf)) else { continue }
            result.append((try schema.entity(at: Int(leaf)), JSONList.text(keys)))
        }
        return result
    }

    func rows(
        of leaf: SQLEntity, keys: String, withoutExternal: Bool, within budget: inout ByteBudget
    ) throws(StoreError) -> PackedRows {
        let prepared = try rowsQuery(of: leaf, withoutExternal: withoutExternal)
        context.needsFiles = true
        defer { context.needsFiles = false }
        try translating { () throws(SQLiteError) in try prepared.statement.bind(keys, at: 1) }
        return try prepared.rows(within: &budget)
    }

    private func rowsQuery(of leaf: SQLEntity, withoutExternal: Bool) throws(StoreError) -> PreparedQuery {
        let use = RowsUse(entity: leaf.index, withoutExternal: withoutExternal)
        if let known = rowQueries[use] { return known }
        let omitted = withoutExternal ? schema.model.entities[leaf.index].externalIndices : []
        let query = try explaining { () throws(QueryError) in
            let (scope, place) = try QueryScope.rows(of: leaf, aliases: QueryScope.Aliases())
            let columns = try QueryColumns(
                of: place, schema: schema, hasDigits: hasDigits, without: omitted)
            scope.demand("t0.Z_PK IN (SELECT value FROM json_each(?))")
            let selected = SQLFragment.list(["t0.Z_PK", "t0.Z_OPT"] + columns.texts)
            let sql: SQLFragment = "SELECT \(selected) \(scope.text)"
            return CompiledQuery(
                sql: sql.text, parameters: [], resultType: .objects, entity: leaf.index, hasEntity: false,
                hasKey: true, hasVersion: true, values: columns.values)
        }
        let statement = try translating { () throws(SQLiteError) in try connection.prepare(query.sql) }
        let prepared = PreparedQuery(query: query, statement: statement, context: context)
        rowQueries[use] = prepared
        return prepared
    }

    /// What a statement for rows by id reads.
    struct RowsUse: Hashable {
        let entity: Int
        let withoutExternal: Bool
    }
}
