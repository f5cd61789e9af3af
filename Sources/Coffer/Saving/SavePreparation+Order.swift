import CofferModel
import CofferWire

extension SavePreparation {
    /// The places that members of ordered relationships get: the fewest moves that make the order.
    func orderChanges(_ objects: [ManagedObject], _ places: [Int64: Int]) throws(CofferError) -> [OrderChange]
    {
        var changes: [OrderChange] = []
        var groups: [[Int]: Int] = [:]
        for object in objects where !object.isLost {
            guard let toMany = object.edits?.toMany, !toMany.isEmpty else { continue }
            for (slot, content) in toMany.sorted(by: { $0.key < $1.key }) where content.isChanged {
                guard let relationship = object.layout.relationships[slot], relationship.isOrdered else {
                    continue
                }
                let moves = content.savedMoves(
                    knowsEntry: knowsEntry(content, of: relationship, places: places))
                if moves.isEmpty { continue }
                let key = [object.entity.index, slot]
                if groups[key] == nil {
                    groups[key] = changes.count
                    changes.append(
                        OrderChange(
                            entity: object.entity.index, property: slot, owners: [], members: [], after: []))
                }
                guard let place = groups[key] else { continue }
                try append(moves, of: object, slot, to: &changes[place], places: places)
            }
        }
        return changes.filter { !$0.owners.isEmpty }
    }

    private func append(
        _ moves: [MemberMove], of object: ManagedObject, _ slot: Int, to change: inout OrderChange,
        places: [Int64: Int]
    ) throws(CofferError) {
        for move in moves where !isDeleted(move.member) {
            guard let owner = try key(of: object.reference, from: object, slot, places),
                let member = try key(of: move.member, from: object, slot, places)
            else { continue }
            var after: Int64 = 0
            if let neighbour = living(move.after, in: object, slot) {
                guard let key = try key(of: neighbour, from: object, slot, places) else { continue }
                after = key
            }
            change.owners.append(owner)
            change.members.append(member)
            change.after.append(after)
        }
    }

    private func isDeleted(_ reference: ObjectReference) -> Bool {
        context.registry.object(reference)?.isLost ?? false
    }

    /// A neighbour, or the one before it that is not to be deleted.
    private func living(
        _ neighbour: ObjectReference?, in object: ManagedObject, _ slot: Int
    ) -> ObjectReference? {
        guard let neighbour, isDeleted(neighbour) else { return neighbour }
        let members = object.edits?.toMany[slot]?.members ?? []
        return members.prefix { $0 != neighbour }.last { !isDeleted($0) }
    }

    /// Whether in the store the members that entered stand in the order in which they entered here.
    ///
    /// The store takes members of a set in the order of the request, and else objects as they are written:
    /// changed ones before new ones, and those by entity and insertion.
    private func knowsEntry(
        _ content: ToManyContent, of relationship: RelationshipLayout, places: [Int64: Int]
    ) -> Bool {
        if content.added.count < 2 { return true }
        if relationship.isInverseToMany || relationship.inverseSlot == nil {
            return relationship.sendsMembers
        }
        if !context.reserved.isEmpty { return isWritten(content.added, inOrderOf: places) }
        let stored = content.added.prefix { !$0.isUnsaved }
        let new = content.added.dropFirst(stored.count)
        guard stored.count < 2 else { return false }
        return zip(new, new.dropFirst()).allSatisfy { one, next in
            next.isUnsaved && (one.leaf == next.leaf ? one.key > next.key : one.leaf < next.leaf)
        }
    }

    /// Whether at most one object that is stored comes first, and then new ones in the order of the request.
    private func isWritten(_ objects: [ObjectReference], inOrderOf places: [Int64: Int]) -> Bool {
        let ranks = objects.map { object in
            (object.isUnsaved ? object.key : context.reserved.key(of: object)).flatMap { places[$0] } ?? -1
        }
        return zip(ranks, ranks.dropFirst()).allSatisfy { $0 < $1 }
    }
}
