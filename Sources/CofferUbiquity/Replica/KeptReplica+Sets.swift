internal import CofferMerge
internal import CofferModel
internal import CofferStores

// To-many relationships without inverse: registers know the owner of each member, as rows do, and history
// tells only whose set changed.

extension KeptReplica {
    /// The rows that were saved, and those of the members that came or went with them.
    func changedRows(
        of saves: UnfoldedSaves, _ reading: ObjectReading
    ) throws(StoreError) -> Set<RowAddress> {
        var rows = saves.rows
        for set in model.setsWithoutInverse {
            let family = model.entities[set.declaringEntityIndex].familyIndices
            let owners = saves.rows(thatWrote: set.index, in: family)
            let entity = replica.model.entity(at: set.declaringEntityIndex)
            guard !owners.isEmpty,
                let relationship = entity.relationship(entity.propertyName(at: set.index))
            else { continue }
            let members = try reading.members(of: owners, in: set.index)
            var former: [RowAddress: RowAddress] = [:]
            for owner in owners {
                guard let name = book.name(at: owner) else { continue }
                for member in replica.graph.members(of: name, in: relationship) {
                    if let row = book.row(of: member) { former[row] = owner }
                }
            }
            for row in Set(members.keys).union(former.keys) where members[row] != former[row] {
                rows.insert(row)
            }
        }
        return rows
    }
}
