import CofferModel
import CofferWire
import FoundationEssentials

/// One save into a fake store: checks, writes, follows delete rules, and tells what happened.
struct FakeSave {
    var store: FakeStore
    let request: SaveRequestMessage
    let pushesValues: Bool
    private var newKeys: [Int64] = []
    private var newEntities: [Int] = []
    private var saved = SavedMessage(number: 0)
    private var changes: [ChangeGroup] = []
    /// Owners whose to-many relationships changed: (leaf, slot, key).
    private var touched: Set<[Int]> = []

    init(store: FakeStore, request: SaveRequestMessage, pushesValues: Bool) {
        self.store = store
        self.request = request
        self.pushesValues = pushesValues
    }

    private var model: ManagedObjectModel { store.model }

    mutating func perform() -> (reply: SaveReplyMessage, transaction: TransactionMessage?) {
        if let refusal = refusal() { return (refusal, nil) }
        for group in request.inserts { assignKeys(group) }
        var start = 0
        for group in request.inserts {
            insert(group, keys: newKeys[start..<(start + group.temporaryIDs.count)])
            start += group.temporaryIDs.count
        }
        if let refusal = constraintRefusal() { return (refusal, nil) }
        for group in request.updates { update(group) }
        for group in request.setChanges { change(group) }
        for group in request.deletes {
            for key in group.primaryKeys { delete(group.entity, key, isAsked: true) }
        }
        store.number += 1
        saved.number = store.number
        for entry in touched.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let row = store.row(entry[0], Int64(entry[2])) else { continue }
            changes.append(
                ChangeGroup(
                    kind: .update, entity: entry[0], primaryKeys: [Int64(entry[2])], versions: [row.version],
                    properties: [entry[1]]))
        }
        let transaction = TransactionMessage(
            number: store.number, timestamp: 0, author: request.author, contextName: request.contextName,
            changes: changes)
        return (.saved(saved), transaction)
    }

    private func refusal() -> SaveReplyMessage? {
        var conflicts: [ConflictMessage] = []
        let checked =
            request.updates.map { ($0.entity, $0.primaryKeys, $0.versions) }
            + request.deletes.map { ($0.entity, $0.primaryKeys, $0.versions) }
        for (entity, keys, versions) in checked where request.mergePolicy == .error {
            for (key, version) in zip(keys, versions) {
                let row = store.row(entity, key)
                if row?.version == version { continue }
                conflicts.append(
                    ConflictMessage(
                        entity: entity, primaryKey: key, snapshotVersion: version,
                        storedVersion: row?.version ?? 0,
                        stored: row.map { store.batch([key], of: model.entities[$0.leaf], isUniform: true) }))
            }
        }
        if !conflicts.isEmpty { return .conflicts(conflicts) }
        var failures: [ValidationFailureMessage] = []
        for group in request.inserts {
            for attribute in model.entities[group.entity].attributes where !attribute.isOptional {
                let column = group.columns.first { $0.property == attribute.index }
                for (row, id) in group.temporaryIDs.enumerated() where column?.isNull(row) ?? true {
                    failures.append(
                        ValidationFailureMessage(
                            object: ObjectReferenceMessage(entity: group.entity, temporaryID: id),
                            property: attribute.name, reason: .required, text: "\(attribute.name) is required"
                        ))
                }
            }
        }
        return failures.isEmpty ? nil : .invalid(failures)
    }

    private func constraintRefusal() -> SaveReplyMessage? {
        for group in request.inserts where model.entities[group.entity].name == "Tag" {
            let slot = model.entities[group.entity].propertyIndex(named: "name") ?? 0
            let rows = store.rows[model.entities[group.entity].rootIndex] ?? [:]
            for (place, key) in newKeys.enumerated() where newEntities[place] == group.entity {
                let name = rows[key]?.values[slot]
                if let other = rows.first(where: { $0.key != key && $0.value.values[slot] == name }) {
                    return .constraints([
                        ConstraintConflictMessage(
                            object: ObjectReferenceMessage(
                                entity: group.entity, temporaryID: group.temporaryIDs[0]),
                            constraint: ["name"],
                            existing: ObjectReferenceMessage(entity: group.entity, primaryKey: other.key))
                    ])
                }
            }
        }
        return nil
    }

    private mutating func assignKeys(_ group: InsertGroup) {
        let root = model.entities[group.entity].rootIndex
        if group.firstKey != 0 {
            saved.firstKeys.append(group.firstKey)
            newKeys += group.temporaryIDs.indices.map { group.firstKey + Int64($0) }
            newEntities += group.temporaryIDs.map { _ in group.entity }
            return
        }
        saved.firstKeys.append((store.lastKeys[root] ?? 0) + 1)
        for _ in group.temporaryIDs {
            store.lastKeys[root, default: 0] += 1
            newKeys.append(store.lastKeys[root] ?? 0)
            newEntities.append(group.entity)
        }
    }

    private func key(_ key: Int64) -> Int64 { key < 0 ? newKeys[Int(-key - 1)] : key }

    private func value(_ column: Column, _ row: Int, _ property: PropertyDescription) -> AttributeValue {
        if let type = property.attribute?.type { return column.value(at: row, type: type) }
        guard let end = column.reference(at: row) else { return .null }
        return .object(store.id(end.entity, key(end.key)))
    }

    private mutating func insert(_ group: InsertGroup, keys: ArraySlice<Int64>) {
        let entity = model.entities[group.entity]
        for (row, key) in keys.enumerated() {
            var values: [Int: AttributeValue] = [:]
            for column in group.columns {
                values[column.property] = value(column, row, entity.properties[column.property])
                touchInverse(group.entity, column.property, values[column.property])
            }
            store.rows[entity.rootIndex, default: [:]][key] = FakeStore.Row(
                leaf: group.entity, version: 1, values: values)
        }
        changes.append(
            ChangeGroup(
                kind: .insert, entity: group.entity, primaryKeys: Array(keys),
                versions: Array(repeating: 1, count: keys.count)))
    }

    private mutating func update(_ group: UpdateGroup) {
        let entity = model.entities[group.entity]
        for (place, key) in group.primaryKeys.enumerated() where store.rows[entity.rootIndex]?[key] != nil {
            for column in group.columns {
                touchInverse(
                    group.entity, column.property, store.row(group.entity, key)?.values[column.property])
                let new = value(column, place, entity.properties[column.property])
                store.rows[entity.rootIndex]?[key]?.values[column.property] = new
                touchInverse(group.entity, column.property, new)
            }
            bump(entity.index, key)
            if let row = store.row(entity.index, key), row.version != group.versions[place] + 1 {
                saved.refreshed.append(store.batch([key], of: model.entities[row.leaf], isUniform: true))
            }
        }
        announce(group.entity, group.primaryKeys, group.columns.map(\.property))
    }

    private mutating func bump(_ entity: Int, _ key: Int64) {
        store.rows[model.entities[entity].rootIndex]?[key]?.version += 1
    }

    private mutating func announce(_ entity: Int, _ keys: [Int64], _ slots: [Int]) {
        let keys = keys.filter { store.row(entity, $0) != nil }
        let rows = store.batch(keys, of: model.entities[entity], slots)
        changes.append(
            ChangeGroup(
                kind: .update, entity: entity, primaryKeys: keys, versions: rows.versions, properties: slots,
                columns: pushesValues ? rows.columns : []))
    }

    private mutating func touchInverse(_ entity: Int, _ slot: Int, _ value: AttributeValue?) {
        guard case .object(let id)? = value, let end = id.primaryKey,
            let relationship = model.entities[entity].properties[slot].relationship,
            let inverse = model.inverse(of: relationship), inverse.isToMany
        else { return }
        touched.insert([store.row(id.entity.index, end)?.leaf ?? id.entity.index, inverse.index, Int(end)])
    }

    private mutating func change(_ group: SetChange) {
        let root = model.entities[group.entity].rootIndex
        for (place, (owner, target)) in zip(group.owners, group.targets).enumerated() {
            let pair = FakeStore.Membership(
                root: root, slot: group.property, owner: key(owner), target: key(target))
            let isRemoved =
                place / 8 < group.removed.count && group.removed[place / 8] & (1 << UInt8(place % 8)) != 0
            store.memberships.removeAll { $0 == pair }
            if !isRemoved { store.memberships.append(pair) }
            touched.insert([
                store.row(group.entity, pair.owner)?.leaf ?? group.entity, group.property, Int(pair.owner),
            ])
            if let relationship = model.entities[group.entity].properties[group.property].relationship,
                let inverse = relationship.inverseIndex
            {
                touched.insert([
                    store.row(relationship.destinationIndex, pair.target)?.leaf
                        ?? relationship.destinationIndex, inverse,
                    Int(pair.target),
                ])
            }
        }
    }

    private mutating func delete(_ entity: Int, _ key: Int64, isAsked: Bool) {
        guard let row = store.row(entity, key) else { return }
        let model = store.model
        let leaf = model.entities[row.leaf]
        for relationship in leaf.relationships {
            follow(relationship, of: row, leaf.index, key)
        }
        store.rows[leaf.rootIndex]?[key] = nil
        store.memberships.removeAll { pair in
            (pair.root == leaf.rootIndex && pair.owner == key)
                || (model.entities[pair.root].properties[pair.slot].relationship?.destinationIndex).map {
                    model.entities[$0].rootIndex == leaf.rootIndex && pair.target == key
                } ?? false
        }
        if !isAsked {
            saved.alsoDeleted.append(
                DeleteGroup(entity: leaf.index, primaryKeys: [key], versions: [row.version]))
        }
        changes.append(ChangeGroup(kind: .delete, entity: leaf.index, primaryKeys: [key]))
    }

    private mutating func follow(
        _ relationship: RelationshipDescription, of row: FakeStore.Row, _ leaf: Int, _ key: Int64
    ) {
        var ends: [(key: Int64, leaf: Int)] = []
        if relationship.isToMany {
            ends = store.members(leaf, relationship.index, of: key)
        } else if case .object(let id)? = row.values[relationship.index], let end = id.primaryKey {
            ends = [(end, id.entity.index)]
            touchInverse(leaf, relationship.index, row.values[relationship.index])
        }
        for end in ends {
            if relationship.deleteRule == .cascade {
                store.rows[model.entities[leaf].rootIndex]?[key] = nil
                delete(end.leaf, end.key, isAsked: false)
            } else if let inverse = model.inverse(of: relationship), !inverse.isToMany,
                let row = store.row(end.leaf, end.key), row.values[inverse.index] != .null
            {
                store.rows[model.entities[end.leaf].rootIndex]?[end.key]?.values[inverse.index] = .null
                bump(end.leaf, end.key)
                announce(end.leaf, [end.key], [inverse.index])
                saved.refreshed.append(store.batch([end.key], of: model.entities[end.leaf], isUniform: true))
            }
        }
    }
}
