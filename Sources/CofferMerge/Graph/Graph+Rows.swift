internal import CofferModel

extension Graph {
    /// The object that a relationship is seen to lead to at a moment.
    func target(of object: SealedObject, _ property: String, in objects: Objects) -> RecordID? {
        guard case .object(let target) = objects.target(of: object, property) else { return nil }
        return target
    }

    /// Whether another object's key takes a property of an object.
    func isTaken(_ property: String, of id: RecordID, in objects: Objects) -> Bool {
        objects.taken(of: id).contains { $0.properties.contains(property) }
    }

    /// The objects whose to-one relationship, the other end of `relationship`, is seen to lead to an object.
    func members(
        of object: SealedObject, in relationship: MergeRelationship, objects: Objects
    ) -> [RecordID] {
        guard let inverse = relationship.inverse else { return [] }
        return objects.namers(of: object, by: inverse.property, of: inverse).filter {
            !isTaken(inverse.property, of: $0, in: objects)
        }
    }

    /// An object as it is seen at a moment; `nil` if it is not.
    func row(_ id: RecordID, in objects: Objects, withMembers hasMembers: Bool = true) -> SeenObject? {
        guard let object = objects.sealed(id) else { return nil }
        var row = SeenObject(id, entity: object.entity.name, records: object.records.set)
        let taken = Set(objects.taken(of: id).flatMap(\.properties))
        for (property, attribute) in object.entity.attributes {
            let (value, large) =
                taken.contains(property) ? (.null, nil) : object.value(property, of: attribute)
            row.values[property] = value
            if let large { row.largeValues[property] = large }
        }
        for property in object.entity.references.keys where !taken.contains(property) {
            row.references[property] = target(of: object, property, in: objects)
        }
        if !hasMembers { return row }
        for (property, relationship) in object.entity.pairs {
            let members = objects.partners(of: object, relationship)
            if members.isEmpty { continue }
            row.members[property] = Set(members)
            if relationship.isOrdered {
                row.orders[property] = ordered(members, by: relationship, of: object, in: objects)
            }
        }
        for (property, relationship) in object.entity.collections where relationship.isOrdered {
            let members = members(of: object, in: relationship, objects: objects)
            if members.isEmpty { continue }
            row.orders[property] = ordered(members, by: relationship, of: object, in: objects)
        }
        return row
    }

    /// By place, then id; what has no place comes last.
    private func ordered(
        _ members: [RecordID], by relationship: MergeRelationship, of owner: SealedObject,
        in objects: Objects
    ) -> [RecordID] {
        let placed = Set(members).map { member -> (place: Place?, id: RecordID) in
            var greatest: Stamped<Place>?
            for record in objects.records(of: member) {
                for owner in owner.records {
                    let key = PlaceKey(relationship.name, owner: owner, member: record)
                    guard let place = objects.view.place(key) else { continue }
                    if greatest.map({ place.isGreater(than: $0) }) ?? true { greatest = place }
                }
            }
            return (greatest?.value, member)
        }
        return placed.sorted { left, right in
            switch (left.place, right.place) {
            case (let one?, let other?) where one != other: one < other
            case (_?, nil): true
            case (nil, _?): false
            default: left.id < right.id
            }
        }
        .map(\.id)
    }
}
