internal import CofferContainer
internal import CofferMerge
internal import CofferModel
internal import CofferStores
internal import CofferWire

/// An object as its row shows it; all names are canonical.
struct StoredObject {
    let version: UInt32
    /// Attributes that were read, but for large values.
    var values: PropertyMap<AttributeValue> = [:]
    /// What stands for large values among registers; keys are never large.
    var largeValues: PropertyMap<LargeValue> = [:]
    /// To-one relationships, and the owners in to-many relationships without inverse; none if they are empty.
    var references: PropertyMap<RowAddress> = [:]
    /// Whether members and orders were read too.
    let hasMembers: Bool
    /// Relationships that are kept as pairs; empty ones are left out.
    var members: PropertyMap<Set<RowAddress>> = [:]
    /// Ordered relationships; empty ones are left out.
    var orders: PropertyMap<[RowAddress]> = [:]

    /// What a cell would hold that said the same of an attribute; `nil` if it could not be read, since its
    /// file is missing.
    func content(_ property: String) -> Cell.Content? {
        if let large = largeValues[property] { return .large(large) }
        return values[property].map(\.asKept).map { $0.isNull ? .null : .value($0) }
    }
}

/// Reads rows as objects, inside the transaction of a writer.
struct ObjectReading {
    /// How many rows are asked for at once.
    private static let batch = 500

    let reader: StoreReader
    let model: ManagedObjectModel
    let merge: MergeModel

    /// The objects of those rows that exist, with the members of their relationships or without.
    func objects(
        at rows: Set<RowAddress>, withMembers: Bool = true
    ) throws(StoreError) -> [RowAddress: StoredObject] {
        var found: [RowAddress: StoredObject] = [:]
        for (entity, rows) in Dictionary(grouping: rows, by: \.entity)
        where model.entities.indices.contains(entity) {
            let keys = rows.map(\.key).sorted()
            for start in stride(from: 0, to: keys.count, by: Self.batch) {
                let part = Array(keys[start..<min(start + Self.batch, keys.count)])
                try read(part, of: model.entities[entity], withMembers: withMembers, into: &found)
                if withMembers { try readMembers(part, of: model.entities[entity], into: &found) }
            }
        }
        return found
    }

    private func read(
        _ keys: [Int64], of entity: EntityDescription, withMembers: Bool,
        into found: inout [RowAddress: StoredObject]
    ) throws(StoreError) {
        let carried = merge.entity(at: entity.index)
        for batch in try batches(keys, of: entity) {
            for row in 0..<batch.rowCount where batch.leafEntity(row) == entity.index {
                var object = StoredObject(version: batch.version(row), hasMembers: withMembers)
                for column in 0..<batch.columnCount {
                    let property = carried.propertyName(at: batch.property(column))
                    if let attribute = carried.attributes[property] {
                        let value = batch.value(column, row, type: attribute.type)
                        if let large = LargeValue(value), !merge.isKey(property, of: carried) {
                            object.largeValues[property] = large
                        } else {
                            object.values[property] = value
                        }
                    } else if carried.references[property] != nil,
                        let end = batch.reference(column, row)
                    {
                        object.references[property] = RowAddress(entity: end.entity, key: end.key)
                    }
                }
                found[RowAddress(entity: entity.index, key: batch.primaryKey(row))] = object
            }
        }
        for relationship in carried.references.values where relationship.isUnnamed {
            try readOwners(relationship, keys, of: entity, into: &found)
        }
    }

    private func readMembers(
        _ keys: [Int64], of entity: EntityDescription, into found: inout [RowAddress: StoredObject]
    ) throws(StoreError) {
        for relationship in merge.entity(at: entity.index).relationships
        where relationship.isPaired || relationship.isOrdered {
            try readMembers(relationship, keys, of: entity, into: &found)
        }
    }

    /// Rows, as many at once as a message has room for; without their external values if one is missing.
    private func batches(
        _ keys: [Int64], of entity: EntityDescription
    ) throws(StoreError) -> [PackedRows] {
        var request = RowsRequestMessage(store: 0, entity: entity.index, primaryKeys: keys)
        do throws(StoreError) {
            return try reader.rows(request).batches
        } catch {
            switch error {
            case .tooLarge, .damaged, .missing, .io: break
            default: throw error
            }
            guard keys.count == 1 else {
                let middle = keys.count / 2
                return try batches(Array(keys[..<middle]), of: entity)
                    + batches(Array(keys[middle...]), of: entity)
            }
            request.withoutExternalValues = true
            return try reader.rows(request).batches
        }
    }

    /// The value of one property of a row; `nil` if there is none.
    func value(of property: String, at row: RowAddress) throws(StoreError) -> AttributeValue? {
        let entity = model.entities[row.entity]
        let carried = merge.entity(at: row.entity)
        guard let attribute = carried.attributes[property], let index = carried.propertyIndex(property) else {
            return nil
        }
        return try batches([row.key], of: entity).first { $0.rowCount > 0 }?
            .value(ofPropertyAt: index, type: attribute.type)
    }

    private func readOwners(
        _ relationship: MergeRelationship, _ keys: [Int64], of entity: EntityDescription,
        into found: inout [RowAddress: StoredObject]
    ) throws(StoreError) {
        guard let (owner, property) = merge.set(of: relationship) else { return }
        let owners = try reader.owners(of: keys, in: property, ofEntityAt: owner.index)
        for (key, end) in owners {
            found[RowAddress(entity: entity.index, key: key)]?.references[relationship.name.property] =
                RowAddress(entity: Int(end.entity), key: end.key)
        }
    }

    /// The owners of all that is in a to-many relationship of some owners, which has no inverse and has this
    /// place in their entity.
    func members(
        of owners: Set<RowAddress>, in property: Int
    ) throws(StoreError) -> [RowAddress: RowAddress] {
        var found: [RowAddress: RowAddress] = [:]
        for (entity, rows) in Dictionary(grouping: owners, by: \.entity) {
            let keys = rows.map(\.key).sorted()
            for start in stride(from: 0, to: keys.count, by: Self.batch) {
                let part = Array(keys[start..<min(start + Self.batch, keys.count)])
                let reply = try reader.relationship(
                    RelationshipRequestMessage(
                        store: 0, entity: entity, property: property, primaryKeys: part))
                var first = 0
                for (key, end) in zip(part, reply.ends) {
                    for place in first..<Int(end) {
                        let entityIndex = Int(reply.entities[place])
                        found[RowAddress(entity: entityIndex, key: reply.primaryKeys[place])] =
                            RowAddress(entity: entity, key: key)
                    }
                    first = Int(end)
                }
            }
        }
        return found
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

extension PackedRows {
    /// The first row's value of a property; `nil` if it was not read.
    func value(ofPropertyAt index: Int, type: AttributeType) -> AttributeValue? {
        (0..<columnCount).first { property($0) == index }.map { value($0, 0, type: type) }
    }
}
