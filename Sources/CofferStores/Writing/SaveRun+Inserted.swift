internal import CofferModel
internal import CofferWire

/// The keys that one group of new objects gets.
struct InsertedKeys {
    var root: Int
    var first: Int64
    var count: Int
    var group: Int
}

/// New objects by place and by key. A request may have many groups, and name an object of them in each of its values.
extension SaveRun {
    /// Notes which group has which keys, when all have theirs.
    mutating func noteInsertedKeys() {
        let entities = writer.file.schema.model.entities
        for (group, insert) in save.inserts.enumerated() where !insert.temporaryIDs.isEmpty {
            insertedKeys.append(
                InsertedKeys(
                    root: entities[insert.entity].rootIndex, first: firstKeys[group],
                    count: insert.temporaryIDs.count, group: group))
        }
        insertedKeys.sort { ($0.root, $0.first) < ($1.root, $1.first) }
    }

    /// The group that has a place among all inserts.
    func group(ofPlace place: Int) -> Int {
        var (low, high) = (0, groupStarts.count - 1)
        while high - low > 1 {
            let middle = (low + high) / 2
            if groupStarts[middle] <= place { low = middle } else { high = middle }
        }
        return low
    }

    /// A new object by its place, under its own key.
    func newObject(_ place: Int) -> LeafKey {
        let group = group(ofPlace: place)
        return LeafKey(
            entity: save.inserts[group].entity, key: firstKeys[group] + Int64(place - groupStarts[group]))
    }

    /// The place of a new object by its own key; `nil` where the object is not new.
    func place(of object: LeafKey) -> Int? {
        inserted(object).map { groupStarts[$0.group] + $0.row }
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
        var (low, high) = (0, insertedKeys.count)
        while low < high {
            let middle = (low + high) / 2
            let isBefore = (insertedKeys[middle].root, insertedKeys[middle].first) <= (root, key)
            (low, high) = isBefore ? (middle + 1, high) : (low, middle)
        }
        guard low > 0, insertedKeys[low - 1].root == root else { return nil }
        let keys = insertedKeys[low - 1]
        // New keys are above 0, and this one is no less than the first: there is no overflow.
        let row = key - keys.first
        return row < Int64(keys.count) ? (keys.group, Int(row)) : nil
    }
}
