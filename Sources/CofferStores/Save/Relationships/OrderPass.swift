internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Gives members of ordered relationships their places.
///
/// Moves merge: they conflict with no other change, and of two saves that move the same member the later one
/// counts. The owner gets a new version, the members keep theirs. The move of a member that has been removed
/// meanwhile is ignored, and so is one next to a neighbour that has been removed.
struct OrderPass: SavePass {
    let state: SaveState

    /// Makes the moves that a request names.
    ///
    /// - Complexity: Writes one row for a move; if there is no number between two neighbours, the rows around
    ///   them get new ones.
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
            let moved = try translating { () throws(SQLiteError) in
                try list.move(member, after: after, of: owner.key, on: writer.connection)
            }
            guard let moved else { continue }
            changes.touch(owner, property.index)
            try noteMoves(of: moved, in: property)
        }
    }

    /// Lets history tell of members whose own rows keep their places.
    private func noteMoves(of keys: [Int64], in property: EntityPlan.Property) throws(StoreError) {
        guard case .toMany(_, _, _, let order?, let destination) = property.stored else { return }
        let root = writer.file.schema.model.entities[destination].rootIndex
        for key in keys {
            guard let entity = try objects.leaf(of: RowKey(root: root, key: key)), entity >= 0,
                let mark = try writer.plan(entity).history.orderMark(order)
            else { continue }
            changes.noteMove(of: LeafKey(entity: entity, key: key), mark)
        }
    }

    private func key(_ reference: Int64) throws(StoreError) -> Int64 {
        reference < 0 ? try inserted.object(namedBy: reference).key : reference
    }
}
