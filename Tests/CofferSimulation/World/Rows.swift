internal import CofferMerge
internal import CofferModel

/// What a store's rows hold: plain objects, changed as a save changes them, without any register.
struct Rows: Equatable {
    var objects: [RecordID: SeenObject] = [:]

    /// Does what a save did.
    mutating func apply(_ edit: LocalEdit, model: MergeModel) {
        for change in edit.changes { apply(change, model: model) }
    }

    mutating func apply(_ change: LocalEdit.Change, model: MergeModel) {
        switch change {
        case .insert(let name, let entity):
            objects[name] = SeenObject(name, entity: entity, records: [name])
            for (property, attribute) in model.entities[entity]?.attributes ?? [:] {
                objects[name]?.values[property] = attribute.defaultValue
            }
        case .set(let name, let property, let cell): set(name, property, to: cell, model: model)
        case .delete(let name, _): delete(name)
        case .pair(let name, let property, let other, let isIn):
            hold(name, property, with: other, isIn: isIn)
            if let entity = objects[name]?.entity,
                let inverse = model.entities[entity]?.pairs[property]?.inverse
            {
                hold(other, inverse.property, with: name, isIn: isIn)
            }
        case .order(let name, let property, let members):
            objects[name]?.orders[property] = members.isEmpty ? nil : members
        }
    }

    private mutating func set(_ name: RecordID, _ property: String, to cell: Cell, model: MergeModel) {
        guard let object = objects[name], let entity = model.entities[object.entity] else { return }
        guard let relationship = entity.references[property] else {
            objects[name]?.values[property] = .null
            objects[name]?.largeValues[property] = nil
            switch cell.content {
            case .value(let value): objects[name]?.values[property] = value
            case .large(let value): objects[name]?.largeValues[property] = value
            case .null, .record: break
            }
            return
        }
        if let former = object.references[property], let inverse = relationship.inverse?.property {
            objects[former]?.orders[inverse]?.removeAll { $0 == name }
            if objects[former]?.orders[inverse]?.isEmpty ?? false { objects[former]?.orders[inverse] = nil }
        }
        objects[name]?.references[property] = cell.record
    }

    private mutating func hold(_ name: RecordID, _ property: String, with other: RecordID, isIn: Bool) {
        guard var object = objects[name] else { return }
        var members = object.members[property] ?? []
        if isIn {
            members.insert(other)
        } else {
            members.remove(other)
            object.orders[property]?.removeAll { $0 == other }
            if object.orders[property]?.isEmpty ?? false { object.orders[property] = nil }
        }
        object.members[property] = members.isEmpty ? nil : members
        objects[name] = object
    }

    private mutating func delete(_ name: RecordID) {
        objects[name] = nil
        for (id, object) in objects {
            var left = object
            left.references = object.references.filter { $0.value != name }
            left.members = object.members.mapValues { $0.subtracting([name]) }.filter { !$0.value.isEmpty }
            left.orders = object.orders.mapValues { $0.filter { $0 != name } }.filter { !$0.value.isEmpty }
            if left != object { objects[id] = left }
        }
    }
}

extension SeenObject {
    /// What a cell would hold of each attribute, but for one.
    func contents(besides left: String) -> PropertyMap<Cell.Content> {
        var contents: PropertyMap<Cell.Content> = [:]
        for property in values.keys where property != left { contents[property] = content(property) }
        return contents
    }
}

extension Rows {
    /// The names of the objects of an entity and of those that inherit from it.
    func names(at relationship: MergeRelationship, model: MergeModel) -> [RecordID] {
        objects.values.filter { model.accepts($0.entity, at: relationship) }.map(\.id).sorted()
    }

    /// The names of the objects that have a relationship.
    func names(with relationship: MergeRelationship, model: MergeModel) -> [RecordID] {
        objects.values.filter { object in
            model.entities[object.entity]?.relationship(relationship.name.property)?.name == relationship.name
        }
        .map(\.id).sorted()
    }

    /// The objects that name an object through a property.
    func namers(of name: RecordID, through relationship: RelationshipName, model: MergeModel) -> [RecordID] {
        objects.values.filter { object in
            model.entities[object.entity]?.references[relationship.property]?.name == relationship
                && object.references[relationship.property] == name
        }
        .map(\.id).sorted()
    }

    /// What is required and not there.
    func missing(model: MergeModel) -> Set<Missing> {
        var found: Set<Missing> = []
        for object in objects.values {
            guard let entity = model.entities[object.entity] else { continue }
            for (property, attribute) in entity.attributes
            where !attribute.isOptional && object.content(property) == .null {
                found.insert(Missing(object: object.id, property: property))
            }
            for (property, relationship) in entity.references
            where !relationship.isOptional && object.references[property] == nil {
                found.insert(Missing(object: object.id, property: property))
            }
        }
        return found
    }

    /// A property of an object that is required.
    struct Missing: Hashable {
        let object: RecordID
        let property: String
    }

    /// Whether two objects share a key.
    func sharesKeys(model: MergeModel) -> Bool {
        for constraint in model.constraints {
            var found: Set<[AttributeValue]> = []
            for object in objects.values {
                guard let entity = model.entities[object.entity], constraint.family.contains(entity.index)
                else { continue }
                let key = constraint.properties.compactMap { property -> AttributeValue? in
                    if entity.references[property] != nil {
                        return object.references[property].map { .string("\($0)") }
                    }
                    return object.values[property].flatMap { $0.isNull ? nil : $0.asKey }
                }
                if key.count == constraint.properties.count, !found.insert(key).inserted { return true }
            }
        }
        return false
    }

    /// Whether a relationship that may not leads round.
    func hasCircles(model: MergeModel) -> Bool {
        for object in objects.values {
            for (property, relationship) in model.entities[object.entity]?.references ?? [:]
            where relationship.isAcyclic {
                var next = object.references[property]
                for _ in objects {
                    guard let name = next else { break }
                    if name == object.id { return true }
                    next = objects[name]?.references[property]
                }
            }
        }
        return false
    }
}
