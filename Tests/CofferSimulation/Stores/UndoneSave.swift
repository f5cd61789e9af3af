internal import CofferMerge
internal import CofferModel
internal import CofferUbiquity

/// The rows before and after a save that can be undone in its context, each called by its place in the file.
struct UndoableSave {
    let before: Rows
    let after: Rows
    /// Whether the context knows of all that it changed.
    let isKnown: Bool

    /// Whether the rows are to be as before, once it was undone and that is saved.
    ///
    /// Not if others changed anything since, or if a rule of the model was broken before.
    func isExact(in reading: ReplicaReading, model: MergeModel) -> Bool {
        isKnown && reading.placedRows.difference(from: after.objects) == nil
            && before.missing(model: model).isEmpty
    }

    /// The first difference of rows from what they were before; what came back has another place.
    func difference(from rows: Rows) -> String? {
        let gone = before.objects.keys.filter { rows.objects[$0] == nil }.sorted()
        let fresh = rows.objects.keys.filter { before.objects[$0] == nil }.sorted()
        guard gone.count == fresh.count, gone.count < 6 else {
            return before.difference(from: rows.objects)
        }
        var first: String?
        for fresh in fresh.orders {
            let names = Dictionary(uniqueKeysWithValues: zip(gone, fresh))
            var renamed = Rows()
            for object in before.objects.values {
                let object = object.renaming { names[$0] ?? $0 }
                renamed.objects[object.id] = object
            }
            guard let difference = renamed.difference(from: rows.objects) else { return nil }
            first = first ?? difference
        }
        return first
    }
}

extension Array {
    /// The elements in all orders.
    fileprivate var orders: [[Element]] {
        if isEmpty { return [[]] }
        return indices.flatMap { index -> [[Element]] in
            var others = self
            let first = others.remove(at: index)
            return others.orders.map { [first] + $0 }
        }
    }
}

extension Save {
    /// Whether a context knows of all that a change brings about.
    ///
    /// It does not know which object owns something in a set without inverse, nor which objects name
    /// something by a relationship without inverse: the store changes those by itself.
    func isKnownToContext(_ change: LocalEdit.Change, from before: ReplicaReading) -> Bool {
        switch change {
        case .insert, .pair, .order: return true
        case .set(let name, let property, _):
            guard let row = rows.objects[name] ?? before.rows[name] else { return true }
            return !(model.entities[row.entity]?.references[property]?.isUnnamed ?? false)
        case .delete(let name, _):
            return before.rows.values.allSatisfy { row in
                row.references.allSatisfy { property, target in
                    guard let relationship = model.entities[row.entity]?.references[property] else {
                        return true
                    }
                    if target == name, relationship.inverse == nil { return false }
                    return row.id != name || !relationship.isUnnamed
                }
            }
        }
    }
}

extension ReplicaReading {
    /// The rows, each called by its place in the file, which stays when a fold gives names.
    var placedRows: Rows {
        var placed = Rows()
        for object in rows.values {
            let object = object.renaming { name in
                guard let place = addresses[name] else { return name }
                return RecordID(high: UInt64(place.entity), low: UInt64(place.key))
            }
            placed.objects[object.id] = object
        }
        return placed
    }
}

extension Rows {
    /// What history would say if the rows became `other`.
    func changes(to other: Rows, model: MergeModel) -> [LocalEdit.Change] {
        var changes: [LocalEdit.Change] = []
        for name in Set(objects.keys).union(other.objects.keys).sorted() {
            guard let row = other.objects[name] else {
                changes.append(.delete(name, through: nil))
                continue
            }
            let former = objects[name]
            if former == nil { changes.append(.insert(name, entity: row.entity)) }
            for property in row.values.keys.sorted()
            where former.map({ $0.content(property) != row.content(property) }) ?? true {
                changes.append(.set(name, property, Cell(row.content(property))))
            }
            for property in model.entities[row.entity]?.references.keys.sorted() ?? [] {
                let (old, new) = (former?.references[property], row.references[property])
                if old != new { changes.append(.set(name, property, Cell(new.map { .record($0) } ?? .null))) }
            }
            for (property, members) in row.orders.sorted(by: { $0.key < $1.key })
            where former?.orders[property] != members {
                changes.append(.order(name, property, members))
            }
            changes += row.pairs(since: former, among: other)
        }
        return changes
    }
}

extension SeenObject {
    /// The pairs that it came into, or left without a deletion.
    fileprivate func pairs(since former: SeenObject?, among rows: Rows) -> [LocalEdit.Change] {
        var changes: [LocalEdit.Change] = []
        let former = former?.members ?? [:]
        for property in Set(members.keys).union(former.keys).sorted() {
            let (old, new) = (former[property] ?? [], members[property] ?? [])
            for member in old.symmetricDifference(new).sorted() where rows.objects[member] != nil {
                changes.append(.pair(id, property, member, isIn: new.contains(member)))
            }
        }
        return changes
    }
}
