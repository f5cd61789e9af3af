internal import CofferMerge
internal import CofferModel

/// Rule 4: objects whose seen keys agree are seen as one.
struct Uniqueness {
    /// The objects by name.
    var objects: [RecordID: Component]
    private let state: State
    private let model: MergeModel

    init(_ living: [Component], state: State, model: MergeModel) {
        objects = Dictionary(uniqueKeysWithValues: living.map { ($0.id, $0) })
        self.state = state
        self.model = model
    }

    /// Merges all groups of a constraint at once; after a merge, starts again from the first constraint.
    mutating func merge() {
        var isMerging = true
        while isMerging {
            isMerging = false
            for constraint in model.constraints where !isMerging {
                for group in groups(constraint, acrossEntities: false) {
                    isMerging = true
                    let records = group.reduce(into: Set<RecordID>()) { records, id in
                        records.formUnion(objects.removeValue(forKey: id)?.records ?? [])
                    }
                    if let object = Component(records, state: state, model: model) {
                        objects[object.id] = object
                    }
                }
            }
        }
    }

    /// The keys that another entity's object of a smaller id has, and whether the object is not seen for it.
    func taken() -> [(object: RecordID, properties: [String], isHidden: Bool)] {
        model.constraints.flatMap { constraint in
            groups(constraint, acrossEntities: true).flatMap { $0.sorted().dropFirst() }.compactMap { id in
                guard let entity = objects[id]?.entity else { return nil }
                let optional = constraint.properties.filter {
                    entity.attributes[$0]?.isOptional ?? entity.references[$0]?.isOptional ?? false
                }
                return (id, optional.isEmpty ? constraint.properties : optional, optional.isEmpty)
            }
        }
    }

    /// The names of objects that share a key with another one, by key; null agrees with nothing.
    private func groups(_ constraint: MergeConstraint, acrossEntities: Bool) -> [[RecordID]] {
        let references = References(objects, state: state, model: model)
        var found: [Key: [RecordID]] = [:]
        for (id, object) in objects where constraint.family.contains(object.entity.index) {
            let parts = constraint.properties.compactMap { property -> Key.Part? in
                if object.entity.references[property] != nil {
                    return references.target(id, property).map { .object($0) }
                }
                let value = object.value(property, in: state)
                return value.isNull ? nil : .value(value.asKey)
            }
            guard parts.count == constraint.properties.count else { continue }
            found[Key(entity: acrossEntities ? nil : object.entity.index, parts: parts), default: []].append(
                id)
        }
        return found.values.filter { $0.count > 1 }
    }

    private struct Key: Hashable {
        let entity: Int?
        let parts: [Part]

        enum Part: Hashable {
            case value(AttributeValue)
            case object(RecordID)
        }
    }
}
