internal import CofferModel
internal import CofferWire

/// The objects that a save inserts, by place among all inserts and by key.
///
/// It never changes once each object has its key, and so is shared by all passes. A request may have many
/// groups, and may name an inserted object in each of its values; both ways of finding one take binary
/// searches.
final class InsertedObjects {
    /// The keys that one group of new objects gets.
    private struct Keys {
        var first: RowKey
        var count: Int
        var group: Int
    }

    /// The groups of the request.
    let groups: [InsertGroup]
    /// The first key of each group.
    let firstKeys: [Int64]
    /// What earlier attempts found: which new objects are merged with others.
    private let resolution: ConstraintResolution
    /// The places among all inserts at which the groups begin, and at the end the number of inserts; empty if
    /// nothing is inserted.
    private let placeRuns: SortedRuns<Int>
    /// The keys of all groups that have objects, by tree and first key.
    private let keys: [Keys]
    /// The keys with which they begin.
    private let keyRuns: SortedRuns<RowKey>
    private let model: ManagedObjectModel

    /// Assigns keys to the objects of `groups`, whose entities are known, unless they bring their own.
    ///
    /// - Throws: `unreservedKeys`, and `malformedRequest` if two objects have the same key.
    init(
        _ groups: [InsertGroup], _ resolution: ConstraintResolution, writer: StoreWriter
    ) throws(StoreError) {
        let model = writer.file.schema.model
        var placeRuns = SortedRuns(groups.isEmpty ? [] : [0])
        var firstKeys: [Int64] = []
        var keys: [Keys] = []
        if !groups.isEmpty {
            try ReservedKeyClaim(writer).claimKeys(of: groups)
            firstKeys.reserveCapacity(groups.count)
            var end = 0
            for (place, group) in groups.enumerated() {
                let count = group.temporaryIDs.count
                let first =
                    group.firstKey != 0
                    ? group.firstKey
                    : try writer.allocateKeys(Int64(count), for: try writer.plan(group.entity))
                firstKeys.append(first)
                end += count
                placeRuns.append(end)
                if count == 0 { continue }
                let key = LeafKey(entity: group.entity, key: first).row(in: model)
                keys.append(Keys(first: key, count: count, group: place))
            }
            keys.sort { $0.first < $1.first }
        }
        self.groups = groups
        self.firstKeys = firstKeys
        self.resolution = resolution
        self.placeRuns = placeRuns
        self.keys = keys
        keyRuns = SortedRuns(keys.map(\.first))
        self.model = model
    }

    /// How many objects are inserted.
    private var count: Int { placeRuns.starts.last ?? 0 }

    /// The place among all inserts at which a group begins; behind the last group, the number of inserts.
    func start(ofGroup group: Int) -> Int { placeRuns.starts[group] }

    /// A new object by its place, under its own key.
    func object(atPlace place: Int) -> LeafKey {
        let group = placeRuns.index(at: place) ?? 0
        return LeafKey(
            entity: groups[group].entity, key: firstKeys[group] + Int64(place - start(ofGroup: group)))
    }

    /// The place of a new object by its own key; `nil` if the object is not new.
    func place(of object: LeafKey) -> Int? {
        row(of: object).map { start(ofGroup: $0.group) + $0.row }
    }

    /// Whether the save inserts an object.
    func contains(_ object: LeafKey) -> Bool { row(of: object) != nil }

    /// The group and row of a new object by its own key; `nil` if the object is not new.
    func row(of object: LeafKey) -> (group: Int, row: Int)? {
        guard !keys.isEmpty, model.entities.indices.contains(object.entity),
            let found = row(of: object.row(in: model)), groups[found.group].entity == object.entity
        else { return nil }
        return found
    }

    /// The group and row of a new object of any entity in a tree.
    func row(of object: RowKey) -> (group: Int, row: Int)? {
        guard let place = keyRuns.index(at: object) else { return nil }
        let found = keys[place]
        guard found.first.root == object.root else { return nil }
        // New keys are above 0, and this one is at least the first: the difference cannot overflow.
        let row = object.key - found.first.key
        return row < Int64(found.count) ? (found.group, Int(row)) : nil
    }
}

extension InsertedObjects {
    /// The object that a negative reference stands for: -(1 + place) among all inserts.
    ///
    /// - Throws: `malformedRequest` if there is no such place.
    func object(namedBy reference: Int64) throws(StoreError) -> LeafKey {
        let place = -(reference + 1)  // Cannot overflow: the least integer gives the greatest.
        guard place < Int64(count) else {
            throw .malformedRequest("a reference names insert \(place) of \(count)")
        }
        return mergedObject(Int(place)) ?? object(atPlace: Int(place))
    }

    /// How the request names an object: by its key, or by the client's own id if the request inserts it.
    func reference(to object: LeafKey) -> ObjectReferenceMessage {
        guard let new = row(of: object) else {
            return ObjectReferenceMessage(entity: object.entity, primaryKey: object.key)
        }
        return ObjectReferenceMessage(
            entity: object.entity, temporaryID: groups[new.group].temporaryIDs[new.row])
    }
}

extension InsertedObjects {
    /// Whether some new objects are merged with others.
    var hasMerged: Bool { !resolution.merged.isEmpty }

    /// Whether the new object at a place is merged with another one, and so has no row.
    func isMerged(_ place: Int) -> Bool { resolution.merged[place] != nil }

    /// The object that a new one is merged with; `nil` if it is not merged.
    func mergedObject(_ place: Int) -> LeafKey? {
        if resolution.merged.isEmpty { return nil }
        return switch resolution.target(of: place) {
        case .stored(let object): object
        case .place(let other): object(atPlace: other)
        case nil: nil
        }
    }

    /// The keys of the objects that new ones are merged with, by the places of the new ones.
    var mergedKeys: [Int: Int64] {
        if resolution.merged.isEmpty { return [:] }
        return Dictionary(
            uniqueKeysWithValues: resolution.merged.keys.compactMap { place in
                mergedObject(place).map { (place, $0.key) }
            })
    }
}
