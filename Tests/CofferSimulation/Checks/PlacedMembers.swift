internal import CofferMerge

/// The members of ordered relationships that no edit moves: others only come behind them.
struct PlacedMembers {
    /// Where members stand, before what comes is written.
    fileprivate(set) var places: Set<PlaceKey> = []

    /// What is wrong with the registers of a fold; `nil` if nothing is.
    func broken(by registers: [Register]) -> String? {
        if places.isEmpty { return nil }
        for case .place(let key, _) in registers where places.contains(key) {
            return "\(key.member.label) was moved in \(key.owner.label).\(key.relationship.property), "
                + "and another member came into that order"
        }
        return nil
    }
}

extension Replica {
    /// The members that edits leave where they are, as far as that is plain: those of owners into whose
    /// orders only objects come, at the end, that never had a place there.
    func placed(in edits: [LocalEdit]) -> PlacedMembers {
        var orders: [OrderName: [RecordID]] = [:]
        var unclear: Set<OrderName> = []
        for edit in edits {
            for case .order(let owner, let property, let members) in edit.changes {
                let name = OrderName(owner: owner, property: property)
                let former = orders[name] ?? graph.object(owner)?.orders[property] ?? []
                let come = members.drop { former.contains($0) }
                let staying = former.filter(members.contains)
                if members.prefix(members.count - come.count) != staying[...] { unclear.insert(name) }
                if come.contains(where: { former.contains($0) || hasPlace($0, of: name) }) {
                    unclear.insert(name)
                }
                orders[name] = members
            }
        }
        var placed = PlacedMembers()
        for (name, _) in orders where !unclear.contains(name) {
            let former = graph.object(name.owner)?.orders[name.property] ?? []
            for member in former { placed.places.formUnion(placeKeys(of: member, of: name)) }
        }
        return placed
    }

    private struct OrderName: Hashable {
        let owner: RecordID
        let property: String
    }

    private func hasPlace(_ member: RecordID, of name: OrderName) -> Bool {
        !placeKeys(of: member, of: name).isEmpty
    }

    private func placeKeys(of member: RecordID, of name: OrderName) -> [PlaceKey] {
        guard let owner = graph.object(name.owner),
            let relationship = model.entities[owner.entity]?.relationship(name.property)
        else { return [] }
        let members = graph.object(member)?.records ?? [member]
        return owner.records.flatMap { owner in
            members.map { PlaceKey(relationship.name, owner: owner, member: $0) }
        }
        .filter { state.places[$0] != nil }
    }

    /// The places of all others in the orders in which registers give some, as if these were moved too: what
    /// a store would tell that takes its rows' numbers for their order.
    func renumbering(_ registers: [Register], by author: FoldAuthor) -> [Register] {
        var found: [PlaceKey: Stamp] = [:]
        for case .place(let key, let place) in registers {
            for other in state.places(of: key.owner)
            where other.owner == key.owner && other.relationship == key.relationship {
                found[other] = place.stamp
            }
        }
        for case .place(let key, _) in registers { found[key] = nil }
        return found.compactMap { key, stamp in
            guard let place = state.places[key] else { return nil }
            let time = max(stamp.microseconds, place.stamp.microseconds + 1)
            let stamp = Stamp(time, peer: author.peer, fold: author.number)
            return .place(key, Stamped(place.value, stamp))
        }
    }
}
