internal import CofferMerge
internal import CofferModel
internal import CofferStores
internal import CofferWire

/// An object as its row shows it; all names are canonical.
struct StoredObject {
    let version: UInt32
    var values: [String: AttributeValue] = [:]
    /// To-one relationships; none where they lead to nobody.
    var references: [String: RowAddress] = [:]
    /// Relationships that are kept as pairs; none where they are empty.
    var members: [String: Set<RowAddress>] = [:]
    /// Ordered relationships; none where they are empty.
    var orders: [String: [RowAddress]] = [:]
}

/// Reads rows as objects, inside the transaction of a writer.
struct ObjectReading {
    /// How many rows are asked for at once.
    private static let batch = 500

    let reader: StoreReader
    let model: ManagedObjectModel
    let merge: MergeModel

    /// The objects of those rows that exist.
    func objects(at rows: Set<RowAddress>) throws(StoreError) -> [RowAddress: StoredObject] {
        var found: [RowAddress: StoredObject] = [:]
        for (entity, rows) in Dictionary(grouping: rows, by: \.entity)
        where model.entities.indices.contains(entity) {
            let keys = rows.map(\.key).sorted()
            for start in stride(from: 0, to: keys.count, by: Self.batch) {
                let part = Array(keys[start..<min(start + Self.batch, keys.count)])
                try read(part, of: model.entities[entity], into: &found)
            }
        }
        return found
    }

    private func read(
        _ keys: [Int64], of entity: EntityDescription, into found: inout [RowAddress: StoredObject]
    ) throws(StoreError) {
        let carried = merge.entity(at: entity.index)
        let request = RowsRequestMessage(store: 0, entity: entity.index, primaryKeys: keys)
        for batch in try reader.rows(request).batches {
            for row in 0..<batch.rowCount where batch.leafEntity(row) == entity.index {
                var object = StoredObject(version: batch.version(row))
                for column in 0..<batch.columnCount {
                    let property = carried.propertyName(at: batch.property(column))
                    if let attribute = carried.attributes[property] {
                        object.values[property] = batch.value(column, row, type: attribute.type)
                    } else if carried.references[property] != nil,
                        let end = batch.reference(column, row)
                    {
                        object.references[property] = RowAddress(entity: end.entity, key: end.key)
                    }
                }
                found[RowAddress(entity: entity.index, key: batch.primaryKey(row))] = object
            }
        }
        for relationship in carried.relationships where relationship.isPaired || relationship.isOrdered {
            try readMembers(relationship, keys, of: entity, into: &found)
        }
    }

    private func readMembers(
        _ relationship: MergeRelationship, _ keys: [Int64], of entity: EntityDescription,
        into found: inout [RowAddress: StoredObject]
    ) throws(StoreError) {
        let name = relationship.name.property
        guard relationship.isToMany, let property = merge.entity(at: entity.index).propertyIndex(name) else {
            return
        }
        let reply = try reader.relationship(
            RelationshipRequestMessage(
                store: 0, entity: entity.index, property: property, primaryKeys: keys))
        var start = 0
        for (place, key) in keys.enumerated() {
            let end = Int(reply.ends[place])
            defer { start = end }
            let members = (start..<end).map {
                RowAddress(entity: Int(reply.entities[$0]), key: reply.primaryKeys[$0])
            }
            if members.isEmpty { continue }
            let owner = RowAddress(entity: entity.index, key: key)
            if relationship.isPaired { found[owner]?.members[name] = Set(members) }
            if relationship.isOrdered { found[owner]?.orders[name] = members }
        }
    }
}
