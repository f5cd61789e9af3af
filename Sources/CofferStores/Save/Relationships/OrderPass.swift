internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Gives members of ordered relationships their places.
///
/// Moves merge: they change no version and conflict with nobody, and of two saves that move the same member
/// the later one counts. The move of a member that has been removed meanwhile is ignored, and so is one next
/// to a neighbour that has been removed.
struct OrderPass: SavePass {
    let state: SaveState

    /// Makes the moves that a request names.
    ///
    /// - Complexity: Writes one row for a move; where there is no number between two neighbours, the rows
    ///   around them get new ones.
    func apply(_ changes: [OrderChange]) throws(StoreError) {
        for change in changes { try apply(change) }
    }

    private func apply(_ change: OrderChange) throws(StoreError) {
        let plan = try writer.plan(change.entity)
        let property = try plan.property(change.property)
        guard let list = OrderedList(property) else {
            throw .wrongType(entity: plan.name, property: property.name, detail: "it has no order")
        }
        guard change.owners.count == change.members.count, change.owners.count == change.after.count else {
            throw .malformedRequest(
                "a change of the order of '\(plan.name).\(property.name)' lacks members or neighbours")
        }
        for index in change.owners.indices {
            guard
                let owner = try ReferenceCheck(state: state).member(
                    change.owners[index], inTreeOf: plan.root, entity: plan.index, in: property, of: plan,
                    owner: nil)
            else { continue }
            let member = try key(change.members[index])
            let after = change.after[index] == 0 ? nil : try key(change.after[index])
            let didMove = try translating { () throws(SQLiteError) in
                try list.move(member, after: after, of: owner.key, on: writer.connection)
            }
            if didMove { changes.touch(owner, property.index) }
        }
    }

    private func key(_ reference: Int64) throws(StoreError) -> Int64 {
        reference < 0 ? try inserted.object(namedBy: reference).key : reference
    }
}
