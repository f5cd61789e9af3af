internal import CofferMerge

/// Rule 5: which objects are in relationships of many to many, and the order of those that have one.
struct Members {
    let state: State
    let model: MergeModel

    /// Adds members and orders to objects that have their references.
    func add(to graph: inout SeenGraph) {
        var objects: [RecordID: (id: RecordID, entity: String)] = [:]
        for seen in graph.objects.values {
            for record in seen.records { objects[record] = (seen.id, seen.entity) }
        }
        for (pair, isIn) in greatestPairs(of: state, model: model, objects: objects) where isIn.value {
            add(pair.second, to: pair.relationship, of: pair.first, in: &graph)
            if let relationship = model.entities[pair.relationship.entity]?.pairs[pair.relationship.property],
                let inverse = relationship.inverse
            {
                add(pair.first, to: inverse, of: pair.second, in: &graph)
            }
        }
        addOrders(to: &graph)
    }

    private func add(
        _ member: RecordID, to relationship: RelationshipName, of owner: RecordID, in graph: inout SeenGraph
    ) {
        graph.objects[owner]?.members[relationship.property, default: []].insert(member)
    }

    /// By place, then id; a member without a place comes last.
    private func addOrders(to graph: inout SeenGraph) {
        for (id, seen) in graph.objects {
            guard let entity = model.entities[seen.entity] else { continue }
            for relationship in entity.collections.values where relationship.isOrdered {
                let members = graph.objects.values.filter { other in
                    guard let inverse = relationship.inverse,
                        model.entities[other.entity]?.references[inverse.property]?.name == inverse
                    else { return false }
                    return other.references[inverse.property] == id
                }
                order(Set(members.map(\.id)), by: relationship, of: id, in: &graph)
            }
            for (property, relationship) in entity.pairs where relationship.isOrdered {
                order(seen.members[property] ?? [], by: relationship, of: id, in: &graph)
            }
        }
    }

    private func order(
        _ members: Set<RecordID>, by relationship: MergeRelationship, of owner: RecordID,
        in graph: inout SeenGraph
    ) {
        guard !members.isEmpty, let owners = graph.objects[owner]?.records else { return }
        let placed = members.map { member -> (place: Place?, id: RecordID) in
            let records = graph.objects[member]?.records ?? []
            let places = owners.flatMap { owner in
                records.compactMap {
                    state.places[PlaceKey(relationship.name, owner: owner, member: $0)]
                }
            }
            return (places.max { $1.isGreater(than: $0) }?.value, member)
        }
        graph.objects[owner]?.orders[relationship.name.property] = placed.sorted { left, right in
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
