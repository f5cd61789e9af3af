import CofferModel

extension ChildAcceptance {
    /// Takes back at both ends what the policy lets this context keep at one end of a pair, and the pairs
    /// that hang together with it.
    ///
    /// An object that was to be deleted and is kept keeps its partners.
    mutating func takeBackPairs() {
        guard save.rule.decide(.contested) == .stored else { return }
        let updates = places
        let inserts = Dictionary(save.inserts.indices.map { (save.inserts[$0].reference, $0) }) { $1 }
        var open = saved.corrections.map { FollowingEnd(reference: $0.reference, slot: $0.slot) }
        for case let kept? in saved.kept.map({ objects[$0] }) {
            for case let relationship? in kept.layout.relationships where relationship.isPair {
                guard let inverse = relationship.inverseSlot,
                    let partner = kept.content(relationship.slot).reference, let place = updates[partner],
                    takeBack(place, inverse)
                else { continue }
                open.append(FollowingEnd(reference: partner, slot: inverse))
            }
        }
        while let end = open.popLast() {
            guard let place = updates[end.reference], let object = objects[end.reference],
                let relationship = object.layout.relationships[end.slot], relationship.isPair,
                let inverse = relationship.inverseSlot
            else { continue }
            let wanted = save.updates[place].changes.first { $0.slot == end.slot }?.new.reference
            for other in [wanted, object.content(end.slot).reference].compactMap(\.self) {
                if let place = inserts[other] {
                    takeBackInsert(place, inverse)
                } else if let place = updates[other], takeBack(place, inverse) {
                    open.append(FollowingEnd(reference: other, slot: inverse))
                }
            }
        }
    }

    /// Takes a change back; says whether there was one.
    private mutating func takeBack(_ place: Int, _ slot: Int) -> Bool {
        let reference = save.updates[place].reference
        guard let object = objects[reference], accepted[place].contains(where: { $0.slot == slot }) else {
            return false
        }
        accepted[place].removeAll { $0.slot == slot }
        saved.corrections.append((reference, slot, object.content(slot)))
        return true
    }

    private mutating func takeBackInsert(_ place: Int, _ slot: Int) {
        guard save.inserts[place].contents.contains(where: { $0.slot == slot }) else { return }
        save.inserts[place].contents.removeAll { $0.slot == slot }
        saved.corrections.append((save.inserts[place].reference, slot, .null))
    }
}
