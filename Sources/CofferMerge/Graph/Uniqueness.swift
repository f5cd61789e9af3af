internal import CofferModel

/// Which living objects of one entity share keys and so are seen as one, kept up to date.
///
/// Objects that share a value of a constraint, in whichever of their cells, are looked at together with
/// the objects that references in keys name: nothing else can decide what becomes of them.
package struct Uniqueness {
    /// What an object of a smaller id of another entity takes of an object's keys.
    package struct Taken: Sendable, Hashable {
        package let properties: [String]
        /// Whether the object is not seen for it.
        package let isHidden: Bool

        package init(properties: [String], isHidden: Bool) {
            (self.properties, self.isHidden) = (properties, isHidden)
        }
    }

    private let memory: ReplicaMemory
    private let objects: Objects

    init(_ memory: ReplicaMemory) {
        self.memory = memory
        objects = Objects(memory, .sealed)
    }

    private var model: MergeModel { memory.model }

    /// Judges again which objects are one.
    ///
    /// - Parameters:
    ///   - former: The objects that registers made and that changed, lived or went.
    ///   - now: Those that they make of the same records.
    /// - Returns: The names that objects had or have, of all that were looked at.
    func renew(_ former: Set<RecordID>, as now: Set<RecordID>) -> Set<RecordID> {
        let living = now.filter { !objects.isGone($0) }
        // What stays made of the same records is named as before.
        let staying =
            model.hasMutualKeys
            ? [] : living.filter { memory.index.keys.entry(of: $0)?.records == objects.records(of: $0) }
        let changed = former.union(living).subtracting(staying)
        var part = neighbours(of: former, changed: changed)
        for id in former { memory.index.keys.remove(id) }
        for id in living { add(id) }
        part.formUnion(living)
        part = part.filter { memory.index.keys.entry(of: $0) != nil }
        var waiting = Array(part)
        while let id = waiting.popLast() {
            for other in neighbours(of: [id], changed: changed) where part.insert(other).inserted {
                waiting.append(other)
            }
        }
        let all = former.union(part).union(living)
        var names = Set(all.map { objects.name(of: $0) })
        for id in all { memory.index.seenAs.remove(id) }
        for name in names {
            memory.index.merged.remove(name)
            memory.index.taken.remove(name)
        }
        names.formUnion(living)
        names.formUnion(merge(part))
        return names
    }

    /// All that share a value with some objects, are named in their keys or name them in theirs.
    ///
    /// What stands alone, and did not change, makes no keys agree: those that name it are left out.
    private func neighbours(of ids: Set<RecordID>, changed: Set<RecordID>) -> Set<RecordID> {
        let keys = memory.index.keys
        var found: Set<RecordID> = []
        for id in ids {
            guard let entry = keys.entry(of: id) else { continue }
            var isAlone = !changed.contains(id)
            for bucket in entry.buckets {
                let sharing = keys.sharing(bucket)
                if sharing.count > 1 { isAlone = false }
                found.formUnion(sharing)
            }
            if !isAlone { for record in entry.records { found.formUnion(keys.namers(of: record)) } }
            for record in entry.named { if let owner = objects.object(of: record) { found.insert(owner) } }
        }
        return found.filter { keys.entry(of: $0) != nil }
    }

    /// Notes what an object's keys say, if it can have any, or be named in one.
    private func add(_ id: RecordID) {
        guard let object = objects.sealed(id), model.isConcernedByKeys(object.entity) else { return }
        let registers = memory.registers
        var entry = KeyIndex.Entry(records: object.records)
        for (place, constraint) in model.constraints.enumerated()
        where constraint.family.contains(object.entity.index) {
            guard let property = constraint.properties.first(where: { object.entity.attributes[$0] != nil }),
                let attribute = object.entity.attributes[property]
            else {
                entry.buckets.insert(KeyIndex.Bucket(constraint: place, value: nil))
                continue
            }
            let values = object.records.compactMap { registers.cell(property, of: $0) }
                .compactMap { attribute.seen($0.value) }
            for value in values + [attribute.defaultValue] where !value.isNull {
                entry.buckets.insert(KeyIndex.Bucket(constraint: place, value: value.asKey))
            }
        }
        for record in object.records {
            for property in model.keyReferences {
                if let named = registers.cell(property, of: record)?.value.record {
                    entry.named.insert(named)
                }
            }
        }
        memory.index.keys.add(entry, of: id)
    }
}

extension Uniqueness {
    /// Rule 4 over a part that nothing outside decides; tells the names of what came of it.
    private func merge(_ part: Set<RecordID>) -> Set<RecordID> {
        var names: Set<RecordID> = []
        var sharing: [RecordID: RecordGroup] = [:]
        for id in part {
            guard let entry = memory.index.keys.entry(of: id) else { continue }
            if isApart(entry) { names.insert(id) } else { sharing[id] = entry.records }
        }
        if sharing.isEmpty { return names }
        let local = LocalObjects(memory)
        local.replace([], with: Array(sharing.values))
        while let groups = agreeing(local) {
            for group in groups {
                let records = group.reduce(into: Set<RecordID>()) {
                    $0.formUnion(local.records(of: $1))
                }
                if let made = RecordGroup(records) { local.replace(records, with: [made]) }
            }
        }
        for id in sharing.keys {
            guard let name = local.object(of: id), let object = local.all[name] else { continue }
            if name != id { memory.index.seenAs[id] = name }
            if object.records.count > sharing[name]?.count ?? 0 { memory.index.merged[name] = object.records }
        }
        for constraint in model.constraints {
            for group in groups(constraint, among: local, acrossEntities: true) {
                for id in group.sorted().dropFirst() { take(constraint.properties, of: local.all[id]) }
            }
        }
        return names.union(local.all.keys)
    }

    /// Whether no other object shares a value with an object, is named by its keys, or names it in its
    /// own keys.
    private func isApart(_ entry: KeyIndex.Entry) -> Bool {
        entry.named.isEmpty && entry.buckets.allSatisfy { memory.index.keys.sharing($0).count == 1 }
            && entry.records.allSatisfy { memory.index.keys.namers(of: $0).isEmpty }
    }

    /// The optional properties of a key are seen as null; if there are none the object is not seen.
    private func take(_ properties: [String], of object: SealedObject?) {
        guard let object else { return }
        let optional = properties.filter {
            object.entity.attributes[$0]?.isOptional ?? object.entity.references[$0]?.isOptional ?? false
        }
        var taken = memory.index.taken[object.id] ?? []
        taken.insert(
            Taken(properties: optional.isEmpty ? properties : optional, isHidden: optional.isEmpty))
        memory.index.taken[object.id] = taken
    }

    /// The groups of the first constraint that has any.
    private func agreeing(_ objects: LocalObjects) -> [[RecordID]]? {
        for constraint in model.constraints {
            let groups = groups(constraint, among: objects, acrossEntities: false)
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
        _ constraint: MergeConstraint, among objects: LocalObjects, acrossEntities: Bool
    ) -> [[RecordID]] {
        var found: [[Part]: [RecordID]] = [:]
        objects: for (id, object) in objects.all where constraint.family.contains(object.entity.index) {
            var key: [Part] = acrossEntities ? [] : [.entity(object.entity.index)]
            for property in constraint.properties {
                if object.entity.references[property] != nil {
                    guard case .object(let target) = objects.target(of: object, property) else {
                        continue objects
                    }
                    key.append(.object(target))
                } else {
                    guard let attribute = object.entity.attributes[property] else { continue objects }
                    let value = object.value(property, of: attribute).value
                    if value.isNull { continue objects }
                    key.append(.value(value.asKey))
                }
            }
            found[key, default: []].append(id)
        }
        return found.values.filter { $0.count > 1 }
    }
}
