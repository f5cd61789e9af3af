internal import CofferFormats
internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// The relationships of a file's objects, from both of their ends.
struct AtomicEnds {
    /// A relationship of one object.
    private struct Place: Hashable {
        var object: LeafKey
        var property: Int
    }

    private let writer: StoreWriter
    private let path: String
    /// What to-one relationships lead to.
    private var ends: [Place: LeafKey] = [:]
    /// The places that objects have in the ordered relationships of their owners.
    private var places: [Place: Int64] = [:]
    /// The objects of relationships that no to-one relationship is the inverse of.
    private var members: [(place: Place, others: [LeafKey])] = []

    init(
        of content: AtomicStoreContent, _ objects: [String: LeafKey], names: AtomicNames, writer: StoreWriter
    ) throws(StoreError) {
        self.writer = writer
        path = writer.file.path
        var lists: [(place: Place, inverse: EntityPlan.Inverse, others: [LeafKey])] = []
        for object in content.objects {
            guard let key = objects[object.id] else { continue }  // All have one.
            let plan = try writer.plan(key.entity)
            for (name, ids) in object.references {
                guard let index = names.property(name, of: key.entity), let property = plan.properties[index],
                    property.relationship != nil
                else {
                    throw names.misfit(
                        of: plan.name,
                        "the object '\(object.id)' has a relationship '\(name)' that '\(plan.name)' has not")
                }
                var others: [LeafKey] = []
                for id in ids {
                    guard let other = objects[id], property.destinations.contains(other.entity) else {
                        throw damaged(
                            "'\(plan.name).\(property.name)' of '\(object.id)' leads to '\(id)', which cannot be there"
                        )
                    }
                    others.append(other)
                }
                let place = Place(object: key, property: index)
                switch property.stored {
                case .toOne:
                    guard others.count <= 1 else {
                        throw damaged(
                            "'\(plan.name).\(property.name)' of '\(object.id)' leads to several objects")
                    }
                    if let other = others.first { try set(place, to: other) }
                case .manyToMany: members.append((place, others))
                case .toMany:
                    if let inverse = property.inverse {
                        lists.append((place, inverse, others))
                    } else {
                        members.append((place, others))
                    }
                case .attribute, .unsupported:
                    throw damaged("'\(plan.name).\(property.name)' cannot be stored")
                }
            }
        }
        try agree(lists)
    }

    /// Makes objects that only their owners name lead back to these, in their order; no object may have
    /// another owner.
    private mutating func agree(
        _ lists: [(place: Place, inverse: EntityPlan.Inverse, others: [LeafKey])]
    ) throws(StoreError) {
        for (place, inverse, others) in lists {
            var last: Int64?
            for other in others {
                guard let back = try writer.plan(other.entity).end(inverse) else { continue }
                let end = Place(object: other, property: back.index)
                try set(end, to: place.object)
                let next = OrderPositions.next(after: last)
                places[end] = next
                last = next
            }
        }
    }

    private mutating func set(_ place: Place, to other: LeafKey) throws(StoreError) {
        if let present = ends.updateValue(other, forKey: place), present != other {
            throw damaged(
                "the two ends of a relationship of the object z\(place.object.key) contradict each other")
        }
    }

    private func damaged(_ detail: String) -> StoreError { .damaged(path: path, detail: detail) }
}

extension AtomicEnds {
    /// What a to-one relationship of an object leads to.
    func end(of object: LeafKey, _ property: EntityPlan.Property) -> LeafKey? {
        ends[Place(object: object, property: property.index)]
    }

    /// The place of an object in the ordered relationship of the one that its to-one relationship leads to.
    func place(of object: LeafKey, _ property: EntityPlan.Property) -> Int64? {
        let place = Place(object: object, property: property.index)
        return ends[place] == nil ? nil : places[place] ?? OrderPositions.next(after: nil)
    }

    /// Appends a reference, or null, as row `row`.
    static func append(_ other: LeafKey?, to column: inout Column, row: Int) {
        guard case .references(var keys, var entities) = column.values else { return }
        column.values = .integers([])
        keys.append(other?.key ?? 0)
        entities.append(UInt32(other?.entity ?? 0))
        column.values = .references(keys: keys, entities: entities)
        if other == nil { column.setNull(row) }
    }

    /// Writes the members of relationships whose inverse is not a to-one relationship, once all rows are
    /// there.
    func writeMembers() throws(StoreError) {
        for (place, others) in members {
            guard let property = try writer.plan(place.object.entity).properties[place.property],
                let sql = Self.sql(property)
            else { continue }
            var last: Int64?
            for other in others {
                let next = OrderPositions.next(after: last)
                last = next
                try translating { () throws(SQLiteError) in
                    let statement = try writer.connection.cached(sql)
                    try statement.bind(place.object.key, at: 1)
                    try statement.bind(other.key, at: 2)
                    if sql.contains("?3") { try statement.bind(next, at: 3) }
                    if sql.contains("?4") {
                        try statement.bind(Int64(property.numbers[place.object.entity]), at: 4)
                    }
                    try statement.run()
                }
            }
        }
    }

    /// SQL that puts an object, ?2, into the relationship of its owner, ?1, at a place, ?3; ?4 is the number
    /// of the owner's entity.
    static func sql(_ property: EntityPlan.Property) -> String? {
        switch property.stored {
        case .manyToMany(let table, let own, let other, let order, _):
            let columns = [own, other, order].compactMap(\.self).joined(separator: ", ")
            let update = order.map { "DO UPDATE SET \($0) = ?3" } ?? "DO NOTHING"
            return "INSERT INTO \(table) (\(columns)) VALUES (?1, ?2\(order == nil ? "" : ", ?3")) "
                + "ON CONFLICT \(update)"
        case .toMany(let table, let foreignKey, let entityColumn, let order, _):
            let values = [(order, "?3"), (entityColumn, "?4")].compactMap { column, value in
                column.map { ", \($0) = \(value)" }
            }
            return "UPDATE \(table) SET \(foreignKey) = ?1\(values.joined()) WHERE Z_PK = ?2"
        case .attribute, .toOne, .unsupported: return nil
        }
    }
}
