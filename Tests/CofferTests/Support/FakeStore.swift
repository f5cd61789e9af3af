import Coffer
import CofferModel
import CofferWire
import FoundationEssentials

/// A store that keeps rows in dictionaries.
struct FakeStore {
    struct Row {
        var leaf: Int
        var version: UInt32
        /// By property; references are ids.
        var values: [Int: AttributeValue]
    }

    /// Somebody in a many-to-many relationship, seen from the side that is sent.
    struct Membership: Hashable {
        var root: Int
        var slot: Int
        var owner: Int64
        var target: Int64
    }

    let description: CoordinatedStoreDescription
    let model: ManagedObjectModel
    /// By the top of the inheritance tree, then by key.
    var rows: [Int: [Int64: Row]] = [:]
    var memberships: [Membership] = []
    var lastKeys: [Int: Int64] = [:]
    var number: UInt64 = 0

    func id(_ entity: Int, _ key: Int64) -> ManagedObjectID {
        ManagedObjectID(entity: model.entities[entity], storeUUID: description.uuid, key: .permanent(key))
    }

    func row(_ entity: Int, _ key: Int64) -> Row? { rows[model.entities[entity].rootIndex]?[key] }

    /// The keys at the other end of a to-many relationship.
    func members(_ entity: Int, _ slot: Int, of key: Int64) -> [(key: Int64, leaf: Int)] {
        guard let relationship = model.entities[entity].properties[slot].relationship else { return [] }
        let destination = model.destination(of: relationship)
        let found: [Int64]
        if let inverse = model.inverse(of: relationship), !inverse.isToMany {
            found = (rows[destination.rootIndex] ?? [:]).filter { _, row in
                if case .object(let end)? = row.values[inverse.index] { return end.primaryKey == key }
                return false
            }.keys.sorted()
        } else {
            let root = model.entities[relationship.declaringEntityIndex].rootIndex
            let own = memberships.filter { $0.root == root && $0.slot == slot && $0.owner == key }.map(
                \.target)
            let inverse = memberships.filter {
                $0.root == destination.rootIndex && $0.slot == relationship.inverseIndex && $0.target == key
            }
            found = own + inverse.map(\.owner)
        }
        return found.compactMap { key in row(destination.index, key).map { (key, $0.leaf) } }
    }

    /// The rows as they travel, each with the properties of one entity, transient and to-many ones left out.
    func batch(_ keys: [Int64], of entity: EntityDescription, isUniform: Bool = false, _ only: [Int]? = nil)
        -> RowBatch
    {
        let rows = keys.compactMap { row(entity.index, $0) }
        var columns: [Column] = []
        for (slot, property) in entity.properties.enumerated() where only?.contains(slot) ?? true {
            if property.isTransient || (property.relationship?.isToMany ?? false) { continue }
            var builder =
                property.attribute.map { ColumnBuilder(property: slot, type: $0.type) }
                ?? ColumnBuilder(referencesOf: slot)
            for row in rows {
                do { try builder.append(row.values[slot] ?? .null) } catch { builder.appendNull() }
            }
            columns.append(builder.finish())
        }
        return RowBatch(
            rowCount: rows.count, entity: entity.index,
            entities: isUniform ? [] : rows.map { UInt32($0.leaf) },
            primaryKeys: keys, versions: rows.map(\.version), columns: columns)
    }

    func subject(_ entity: Int, _ key: Int64) -> FakeSubject {
        FakeSubject(store: self, entity: entity, key: key)
    }
}

/// A row as predicates see it.
struct FakeSubject: PredicateSubject {
    let store: FakeStore
    let entity: Int
    let key: Int64

    var identity: AttributeValue { .object(store.id(entity, key)) }

    func value(forKey name: String) throws(QueryError) -> SubjectValue {
        let leaf = store.row(entity, key)?.leaf ?? entity
        guard let slot = store.model.entities[leaf].propertyIndex(named: name) else {
            throw .unknownKey(name, keyPath: name, entity: store.model.entities[leaf].name)
        }
        let property = store.model.entities[leaf].properties[slot]
        if let relationship = property.relationship, relationship.isToMany {
            return .objects(store.members(leaf, slot, of: key).map { store.subject($0.leaf, $0.key) })
        }
        let value = store.row(entity, key)?.values[slot] ?? .null
        guard property.relationship != nil else { return .value(value) }
        if case .object(let id) = value, let end = id.primaryKey {
            return .object(store.subject(id.entity.index, end))
        }
        return .object(nil)
    }
}
