import CofferModel

/// The order of to-many relationships that have one.
extension ManagedObject {
    /// Gives a member of an ordered relationship the place `index`, counted after it was taken out; an object
    /// that is not a member yet enters.
    final func placeMember(_ member: ManagedObject, at index: Int, _ relationship: RelationshipLayout) {
        precondition(
            relationship.isOrdered,
            "'\(entity.name).\(relationship.name)' has no order: its members have no places")
        insertMember(member, relationship)
        guard !status.contains(.gone), let members = memberReferences(relationship.slot) else { return }
        let others = members.filter { $0 != member.reference }
        guard others.count < members.count else { return }
        precondition(
            (0...others.count).contains(index), "'\(entity.name).\(relationship.name)' has no place \(index)")
        let after = index == 0 ? nil : others[index - 1]
        changeOrder(of: relationship.slot, from: members) {
            $0.move(MemberMove(member: member.reference, after: after))
        }
    }

    /// Gives the members of an ordered relationship the order of `objects`.
    final func arrangeMembers(_ objects: [ManagedObject], _ relationship: RelationshipLayout) {
        guard relationship.isOrdered, !status.contains(.gone),
            let members = memberReferences(relationship.slot)
        else { return }
        let wanted = objects.map(\.reference)
        if wanted == members { return }
        changeOrder(of: relationship.slot, from: members) { $0.arrange(wanted) }
    }

    /// Gives members places one after the other, as a context below did.
    final func moveMembers(_ moves: [MemberMove], _ relationship: RelationshipLayout) {
        guard !moves.isEmpty, let members = memberReferences(relationship.slot) else { return }
        changeOrder(of: relationship.slot, from: members) {
            $0.arrange(MemberMoves.list(members, after: moves))
        }
    }

    private func changeOrder(
        of slot: Int, from before: [ObjectReference], _ body: (inout ToManyContent) -> Void
    ) {
        editMembers(slot, body)
        noteOrder(slot, before)
    }

    /// Notes for undo which order the members had.
    final func noteOrder(_ slot: Int, _ before: [ObjectReference]) {
        guard registry.context?.undoManager != nil, let after = edits?.toMany[slot]?.members, after != before
        else { return }
        registry.context?.note(.order(self, slot: slot, old: before, new: after))
    }
}
