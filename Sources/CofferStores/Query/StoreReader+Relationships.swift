internal import CofferModel
internal import CofferSQLite
package import CofferWire

extension StoreReader {
    /// The objects at the other end of a to-many relationship, for several owners by one statement.
    ///
    /// Those of an owner come in the relationship's order, else by key. An owner that does not exist has
    /// none; a key without an object is left out. If rows are asked for, they are of the same moment, each
    /// once. As in `rows`, values of attributes that allow external storage stay out if the request says so.
    ///
    /// - Throws: `StoreError.unknownEntity`, `.unknownProperty` if the property is not a to-many
    ///   relationship, `.unsupported` if it is not stored, `.tooLarge` if the objects pass what a frame
    ///   carries.
    package func relationship(
        _ request: RelationshipRequestMessage
    ) throws(StoreError) -> RelationshipReplyMessage {
        let source = try source(request)
        let number = try beginReading()
        defer { endReading() }
        let found = try objects(of: request.primaryKeys, source)
        // Counted again: an owner that is named twice is answered twice.
        var budget = ByteBudget(limit: CofferWire.Limits.frame)
        var reply = RelationshipReplyMessage(number: number, ends: [], primaryKeys: [], entities: [])
        reply.ends.reserveCapacity(request.primaryKeys.count)
        for owner in request.primaryKeys {
            let objects = found[owner] ?? []
            try budget.take(4 + Self.referenceByteCount * objects.count)
            for (key, entity) in objects {
                reply.primaryKeys.append(key)
                reply.entities.append(entity)
            }
            guard let end = UInt32(exactly: reply.primaryKeys.count) else {
                throw .tooLarge("a relationship's answer passes four billion objects")
            }
            reply.ends.append(end)
        }
        if request.withRows {
            reply.batches = try rows(
                of: found.values, withoutExternal: request.withoutExternalValues, within: &budget)
        }
        return reply
    }

    /// Looks up the owners of objects in a to-many relationship without inverse.
    ///
    /// - Parameters:
    ///   - members: The keys of the objects.
    ///   - property: The relationship, by its place in the entity.
    ///   - entity: The entity that declares it, by its place in the model.
    /// - Returns: The owners by the objects' keys; objects that have none are left out.
    /// - Throws: `StoreError` if the file cannot be read.
    package func owners(
        of members: [Int64], in property: Int, ofEntityAt entity: Int
    ) throws(StoreError) -> [Int64: (key: Int64, entity: UInt32)] {
        let family = schema.model.entities[entity].familyIndices
        let stored = family.lazy.compactMap { [schema] in schema.entities[$0] }.first
        guard let stored, case .toMany(let table, let column, _, _, _)? = stored.columns[property] else {
            return [:]
        }
        let sql = """
            SELECT m.Z_PK, o.Z_PK\(stored.tableHasSeveralEntities ? ", o.Z_ENT" : "") FROM \(table) m \
            JOIN \(stored.table) o ON o.Z_PK = m.\(column) WHERE m.Z_PK IN (SELECT value FROM json_each(?))
            """
        let statement = try translating { () throws(SQLiteError) in
            let statement = try connection.cached(sql)
            try statement.bind(JSONList.text(members), at: 1)
            return statement
        }
        defer { statement.reset() }
        var found: [Int64: (key: Int64, entity: UInt32)] = [:]
        while try translating({ () throws(SQLiteError) in try statement.step() }) {
            let leaf =
                stored.tableHasSeveralEntities
                ? context.entityIndex(statement.int64(2)) : UInt32(stored.index)
            guard let leaf, family.contains(Int(leaf)) else { continue }
            found[statement.int64(0)] = (statement.int64(1), leaf)
        }
        return found
    }

    /// The rows of the objects that owners have, each once.
    private func rows(
        of found: some Collection<[(key: Int64, entity: UInt32)]>, withoutExternal: Bool,
        within budget: inout ByteBudget
    ) throws(StoreError) -> [PackedRows] {
        var keys: [UInt32: Set<Int64>] = [:]
        for (key, entity) in found.joined() { keys[entity, default: []].insert(key) }
        var batches: [PackedRows] = []
        for (entity, keys) in keys.sorted(by: { $0.key < $1.key }) {
            let leaf = try schema.entity(at: Int(entity))
            let batch = try rows(
                of: leaf, keys: JSONList.text(keys.sorted()), withoutExternal: withoutExternal,
                within: &budget)
            if batch.rowCount > 0 { batches.append(batch) }
        }
        return batches
    }

    private static var referenceByteCount: Int { 12 }

    /// What the owners have, by owner.
    private func objects(
        of owners: [Int64], _ source: Source
    ) throws(StoreError) -> [Int64: [(key: Int64, entity: UInt32)]] {
        let statement = try translating { () throws(SQLiteError) in
            let statement = try connection.cached(source.sql)
            try statement.bind(JSONList.text(owners), at: 1)
            return statement
        }
        defer { statement.reset() }
        let family = schema.model.entities[source.destination].familyIndices
        var budget = ByteBudget(limit: CofferWire.Limits.frame)
        var found: [Int64: [(key: Int64, entity: UInt32)]] = [:]
        while try translating({ () throws(SQLiteError) in try statement.step() }) {
            try budget.take(Self.referenceByteCount)
            let entity =
                source.hasEntity ? context.entityIndex(statement.int64(2)) : UInt32(source.destination)
            // A row of another entity is not an object of the relationship, whatever its columns say.
            guard let entity, family.contains(Int(entity)) else { continue }
            found[statement.int64(0), default: []].append((statement.int64(1), entity))
        }
        return found
    }

    /// A statement for owner, key and, if that may differ, entity.
    private struct Source {
        var sql: String
        var hasEntity: Bool
        var destination: Int
    }

    private func source(_ request: RelationshipRequestMessage) throws(StoreError) -> Source {
        let entity = try schema.entity(at: request.entity)
        let name = schema.model.entities[request.entity].name
        guard entity.columns.indices.contains(request.property) else {
            throw .unknownProperty(entity: name, property: "#\(request.property)")
        }
        let property = schema.model.entities[request.entity].properties[request.property].name
        switch entity.columns[request.property] {
        case .toMany(let table, let foreignKey, _, let orderColumn, let destination):
            let hasEntity = try schema.entity(at: destination).tableHasSeveralEntities
            let order = orderColumn.map { "\($0), Z_PK" } ?? "Z_PK"
            let sql = """
                SELECT \(foreignKey), Z_PK\(hasEntity ? ", Z_ENT" : "") FROM \(table) \
                WHERE \(foreignKey) IN (SELECT value FROM json_each(?)) ORDER BY \(foreignKey), \(order)
                """
            return Source(sql: sql, hasEntity: hasEntity, destination: destination)
        case .manyToMany(let table, let ownColumn, let otherColumn, let orderColumn, let destination):
            let other = try schema.entity(at: destination)
            let order = orderColumn.map { "j.\($0), j.\(otherColumn)" } ?? "j.\(otherColumn)"
            let sql = """
                SELECT j.\(ownColumn), j.\(otherColumn)\(other.tableHasSeveralEntities ? ", t.Z_ENT" : "") \
                FROM \(table) j JOIN \(other.table) t ON t.Z_PK = j.\(otherColumn) \
                WHERE j.\(ownColumn) IN (SELECT value FROM json_each(?)) ORDER BY j.\(ownColumn), \(order)
                """
            return Source(sql: sql, hasEntity: other.tableHasSeveralEntities, destination: destination)
        case .unsupported(let reason): throw .unsupported(entity: name, property: property, detail: reason)
        case .attribute, .toOne, nil: throw .unknownProperty(entity: name, property: property)
        }
    }
}
