import CofferMerge
import CofferModel

extension SecondModel {
    /// What is seen, without orders.
    func graph() -> SeenGraph {
        var graph = SeenGraph()
        graph.dead = dead()
        var objects = components().filter { !$0.value.allSatisfy(graph.dead.contains) }
        while mergeOnce(&objects) {}
        var taken: [(object: RecordID, properties: [String])] = []
        for constraint in model.constraints {
            for names in agreeing(constraint, among: objects, isOneEntity: false) {
                taken += names.sorted().dropFirst().map { ($0, constraint.properties) }
            }
        }
        for (name, properties) in taken {
            let optional = properties.filter { isOptional($0, of: name) }
            graph.violations.insert(
                optional.isEmpty
                    ? Violation(of: name, properties, .hidden) : Violation(of: name, optional, .keyTaken))
        }
        for (name, properties) in taken where !properties.contains(where: { isOptional($0, of: name) }) {
            objects[name] = nil
        }
        let object = owners(objects)
        let references = references(objects)
        for (name, records) in objects {
            guard let entity = entity(name) else { continue }
            var seen = SeenObject(name, entity: entity.name, records: Set(records))
            for property in entity.attributes.keys {
                seen.values[property] = value(property, of: records, entity)
                if case .large(let large) = pick(property, of: records)?.cell.value.content,
                    entity.attributes[property].map({ large.fits($0.type) }) ?? false
                {
                    seen.largeValues[property] = large
                }
            }
            for (property, relationship) in entity.references {
                seen.references[property] = references[End(object: name, property: property)]?.target
                let named = pick(property, of: records)?.cell.value.record
                if !relationship.isOptional, seen.references[property] == nil,
                    named.map({ state.lives[$0] != nil }) ?? true
                {
                    graph.violations.insert(Violation(of: name, [property], .missing))
                }
            }
            graph.objects[name] = seen
        }
        for (name, properties) in taken {
            for property in properties where isOptional(property, of: name) {
                graph.objects[name]?.references[property] = nil
                if graph.objects[name]?.values[property] != nil {
                    graph.objects[name]?.values[property] = .null
                }
            }
        }
        for (key, isIn) in pairs(object) where isIn.value {
            graph.objects[key.first]?.members[key.relationship.property, default: []].insert(key.second)
            if let inverse = entity(key.first)?.pairs[key.relationship.property]?.inverse?.property {
                graph.objects[key.second]?.members[inverse, default: []].insert(key.first)
            }
        }
        return graph
    }

    private func isOptional(_ property: String, of name: RecordID) -> Bool {
        let entity = entity(name)
        return entity?.attributes[property]?.isOptional ?? entity?.references[property]?.isOptional ?? false
    }

    private func owners(_ objects: Objects) -> [RecordID: RecordID] {
        var owners: [RecordID: RecordID] = [:]
        for (name, records) in objects { for record in records { owners[record] = name } }
        return owners
    }

    private func value(_ property: String, of records: [RecordID], _ entity: MergeEntity) -> AttributeValue {
        guard let attribute = entity.attributes[property] else { return .null }
        return pick(property, of: records).flatMap { attribute.seen($0.cell.value) } ?? attribute.defaultValue
    }

    /// Rules 2, 3 and 6 among some objects.
    private func references(_ objects: Objects) -> [End: (target: RecordID, stamp: Stamp)] {
        let owners = owners(objects)
        var raw: [End: (target: RecordID, stamp: Stamp)] = [:]
        for (name, records) in objects {
            for (property, relationship) in entity(name)?.references ?? [:] {
                guard let (cell, holder) = pick(property, of: records), let record = cell.value.record,
                    let target = owners[record], let other = entity(target),
                    relationship.targets.contains(other.index)
                else { continue }
                if relationship.isOneToOne && target == name && record != holder { continue }
                raw[End(object: name, property: property)] = (target, cell.stamp)
            }
        }
        var seen = raw.filter { end, link in
            guard let relationship = entity(end.object)?.references[end.property], relationship.isOneToOne,
                let inverse = relationship.inverse
            else { return true }
            return raw[End(object: link.target, property: inverse.property)]?.target == end.object
        }
        cut(&seen)
        return seen
    }

    /// The names of objects that share a key.
    private func agreeing(
        _ constraint: MergeConstraint, among objects: Objects, isOneEntity: Bool
    ) -> [[RecordID]] {
        let references = references(objects)
        var found: [[String]: [RecordID]] = [:]
        for (name, records) in objects {
            guard let entity = entity(name), constraint.family.contains(entity.index) else { continue }
            var key = isOneEntity ? [entity.name] : []
            for property in constraint.properties {
                if entity.references[property] != nil {
                    if let target = references[End(object: name, property: property)]?.target {
                        key.append("\(target)")
                    }
                } else if case .string(let text) = value(property, of: records, entity) {
                    key.append(text)
                }
            }
            guard key.count == constraint.properties.count + (isOneEntity ? 1 : 0) else { continue }
            found[key, default: []].append(name)
        }
        return found.values.filter { $0.count > 1 }
    }

    /// Merges objects that share a key of the first constraint that has such objects; false if none has.
    private func mergeOnce(_ objects: inout Objects) -> Bool {
        for constraint in model.constraints {
            let groups = agreeing(constraint, among: objects, isOneEntity: true)
            if groups.isEmpty { continue }
            for group in groups {
                let records = group.flatMap { objects.removeValue(forKey: $0) ?? [] }.sorted()
                objects[records[0]] = records
            }
            return true
        }
        return false
    }
}
