internal import CofferModel

/// Which living objects of one entity share keys and so are seen as one, kept up to date.
///
/// Objects that share a value of a constraint, in whichever of their cells, are looked at together, and with
/// them whom references in keys name: nothing else can decide what becomes of them.
struct Uniqueness: Sendable {
    /// What an object of a smaller id of another entity takes of an object's keys.
    struct Taken: Sendable, Hashable {
        let properties: [String]
        /// Whether the object is not seen for it.
        let isHidden: Bool
    }

    /// Values that may make objects one: of a constraint's first attribute, where it has any.
    private struct Bucket: Sendable, Hashable {
        let constraint: Int
        let value: AttributeValue?
    }

    private let model: MergeModel
    /// The to-one relationships that stand in constraints.
    private let keyReferences: Set<String>
    /// Whether a key's reference may lead elsewhere by what its target says.
    private let isMutual: Bool
    private var buckets: [Bucket: Set<RecordID>] = [:]
    private var namers: [RecordID: Set<RecordID>] = [:]
    private var entries: [RecordID: Entry] = [:]
    /// Of which object that registers make a record is.
    private var owners: [RecordID: RecordID] = [:]
    /// What an object that registers make is seen as.
    private var seenAs: [RecordID: RecordID] = [:]
    /// The records of what is seen as one.
    private(set) var merged: [RecordID: Set<RecordID>] = [:]
    /// What others take of keys, by object.
    private(set) var taken: [RecordID: Set<Taken>] = [:]

    private struct Entry: Sendable {
        let records: Set<RecordID>
        var buckets: Set<Bucket> = []
        var named: Set<RecordID> = []
    }

    init(_ model: MergeModel) {
        self.model = model
        let properties = Set(model.constraints.flatMap(\.properties))
        keyReferences = Set(model.entities.values.flatMap(\.references.keys)).intersection(properties)
        isMutual = model.entities.values.contains { entity in
            entity.references.contains {
                properties.contains($0.key) && ($0.value.isOneToOne || $0.value.isAcyclic)
            }
        }
    }
}

extension Uniqueness {
    /// Judges anew which objects are one.
    ///
    /// - Parameters:
    ///   - former: The objects that registers made and that changed, lived or went.
    ///   - living: Those that live now, of the same records.
    ///   - state: The state after the change.
    /// - Returns: The names that objects had or have, of all that were looked at.
    mutating func renew(
        _ former: Set<RecordID>, living: [SealedObject], in state: State
    ) -> Set<RecordID> {
        // What stays made of the same records is named as before.
        let staying = isMutual ? [] : living.filter { entries[$0.id]?.records == $0.records }.map(\.id)
        let changed = former.union(living.map(\.id)).subtracting(staying)
        var part = neighbours(of: former, changed: changed)
        for id in former { remove(id) }
        for object in living { add(object, in: state) }
        part.formUnion(living.map(\.id))
        part = part.filter { entries[$0] != nil }
        var waiting = Array(part)
        while let id = waiting.popLast() {
            for other in neighbours(of: [id], changed: changed) where part.insert(other).inserted {
                waiting.append(other)
            }
        }
        var names = Set(former.union(part).compactMap { seenAs[$0] })
        for id in former { seenAs[id] = nil }
        for name in names {
            merged[name] = nil
            taken[name] = nil
        }
        names.formUnion(merge(part, in: state))
        return names
    }

    /// All that share a value with some objects, are named in their keys or name them in theirs.
    ///
    /// What stands alone, and did not change, makes no keys agree: those that name it are left out.
    private func neighbours(of ids: Set<RecordID>, changed: Set<RecordID>) -> Set<RecordID> {
        var found: Set<RecordID> = []
        for id in ids {
            guard let entry = entries[id] else { continue }
            var isAlone = !changed.contains(id)
            for bucket in entry.buckets {
                let sharing = buckets[bucket] ?? []
                if sharing.count > 1 { isAlone = false }
                found.formUnion(sharing)
            }
            if !isAlone { for record in entry.records { found.formUnion(namers[record] ?? []) } }
            for record in entry.named { if let owner = owners[record] { found.insert(owner) } }
        }
        return found
    }

    private mutating func add(_ object: SealedObject, in state: State) {
        var entry = Entry(records: object.records)
        for (place, constraint) in model.constraints.enumerated()
        where constraint.family.contains(object.entity.index) {
            guard let property = constraint.properties.first(where: { object.entity.attributes[$0] != nil }),
                let attribute = object.entity.attributes[property]
            else {
                entry.buckets.insert(Bucket(constraint: place, value: nil))
                continue
            }
            let values = object.records.compactMap { state.cells[$0]?[property] }
                .compactMap { attribute.seen($0.value) }
            for value in values + [attribute.defaultValue] where !value.isNull {
                entry.buckets.insert(Bucket(constraint: place, value: value.asKey))
            }
        }
        for record in object.records {
            for property in keyReferences {
                if let named = state.cells[record]?[property]?.value.record { entry.named.insert(named) }
            }
            owners[record] = object.id
        }
        for bucket in entry.buckets { buckets[bucket, default: []].insert(object.id) }
        for record in entry.named { namers[record, default: []].insert(object.id) }
        entries[object.id] = entry
    }

    private mutating func remove(_ id: RecordID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        for bucket in entry.buckets {
            buckets[bucket]?.remove(id)
            if buckets[bucket]?.isEmpty == true { buckets[bucket] = nil }
        }
        for record in entry.named {
            namers[record]?.remove(id)
            if namers[record]?.isEmpty == true { namers[record] = nil }
        }
        for record in entry.records { owners[record] = nil }
    }
}

extension Uniqueness {
    /// Rule 4 over a part that nothing outside decides; tells the names of what came of it.
    private mutating func merge(_ part: Set<RecordID>, in state: State) -> Set<RecordID> {
        var names: Set<RecordID> = []
        var sharing: [Set<RecordID>] = []
        for id in part {
            guard let entry = entries[id] else { continue }
            if isApart(entry) {
                (merged[id], seenAs[id]) = (entry.records, id)
                names.insert(id)
            } else {
                sharing.append(entry.records)
            }
        }
        if sharing.isEmpty { return names }
        var local = SealedObjects(model, isPairing: true)
        local.replace([], with: sharing, in: state)
        while let groups = agreeing(local, in: state) {
            for group in groups {
                let records = group.reduce(into: Set<RecordID>()) {
                    $0.formUnion(local.all[$1]?.records ?? [])
                }
                local.replace(records, with: [records], in: state)
            }
        }
        for object in local.all.values { merged[object.id] = object.records }
        for id in part where !names.contains(id) { seenAs[id] = local.object[id] }
        for constraint in model.constraints {
            for group in groups(constraint, among: local, acrossEntities: true, in: state) {
                for id in group.sorted().dropFirst() { take(constraint.properties, of: local.all[id]) }
            }
        }
        return names.union(local.all.keys)
    }

    /// Whether nobody shares a value with an object, is named by its keys, or names it in theirs.
    private func isApart(_ entry: Entry) -> Bool {
        entry.named.isEmpty && entry.buckets.allSatisfy { (buckets[$0]?.count ?? 0) == 1 }
            && entry.records.allSatisfy { namers[$0] == nil }
    }

    /// The optional properties of a key are seen as null; where there are none the object is not seen.
    private mutating func take(_ properties: [String], of object: SealedObject?) {
        guard let object else { return }
        let optional = properties.filter {
            object.entity.attributes[$0]?.isOptional ?? object.entity.references[$0]?.isOptional ?? false
        }
        taken[object.id, default: []].insert(
            Taken(properties: optional.isEmpty ? properties : optional, isHidden: optional.isEmpty))
    }

    /// The groups of the first constraint that has any.
    private func agreeing(_ objects: SealedObjects, in state: State) -> [[RecordID]]? {
        for constraint in model.constraints {
            let groups = groups(constraint, among: objects, acrossEntities: false, in: state)
            if !groups.isEmpty { return groups }
        }
        return nil
    }

    private enum Part: Hashable {
        case entity(Int)
        case value(AttributeValue)
        case object(RecordID)
    }

    /// The objects that share a key; null agrees with nothing.
    private func groups(
        _ constraint: MergeConstraint, among objects: SealedObjects, acrossEntities: Bool, in state: State
    ) -> [[RecordID]] {
        var found: [[Part]: [RecordID]] = [:]
        objects: for (id, object) in objects.all where constraint.family.contains(object.entity.index) {
            var key: [Part] = acrossEntities ? [] : [.entity(object.entity.index)]
            for property in constraint.properties {
                if object.entity.references[property] != nil {
                    guard case .object(let target) = objects.target(.init(object: id, property: property))
                    else { continue objects }
                    key.append(.object(target))
                } else {
                    let value = object.value(property, in: state)
                    if value.isNull { continue objects }
                    key.append(.value(value.asKey))
                }
            }
            found[key, default: []].append(id)
        }
        return found.values.filter { $0.count > 1 }
    }
}
