internal import CofferMerge

/// Two objects that a relationship of many to many may hold together.
struct ObjectPair: Hashable {
    let relationship: RelationshipName
    /// The object of the end that the relationship is named by; of one that is its own inverse the smaller.
    let first: RecordID
    let second: RecordID
}

/// Of the pairs of two objects' records the greatest, for all that the model knows; `objects` tells of which
/// object each record is, and its entity.
func greatestPairs(
    of state: State, model: MergeModel, objects: [RecordID: (id: RecordID, entity: String)]
) -> [ObjectPair: Stamped<Bool>] {
    var greatest: [ObjectPair: Stamped<Bool>] = [:]
    for (key, isIn) in state.pairs {
        guard let first = objects[key.first], let second = objects[key.second],
            // Objects that became one do not hold themselves, but a record may.
            first.id != second.id || key.first == key.second,
            let relationship = model.entities[first.entity]?.pairs[key.relationship.property],
            relationship.name == key.relationship, model.accepts(second.entity, at: relationship)
        else { continue }
        let isTurned = relationship.inverse == relationship.name && second.id < first.id
        let pair = ObjectPair(
            relationship: key.relationship, first: isTurned ? second.id : first.id,
            second: isTurned ? first.id : second.id)
        if let old = greatest[pair], !isIn.isGreater(than: old) { continue }
        greatest[pair] = isIn
    }
    return greatest
}
