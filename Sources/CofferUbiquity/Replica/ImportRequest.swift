internal import CofferCoordination
internal import CofferMerge
internal import CofferModel
internal import CofferStores
internal import CofferWire
internal import FoundationEssentials

/// What has to be written so that rows show the graph: a save of what differs, and nothing else.
struct ImportRequest {
    private let graph: Graph
    /// The objects that are inserted or changed.
    private var objects: [RecordID: SeenObject] = [:]
    private let model: ManagedObjectModel
    private let merge: MergeModel
    /// The rows of the objects that are looked at, as far as they exist.
    private let stored: [RowAddress: StoredObject]
    private var book: RecordBook
    private var values: ValueBook
    /// Large values whose bytes are at hand.
    private let arrived: [LargeValue: AttributeValue]

    private var inserts: [Int: [RecordID]] = [:]
    private var updates: [UpdateKey: [RowUpdate]] = [:]
    /// The rows that go, with the objects that they showed.
    private(set) var deleted: [RowAddress: RecordID] = [:]
    private var members: [OwnerKey: [MemberChange]] = [:]
    private var orders: [OwnerKey: [(owner: RecordID, members: [RecordID])]] = [:]
    private var pairs: Set<PairKey> = []

    /// Rows of one entity in which the same properties change.
    private struct UpdateKey: Hashable {
        let entity: Int
        let properties: [Int]
    }

    private struct RowUpdate {
        let name: RecordID
        let row: RowAddress
        let version: UInt32
    }

    /// A to-many relationship of an entity.
    private struct OwnerKey: Hashable {
        let entity: Int
        let property: Int
    }

    private struct MemberChange {
        let owner: RecordID
        let member: RecordID
        let isIn: Bool
    }

    /// A request for some objects, whose rows are among `stored` if they exist; what was read without members
    /// shows them as the graph does.
    init(
        _ names: Set<RecordID>, of graph: Graph, in model: ManagedObjectModel, _ merge: MergeModel,
        stored: [RowAddress: StoredObject], books: consuming (RecordBook, ValueBook),
        arrived: [LargeValue: AttributeValue]
    ) {
        (self.graph, self.model, self.merge) = (graph, model, merge)
        (self.stored, self.arrived) = (stored, arrived)
        book = books.0.handOver()
        values = books.1.handOver()
        takeOver(names)
        for name in names.sorted() { compare(name) }
    }

    /// The rows of objects, and of the records that became one with them, of which they may take one over.
    static func rows(of names: Set<RecordID>, of graph: Graph, book: RecordBook) -> Set<RowAddress> {
        var rows: Set<RowAddress> = []
        for name in names {
            if let row = book.row(of: name) { rows.insert(row) }
            for record in graph.records(of: name) ?? [] {
                if let row = book.row(of: record) { rows.insert(row) }
            }
        }
        return rows
    }

    /// Gives the books back, with what is to be written; the request is at its end.
    mutating func takeBooks() -> (RecordBook, ValueBook) { (book.handOver(), values.handOver()) }

    /// Whether there is nothing to write.
    var isEmpty: Bool {
        inserts.isEmpty && updates.isEmpty && deleted.isEmpty && members.isEmpty && orders.isEmpty
    }

    /// An object that became one with others keeps the row that one of them had here first.
    private mutating func takeOver(_ names: Set<RecordID>) {
        for name in names.sorted() {
            guard book.row(of: name).flatMap({ stored[$0] }) == nil, let entity = graph.entity(of: name),
                let records = graph.records(of: name), records.count > 1
            else { continue }
            let free = records.compactMap { record -> RowAddress? in
                guard !graph.shows(record), let row = book.row(of: record), stored[row] != nil,
                    row.entity == entity.index
                else { return nil }
                return row
            }
            if let row = free.min() { book.bind(name, to: row) }
        }
    }

    private mutating func compare(_ name: RecordID) {
        let row = book.row(of: name)
        let hasMembers = row.flatMap { stored[$0] }?.hasMembers ?? true
        guard let object = graph.object(name, withMembers: hasMembers),
            let carried = merge.entities[object.entity]
        else {
            if let row, stored[row] != nil { deleted[row] = name }
            book.retire(name)
            values.forget(name)
            return
        }
        let entity = model.entities[carried.index]
        if let row, let present = stored[row], row.entity == entity.index {
            update(object, present, at: row, of: entity, as: carried)
            if hasMembers { compareMembers(of: object, present, entity, as: carried) }
        } else {
            if let row, stored[row] != nil { deleted[row] = name }
            book.unbind(name)
            inserts[entity.index, default: []].append(name)
            objects[name] = object
            for (property, large) in object.largeValues { note(large, of: name, property) }
            compareOwners(of: object, nil, as: carried)
            compareMembers(of: object, nil, entity, as: carried)
        }
    }

    private mutating func update(
        _ object: SeenObject, _ present: StoredObject, at row: RowAddress,
        of entity: EntityDescription, as carried: MergeEntity
    ) {
        var properties: [Int] = []
        for property in carried.attributes.keys {
            let now = object.content(property)
            // What cannot be read stays as it is.
            guard let before = present.content(property) else { continue }
            if now == before {
                values.show(object.id, property)
                continue
            }
            if case .large(let large) = now {
                let isWanted = before == .null && values.isWanted(object.id, property)
                if isWanted, arrived[large] == nil { continue }
                note(large, of: object.id, property)
            } else {
                values.show(object.id, property)
            }
            if let index = carried.propertyIndex(property) { properties.append(index) }
        }
        for property in carried.references.keys {
            let former = present.references[property].flatMap { book.name(at: $0) }
            let isSame =
                object.references[property] == former
                && (former != nil) == (present.references[property] != nil)
            if !isSame, let index = carried.propertyIndex(property) { properties.append(index) }
        }
        compareOwners(of: object, present, as: carried)
        if properties.isEmpty { return }
        objects[object.id] = object
        updates[UpdateKey(entity: entity.index, properties: properties.sorted()), default: []].append(
            RowUpdate(name: object.id, row: row, version: present.version))
    }

    /// Notes that a row comes to show a large value, or that it is to come.
    private mutating func note(_ large: LargeValue, of name: RecordID, _ property: String) {
        if arrived[large] == nil { values.want(name, property) } else { values.show(name, property) }
    }

    /// Owners in to-many relationships without inverse: a member enters the set of another owner, which takes
    /// it out of the former one's, or leaves that.
    private mutating func compareOwners(
        of object: SeenObject, _ present: StoredObject?, as carried: MergeEntity
    ) {
        for (name, relationship) in carried.references {
            guard let (entity, property) = merge.set(of: relationship) else { continue }
            let former = present?.references[name].flatMap { book.name(at: $0) }
            let owner = object.references[name]
            if owner == former { continue }
            let change: MemberChange
            if let owner {
                change = MemberChange(owner: owner, member: object.id, isIn: true)
            } else if let former, graph.shows(former) {
                change = MemberChange(owner: former, member: object.id, isIn: false)
            } else {
                continue
            }
            let leaf = graph.entity(of: change.owner)?.index ?? entity.index
            members[OwnerKey(entity: leaf, property: property), default: []].append(change)
        }
    }

    private mutating func compareMembers(
        of object: SeenObject, _ present: StoredObject?, _ entity: EntityDescription,
        as carried: MergeEntity
    ) {
        for relationship in carried.relationships where relationship.isToMany {
            let name = relationship.name.property
            guard let property = carried.propertyIndex(name) else { continue }
            let key = OwnerKey(entity: entity.index, property: property)
            if relationship.isPaired {
                let now = object.members[name] ?? []
                let before = Set((present?.members[name] ?? []).compactMap { book.name(at: $0) })
                for member in now.symmetricDifference(before).sorted()
                where pairs.insert(relationship.pair(object.id, member)).inserted {
                    // A member that is gone has left already.
                    if !graph.shows(member) { continue }
                    members[key, default: []].append(
                        MemberChange(owner: object.id, member: member, isIn: now.contains(member)))
                }
            }
            guard relationship.isOrdered else { continue }
            let now = object.orders[name] ?? []
            let before = (present?.orders[name] ?? []).map { book.name(at: $0) }
            if now.map(Optional.some) != before, !now.isEmpty {
                orders[key, default: []].append((object.id, now))
            }
        }
    }
}

extension ImportRequest {
    /// The save, and the objects that it inserts: in the order of its groups, and of their rows.
    consuming func message() throws(StoreError) -> (save: SaveRequestMessage, inserted: [[RecordID]]) {
        let groups = inserts.sorted { $0.key < $1.key }
        var places: [RecordID: Int64] = [:]
        for name in groups.flatMap(\.value) { places[name] = -1 - Int64(places.count) }
        var save = SaveRequestMessage(store: 0, request: .unrepeated)
        for (entity, names) in groups {
            save.inserts.append(
                InsertGroup(
                    entity: entity, temporaryIDs: names.map { _ in UUID() },
                    columns: try columns(carried(by: entity), of: entity, names, placed: places)))
        }
        for (key, rows) in updates.sorted(by: { $0.key.entity < $1.key.entity }) {
            save.updates.append(
                UpdateGroup(
                    entity: key.entity, primaryKeys: rows.map(\.row.key), versions: rows.map(\.version),
                    columns: try columns(
                        key.properties, of: key.entity, rows.map(\.name), placed: places)))
        }
        for (entity, rows) in Dictionary(grouping: deleted.keys, by: \.entity).sorted(by: { $0.key < $1.key })
        {
            let present = rows.sorted().compactMap { row in stored[row].map { (row.key, $0.version) } }
            save.deletes.append(
                DeleteGroup(
                    entity: entity, primaryKeys: present.map(\.0), versions: present.map(\.1)))
        }
        for (key, changes) in members {
            var change = SetChange(entity: key.entity, property: key.property, owners: [], targets: [])
            change.removed = [UInt8](repeating: 0, count: (changes.count + 7) / 8)
            for each in changes {
                guard let owner = reference(each.owner, places), let member = reference(each.member, places)
                else { continue }
                if !each.isIn {
                    change.removed[change.owners.count / 8] |= 1 << UInt8(change.owners.count % 8)
                }
                change.owners.append(owner)
                change.targets.append(member)
            }
            if !change.owners.isEmpty { save.setChanges.append(change) }
        }
        for (key, lists) in orders {
            var change = OrderChange(
                entity: key.entity, property: key.property, owners: [], members: [], after: [])
            for (owner, members) in lists {
                guard let owner = reference(owner, places) else { continue }
                var last: Int64 = 0
                for member in members.compactMap({ reference($0, places) }) {
                    change.owners.append(owner)
                    change.members.append(member)
                    change.after.append(last)
                    last = member
                }
            }
            if !change.owners.isEmpty { save.orderChanges.append(change) }
        }
        return (save, groups.map(\.value))
    }

    /// The key of an object's row, or its place among those that are inserted.
    private func reference(_ name: RecordID, _ places: [RecordID: Int64]) -> Int64? {
        book.row(of: name)?.key ?? places[name]
    }

    /// What the row of an object is to show; null if a large value has not come.
    private func value(_ property: String, of name: RecordID) -> AttributeValue {
        guard let object = objects[name] else { return .null }
        if let large = object.largeValues[property] { return arrived[large] ?? .null }
        return object.values[property] ?? .null
    }

    private func carried(by entity: Int) -> [Int] {
        let carried = merge.entity(at: entity)
        let names = Array(carried.attributes.keys) + Array(carried.references.keys)
        return names.compactMap(carried.propertyIndex).sorted()
    }

    private func columns(
        _ properties: [Int], of entity: Int, _ names: [RecordID], placed places: [RecordID: Int64]
    ) throws(StoreError) -> [Column] {
        var columns: [Column] = []
        for index in properties {
            let property = merge.entity(at: entity).propertyName(at: index)
            if let attribute = merge.entity(at: entity).attributes[property] {
                var column = ColumnBuilder(property: index, type: attribute.type, capacity: names.count)
                for name in names {
                    do throws(WireError) {
                        try column.append(value(property, of: name))
                    } catch {
                        throw .malformedRequest("\(error)")
                    }
                }
                columns.append(column.finish())
            } else {
                var column = ColumnBuilder(referencesOf: index, capacity: names.count)
                for name in names {
                    let target = objects[name]?.references[property]
                    if let target, let key = reference(target, places),
                        let leaf = graph.entity(of: target)?.index
                    {
                        column.append(reference: key, entity: UInt32(leaf))
                    } else {
                        column.appendNull()
                    }
                }
                columns.append(column.finish())
            }
        }
        return columns
    }
}
