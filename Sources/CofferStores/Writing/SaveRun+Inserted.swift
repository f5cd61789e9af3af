internal import CofferModel
internal import CofferWire

/// The keys that one group of new objects gets.
struct InsertedKeys {
    var first: RowKey
    var count: Int
    var group: Int
}

/// New objects by place and by key. A request may have many groups, and name an object of them in each of its values.
extension SaveRun {
    /// Notes which group has which keys, when all have theirs.
    mutating func noteInsertedKeys() {
        let entities = writer.file.schema.model.entities
        for (group, insert) in save.inserts.enumerated() where !insert.temporaryIDs.isEmpty {
            let first = RowKey(root: entities[insert.entity].rootIndex, key: firstKeys[group])
            insertedKeys.append(
                InsertedKeys(first: first, count: insert.temporaryIDs.count, group: group))
        }
        insertedKeys.sort { $0.first < $1.first }
        insertedRuns = SortedRuns(insertedKeys.map(\.first))
    }

    /// The group that has a place among all inserts.
    func group(ofPlace place: Int) -> Int { groupRuns.index(at: place) ?? 0 }

    /// The place among all inserts at which a group begins; behind the last one, their number.
    func start(ofGroup group: Int) -> Int { groupRuns.starts[group] }

    /// How many objects are inserted, as far as their groups were looked at.
    var insertCount: Int { groupRuns.starts[groupRuns.starts.count - 1] }

    /// A new object by its place, under its own key.
    func newObject(_ place: Int) -> LeafKey {
        let group = group(ofPlace: place)
        return LeafKey(
            entity: save.inserts[group].entity, key: firstKeys[group] + Int64(place - start(ofGroup: group)))
    }

    /// The place of a new object by its own key; `nil` where the object is not new.
    func place(of object: LeafKey) -> Int? {
        inserted(object).map { start(ofGroup: $0.group) + $0.row }
    }

    /// The group and row of a new object by its own key; `nil` where the object is not new.
    func inserted(_ object: LeafKey) -> (group: Int, row: Int)? {
        let entities = writer.file.schema.model.entities
        guard !insertedKeys.isEmpty, entities.indices.contains(object.entity),
            let found = inserted(object.key, inTreeOf: entities[object.entity].rootIndex),
            save.inserts[found.group].entity == object.entity
        else { return nil }
        return found
    }

    /// The same of whatever entity of a tree.
    func inserted(_ key: Int64, inTreeOf root: Int) -> (group: Int, row: Int)? {
        guard let place = insertedRuns.index(at: RowKey(root: root, key: key)) else { return nil }
        let keys = insertedKeys[place]
        guard keys.first.root == root else { return nil }
        // New keys are above 0, and this one is no less than the first: there is no overflow.
        let row = key - keys.first.key
        return row < Int64(keys.count) ? (keys.group, Int(row)) : nil
    }
}
