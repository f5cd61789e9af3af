internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Counts the objects in to-many relationships that changed, if the model bounds them.
///
/// In a store that was shared, a number that a merge left wrong is refused only if it became worse.
struct CountCheck: SavePass {
    let state: SaveState

    /// Adds relationships with too few or too many objects to the outcome.
    func check() throws(StoreError) {
        for (place, group) in inserted.groups.enumerated() {
            let plan = try writer.plan(group.entity)
            let bounded = plan.properties.compactMap(\.self).compactMap { BoundedCount($0, of: plan) }
            for relationship in bounded {
                for row in group.temporaryIDs.indices
                where !inserted.isMerged(inserted.start(ofGroup: place) + row) {
                    let object = plan.object(inserted.firstKeys[place] + Int64(row))
                    try check(relationship, of: object, isNew: true)
                }
            }
        }
        if changes.touched.isEmpty { return }
        for (object, properties) in changes.touched.sorted(by: { $0.key < $1.key })
        where !objects.isNewOrGone(object) {
            let plan = try writer.plan(object.entity)
            for index in properties.sorted() {
                guard let property = plan.properties[index],
                    let relationship = BoundedCount(property, of: plan)
                else { continue }
                try check(relationship, of: object, isNew: false)
            }
        }
    }

    private func check(
        _ relationship: BoundedCount, of object: LeafKey, isNew: Bool
    ) throws(StoreError) {
        let count = try translating { () throws(SQLiteError) in
            try relationship.count(of: object.key, byWriterOn: writer.connection)
        }
        let excess = relationship.excess(count)
        if excess == 0 { return }
        if !isNew, try isNoWorse(excess, relationship, of: object.key) { return }
        outcome.fail(
            inserted.reference(to: object), property: relationship.property.name,
            reason: excess < 0 ? .tooFew : .tooMany, relationship.text(count))
    }

    private func isNoWorse(
        _ excess: Int, _ relationship: BoundedCount, of key: Int64
    ) throws(StoreError) -> Bool {
        guard try mayBeBroken else { return false }
        let reader = try writer.file.makeReader()
        let former = try translating { () throws(SQLiteError) in
            relationship.excess(try relationship.committedCount(of: key, on: reader))
        }
        return excess < 0 ? former <= excess : former >= excess
    }
}
